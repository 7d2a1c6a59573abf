//! The WGSL text of elementwise kernels.

use super::super::operation::call::{Letter, Signature};
use super::super::operation::infinity;
use super::super::operation::kept::Identity;
use super::super::operation::places::{self, Dimensions, Field, Fields};
use super::super::operation::preface::{Access, Coordinates, Slot, arrays, preface, uniforms};
use super::super::operation::text::Text;

/// The variant of a kernel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Whether an invocation computes a vector of four elements instead of one.
    pub(crate) vectors: bool,
    /// Whether the kernel reads the start of each array and the number of elements from the uniform `places`. Otherwise
    /// each array is bound from its first element on, and an output has exactly the elements to compute.
    pub(crate) placed: bool,
    /// Whether `places` contains the bits of infinity, because the operation uses `inf`.
    pub(crate) infinity: bool,
    /// The number of dimensions of the operation if any array is strided, otherwise 0.
    pub(crate) rank: usize,
    /// The number of invocations of a workgroup.
    pub(crate) workgroup: u32,
}

impl Form {
    /// Returns all fields as numbers, for the key of the kernel cache.
    pub(super) fn numbers(self) -> [usize; 5] {
        let Self { vectors, placed, infinity, rank, workgroup } = self;
        [usize::from(vectors), usize::from(placed), usize::from(infinity), rank, workgroup as usize]
    }

    fn coordinates(self) -> Coordinates<'static> {
        Coordinates { variable: "c", of: Dimensions::Operation, rank: self.rank }
    }
}

/// The part of a kernel that its caller wrote.
pub(crate) struct Own<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) preamble: &'a str,
    pub(crate) operation: &'a str,
    pub(crate) identity: Identity,
}

impl Own<'_> {
    /// Whether the operation uses `inf`.
    pub(super) fn uses_infinity(&self, slots: &[Slot]) -> bool {
        infinity::is_used(self.operation, self.preamble, slots)
    }
}

/// The numbers in the uniform `places` of an elementwise kernel that describe the launch and not a single array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// The index of this launch's first element.
    Begin,
    /// The number of elements, or of vectors, of this launch.
    Cells,
    /// The number of elements of all launches.
    Elements,
    /// The bits of infinity.
    Infinity,
}

impl places::Count for Count {
    fn name(self, _: &[Slot]) -> String {
        let name = match self {
            Self::Begin => "begin",
            Self::Cells => "count",
            Self::Elements => "size",
            Self::Infinity => "infinity",
        };
        name.to_owned()
    }
}

/// The fields of the uniform `places`; none if a kernel of this form has no such uniform.
pub(super) fn fields(slots: &[Slot], form: Form) -> Fields<Count> {
    let mut fields = Fields::new();
    if !form.placed {
        return fields;
    }
    fields.extend([Count::Begin, Count::Cells, Count::Elements].map(Field::Count));
    fields.extend(form.infinity.then_some(Field::Count(Count::Infinity)));
    let numbered = || slots.iter().enumerate();
    fields.extend(numbered().filter(|(_, slot)| slot.is_walked()).map(|(at, _)| Field::First(at)));
    fields.extend((0..form.rank).map(|axis| Field::Size(Dimensions::Operation, axis)));
    for (at, _) in numbered().filter(|(_, slot)| slot.access == Access::Strided) {
        fields.extend((0..form.rank).map(|axis| Field::Step(Dimensions::Operation, at, axis)));
    }
    fields
}

/// The text of the whole kernel.
pub(crate) fn text(own: &Own<'_>, letters: &[Letter], slots: &[Slot], form: Form) -> Text {
    let mut text = Text::new();
    preface(&mut text, &heading(own.signature), slots, letters, own.preamble);
    uniforms(&mut text, slots, slots, &fields(slots, form));
    arrays(&mut text, slots, |slot| {
        let vector = form.vectors && slot.access == Access::Each;
        let atomic = own.signature.is_atomic(&slot.name);
        match (vector, atomic) {
            (true, _) => format!("vec4<{}>", slot.element),
            (false, true) => format!("atomic<{}>", slot.element),
            (false, false) => slot.element.to_string(),
        }
    });
    operation(&mut text, own, slots, form);
    if form.vectors {
        operation_on_vectors(&mut text, slots);
        vector_main(&mut text, slots, form);
    } else {
        main(&mut text, slots, form);
    }
    text
}

fn heading(signature: &Signature) -> String {
    let list = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>().join(", ");
    let inputs = list(&mut signature.inputs.iter().map(ToString::to_string));
    let outputs = list(&mut signature.outputs.iter().map(ToString::to_string));
    format!("{}: ({inputs}) -> ({outputs})", signature.kernel)
}

fn results(slots: &[Slot]) -> Vec<&Slot> {
    slots.iter().filter(|slot| slot.written && slot.is_walked()).collect()
}

/// Returns the result type of the operation's function, as ` -> TYPE`, for elements or, with `vectors`, for vectors of
/// four.
fn result_type(slots: &[Slot], vectors: bool) -> String {
    match (results(slots).as_slice(), vectors) {
        ([], _) => String::new(),
        ([one], false) => format!(" -> {}", one.element),
        ([one], true) => format!(" -> vec4<{}>", one.element),
        (_, false) => " -> Results".to_owned(),
        (_, true) => " -> Results4".to_owned(),
    }
}

fn result_struct(text: &mut Text, slots: &[Slot], vectors: bool) {
    let results = results(slots);
    if results.len() < 2 {
        return;
    }
    text.line(if vectors { "struct Results4 {" } else { "struct Results {" });
    for slot in results {
        let element = if vectors { format!("vec4<{}>", slot.element) } else { slot.element.to_string() };
        text.line(&format!("    {}: {element},", slot.name));
    }
    text.line("}");
}

/// The parameters of the operation's function: its inputs, the index of the element, and the number of elements.
fn parameters(slots: &[Slot], vectors: bool) -> String {
    let read = slots.iter().filter(|slot| slot.read && slot.access != Access::Raw);
    let each = read.map(|slot| {
        let before = if slot.written { "before_" } else { "" };
        let vector = vectors && slot.access == Access::Each;
        let element = if vector { format!("vec4<{}>", slot.element) } else { slot.element.to_string() };
        format!("{before}{}: {element}, ", slot.name)
    });
    each.chain(["i: u32, n: u32".to_owned()]).collect()
}

fn operation(text: &mut Text, own: &Own<'_>, slots: &[Slot], form: Form) {
    text.line("");
    result_struct(text, slots, false);
    text.line("// The operation, for element `i` of `n`.");
    text.line(&format!("fn operation({}){} {{", parameters(slots, false), result_type(slots, false)));
    let results = results(slots);
    for slot in &results {
        let before = if slot.read { format!(" = before_{}", slot.name) } else { String::new() };
        text.line(&format!("    var {}: {}{before};", slot.name, slot.element));
    }
    if form.infinity {
        let scalar = infinity::scalar(results.first().map(|slot| slot.element), slots);
        text.line(&infinity::line(scalar, &of_places(Count::Infinity)));
    }
    text.statements("", own.operation);
    match results.as_slice() {
        [] => {}
        [one] => text.line(&format!("    return {};", one.name)),
        all => {
            let names: Vec<&str> = all.iter().map(|slot| slot.name.as_str()).collect();
            text.line(&format!("    return Results({});", names.join(", ")));
        }
    }
    text.line("}");
}

/// Writes the function that calls the operation for four elements, one after the other.
fn operation_on_vectors(text: &mut Text, slots: &[Slot]) {
    text.line("");
    result_struct(text, slots, true);
    text.line(&format!("fn operation4({}){} {{", parameters(slots, true), result_type(slots, true)));
    for (lane, letter) in ["x", "y", "z", "w"].into_iter().enumerate() {
        let read = slots.iter().filter(|slot| slot.read && slot.access != Access::Raw);
        let arguments: String = read
            .map(|slot| {
                let before = if slot.written { "before_" } else { "" };
                let part = if slot.access == Access::Each { format!(".{letter}") } else { String::new() };
                format!("{before}{}{part}, ", slot.name)
            })
            .collect();
        text.line(&format!("    let result_{lane} = operation({arguments}i + {lane}u, n);"));
    }
    let joined = |element: &dyn std::fmt::Display, part: &str| {
        let all: Vec<String> = (0..4).map(|lane| format!("result_{lane}{part}")).collect();
        format!("vec4<{element}>({})", all.join(", "))
    };
    match results(slots).as_slice() {
        [one] => text.line(&format!("    return {};", joined(&one.element, ""))),
        all => {
            let parts: Vec<String> = all.iter().map(|slot| joined(&slot.element, &format!(".{}", slot.name))).collect();
            text.line(&format!("    return Results4({});", parts.join(", ")));
        }
    }
    text.line("}");
}

/// Returns the WGSL expression that reads a number of `places`.
fn of_places(count: Count) -> String {
    format!("places.{}", Field::Count(count).name(&[]))
}

/// Returns the WGSL expression for the number of elements, or of vectors, of the launch.
fn count(slots: &[Slot], form: Form) -> String {
    let measure = slots.iter().find(|slot| slot.written && slot.access == Access::Each);
    match measure {
        Some(slot) if !form.placed => format!("arrayLength(&{})", slot.variable()),
        _ => of_places(Count::Cells),
    }
}

/// Returns the WGSL expression for the element or vector of an array at index `at`.
fn cell(slot: &Slot, form: Form, at: &str) -> String {
    let first = if form.placed { format!("places.{}", places::first(&slot.name)) } else { String::new() };
    let index = match (slot.access, form.placed) {
        (Access::One, true) => first,
        (Access::One, false) => "0u".to_owned(),
        (Access::Strided, _) => format!("{first}{}", form.coordinates().place(&slot.name)),
        (_, true) => format!("{first} + {at}"),
        (_, false) => at.to_owned(),
    };
    format!("{}[{index}]", slot.variable())
}

/// Returns the arguments of a call of the operation: `each` of an array, and the fields of `arguments` for values.
fn arguments(slots: &[Slot], each: impl Fn(&Slot) -> String) -> String {
    let read = slots.iter().filter(|slot| slot.read && slot.access != Access::Raw);
    let one = |slot: &Slot| match slot.access {
        Access::Value => format!("arguments.{}, ", slot.name),
        _ => format!("{}, ", each(slot)),
    };
    read.map(one).collect()
}

/// Writes statements that store the results of the WGSL expression `call` in `target` of each output.
fn stored(text: &mut Text, slots: &[Slot], call: &str, indent: &str, target: impl Fn(&Slot) -> String) {
    match results(slots).as_slice() {
        [] => text.line(&format!("{indent}{call};")),
        [one] => text.line(&format!("{indent}{} = {call};", target(one))),
        all => {
            text.line(&format!("{indent}let results = {call};"));
            for slot in all {
                text.line(&format!("{indent}{} = results.{};", target(slot), slot.name));
            }
        }
    }
}

/// Writes the entry point of a kernel whose invocations compute one element each.
fn main(text: &mut Text, slots: &[Slot], form: Form) {
    let indent = "        ";
    let count = count(slots, form);
    text.line(&format!("\n@compute @workgroup_size({})", form.workgroup));
    text.line("fn main(@builtin(global_invocation_id) id: vec3<u32>) {");
    let size = of_places(Count::Elements);
    text.line(&format!("    let n = {};", if form.placed { &size } else { &count }));
    text.line(&format!("    if id.x < {} {{", if form.placed { &count } else { "n" }));
    let begin = if form.placed { format!(" + {}", of_places(Count::Begin)) } else { String::new() };
    text.line(&format!("{indent}let i = id.x{begin};"));
    if slots.iter().any(|slot| slot.access == Access::Strided) {
        form.coordinates().declare(text, "i", indent);
    }
    let call = format!("operation({}i, n)", arguments(slots, |slot| cell(slot, form, "i")));
    stored(text, slots, &call, indent, |slot| cell(slot, form, "i"));
    text.line("    }\n}");
}

/// Writes the entry point of a kernel whose invocations compute one vector each: several vectors per invocation are not
/// faster, neither on a GPU nor on the CPU.
fn vector_main(text: &mut Text, slots: &[Slot], form: Form) {
    let indent = "        ";
    let count = count(slots, form);
    text.line(&format!("\n@compute @workgroup_size({})", form.workgroup));
    text.line("fn main(@builtin(global_invocation_id) id: vec3<u32>) {");
    text.line(&format!("    let count = {count};"));
    let size = if form.placed { of_places(Count::Elements) } else { "4u * count".to_owned() };
    text.line(&format!("    let n = {size};"));
    text.line("    let k = id.x;");
    text.line("    if k < count {");
    let call = format!("operation4({}4u * k, n)", arguments(slots, |slot| cell(slot, form, "k")));
    stored(text, slots, &call, indent, |slot| cell(slot, form, "k"));
    text.line("    }\n}");
}
