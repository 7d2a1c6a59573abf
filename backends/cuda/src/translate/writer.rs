//! The state of a translation: the part that all functions share, and the part of one function.

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

/// The largest nesting depth of blocks, which bounds recursion over statements.
const MAX_NESTED: usize = 400;

/// The state of a program's translation.
pub(super) struct ModuleWriter<'a> {
    pub(super) program: &'a Program,
    pub(super) module: &'a naga::Module,
    pub(super) info: &'a ModuleInfo,
    pub(super) options: &'a Options,
    /// Whether accesses, divisions and loops are checked.
    pub(super) checked: bool,
    /// The C++ identifiers of types, functions, variables and members.
    pub(super) names: Names,
    /// The variables and limits that functions and their callees use.
    pub(super) reach: Reach,
    /// The offsets of workgroup variables in bytes, if the variables are in dynamic shared memory.
    pub(super) dynamic: Vec<(Handle<naga::GlobalVariable>, u32)>,
    /// Text at file scope before all functions, for example tables of constants.
    pub(super) declarations: String,
    pub(super) lines: Lines,
}

/// The state of a function's translation.
pub(super) struct FunctionWriter<'a, 'm> {
    pub(super) m: &'m mut ModuleWriter<'a>,
    pub(super) key: FunctionKey,
    pub(super) function: &'a naga::Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) proven: Proven<'a>,
    /// For each expression, the name or text of its value, if it was evaluated.
    pub(super) values: Vec<Option<String>>,
    pub(super) out: String,
    /// The indentation of the output, in levels.
    pub(super) indent: usize,
    /// The nesting depth of the current block.
    depth: usize,
    /// The line of the WGSL that is being translated.
    pub(super) here: Option<u32>,
    /// The line that the C++ compiler assigns to the next line of the output, if it is known.
    pub(super) counted: Option<u32>,
    /// The WGSL file whose lines the compiler counts, if it counts any.
    pub(super) in_file: Option<String>,
    /// The lines of the WGSL that were written as comments.
    pub(super) shown: FxHashSet<u32>,
    /// The values that are declared before a loop, because its body sets them and its `continuing` block reads them.
    /// `hoists` holds the declarations.
    pub(super) hoisted: FxHashSet<Handle<Expression>>,
    pub(super) hoists: Vec<String>,
    /// For each enclosing loop, the label for `continue`; `None` for C++'s own `continue`.
    pub(super) continues: Vec<Option<String>>,
    pub(super) labels: u32,
    /// The names that are used in this function.
    pub(super) scope: Scope,
}

/// The C++ text by which a function accesses a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GlobalPlace {
    /// An lvalue. For an unsized array, a pointer to the first element, which is indexed in the same way.
    pub(super) text: String,
    /// The address space of the variable.
    pub(super) space: AddressSpace,
    /// The number of elements, if the type is or ends in an unsized array.
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

    /// Writes one line of C++ at the current indentation, after the comment and directive for its origin.
    pub(super) fn line(&mut self, text: &str) {
        self.connect();
        self.bare(text);
    }

    /// Writes one line of C++ without an origin in the WGSL, such as a brace.
    pub(super) fn bare(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
        self.counted = self.counted.map(|line| line + 1);
    }

    /// Declares the value of an expression under a new name, which later uses refer to.
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

    /// Chooses a name for the value of an expression, and stores it: the name in the WGSL, if there is one.
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

    /// Runs `inner` for a block whose lines are indented one level more.
    pub(super) fn nest(&mut self, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.indent += 1;
        let result = self.deeper(inner);
        self.indent -= 1;
        result
    }

    /// Runs `inner` one block level deeper; returns an error if the nesting depth would exceed [`MAX_NESTED`].
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth == MAX_NESTED {
            return Err(TranslateError::limit(format!("blocks nested more than {MAX_NESTED} deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Returns the name of a function's argument.
    pub(super) fn argument(&self, index: u32) -> String {
        self.m.names.argument(self.key, index).to_owned()
    }

    /// Returns a function's variable as an lvalue.
    pub(super) fn local(&self, handle: Handle<naga::LocalVariable>) -> String {
        self.m.names.local(self.key, handle).to_owned()
    }
}
