//! The WGSL of reductions in segments.

use super::super::super::operation::call::Letter;
use super::super::super::operation::places;
use super::super::super::operation::preface::{Access, FIRST_ARRAY, Slot, WORKGROUP, arrays, preface, uniforms};
use super::super::super::operation::text::Text;
use super::super::choice::UNROLLED;
use super::super::form::{Own, walked};
use super::super::wgsl::{arguments, functions, heading, loaded, values};
use super::form::{Form, Of, fields};

/// Returns the WGSL of the kernel of one pass.
pub(super) fn text(own: &Own, letters: &[Letter], slots: &[Slot], form: Form) -> Text {
    let mut text = Text::new();
    preface(&mut text, &heading(own), slots, letters, &own.preamble);
    let from_elements = form.pass != Of::Nothing;
    let read: Vec<Slot> = slots.iter().filter(|slot| !slot.written && from_elements).cloned().collect();
    uniforms(&mut text, &read, slots, &fields(slots, form));
    let output = slots.iter().filter(|slot| slot.written && form.last());
    let declared: Vec<Slot> = read.iter().chain(output).cloned().collect();
    arrays(&mut text, &declared, |slot| slot.element.to_string());
    functions(&mut text, own, letters, slots, form.of_elements());
    let mut binding = FIRST_ARRAY + declared.len();
    let mut array = |name: &str, access: &str, element: &str| {
        text.line(&format!("@group(0) @binding({binding}) var<{access}> {name}: array<{element}>;"));
        binding += 1;
    };
    if from_elements {
        array("segment_offsets", "storage", "u32");
        if form.counted {
            array("segment_count", "storage", "u32");
        }
    }
    match form.pass {
        Of::Chunks { .. } => {
            array("segment_owners", "storage", "u32");
            array("partials", "storage, read_write", "Accumulator");
        }
        Of::Segments { chunked: true, .. } => array("partials", "storage", "Accumulator"),
        _ => {}
    }
    if from_elements {
        bounds(&mut text, form.counted);
        walk(&mut text, slots, form);
    }
    match form.pass {
        Of::Chunks { width } => chunks(&mut text, width),
        Of::Segments { chunked, together } => {
            reduced(&mut text, chunked);
            if together { together_main(&mut text, slots) } else { alone_main(&mut text, slots) }
        }
        Of::Nothing => nothing(&mut text, slots),
    }
    text
}

/// Writes the functions that find the elements of a segment. Even with wrong offsets, these elements are within the
/// array.
fn bounds(text: &mut Text, counted: bool) {
    let boundaries = if counted { "min(segment_count[0], places.segments + 1u)" } else { "places.segments + 1u" };
    text.line(&format!(
        "
fn segment_boundaries() -> u32 {{
    return {boundaries};
}}
fn segment_bounds(segment: u32) -> vec2<u32> {{
    let begin = min(segment_offsets[places.first_offset + segment], places.elements);
    var end = places.elements;
    if segment + 1u < segment_boundaries() {{
        end = min(segment_offsets[places.first_offset + segment + 1u], end);
    }}
    return vec2(begin, max(begin, end));
}}"
    ));
}

/// Writes a WGSL function by which one of `width` invocations combines its share of the elements from `from_` to `to`
/// of a segment.
fn walk(text: &mut Text, slots: &[Slot], form: Form) {
    text.line("fn segment_walk(from_: u32, to: u32, bounds: vec2<u32>, lane: u32, width: u32) -> Accumulator {");
    for slot in walked(slots) {
        let first = places::first(&slot.name);
        text.line(&format!("    let base_{} = places.{first};", slot.name));
    }
    let value = |suffix: &str| {
        let arguments = arguments(slots, |slot| loaded(&slot.name, suffix));
        format!("mapped({arguments}k{suffix} - bounds.x, bounds.y - bounds.x)")
    };
    steps(text, |text, suffix, indent| values(text, slots, form.of_elements(), suffix, indent), value);
}

/// Writes the body of a function that combines all cells of an invocation, several at a time.
fn steps(text: &mut Text, load: impl Fn(&mut Text, &str, &str), value: impl Fn(&str) -> String) {
    text.line("    var a = identity();");
    text.line(&format!("    let steps = (to - from_) / ({UNROLLED}u * width);"));
    text.line("    for (var step = 0u; step < steps; step++) {");
    text.line(&format!("        let k = from_ + step * {UNROLLED}u * width + lane;"));
    for at in 0..UNROLLED {
        text.line(&format!("        let k_{at} = k + {at}u * width;"));
        load(text, &format!("_{at}"), "        ");
    }
    for at in 0..UNROLLED {
        text.line(&format!("        let value_{at} = {};", value(&format!("_{at}"))));
    }
    text.line("        a = combined(a, combined(combined(value_0, value_1), combined(value_2, value_3)));\n    }");
    text.line(&format!("    for (var k = from_ + steps * {UNROLLED}u * width + lane; k < to; k += width) {{"));
    text.line("        let k_rest = k;");
    load(text, "_rest", "        ");
    text.line(&format!("        a = combined(a, {});\n    }}\n    return a;\n}}", value("_rest")));
}

/// Writes a function that reduces a segment: its chunks, and the elements before and behind them.
fn reduced(text: &mut Text, chunked: bool) {
    if chunked {
        text.line("fn segment_partials(from_: u32, to: u32, lane: u32, width: u32) -> Accumulator {");
        let load = |text: &mut Text, suffix: &str, indent: &str| {
            text.line(&format!("{indent}let partial{suffix} = partials[k{suffix}];"));
        };
        steps(text, load, |suffix| format!("partial{suffix}"));
    }
    text.line("fn segment_reduced(bounds: vec2<u32>, lane: u32, width: u32) -> Accumulator {");
    if chunked {
        text.line(
            "    let first = (bounds.x + places.chunk - 1u) / places.chunk;
    let last = bounds.y / places.chunk;
    if first < last {
        let before = segment_walk(bounds.x, first * places.chunk, bounds, lane, width);
        let inner = segment_partials(first, last, lane, width);
        let behind = segment_walk(last * places.chunk, bounds.y, bounds, lane, width);
        return combined(combined(before, inner), behind);
    }",
        );
    }
    text.line("    return segment_walk(bounds.x, bounds.y, bounds, lane, width);\n}");
    // This function returns how many elements and partial results are combined for a segment, as a measure of its work.
    text.line("fn segment_cells(bounds: vec2<u32>) -> u32 {");
    if chunked {
        text.line(
            "    let first = (bounds.x + places.chunk - 1u) / places.chunk;
    let last = bounds.y / places.chunk;
    if first < last {
        return bounds.y - bounds.x - (last - first) * (places.chunk - 1u);
    }",
        );
    }
    text.line("    return bounds.y - bounds.x;\n}");
}

/// Writes a function that combines the values of `width` neighbouring invocations, always in the same order. The first
/// of these invocations returns the result.
fn tree(text: &mut Text) {
    text.line(&format!(
        "var<workgroup> lanes: array<Accumulator, {WORKGROUP}>;
fn segment_tree(a: Accumulator, local: u32, lane: u32, width: u32) -> Accumulator {{
    lanes[local] = a;
    for (var step_of_tree = width / 2u; step_of_tree > 0u; step_of_tree /= 2u) {{
        workgroupBarrier();
        if lane < step_of_tree {{
            lanes[local] = combined(lanes[local], lanes[local + step_of_tree]);
        }}
    }}
    return lanes[local];
}}"
    ));
}

fn chunks(text: &mut Text, width: u32) {
    tree(text);
    text.line(&format!(
        "
@compute @workgroup_size({WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
    let lane = local % {width}u;
    let job = group.x * {jobs}u + local / {width}u;
    var a = identity();
    if job < places.chunks {{
        let owner = segment_owners[job];
        if owner < places.segments {{
            a = segment_walk(job * places.chunk, (job + 1u) * places.chunk, segment_bounds(owner), lane, {width}u);
        }}
    }}
    a = segment_tree(a, local, lane, {width}u);
    if lane == 0u && job < places.chunks {{
        partials[job] = a;
    }}
}}",
        jobs = WORKGROUP / width
    ));
}

/// Returns the statement that writes the result of `segment`, which has `n` elements; both are WGSL expressions.
fn store(slots: &[Slot], segment: &str, n: &str) -> String {
    let output = slots.iter().find(|slot| slot.written);
    output.map_or_else(String::new, |slot| {
        format!("{}[places.{} + {segment}] = finished(a, {n});", slot.variable(), places::first(&slot.name))
    })
}

/// Writes an entry point with one invocation for each segment.
fn alone_main(text: &mut Text, slots: &[Slot]) {
    text.line(&format!(
        "
@compute @workgroup_size({WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
    let segments = min(segment_boundaries(), places.segments);
    let blocks = (segments + {}u) / {WORKGROUP}u;
    for (var block = group.x; block < blocks; block += places.groups) {{
        let segment = block * {WORKGROUP}u + local;
        if segment < segments {{
            let bounds = segment_bounds(segment);
            let a = segment_reduced(bounds, 0u, 1u);
            {}
        }}
    }}
}}",
        WORKGROUP - 1,
        store(slots, "segment", "bounds.y - bounds.x"),
    ));
}

/// Writes an entry point with as many invocations for each segment as suit the mean length. Much longer segments are
/// put into a list, and the whole workgroup then reduces each segment of the list.
fn together_main(text: &mut Text, slots: &[Slot]) {
    tree(text);
    text.line(&format!(
        "
var<workgroup> segment_long: array<u32, {WORKGROUP}>;
var<workgroup> segment_long_taken: atomic<u32>;
var<workgroup> segment_long_count: u32;

@compute @workgroup_size({WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
    if local == 0u {{
        atomicStore(&segment_long_taken, 0u);
    }}
    workgroupBarrier();
    let segments = min(segment_boundaries(), places.segments);
    let each = min(places.elements / max(segments, 1u) / 8u, {last}u);
    let width = 1u << (32u - countLeadingZeros(each));
    let slots = {WORKGROUP}u / width;
    let slot = local / width;
    let lane = local % width;
    let blocks = (segments + slots - 1u) / slots;
    for (var block = group.x; block < blocks; block += places.groups) {{
        let segment = block * slots + slot;
        var bounds = vec2(0u);
        var waits = false;
        var a = identity();
        if segment < segments {{
            bounds = segment_bounds(segment);
            waits = width < {WORKGROUP}u && segment_cells(bounds) > 32u * width;
            if !waits {{
                a = segment_reduced(bounds, lane, width);
            }}
        }}
        a = segment_tree(a, local, lane, width);
        if lane == 0u && segment < segments {{
            if waits {{
                // Their order has no effect on any result.
                segment_long[atomicAdd(&segment_long_taken, 1u)] = segment;
            }} else {{
                {store}
            }}
        }}
        workgroupBarrier();
        if local == 0u {{
            segment_long_count = atomicExchange(&segment_long_taken, 0u);
        }}
        let waiting = workgroupUniformLoad(&segment_long_count);
        for (var at = 0u; at < waiting; at++) {{
            let segment = segment_long[at];
            let bounds = segment_bounds(segment);
            let a = segment_tree(segment_reduced(bounds, local, {WORKGROUP}u), local, local, {WORKGROUP}u);
            if local == 0u {{
                {store}
            }}
            workgroupBarrier();
        }}
    }}
}}",
        last = WORKGROUP - 1,
        store = store(slots, "segment", "bounds.y - bounds.x"),
    ));
}

fn nothing(text: &mut Text, slots: &[Slot]) {
    text.line(&format!(
        "
@compute @workgroup_size({WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
    let blocks = (places.segments + {}u) / {WORKGROUP}u;
    for (var block = group.x; block < blocks; block += places.groups) {{
        let segment = block * {WORKGROUP}u + local;
        if segment < places.segments {{
            let a = identity();
            {}
        }}
    }}
}}",
        WORKGROUP - 1,
        store(slots, "segment", "0u"),
    ));
}

/// Whether a kernel of this form binds the array of a slot.
pub(super) fn binds(slot: &Slot, form: Form) -> bool {
    if slot.written { form.last() } else { form.pass != Of::Nothing && slot.access != Access::Value }
}
