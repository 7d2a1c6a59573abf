//! The beginning of every generated kernel: directives, types, uniforms and arrays.

use super::call::Letter;
use super::places::{Count, Dimensions, Field};
use super::text::Text;
use super::types::ElementType;

/// The number of invocations of a workgroup, which every device supports.
pub(crate) const WORKGROUP: u32 = 256;

/// An operand in the generated text.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    pub(crate) access: Access,
    /// Whether the operation reads the argument: an input, or an output with its old values.
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// The way in which a kernel accesses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A value, in a uniform.
    Value,
    /// An array that the operation itself indexes.
    Raw,
    /// An array of which the operation for element `i` gets element `i`.
    Each,
    /// An array of one element, which the operation gets for all `i`.
    One,
    /// An array whose element is at an index computed from the coordinates of `i`.
    Strided,
}

impl Slot {
    pub(crate) fn is_walked(&self) -> bool {
        matches!(self.access, Access::Each | Access::One | Access::Strided)
    }

    /// The name of the WGSL variable for the array.
    pub(crate) fn variable(&self) -> String {
        if self.access == Access::Raw { self.name.clone() } else { format!("{ELEMENTS}{}", self.name) }
    }
}

/// The prefix of the WGSL variable for an array that is not raw. No parameter's name begins with this prefix.
const ELEMENTS: &str = "elements_of_";
/// The prefix of an array's second WGSL variable, for the elements after the last vector.
const TAIL: &str = "tail_of_";

/// The parameter whose array has this WGSL variable.
pub(crate) fn parameter_of(variable: &str) -> &str {
    variable.strip_prefix(ELEMENTS).or_else(|| variable.strip_prefix(TAIL)).unwrap_or(variable)
}

/// Writes directives, the types of letters, and the caller's own declarations.
pub(crate) fn preface(text: &mut Text, heading: &str, slots: &[Slot], letters: &[Letter], preamble: &str) {
    text.line(&format!("// {heading}"));
    let mut extensions: Vec<&str> = slots.iter().filter_map(|slot| slot.element.extension()).collect();
    extensions.sort_unstable();
    extensions.dedup();
    for extension in extensions {
        text.line(&format!("enable {extension};"));
    }
    if !preamble.is_empty() {
        text.user("preamble", preamble);
    }
    for (letter, element, _) in letters {
        text.line(&format!("alias {letter} = {element};"));
    }
    text.line("");
}

/// Writes two uniforms: `arguments` with the values among the arguments, and `places`, whose fields refer to `slots`.
pub(crate) fn uniforms<C: Count>(text: &mut Text, arguments: &[Slot], slots: &[Slot], places: &[Field<C>]) {
    let values: Vec<&Slot> = arguments.iter().filter(|slot| slot.access == Access::Value).collect();
    if !values.is_empty() {
        text.line("struct Arguments {");
        for slot in values {
            text.line(&format!("    {}: {},", slot.name, slot.element));
        }
        text.line("}");
        text.line("@group(0) @binding(0) var<uniform> arguments: Arguments;");
    }
    if !places.is_empty() {
        text.line("struct Places {");
        for place in places {
            text.line(&format!("    {}: u32,", place.name(slots)));
        }
        text.line("}");
        text.line("@group(0) @binding(1) var<uniform> places: Places;");
    }
}

/// The binding number of the first array.
pub(crate) const FIRST_ARRAY: usize = 2;

/// Writes the arrays, with the element types returned by `element`.
pub(crate) fn arrays(text: &mut Text, slots: &[Slot], element: impl Fn(&Slot) -> String) {
    for (index, slot) in slots.iter().filter(|slot| slot.access != Access::Value).enumerate() {
        let access = if slot.written { "storage, read_write" } else { "storage" };
        let (binding, variable, element) = (FIRST_ARRAY + index, slot.variable(), element(slot));
        text.line(&format!("@group(0) @binding({binding}) var<{access}> {variable}: array<{element}>;"));
    }
}

/// The coordinates of an element, in WGSL variables `VARIABLE_0`, `VARIABLE_1`, ... The sizes of the axes and the
/// strides of the arrays are in the uniform `places`.
#[derive(Clone, Copy)]
pub(crate) struct Coordinates<'n> {
    pub(crate) variable: &'n str,
    pub(crate) of: Dimensions,
    pub(crate) rank: usize,
}

impl Coordinates<'_> {
    /// Writes lines that compute the coordinates of the element with the index `from`.
    pub(crate) fn declare(self, text: &mut Text, from: &str, indent: &str) {
        let Self { variable, of, rank } = self;
        if rank == 1 {
            text.line(&format!("{indent}let {variable}_0 = {from};"));
        }
        if rank < 2 {
            return;
        }
        text.line(&format!("{indent}var rest_{variable} = {from};"));
        for axis in (1..rank).rev() {
            let size = of.size(axis);
            text.line(&format!("{indent}let {variable}_{axis} = rest_{variable} % places.{size};"));
            text.line(&format!("{indent}rest_{variable} = rest_{variable} / places.{size};"));
        }
        text.line(&format!("{indent}let {variable}_0 = rest_{variable};"));
    }

    /// The offset of `array`'s element with these coordinates, as terms that a WGSL sum is continued with.
    pub(crate) fn place(self, array: &str) -> String {
        let Self { variable, of, rank } = self;
        (0..rank).map(|axis| format!(" + {variable}_{axis} * places.{}", of.step(array, axis))).collect()
    }
}
