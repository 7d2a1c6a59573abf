//! Translation of a program to CUDA C++, which needs neither a GPU nor CUDA.
//!
//! | file | output |
//! |---|---|
//! | `writer` | the state that all functions share, and the state of one function |
//! | `names`, `types` | identifiers; type names and structs |
//! | `parameters`, `context` | the kernel's parameters; access of functions to variables |
//! | `entry`, `function` | the kernel; other functions and calls |
//! | `stmt`, `repeat` | statements; loops |
//! | `proven` | the accesses and loops that need no check |
//! | `flow`, `reach` | statements and the expressions they evaluate; variables that functions use |
//! | `lines` | the WGSL lines from which lines of C++ are translated |
//! | `expr`, `convert`, `builtins`, `constants` | values |
//! | `access`, `atomic`, `subgroup`, `cooperative` | memory; operations of several invocations |
//! | `prelude` | the parts of WGSL that C++ lacks, as text |

mod access;
mod atomic;
mod builtins;
mod constants;
mod context;
mod convert;
mod cooperative;
mod entry;
mod error;
mod expr;
mod flow;
mod function;
mod lines;
mod names;
mod parameters;
mod prelude;
mod proven;
mod reach;
mod repeat;
mod stmt;
mod subgroup;
#[cfg(test)]
pub(crate) mod tests;
mod types;
mod writer;

pub use error::TranslateError;

use anywarp_backend::{Checks, Program};

use error::Result;
use lines::{Lines, OWN_LINES};
use names::Names;
use reach::Reach;
use writer::ModuleWriter;

/// The options of a translation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The form of the entry point.
    pub form: Form,
    /// The limit on the loop iterations of one invocation, all loops together. Loops that are proven to end are not
    /// counted. Beyond the limit every counted loop is left, and the launch counts as stopped.
    pub steps: u32,
}

/// The form of the entry point's parameters and grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Form {
    /// If bit `i` is set, the program's binding `i`, a uniform, is passed as an address instead of by value.
    pub addressed: u64,
    /// Whether blocks loop over workgroups. The number of workgroups is then a parameter or in memory. Needed for grids
    /// beyond CUDA's limits, and for indirect dispatches.
    pub looped: bool,
}

/// A translated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// CUDA C++ without includes.
    pub text: String,
    /// The kernel's `extern "C"` name.
    pub entry: String,
    /// The kernel's parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Dynamic shared memory in bytes; 0 where all shared memory is declared in the kernel.
    pub dynamic_shared: u32,
}

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The address of a binding's first byte, 8 bytes.
    Address {
        /// The index of the binding among the program's bindings.
        binding: usize,
    },
    /// The number of elements of the unsized array at the end of a binding, 4 bytes.
    Count {
        /// The index of the binding among the program's bindings.
        binding: usize,
    },
    /// The bytes of a uniform.
    Value {
        /// The index of the binding among the program's bindings.
        binding: usize,
        /// The size in bytes.
        bytes: u32,
    },
    /// The bytes of `var<immediate>`.
    Immediate {
        /// The size in bytes.
        bytes: u32,
    },
    /// The number of workgroups, 24 bytes; only in the looped form. Three `u32`, four bytes of padding, and an address.
    /// If the address is not zero, the three `u32` at the address are used instead.
    Groups,
    /// The status record, 16 bytes; only if a loop is limited. The address of four `u32` that are all zero, a non-zero
    /// `u32` that identifies the launch, and four bytes of padding. The first invocation that exceeds the limit on loop
    /// iterations writes the `u32` of the launch and the line of the loop in the WGSL to the address.
    Status,
}

/// Translates the entry point of a program.
///
/// # Errors
/// [`TranslateError`] for features that this backend does not support, and for limits that the kernel exceeds; with the
/// line.
pub fn translate(program: &Program, options: &Options) -> core::result::Result<Translation, TranslateError> {
    let module: &naga::Module = &program.module;
    let position = module.entry_points.iter().position(|point| point.name == program.entry_point);
    let position = position.ok_or_else(|| TranslateError::invalid("the entry point is missing"))?;
    let entry = &module.entry_points[position];
    if entry.stage != naga::ShaderStage::Compute {
        return Err(TranslateError::unsupported("an entry point that is not @compute"));
    }
    let checked = !matches!(program.leave.checks, Checks::Off(_));
    let writer = ModuleWriter {
        program,
        module,
        info: program.module.info(),
        options,
        checked,
        names: Names::new(module, entry),
        reach: Reach::new(program, &entry.function, checked),
        dynamic: Vec::new(),
        declarations: String::new(),
        lines: Lines::new(program.source.as_ref()),
    };
    writer.check_types()?;
    writer.translate(position)
}

impl ModuleWriter<'_> {
    fn translate(mut self, position: usize) -> Result<Translation> {
        let parameters = self.parameters()?;
        let (workgroup, dynamic_shared) = self.workgroup_variables()?;
        let module = self.module;
        let mut functions = String::new();
        for (handle, _) in module.functions.iter() {
            functions.push_str(&self.function(handle)?);
            functions.push_str(OWN_LINES);
        }
        let entry = self.entry(position, &parameters)?;

        // The WGSL may have unused variables and unreachable statements, which are valid in WGSL.
        let mut text = format!("{OWN_LINES}#pragma nv_diag_suppress 111, 177, 550\n");
        if self.reach.limited() {
            text.push_str(entry::STATUS);
        }
        if self.options.form.looped {
            text.push_str(entry::GROUPS);
        }
        if self.has_workgroup_memory() {
            text.push_str(entry::CLEAR);
        }
        for part in [&self.structs(), &self.declarations, &workgroup, &self.context(), &functions, &entry] {
            text.push_str(part);
        }
        let text = prelude::text(&prelude::needed(&text)) + &text;
        Ok(Translation { text, entry: self.names.entry, parameters: parameters.given, dynamic_shared })
    }
}
