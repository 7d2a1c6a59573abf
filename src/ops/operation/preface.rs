//! What every generated kernel begins with.

use super::call::Letter;
use super::text::Text;
use super::types::ElementType;

/// Invocations of a workgroup; every device has as many.
pub(crate) const WORKGROUP: u32 = 256;

/// An operand as the generated text sees it.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    pub(crate) access: Access,
    /// The operation sees what it held.
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// How a kernel gets at an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A value, in a uniform.
    Value,
    /// An array that the operation indexes.
    Raw,
    /// The element of the operation's own number.
    Each,
    /// The same element for all.
    One,
    /// By an index made of the coordinates.
    Strided,
}

impl Slot {
    pub(crate) fn is_walked(&self) -> bool {
        matches!(self.access, Access::Each | Access::One | Access::Strided)
    }

    /// The variable that holds the array.
    pub(crate) fn variable(&self) -> String {
        if self.access == Access::Raw { self.name.clone() } else { format!("elements_of_{}", self.name) }
    }
}

/// Directives, what letters stand for, and the caller's own declarations.
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

/// The uniforms: values by name, and places, 32 bits each.
pub(crate) fn uniforms(text: &mut Text, slots: &[Slot], places: &[String]) {
    let values: Vec<&Slot> = slots.iter().filter(|slot| slot.access == Access::Value).collect();
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
            text.line(&format!("    {place}: u32,"));
        }
        text.line("}");
        text.line("@group(0) @binding(1) var<uniform> places: Places;");
    }
}

/// The first binding of an array.
pub(crate) const FIRST_ARRAY: usize = 2;

/// The arrays, each as `element` says.
pub(crate) fn arrays(text: &mut Text, slots: &[Slot], element: impl Fn(&Slot) -> String) {
    for (index, slot) in slots.iter().filter(|slot| slot.access != Access::Value).enumerate() {
        let access = if slot.written { "storage, read_write" } else { "storage" };
        let (binding, variable, element) = (FIRST_ARRAY + index, slot.variable(), element(slot));
        text.line(&format!("@group(0) @binding({binding}) var<{access}> {variable}: array<{element}>;"));
    }
}

/// A number's coordinates: variables `VARIABLE_0`, ...; their sizes and an array's steps are fields
/// of `places` that are named by `field`.
#[derive(Clone, Copy)]
pub(crate) struct Coordinates<'n> {
    pub(crate) variable: &'n str,
    pub(crate) field: &'n str,
    pub(crate) rank: usize,
}

impl Coordinates<'_> {
    /// Lines that take `from` apart.
    pub(crate) fn declare(self, text: &mut Text, from: &str, indent: &str) {
        let Self { variable, field, rank } = self;
        if rank == 1 {
            text.line(&format!("{indent}let {variable}_0 = {from};"));
        }
        if rank < 2 {
            return;
        }
        text.line(&format!("{indent}var rest_{variable} = {from};"));
        for axis in (1..rank).rev() {
            text.line(&format!("{indent}let {variable}_{axis} = rest_{variable} % places.size_{field}_{axis};"));
            text.line(&format!("{indent}rest_{variable} = rest_{variable} / places.size_{field}_{axis};"));
        }
        text.line(&format!("{indent}let {variable}_0 = rest_{variable};"));
    }

    /// Where `array`'s element of these coordinates lies, as a sum behind others.
    pub(crate) fn place(self, array: &str) -> String {
        let Self { variable, field, rank } = self;
        (0..rank).map(|axis| format!(" + {variable}_{axis} * places.step_{field}_{array}_{axis}")).collect()
    }
}
