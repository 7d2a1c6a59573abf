//! Restrictions: expressions over the values of overrides.
//!
//! ```text
//! or      = and { "||" and }
//! and     = compare { "&&" compare }
//! compare = sum [ ("<=" | ">=" | "==" | "!=" | "<" | ">") sum ]
//! sum     = product { ("+" | "-") product }
//! product = unary { ("*" | "/" | "%") unary }
//! unary   = [ "!" | "-" ] unary | number | name | "(" or ")"
//! ```
//!
//! All values are `f64`; comparisons yield 1 or 0, and a restriction holds if its value is neither 0 nor NaN.

/// The greatest depth of parentheses and signs, which bounds the recursion.
const MAX_DEPTH: u32 = 64;

/// The greatest length of a restriction in bytes, which bounds the depth of chains such as `1 + 1 + 1`.
const MAX_LENGTH: usize = 1024;

/// A parsed expression. Names are indices into [`Expression::names`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    root: Node,
    /// The names in the order of their first occurrence.
    pub(super) names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Name(usize),
    Unary(&'static str, Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
}

/// A problem at a byte of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) message: String,
}

impl Expression {
    /// Parses a whole text.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        if text.len() > MAX_LENGTH {
            let message = format!("expected at most {MAX_LENGTH} bytes, found {}", text.len());
            return Err(Problem { at: 0, message });
        }
        let mut parser = Parser { text, at: 0, depth: 0, names: Vec::new() };
        let root = parser.level(0)?;
        parser.skip();
        if parser.at < text.len() {
            return Err(parser.expected("an operator or the end"));
        }
        Ok(Self { root, names: parser.names })
    }

    /// The value, with the values of names in the order of [`Expression::names`].
    pub(super) fn value(&self, values: &[f64]) -> f64 {
        self.root.value(values)
    }

    /// Whether the restriction holds, with the values in the order of [`Expression::names`].
    pub(super) fn holds(&self, values: &[f64]) -> bool {
        let value = self.root.value(values);
        value != 0.0 && !value.is_nan()
    }
}

impl Node {
    fn value(&self, values: &[f64]) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Number(number) => *number,
            Self::Name(index) => values.get(*index).copied().unwrap_or(f64::NAN),
            Self::Unary(operator, inner) => match (*operator, inner.value(values)) {
                ("!", value) => truth(value == 0.0),
                (_, value) => -value,
            },
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.value(values), right.value(values));
                match *operator {
                    "||" => truth(left != 0.0 || right != 0.0),
                    "&&" => truth(left != 0.0 && right != 0.0),
                    "<=" => truth(left <= right),
                    ">=" => truth(left >= right),
                    "==" => truth(left == right),
                    "!=" => truth(left != right),
                    "<" => truth(left < right),
                    ">" => truth(left > right),
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "/" => left / right,
                    _ => left % right,
                }
            }
        }
    }
}

/// The binary operators of each level, the loosest first. An operator precedes those that are its prefix.
const LEVELS: [&[&str]; 5] = [&["||"], &["&&"], &["<=", ">=", "==", "!=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

/// The level of comparisons, which do not chain.
const COMPARISONS: usize = 2;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    names: Vec<String>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expected(&self, expected: &str) -> Problem {
        let found = self.rest().chars().next().map_or("the end".to_owned(), |letter| format!("'{letter}'"));
        Problem { at: self.at, message: format!("expected {expected}, found {found}") }
    }

    fn level(&mut self, level: usize) -> Result<Node, Problem> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        loop {
            self.skip();
            let Some(operator) = operators.iter().find(|operator| self.rest().starts_with(**operator)) else {
                return Ok(left);
            };
            self.at += operator.len();
            let right = self.level(level + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
            if level == COMPARISONS {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Result<Node, Problem> {
        self.skip();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Problem { at: self.at, message: format!("expected at most {MAX_DEPTH} nested parts") });
        }
        let node = self.operand();
        self.depth -= 1;
        node
    }

    fn operand(&mut self) -> Result<Node, Problem> {
        for sign in ["!", "-"] {
            if self.rest().starts_with(sign) {
                self.at += 1;
                return Ok(Node::Unary(sign, Box::new(self.unary()?)));
            }
        }
        if self.rest().starts_with('(') {
            self.at += 1;
            let inner = self.level(0)?;
            self.skip();
            if !self.rest().starts_with(')') {
                return Err(self.expected("')'"));
            }
            self.at += 1;
            return Ok(inner);
        }
        let word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let length = self.rest().find(|letter| !word(letter)).unwrap_or(self.rest().len());
        let token = self.rest()[..length].to_owned();
        if token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') && !token.contains('.') {
            self.at += length;
            let index = self.names.iter().position(|name| *name == token).unwrap_or_else(|| {
                self.names.push(token);
                self.names.len() - 1
            });
            return Ok(Node::Name(index));
        }
        match super::number(&token) {
            Some(number) => {
                self.at += length;
                Ok(Node::Number(number))
            }
            None => Err(self.expected("a number, an override or '('")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, values: &[f64]) -> bool {
        Expression::parse(text).unwrap().holds(values)
    }

    #[test]
    fn operators_bind_as_in_wgsl() {
        assert!(holds("1 + 2 * 3 == 7 && 10 - 4 - 3 == 3 && 7 % 4 == 3", &[]));
        assert!(holds("2 * (3 + 4) == 14 || 1 / 0 < 0", &[]));
        assert!(holds("-2 < 1 && !(1 > 2) && 1 != 2 && 2 >= 2 && 2 <= 2", &[]));
        assert!(!holds("0 / 0", &[]));
        assert!(holds("A * A + B_2 == 11", &[3.0, 2.0]));
    }

    #[test]
    fn problems_have_a_place() {
        let at = |text| Expression::parse(text).unwrap_err().at;
        assert_eq!(at("1 +"), 3);
        assert_eq!(at("(1 + 2"), 6);
        assert_eq!(at("A $ 2"), 2);
        assert_eq!(at("1 < 2 < 3"), 6);
        assert_eq!(at("12q"), 0);
        assert_eq!(at(""), 0);
        assert_eq!(at("A < §"), 4);
    }

    #[test]
    fn long_and_deep_texts_are_errors() {
        let message = |text: &str| Expression::parse(text).unwrap_err().message;
        assert!(message(&"(".repeat(1000)).contains("nested"));
        assert!(message(&"-".repeat(1000)).contains("nested"));
        assert!(message(&format!("1{}", " + 1".repeat(100_000))).contains("1024 bytes"));
        assert!(holds(&format!("1{}", "+1".repeat(500)), &[]));
    }
}
