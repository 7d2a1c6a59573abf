//! The debug output of kernels.

use std::fmt;
use std::sync::Arc;

use half::f16;

/// The debug output of kernels since the last collection, in the order of the launches. Within a launch the order is
/// that in which the invocations happened to print.
///
/// Its `Display` prints one line per call, and one for the dropped calls.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DebugOutput {
    /// One line for each recorded call.
    pub lines: Vec<DebugLine>,
    /// Calls that were dropped because the memory was full: increase `ANYWARP_DEBUG_BYTES`. 2^31 stands for 2^31 or
    /// more.
    pub dropped: u64,
}

/// One call of a debug function by one invocation.
///
/// Its `Display` prints `kernel.wgsl:12: debug(label = 3, value = 0.5) at [17, 0, 0]`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DebugLine {
    /// The kernel's [name](crate::Kernel::name).
    pub kernel: Arc<str>,
    /// The file of the kernel.
    pub file: Arc<str>,
    /// The line of the call in the file, counted from 1.
    pub line: u32,
    /// The name of the debug function.
    pub function: String,
    /// The `global_invocation_id` of the caller.
    pub invocation: [u32; 3],
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<DebugArgument>,
}

/// One argument of a [`DebugLine`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DebugArgument {
    /// The parameter's name.
    pub name: String,
    /// The value of the argument.
    pub value: DebugValue,
}

/// A value of one of WGSL's types.
///
/// Its `Display` prints floating-point numbers with as many digits as distinguish them from their neighbours, and
/// vectors as `vec2(0.5, 1.0)`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DebugValue {
    /// `bool`
    Bool(bool),
    /// `i16`
    I16(i16),
    /// `u16`
    U16(u16),
    /// `i32`
    I32(i32),
    /// `u32`
    U32(u32),
    /// `i64`
    I64(i64),
    /// `u64`
    U64(u64),
    /// `f16`
    F16(f16),
    /// `f32`
    F32(f32),
    /// `f64`
    F64(f64),
    /// `vec2`, `vec3` or `vec4` of one of the other types.
    Vector(Vec<DebugValue>),
}

impl fmt::Display for DebugOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        if self.dropped > 0 {
            writeln!(
                f,
                "{} calls were dropped: the debug memory is full (increase ANYWARP_DEBUG_BYTES)",
                self.dropped
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for DebugLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}(", self.file, self.line, self.function)?;
        for (index, DebugArgument { name, value }) in self.arguments.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{name} = {value}")?;
        }
        let [x, y, z] = self.invocation;
        write!(f, ") at [{x}, {y}, {z}]")
    }
}

impl fmt::Display for DebugValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::I16(value) => value.fmt(f),
            Self::U16(value) => value.fmt(f),
            Self::I32(value) => value.fmt(f),
            Self::U32(value) => value.fmt(f),
            Self::I64(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            // `Display` of `f32` omits `.0`.
            Self::F16(value) => fmt::Debug::fmt(&value.to_f32(), f),
            Self::F32(value) => fmt::Debug::fmt(value, f),
            Self::F64(value) => fmt::Debug::fmt(value, f),
            Self::Vector(components) => {
                write!(f, "vec{}(", components.len())?;
                for (index, component) in components.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{component}")?;
                }
                f.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_location_arguments_and_invocation() {
        let argument = |name: &str, value| DebugArgument { name: name.to_owned(), value };
        let line = DebugLine {
            kernel: "kernel.wgsl:main".into(),
            file: "kernel.wgsl".into(),
            line: 12,
            function: "debug".to_owned(),
            invocation: [17, 0, 2],
            arguments: vec![
                argument("label", DebugValue::U32(3)),
                argument("value", DebugValue::F32(1.0)),
                argument("half", DebugValue::F16(f16::from_f32(0.5))),
                argument("both", DebugValue::Vector(vec![DebugValue::Bool(true), DebugValue::Bool(false)])),
            ],
        };
        let output = DebugOutput { lines: vec![line], dropped: 2 };
        assert_eq!(
            output.to_string(),
            "kernel.wgsl:12: debug(label = 3, value = 1.0, half = 0.5, both = vec2(true, false)) at [17, 0, 2]\n\
             2 calls were dropped: the debug memory is full (increase ANYWARP_DEBUG_BYTES)\n"
        );
    }
}
