//! Reads a function from the text that [`print`](super::print) writes, so that tests of passes need no builder.
//!
//! Values, variables and labels keep their numbers. Positions of the source and descriptions of checks are lost: every
//! statement gets the same position, and every check the same description.

mod names;
mod statements;
mod tests;

use rustc_hash::FxHashMap;

use super::{CheckKind, CheckSpec, Class, Function, Input, Inst, Site, SiteId, Value, Var};
use names::Named;

/// Reads a kernel and the functions that it calls.
///
/// # Errors
/// The line of the error, the expected text, and the text that was found.
pub(crate) fn parse(text: &str) -> Result<Function, String> {
    let tokens = tokens(text);
    let mut parser = Parser { tokens: &tokens, at: 0, made: Function::default(), ..Parser::default() };
    parser.expect("kernel")?;
    let [x, y, z] = [(); 3].map(|()| {
        let size = parser.number();
        let _ = parser.eat("x");
        size
    });
    let workgroup_size = [x?, y?, z?];
    let mut kernel = parser.function()?;
    kernel.workgroup_size = workgroup_size;
    while parser.eat("function") {
        let number: usize = parser.number()?;
        if number != kernel.callees.len() {
            return Err(parser.wrong(&format!("function {}", kernel.callees.len())));
        }
        kernel.callees.push(parser.function()?);
    }
    match parser.peek() {
        "" => Ok(kernel),
        _ => Err(parser.wrong("the end of the text")),
    }
}

/// Splits a text into words and other characters, each with the number of its line. A semicolon starts a comment.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.split(';').next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len()).max(first.len_utf8());
            tokens.push((number, &rest[..length]));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

#[derive(Default)]
struct Parser<'a> {
    tokens: &'a [(usize, &'a str)],
    at: usize,
    /// The function that is being read.
    made: Function,
    /// By value: whether its definition has been read.
    defined: Vec<bool>,
    /// The values of constants, inputs and arguments that have been read, by the debug text of their instruction.
    floating: FxHashMap<String, Value>,
}

impl<'a> Parser<'a> {
    /// The next token, or an empty text at the end.
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |(_, token)| token)
    }

    fn next(&mut self) -> &'a str {
        self.at += 1;
        self.tokens.get(self.at - 1).map_or("", |(_, token)| token)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(self.wrong(&format!("`{token}`"))) }
    }

    /// The error message when `expected` does not follow at the next token.
    fn wrong(&self, expected: &str) -> String {
        let last = self.tokens.last().map_or(1, |(line, _)| *line);
        let (line, found) = self.tokens.get(self.at).copied().unwrap_or((last, "the end of the text"));
        format!("line {line}: expected {expected}, found `{found}`")
    }

    /// Reads a token with `read`, which returns `None` for a token other than `expected`.
    fn read<T>(&mut self, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
        let value = read(self.peek()).ok_or_else(|| self.wrong(expected))?;
        self.at += 1;
        Ok(value)
    }

    fn number<T: TryFrom<u64>>(&mut self) -> Result<T, String> {
        self.read("a number", |token| {
            let number = match token.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => token.parse(),
            };
            T::try_from(number.ok()?).ok()
        })
    }

    fn named<T: Named>(&mut self, expected: &str) -> Result<T, String> {
        self.read(expected, T::named)
    }

    /// Reads the number of a value, a variable or a label, which follows its letter.
    fn numbered(&mut self, letter: char) -> Result<u32, String> {
        self.read(&format!("`{letter}` and a number"), |token| token.strip_prefix(letter)?.parse().ok())
    }

    /// Reads a function from its arguments on.
    fn function(&mut self) -> Result<Function, String> {
        // Values without a number in the text, such as constants, get numbers above all those in the text.
        let numbers = self.tokens.iter().filter_map(|(_, token)| token.strip_prefix('v')?.parse::<usize>().ok());
        let count = numbers.max().map_or(0, |last| last + 1);
        if count > 1 << 20 {
            return Err(format!("the number of a value is {}, at most {} is possible", count - 1, 1 << 20));
        }
        self.made.insts = vec![Inst::Const(Class::Bool, 0); count];
        self.made.classes = vec![Class::Bool; count];
        self.made.sites = vec![Site { span: naga::Span::default(), variable: String::new() }];
        self.defined = vec![false; count];
        self.floating.clear();
        loop {
            match self.next() {
                "argument" => {
                    let class = self.named("a class")?;
                    self.made.arguments.push(class);
                }
                "private" => self.made.private_bytes = self.number()?,
                "workgroup" => self.made.workgroup_bytes = self.number()?,
                "read" => self.made.read_only.push(true),
                "write" => self.made.read_only.push(false),
                "endless" => self.made.endless = true,
                "{" => break,
                _ => {
                    self.at -= 1;
                    return Err(self.wrong("a property of the function or `{`"));
                }
            }
        }
        self.made.body = self.list()?;
        Ok(std::mem::take(&mut self.made))
    }

    /// Reads an operand: a constant, input or argument, or a value that was defined before.
    fn operand(&mut self) -> Result<Value, String> {
        let (start, word) = (self.at, self.peek());
        if let Some(number) = word.strip_prefix('v').and_then(|number| number.parse::<usize>().ok()) {
            if !self.defined.get(number).is_some_and(|defined| *defined) {
                return Err(self.wrong("a value that is defined above"));
            }
            self.at += 1;
            return Ok(Value(number as u32));
        }
        self.at += 1;
        let number = if self.eat("(") {
            let number: u64 = self.number()?;
            self.expect(")")?;
            Some(number)
        } else {
            None
        };
        let small = || number.and_then(|number| u32::try_from(number).ok());
        let input = |input| Some((Inst::Input(input), Class::I32));
        let component = |of: fn(u8) -> Input| input(of(small().filter(|number| *number < 3)? as u8));
        let found = match (word, number) {
            ("LocalIndex", None) => input(Input::LocalIndex),
            ("SubgroupId", None) => input(Input::SubgroupId),
            ("Lane", None) => input(Input::Lane),
            ("LocalId", _) => component(Input::LocalId),
            ("WorkgroupId", _) => component(Input::WorkgroupId),
            ("NumWorkgroups", _) => component(Input::NumWorkgroups),
            ("ArrayLength", _) => small().and_then(|slot| input(Input::ArrayLength(slot))),
            ("Argument", _) => small().and_then(|number| {
                let class = *self.made.arguments.get(number as usize)?;
                Some((Inst::Argument(number), class))
            }),
            _ => Class::named(word).zip(number).map(|(class, bits)| (Inst::Const(class, bits), class)),
        };
        let Some((inst, class)) = found else {
            self.at = start;
            return Err(self.wrong("a value, a constant, an input or an argument"));
        };
        Ok(self.floating(inst, class))
    }

    fn floating(&mut self, inst: Inst, class: Class) -> Value {
        let made = &mut self.made;
        *self.floating.entry(format!("{inst:?}")).or_insert_with(|| {
            made.insts.push(inst);
            made.classes.push(class);
            Value(made.insts.len() as u32 - 1)
        })
    }

    /// Reads one or more operands with commas between them.
    fn operands(&mut self) -> Result<Vec<Value>, String> {
        let mut values = vec![self.operand()?];
        while self.eat(",") {
            values.push(self.operand()?);
        }
        Ok(values)
    }

    /// Reads operands in parentheses; there may be none.
    fn arguments(&mut self) -> Result<Vec<Value>, String> {
        self.expect("(")?;
        if self.eat(")") {
            return Ok(Vec::new());
        }
        let values = self.operands()?;
        self.expect(")")?;
        Ok(values)
    }

    /// Returns the variable with this number, and sets its class to `class`.
    fn var(&mut self, number: u32, class: Class) -> Result<Var, String> {
        let count = number as usize + 1;
        if count > 1 << 20 {
            return Err(self.wrong("a variable of a smaller number before"));
        }
        if self.made.vars.len() < count {
            self.made.vars.resize(count, Class::Bool);
        }
        self.made.vars[number as usize] = class;
        Ok(Var(number))
    }

    fn check_spec(&mut self, number: u32) -> Result<(), String> {
        if number > 1 << 20 {
            return Err(self.wrong("a check of a smaller number before"));
        }
        while self.made.checks.len() <= number as usize {
            self.made.checks.push(CheckSpec { kind: CheckKind::Iteration, site: SiteId(0), within: None });
        }
        Ok(())
    }
}
