//! Protection against stack overflow and panics: naga recurses over nested constructs, and checks its own state with
//! panics. Texts that nest too deeply are refused before parsing, deep ones are parsed on a separate stack, and a panic
//! becomes an error.

use anywarp_backend::Source;

use crate::TextError;
use crate::directives::block_comment;
use crate::quiet;

/// The maximum nesting depth of a text.
pub const MOST_DEPTH: u32 = 2000;
/// The maximum number of declarations: naga recurses over their uses of each other.
pub const MOST_DECLARATIONS: u32 = 50_000;
/// The maximum nesting depth of types, as WGSL defines it.
pub const MOST_TYPE_DEPTH: u32 = 255;

/// The maximum extent of a text that is parsed on the caller's stack. A build without optimisation needs some kilobytes
/// for each level.
const SHALLOW: Extent = Extent { depth: 32, declarations: 200, line: 0 };

/// The size of the separate stack, in bytes. The system commits only the part that is used.
const STACK: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 32 << 20 };

/// The weight of an `else`: its branch nests in all branches before it, and each needs many calls.
const ELSE: u32 = 8;

/// The nesting depth and size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Extent {
    /// The maximum number of operators, brackets and weighed `else` around one byte.
    depth: u32,
    /// The number of declarations outside functions and structs.
    declarations: u32,
    /// The first line deeper than [`MOST_DEPTH`], or else the deepest line.
    line: u32,
}

/// A guarded context that parses and compiles one text.
pub struct Room<'a> {
    file: &'a str,
    own_stack: bool,
}

/// Whether a text can be parsed on the caller's stack, which is the only one in a browser.
#[must_use]
pub fn is_shallow(text: &str) -> bool {
    measure(text).fits(SHALLOW)
}

impl Extent {
    fn fits(self, limit: Self) -> bool {
        self.depth <= limit.depth && self.declarations <= limit.declarations
    }
}

impl<'a> Room<'a> {
    /// A context for a text.
    ///
    /// # Errors
    /// [`TextError::TooDeep`].
    pub fn of(file: &'a str, text: &str) -> Result<Self, TextError> {
        let extent = measure(text);
        let too_deep =
            |what, line, depth, limit| Err(TextError::TooDeep { file: file.to_owned(), line, what, depth, limit });
        if extent.depth > MOST_DEPTH {
            return too_deep("operators, brackets and 'else if'", extent.line, extent.depth, MOST_DEPTH);
        }
        if extent.declarations > MOST_DECLARATIONS {
            return too_deep(
                "declarations, if each uses the one before,",
                extent.line,
                extent.declarations,
                MOST_DECLARATIONS,
            );
        }
        let own_stack = !extent.fits(SHALLOW);
        if own_stack && cfg!(target_arch = "wasm32") {
            // There are no threads that could provide another stack.
            return too_deep("operators, brackets and 'else if'", extent.line, extent.depth, SHALLOW.depth);
        }
        Ok(Self { file, own_stack })
    }

    /// A context for a text that may be composed: an error names the author's own file and line.
    ///
    /// # Errors
    /// [`TextError::TooDeep`].
    pub fn of_source(source: &'a Source) -> Result<Self, TextError> {
        Self::of(source.file(), source.text()).map_err(|error| match (error, source.is_plain()) {
            (TextError::TooDeep { file, line, what, depth, limit }, false) => {
                let place = source.place_of_line(line).map(|place| (place.file.to_owned(), place.line));
                let (file, line) = place.unwrap_or((file, line));
                TextError::TooDeep { file, line, what, depth, limit }
            }
            (error, _) => error,
        })
    }

    /// Calls `work` with enough stack, and turns a panic in it into an error.
    ///
    /// # Errors
    /// The errors of `work`; [`TextError::Internal`] for a panic.
    pub fn run<T: Send, E: Send + From<TextError>>(&self, work: impl FnOnce() -> Result<T, E> + Send) -> Result<T, E> {
        let guarded = || {
            // A panic drops everything that `work` owns, so no half-finished state remains.
            quiet::caught(work).unwrap_or_else(|said| Err(self.failed(said).into()))
        };
        if !self.own_stack {
            return guarded();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("anywarp-compile".to_owned()).stack_size(STACK);
            match thread.spawn_scoped(scope, guarded) {
                Ok(thread) => thread.join().unwrap_or_else(|_| Err(self.failed("its thread ended".to_owned()).into())),
                Err(error) => Err(self.failed(format!("no thread with {STACK} bytes of stack: {error}")).into()),
            }
        })
    }

    fn failed(&self, message: String) -> TextError {
        TextError::Internal { file: self.file.to_owned(), message }
    }
}

/// Refuses types that nest deeper than WGSL allows, which naga accepts.
///
/// # Errors
/// [`TextError::TooDeep`].
pub fn check_types(source: &Source, module: &naga::Module) -> Result<(), TextError> {
    let mut depths: Vec<u32> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        // naga lists a type after the types of its parts.
        let of = |inner: naga::Handle<naga::Type>| depths.get(inner.index()).copied().unwrap_or_default() + 1;
        let depth = match &ty.inner {
            naga::TypeInner::Array { base, .. } | naga::TypeInner::BindingArray { base, .. } => of(*base),
            naga::TypeInner::Pointer { base, .. } => of(*base),
            naga::TypeInner::Struct { members, .. } => members.iter().map(|member| of(member.ty)).max().unwrap_or(1),
            _ => 0,
        };
        if depth > MOST_TYPE_DEPTH {
            let span = module.types.get_span(handle);
            let place = span.to_range().and_then(|range| source.place(range.start));
            let (file, line) = place.map_or((source.file(), 1), |place| (place.file, place.line));
            let (what, limit) = ("types", MOST_TYPE_DEPTH);
            return Err(TextError::TooDeep { file: file.to_owned(), line, what, depth, limit });
        }
        depths.push(depth);
    }
    Ok(())
}

/// One open bracket, or the text itself.
#[derive(Clone, Copy, Default)]
struct Level {
    brace: bool,
    /// The depth of the enclosing levels.
    around: u32,
    /// Operators between two operands since the start of the statement or list entry: one of the two operands nests in
    /// each of them.
    between: u32,
    /// Operators before and after the current operand.
    beside: u32,
    /// The `else` of this statement, multiplied by [`ELSE`].
    branches: u32,
    /// Open `<` that may begin a template list.
    lists: u32,
}

impl Level {
    fn depth(&self) -> u32 {
        self.around.saturating_add(self.between).saturating_add(self.beside).saturating_add(self.branches)
    }

    fn entry_ends(&mut self) {
        (self.between, self.beside) = (0, 0);
    }

    fn statement_ends(&mut self) {
        self.entry_ends();
        (self.branches, self.lists) = (0, 0);
    }
}

/// The kind of the previous token.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Operand,
    Word,
    /// The end of a block, which ends the statement unless an `else` follows.
    Block,
    Other,
}

/// Measures a text in one pass. The result for invalid WGSL is an estimate.
fn measure(text: &str) -> Extent {
    let mut levels = vec![Level { brace: true, ..Level::default() }];
    let (mut extent, mut line, mut before) = (Extent::default(), 1, Before::Other);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            line += u32::from(byte == b'\n');
            at += 1;
            continue;
        }
        if let Some(length) = comment(&bytes[at..]) {
            line += bytes[at..at + length].iter().filter(|byte| **byte == b'\n').count() as u32;
            at += length;
            continue;
        }
        let nested = levels.len() > 1;
        let Some(mut level) = levels.last().copied() else { break };
        let length = word(&bytes[at..]);
        let is_else = length > 0 && &bytes[at..at + length] == b"else";
        if before == Before::Block && !is_else {
            level.statement_ends();
        }
        let mut opened = None;
        before = if is_else {
            level.branches = level.branches.saturating_add(ELSE);
            Before::Other
        } else if length > 0 {
            let declares =
                matches!(&bytes[at..at + length], b"fn" | b"struct" | b"const" | b"alias" | b"override" | b"var");
            extent.declarations += u32::from(declares && !nested);
            if byte.is_ascii_digit() { Before::Operand } else { Before::Word }
        } else {
            let operand = matches!(before, Before::Operand | Before::Word);
            match byte {
                b'(' | b'[' => {
                    level.beside += 1;
                    opened = Some(Level { around: level.depth(), ..Level::default() });
                    Before::Other
                }
                b'{' => {
                    level.entry_ends();
                    opened = Some(Level { brace: true, around: level.depth() + 1, ..Level::default() });
                    Before::Other
                }
                b')' | b']' => {
                    if levels.len() > 1 && !level.brace {
                        levels.pop();
                        at += 1;
                        before = Before::Operand;
                        continue;
                    }
                    Before::Operand
                }
                b'}' => {
                    // Also closes the brackets that are still open.
                    while levels.len() > 1 && levels.pop().is_some_and(|level| !level.brace) {}
                    at += 1;
                    before = Before::Block;
                    continue;
                }
                b',' => {
                    if level.lists == 0 {
                        level.entry_ends();
                    }
                    Before::Other
                }
                b';' => {
                    level.statement_ends();
                    Before::Other
                }
                b'.' => {
                    level.beside += 1;
                    Before::Other
                }
                b'<' if before == Before::Word => {
                    level.lists += 1;
                    level.between += 1;
                    Before::Other
                }
                b'>' if level.lists > 0 && operand => {
                    level.lists -= 1;
                    Before::Word
                }
                b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | b'<' | b'>' | b'=' => {
                    if operand {
                        level.between += 1;
                        level.beside = 0;
                    } else {
                        level.beside += 1;
                    }
                    Before::Other
                }
                _ => Before::Other,
            }
        };
        let depth = opened.map_or_else(|| level.depth(), |opened| opened.depth());
        if depth > extent.depth {
            if extent.depth <= MOST_DEPTH {
                extent.line = line;
            }
            extent.depth = depth;
        }
        if let Some(last) = levels.last_mut() {
            *last = level;
        }
        levels.extend(opened);
        at += length.max(1);
    }
    extent
}

/// The length of a comment at the start; block comments nest.
fn comment(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"//") {
        return Some(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    }
    bytes.starts_with(b"/*").then(|| block_comment(bytes))
}

/// The length of a name or number at the start, or 0.
fn word(bytes: &[u8]) -> usize {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let number = bytes.first().is_some_and(u8::is_ascii_digit);
    bytes.iter().position(|byte| !(part(*byte) || number && *byte == b'.')).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(text: &str) -> u32 {
        measure(text).depth
    }

    #[test]
    fn depth_counts_nesting_and_not_sequence() {
        assert_eq!(depth("let a = 1;"), 1);
        assert_eq!(depth("let a = b + c + d;"), 3);
        assert_eq!(depth("let a = b + c; let d = e;"), 2);
        assert_eq!(depth("let a = - - -b;"), 4);
        assert_eq!(depth("f(g(h(1)))"), 3);
        assert_eq!(depth("f(-1, -2, -3, -4)"), depth("f(-1)"));
        assert_eq!(depth("a = b.c * d[1] + b.c * d[1];"), depth("a = b * d + b * d[1];"));
        assert_eq!(depth("{ { } { } { } }"), 2);
        assert_eq!(depth("// ((((\n/* ((( /* (( */ */ 1.5e3"), 0);
    }

    #[test]
    fn each_else_adds_its_weight() {
        let chain = |count: usize| depth(&format!("if a {{}} {} b = c;", "else if d {} ".repeat(count)));
        assert_eq!(chain(10) - chain(5), 5 * ELSE);
        assert_eq!(depth(&"if a {} else {} ".repeat(100)), depth("if a {} else {} "));
    }

    #[test]
    fn template_lists_do_not_end_an_operand() {
        let sum = |count: usize| depth(&format!("let a = {}b;", "array<u32, 2>(1, 2)[0] + ".repeat(count)));
        assert!(sum(100) >= 200);
        assert!(depth(&format!("const A = array<vec2<f32>, 9>({});", "vec2<f32>(-1, a + b), ".repeat(500))) < 10);
    }

    #[test]
    fn only_module_declarations_are_counted() {
        let text = "struct A { a: u32 } var<private> b: A; fn f() { var c = 1; const d = 2; } alias C = u32;";
        assert_eq!(measure(text).declarations, 4);
        assert_eq!(measure(") ] } } fn f() {}").declarations, 1);
    }

    #[test]
    fn the_error_names_file_and_line() {
        let text = format!("fn f() {{\n let a = {}1;\n}}", "-".repeat(5000));
        let Err(error) = Room::of("deep.wgsl", &text) else { panic!("was accepted") };
        let said = error.to_string();
        assert!(said.contains("deep.wgsl:2") && said.contains("5002") && said.contains("2000"), "{said}");
    }

    #[test]
    fn a_panic_is_an_error_on_either_stack() {
        for own_stack in [false, true] {
            let room = Room { file: "f.wgsl", own_stack };
            let error = room.run(|| -> Result<(), TextError> { panic!("seven") }).unwrap_err();
            assert!(error.to_string().contains("f.wgsl") && error.to_string().contains("seven"), "{error}");
            assert_eq!(room.run(|| Ok::<_, TextError>(7)).unwrap(), 7);
        }
    }
}
