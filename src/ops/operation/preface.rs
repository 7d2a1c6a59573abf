//! What every generated kernel begins with.

use super::call::Letter;
use super::places::{Count, Dimensions, Field};
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

/// The uniforms: the values of `arguments` by name, and `places`, whose slots are `slots`.
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

/// A number's coordinates: variables `VARIABLE_0`, ...; their sizes and an array's steps are in `places`.
#[derive(Clone, Copy)]
pub(crate) struct Coordinates<'n> {
    pub(crate) variable: &'n str,
    pub(crate) of: Dimensions,
    pub(crate) rank: usize,
}

impl Coordinates<'_> {
    /// Lines that take `from` apart.
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

    /// Where `array`'s element of these coordinates lies, as a sum behind others.
    pub(crate) fn place(self, array: &str) -> String {
        let Self { variable, of, rank } = self;
        (0..rank).map(|axis| format!(" + {variable}_{axis} * places.{}", of.step(array, axis))).collect()
    }
}
