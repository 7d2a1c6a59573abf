//! The WGSL of reductions.

use super::super::operation::call::Letter;
use super::super::operation::infinity;
use super::super::operation::places::{self, Dimensions};
use super::super::operation::preface::{Access, Coordinates, FIRST_ARRAY, Slot, WORKGROUP, arrays, preface, uniforms};
use super::super::operation::text::Text;
use super::super::operation::types::ElementType;
use super::choice::UNROLLED;
use super::form::{Form, Own, Source, fields, first_of_tail, walked};

/// Returns the WGSL of the whole kernel of one pass.
pub(super) fn text(own: &Own, letters: &[Letter], slots: &[Slot], form: Form) -> Text {
    let mut text = Text::new();
    preface(&mut text, &heading(own), slots, letters, &own.preamble);
    let from_elements = form.source == Source::Elements;
    let read: Vec<Slot> = slots.iter().filter(|slot| !slot.written && from_elements).cloned().collect();
    uniforms(&mut text, &read, slots, &fields(slots, form));
    let output: Vec<Slot> = slots.iter().filter(|slot| slot.written).cloned().collect();
    let declared: Vec<Slot> = read.iter().chain(output.iter().filter(|_| form.last)).cloned().collect();
    arrays(&mut text, &declared, |slot| {
        let vector = form.vectors && slot.access == Access::Each && !slot.written;
        if vector { format!("vec4<{}>", slot.element) } else { slot.element.to_string() }
    });
    functions(&mut text, own, letters, slots, form);
    let mut binding = FIRST_ARRAY + declared.len();
    for slot in walked(&read).filter(|_| form.tail) {
        text.line(&format!(
            "@group(0) @binding({binding}) var<storage> tail_of_{}: array<{}>;",
            slot.name, slot.element
        ));
        binding += 1;
    }
    if form.source == Source::Partials {
        text.line(&format!("@group(0) @binding({binding}) var<storage> partials: array<Accumulator>;"));
    } else if !form.last {
        text.line(&format!("@group(0) @binding({binding}) var<storage, read_write> partials: array<Accumulator>;"));
    }
    main(&mut text, slots, form);
    text
}

pub(super) fn heading(own: &Own) -> String {
    let list = |all: &[_]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let signature = &own.signature;
    format!("{}: ({}) -> ({})", signature.kernel, list(&signature.inputs), list(&signature.outputs))
}

/// Writes the caller's expressions as functions.
pub(super) fn functions(text: &mut Text, own: &Own, letters: &[Letter], slots: &[Slot], form: Form) {
    let output = slots.iter().find(|slot| slot.written);
    let element = output.map_or_else(String::new, |slot| slot.element.to_string());
    text.line(&format!("\nalias Accumulator = {};", own.accumulator.as_deref().unwrap_or(&element)));
    text.line("fn identity() -> Accumulator {");
    // The scalar type of `inf` is the scalar type of the expression's result, if this type is known and a float.
    let infinite = |text: &mut Text, expression: &str, result: Option<ElementType>, slots: &[Slot]| {
        if infinity::is_used(expression, &own.preamble, slots) {
            text.line(&infinity::line(infinity::scalar(result, slots), "places.infinity"));
        }
    };
    let combined = own.combined(letters, slots);
    infinite(text, &own.identity, combined, &[]);
    text.line("    return");
    text.statements("identity", &own.identity);
    text.line("}");
    let mut returned = |head: &str, what, expression: &str| {
        text.line(&format!("{head} -> Accumulator {{"));
        infinite(text, expression, combined, slots);
        text.line("    return");
        text.statements(what, expression);
        text.line("}");
    };
    returned("fn combined(a: Accumulator, b: Accumulator)", "combine", &own.combine);
    if form.source == Source::Elements {
        returned(&format!("fn mapped({})", parameters(slots, false)), "map", &own.map);
        if form.vectors {
            mapped_vectors(text, slots);
        }
    }
    if form.last {
        let name = output.map_or("", |slot| &slot.name);
        text.line(&format!("fn finished(a: Accumulator, n: u32) -> {element} {{"));
        infinite(text, &own.finish, output.map(|slot| slot.element), slots);
        if assigns(&own.finish, name) {
            text.line(&format!("    var {name}: {element};"));
            text.statements("finish", &own.finish);
            text.line(&format!("    return {name};\n}}"));
        } else {
            text.line("    return");
            text.statements("finish", if own.finish.trim().is_empty() { "a" } else { &own.finish });
            text.line("}");
        }
    }
}

/// Whether `finish` consists of statements, so that it assigns the output: whether it contains `NAME =`, `NAME +=` or
/// `NAME.x =`.
fn assigns(finish: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    finish.match_indices(name).any(|(at, _)| {
        let behind = finish[at + name.len()..].trim_start();
        // Skips a component such as `.x`.
        let behind = behind.strip_prefix('.').map_or(behind, |part| part.trim_start_matches(is_word).trim_start());
        let operator = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
        let assigned = operator.strip_prefix('=').is_some_and(|rest| !rest.starts_with('='));
        assigned && !finish[..at].ends_with(is_word)
    })
}

fn parameters(slots: &[Slot], vectors: bool) -> String {
    let read = slots.iter().filter(|slot| !slot.written && slot.access != Access::Raw);
    let each = read.map(|slot| {
        let vector = vectors && slot.access == Access::Each;
        let element = if vector { format!("vec4<{}>", slot.element) } else { slot.element.to_string() };
        format!("{}: {element}, ", slot.name)
    });
    each.chain(["i: u32, n: u32".to_owned()]).collect()
}

/// Writes a WGSL function that maps four elements and combines their values, always in the same order.
fn mapped_vectors(text: &mut Text, slots: &[Slot]) {
    text.line(&format!("fn mapped4({}) -> Accumulator {{", parameters(slots, true)));
    for (lane, letter) in ["x", "y", "z", "w"].into_iter().enumerate() {
        let read = slots.iter().filter(|slot| !slot.written && slot.access != Access::Raw);
        let arguments: String = read
            .map(|slot| {
                let part = if slot.access == Access::Each { format!(".{letter}") } else { String::new() };
                format!("{}{part}, ", slot.name)
            })
            .collect();
        text.line(&format!("    let value_{lane} = mapped({arguments}i + {lane}u, n);"));
    }
    text.line("    return combined(combined(value_0, value_1), combined(value_2, value_3));\n}");
}

fn main(text: &mut Text, slots: &[Slot], form: Form) {
    let width = form.width;
    if width > 1 {
        text.line(&format!("var<workgroup> lanes: array<Accumulator, {WORKGROUP}>;"));
    }
    text.line(&format!("\n@compute @workgroup_size({WORKGROUP})"));
    if form.columns {
        text.line("fn main(@builtin(global_invocation_id) id: vec3<u32>) {");
        text.line("    let o = id.x;\n    let part = id.y;\n    let lane = 0u;");
        text.line("    let job = part * places.results + o;");
    } else {
        text.line("fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {");
        text.line(&format!("    let lane = local % {width}u;"));
        let first = if form.window { "places.first_part + " } else { "" };
        text.line(&format!("    let job = {first}group.x * {}u + local / {width}u;", WORKGROUP / width));
        text.line("    let o = job / places.splits;\n    let part = job % places.splits;");
    }
    text.line("    var a = identity();");
    if form.source != Source::Nothing {
        text.line("    if o < places.results {");
        walk(text, slots, form);
        text.line("    }");
    }
    if width > 1 {
        tree(text, width);
    }
    let target = slots.iter().find(|slot| slot.written);
    text.line("    if lane == 0u && o < places.results {");
    match target.filter(|_| form.last) {
        Some(target) => {
            let (variable, first) = (target.variable(), places::first(&target.name));
            text.line(&format!("        {variable}[places.{first} + o] = finished(a, places.n);"));
        }
        None => text.line("        partials[job] = a;"),
    }
    text.line("    }\n}");
}

/// Writes statements that combine the values of the `width` invocations of one result, always in the same order.
fn tree(text: &mut Text, width: u32) {
    text.line("    lanes[local] = a;");
    let mut half = width / 2;
    while half > 0 {
        text.line("    workgroupBarrier();");
        text.line(&format!(
            "    if lane < {half}u {{ lanes[local] = combined(lanes[local], lanes[local + {half}u]); }}"
        ));
        half /= 2;
    }
    text.line("    a = lanes[local];");
}

/// Writes statements by which an invocation combines all of its cells of a part, several in each iteration.
fn walk(text: &mut Text, slots: &[Slot], form: Form) {
    let width = form.width;
    let indent = "        ";
    if form.source == Source::Elements {
        let results = Coordinates { variable: "o", of: Dimensions::Results, rank: form.ranks[0] };
        results.declare(text, "o", indent);
        for slot in walked(slots) {
            let base = results.place(&slot.name);
            let first = places::first(&slot.name);
            text.line(&format!("{indent}let base_{} = places.{first}{base};", slot.name));
        }
    }
    text.line(&format!("{indent}let begin = part * places.chunk;"));
    text.line(&format!("{indent}let count = min(places.chunk, places.cells - min(places.cells, begin));"));
    text.line(&format!("{indent}let steps = count / {}u;", width * UNROLLED));
    text.line(&format!("{indent}for (var step = 0u; step < steps; step++) {{"));
    text.line(&format!("{indent}    let k = begin + step * {}u + lane;", width * UNROLLED));
    let inner = "            ";
    for at in 0..UNROLLED {
        text.line(&format!("{inner}let k_{at} = k + {}u;", at * width));
        values(text, slots, form, &format!("_{at}"), inner);
    }
    for at in 0..UNROLLED {
        text.line(&format!("{inner}let value_{at} = {};", value(slots, form, &format!("_{at}"))));
    }
    text.line(&format!("{inner}a = combined(a, combined(combined(value_0, value_1), combined(value_2, value_3)));"));
    text.line(&format!("{indent}}}"));
    text.line(&format!("{indent}let end = begin + count;"));
    text.line(&format!(
        "{indent}for (var k = begin + steps * {}u + lane; k < end; k += {width}u) {{",
        width * UNROLLED
    ));
    text.line(&format!("{inner}let k_rest = k;"));
    values(text, slots, form, "_rest", inner);
    text.line(&format!("{inner}a = combined(a, {});", value(slots, form, "_rest")));
    text.line(&format!("{indent}}}"));
    if form.tail {
        text.line(&format!("{indent}if job == 0u && lane < places.n - 4u * places.cells {{"));
        text.line(&format!("{inner}let i = 4u * places.cells + lane;"));
        let arguments =
            arguments(slots, |slot| format!("tail_of_{}[places.{} + i]", slot.name, first_of_tail(&slot.name)));
        text.line(&format!("{inner}a = combined(a, mapped({arguments}i, places.n));"));
        text.line(&format!("{indent}}}"));
    }
}

/// Returns the variable with the value of cell `k{suffix}` of an array. No other variable begins with `loaded_`,
/// whatever the array's name is.
pub(super) fn loaded(name: &str, suffix: &str) -> String {
    format!("loaded_{name}{suffix}")
}

/// Writes statements that load cell `k{suffix}` of each input, or this partial result.
pub(super) fn values(text: &mut Text, slots: &[Slot], form: Form, suffix: &str, indent: &str) {
    if form.source == Source::Partials {
        let index = if form.columns {
            format!("k{suffix} * places.results + o")
        } else {
            format!("o * places.cells + k{suffix}")
        };
        text.line(&format!("{indent}let partial{suffix} = partials[{index}];"));
        return;
    }
    let variable = format!("r{suffix}");
    let reduced = Coordinates { variable: &variable, of: Dimensions::Reduced, rank: form.ranks[1] };
    if walked(slots).any(|slot| slot.access == Access::Strided) {
        reduced.declare(text, &format!("k{suffix}"), indent);
    }
    for slot in walked(slots) {
        let index = match slot.access {
            Access::Each => format!(" + k{suffix}"),
            _ => reduced.place(&slot.name),
        };
        let (name, variable) = (&slot.name, slot.variable());
        let loaded = loaded(name, suffix);
        text.line(&format!("{indent}let {loaded} = {variable}[base_{name}{index}];"));
    }
}

/// Returns the expression for the mapped value of cell `k{suffix}`.
fn value(slots: &[Slot], form: Form, suffix: &str) -> String {
    match (form.source, form.vectors) {
        (Source::Elements, false) => {
            format!("mapped({}k{suffix}, places.n)", arguments(slots, |slot| loaded(&slot.name, suffix)))
        }
        (Source::Elements, true) => {
            format!("mapped4({}4u * k{suffix}, places.n)", arguments(slots, |slot| loaded(&slot.name, suffix)))
        }
        _ => format!("partial{suffix}"),
    }
}

/// Returns the arguments of a call of the map; `each` returns the argument for an array that is not raw.
pub(super) fn arguments(slots: &[Slot], each: impl Fn(&Slot) -> String) -> String {
    let read = slots.iter().filter(|slot| !slot.written && slot.access != Access::Raw);
    let one = |slot: &Slot| match slot.access {
        Access::Value => format!("arguments.{}, ", slot.name),
        _ => format!("{}, ", each(slot)),
    };
    read.map(one).collect()
}
