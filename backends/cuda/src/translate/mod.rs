//! From a program to CUDA C++: pure, needs neither card nor CUDA.
//!
//! | file | what it writes |
//! |---|---|
//! | `writer` | the state: what all functions share, and one function |
//! | `names`, `types` | identifiers; type names and structs |
//! | `parameters`, `context` | what a kernel is called with; how functions reach variables |
//! | `entry`, `function` | the kernel; other functions and calls |
//! | `stmt`, `repeat` | statements; loops |
//! | `proven` | which accesses and loops need no check |
//! | `flow`, `reach` | statements and what they evaluate; what functions use |
//! | `lines` | which line of the WGSL a line of C++ is from |
//! | `expr`, `convert`, `builtins`, `constants` | values |
//! | `access`, `atomic`, `subgroup`, `cooperative` | memory, and invocations together |
//! | `prelude` | what C++ lacks of WGSL, as text |

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

/// How a program is translated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Which form of the entry point.
    pub form: Form,
    /// Iterations that the loops of one invocation may make together, where it cannot be seen that
    /// they end; then every loop is left and the launch counts as stopped.
    pub steps: u32,
}

/// How the entry point is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Form {
    /// Bit `i`: the program's binding `i`, a uniform, is given as an address instead of by value.
    pub addressed: u64,
    /// Blocks take workgroups in turns, and the number of workgroups is a parameter or lies in
    /// memory: for grids beyond what CUDA launches, and for indirect dispatches.
    pub looped: bool,
}

/// A translated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// CUDA C++, complete: it includes nothing.
    pub text: String,
    /// The kernel's name, as `extern "C"` gives it.
    pub entry: String,
    /// What the kernel is called with, in order.
    pub parameters: Vec<Parameter>,
    /// Bytes of dynamic shared memory; 0 where what the kernel needs is declared in it.
    pub dynamic_shared: u32,
}

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The address of a binding's first byte, 8 bytes.
    Address {
        /// Its place among the program's bindings.
        binding: usize,
    },
    /// How many elements the unsized array at the end of a binding has, 4 bytes.
    Count {
        /// Its place among the program's bindings.
        binding: usize,
    },
    /// A uniform's bytes.
    Value {
        /// Its place among the program's bindings.
        binding: usize,
        /// How many bytes.
        bytes: u32,
    },
    /// The bytes of `var<immediate>`.
    Immediate {
        /// How many bytes.
        bytes: u32,
    },
    /// Only if looped: the number of workgroups, 24 bytes: three `u32`, four bytes of nothing, and
    /// the address of three `u32` which, unless it is zero, count instead.
    Groups,
    /// Only if a loop is limited: 16 bytes, the address of four `u32` that all begin as zero, then
    /// a `u32` that names the launch and is not zero, and four bytes of nothing. The first
    /// invocation that makes too many steps writes there: that name, then the line of the loop in
    /// the WGSL.
    Status,
}

/// Translates the entry point of a program.
///
/// # Errors
/// What kernels on NVIDIA GPUs cannot do here, and limits that the kernel passes; with the line.
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

        // What nothing reads or reaches is in the WGSL too.
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
