//! The state of a translation: what all functions share, and one function.

use anywarp_backend::Program;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Expression, Handle};
use rustc_hash::FxHashSet;

use super::Options;
use super::error::{Result, TranslateError};
use super::lines::Lines;
use super::names::{FunctionKey, Names, Scope};
use super::proven::{Proven, proofs};
use super::reach::Reach;

/// Blocks within each other: what recursion over statements is bounded by.
const MOST_NESTED: usize = 400;

/// A program on its way to text.
pub(super) struct ModuleWriter<'a> {
    pub(super) program: &'a Program,
    pub(super) module: &'a naga::Module,
    pub(super) info: &'a ModuleInfo,
    pub(super) options: &'a Options,
    /// Whether indices, divisors and loops are guarded.
    pub(super) checked: bool,
    /// The text of every type, function, variable and member.
    pub(super) names: Names,
    /// What functions use, calls included.
    pub(super) reach: Reach,
    /// Where workgroup variables lie, if they are carved out of dynamic shared memory.
    pub(super) dynamic: Vec<(Handle<naga::GlobalVariable>, u32)>,
    /// Text at file scope before all functions, such as tables of constants.
    pub(super) declarations: String,
    pub(super) lines: Lines,
}

/// One function on its way to text.
pub(super) struct FunctionWriter<'a, 'm> {
    pub(super) m: &'m mut ModuleWriter<'a>,
    pub(super) key: FunctionKey,
    pub(super) function: &'a naga::Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) proven: Proven<'a>,
    /// For each expression, the name that it was baked into.
    pub(super) values: Vec<Option<String>>,
    pub(super) out: String,
    /// Braces around what is written.
    pub(super) indent: usize,
    /// Blocks around what is written.
    depth: usize,
    /// The line of the WGSL that is being translated.
    pub(super) here: Option<u32>,
    /// The line that the C++ compiler counts for what is written next.
    pub(super) counted: Option<u32>,
    /// Whether the compiler already counts lines of the WGSL.
    pub(super) in_file: Option<String>,
    /// Lines of the WGSL that stand in a comment.
    pub(super) shown: FxHashSet<u32>,
    /// Values that are declared before a loop, since its body sets them and its `continuing` reads
    /// them, and the declarations that this made.
    pub(super) hoisted: FxHashSet<Handle<Expression>>,
    pub(super) hoists: Vec<String>,
    /// For each loop around the statement, the label that `continue` goes to; `None` where C++'s
    /// own `continue` does.
    pub(super) continues: Vec<Option<String>>,
    pub(super) labels: u32,
    /// The names in this function.
    pub(super) scope: Scope,
}

/// How a variable of the module is reached from within a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GlobalPlace {
    /// An lvalue; for an unsized array a pointer to its first element, to be indexed the same way.
    pub(super) text: String,
    /// The address space.
    pub(super) space: AddressSpace,
    /// The number of elements of the unsized array that the type is or ends in.
    pub(super) count: Option<String>,
}

impl<'a, 'm> FunctionWriter<'a, 'm> {
    pub(super) fn new(
        m: &'m mut ModuleWriter<'a>,
        key: FunctionKey,
        function: &'a naga::Function,
        info: &'a FunctionInfo,
    ) -> Self {
        let scope = m.names.scope(key);
        let proven = Proven::of(proofs(m.program), key, function);
        Self {
            m,
            key,
            function,
            info,
            proven,
            values: vec![None; function.expressions.len()],
            out: String::new(),
            indent: 1,
            depth: 0,
            here: None,
            counted: None,
            in_file: None,
            shown: FxHashSet::default(),
            hoisted: FxHashSet::default(),
            hoists: Vec::new(),
            continues: Vec::new(),
            labels: 0,
            scope,
        }
    }

    /// Writes one line of C++ at the current depth, and what connects it with the WGSL.
    pub(super) fn line(&mut self, text: &str) {
        self.connect();
        self.bare(text);
    }

    /// Writes one line of C++ that belongs to no line of the WGSL in particular, such as a brace.
    pub(super) fn bare(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
        self.counted = self.counted.map(|line| line + 1);
    }

    /// Declares the value of an expression under a name of its own, which from now on stands for it.
    pub(super) fn declare(&mut self, handle: Handle<Expression>, text: &str) {
        let name = self.name_value(handle);
        let ty = self.m.resolved_name(&self.info[handle].ty);
        if self.hoisted.contains(&handle) {
            self.hoists.push(format!("{ty} {name};"));
            self.line(&format!("{name} = {text};"));
        } else if ty.ends_with('*') {
            self.line(&format!("{ty} const {name} = {text};"));
        } else {
            self.line(&format!("const {ty} {name} = {text};"));
        }
    }

    /// Gives the value of an expression a name: the WGSL's if it has one.
    fn name_value(&mut self, handle: Handle<Expression>) -> String {
        let name = match self.function.named_expressions.get(&handle) {
            Some(name) => self.m.names.fresh(name, &mut self.scope),
            None => self.m.names.fresh(&format!("e{}", handle.index()), &mut self.scope),
        };
        if let Some(value) = self.values.get_mut(handle.index()) {
            *value = Some(name.clone());
        }
        name
    }

    /// Runs `inner` within braces.
    pub(super) fn nest(&mut self, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.indent += 1;
        let result = self.deeper(inner);
        self.indent -= 1;
        result
    }

    /// Runs `inner` for a block within the present one.
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth == MOST_NESTED {
            return Err(TranslateError::limit(format!("blocks nested more than {MOST_NESTED} deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The name of a function's argument.
    pub(super) fn argument(&self, index: u32) -> String {
        self.m.names.argument(self.key, index).to_owned()
    }

    /// A function's variable, an lvalue.
    pub(super) fn local(&self, handle: Handle<naga::LocalVariable>) -> String {
        self.m.names.local(self.key, handle).to_owned()
    }
}
