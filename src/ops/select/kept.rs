//! The condition and the results of a selection, as WGSL that replaces `shaders/shared/select_kept.wgsl`.

use std::fmt::Write;

use super::super::operation::types::ElementType;

/// The condition that determines which elements are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Elements whose flag is not zero are kept.
    Flags,
    /// Elements for which a WGSL expression of `x` and `i` is true are kept.
    Predicate { expression: String, preamble: String },
    /// The first element and the elements that differ from the element before are kept.
    Changes,
    /// Elements that are not zero are kept.
    NotZero,
}

/// The results that are written for the kept elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// The kept elements.
    Values,
    /// The indices of the kept elements.
    Places,
    /// The kept elements, and their indices in a second array.
    Both,
    /// The kept elements, and all other elements in a second array.
    Partition,
}

/// Returns the WGSL. Its bindings have other numbers than the bindings of scans, as kernels of selections also import
/// files of scans.
pub(super) fn text(kept: &Kept, output: Output, element: ElementType) -> String {
    let mut text = String::new();
    if let Some(extension) = element.extension() {
        let _ = writeln!(text, "enable {extension};");
    }
    text.push_str("import package::shared::scan_sizes::sizes;\n");
    let _ = writeln!(text, "alias T = {element};");
    let (y, z) = match output {
        Output::Values => ("T", None),
        Output::Places => ("u32", None),
        Output::Both => ("T", Some("u32")),
        Output::Partition => ("T", Some("T")),
    };
    text.push_str("@group(0) @binding(9) var<storage> x: array<T>;\n");
    let _ = writeln!(text, "@group(0) @binding(11) var<storage, read_write> y: array<{y}>;");
    if let Some(z) = z {
        let _ = writeln!(text, "@group(0) @binding(12) var<storage, read_write> z: array<{z}>;");
    }
    predicate(&mut text, kept, element);
    let put = |text: &mut String, array: &str, capacity: &str, value: &str| {
        let _ = writeln!(
            text,
            "    if to < sizes.{capacity} {{\n        {array}[sizes.first_of_{array} + to] = {value};\n    }}"
        );
    };
    let (of_y, of_z, value) = ("capacity", "capacity_of_z", "x[sizes.first_of_x + i]");
    text.push_str("fn put(to: u32, i: u32) {\n");
    put(&mut text, "y", of_y, if output == Output::Places { "i" } else { value });
    if output == Output::Both {
        put(&mut text, "z", of_z, "i");
    }
    let _ = writeln!(text, "}}\nconst puts_rest = {};", output == Output::Partition);
    text.push_str("fn put_rest(to: u32, i: u32) {\n");
    if output == Output::Partition {
        put(&mut text, "z", of_z, value);
    }
    text.push_str("}\n");
    places(&mut text, kept, output);
    text
}

/// Writes the functions for loops over places in bindings: the compiler proves that such a place is within its binding,
/// and cannot prove it of a place that is computed from the index of an element.
fn places(text: &mut String, kept: &Kept, output: Output) {
    // The array by whose elements, or flags, the elements are kept.
    let array = if *kept == Kept::Flags { "heads" } else { "x" };
    let value = match (output, kept) {
        (Output::Places, _) => format!("at - sizes.first_of_{array}"),
        (_, Kept::Flags) => "x[at - sizes.first_of_heads + sizes.first_of_x]".to_owned(),
        _ => "x[at]".to_owned(),
    };
    let moves_one = matches!(output, Output::Values | Output::Places);
    let moved = if moves_one { format!("    y[to] = {value};\n") } else { String::new() };
    let _ = write!(
        text,
        "const moves_one = {moves_one};
fn first_place() -> u32 {{
    return sizes.first_of_{array};
}}
fn last_place(end: u32) -> u32 {{
    return min(sizes.first_of_{array} + end, arrayLength(&{array}));
}}
fn room_in_y(end: u32) -> u32 {{
    return min(sizes.first_of_y + min(end, sizes.capacity), arrayLength(&y));
}}
fn move_to(to: u32, at: u32) {{
{moved}}}
"
    );
}

fn predicate(text: &mut String, kept: &Kept, element: ElementType) {
    // A comparison of vectors has a result for each component. NaN differs from every value, but on some devices `!=`
    // is false for NaN, so this is the negation of `==`.
    let differs = |a: &str, b: &str| match element.lanes {
        1 => format!("!({a} == {b})"),
        _ => format!("!all({a} == {b})"),
    };
    let body = match kept {
        Kept::Flags => {
            text.push_str("@group(0) @binding(10) var<storage> heads: array<u32>;\n");
            "heads[at] != 0u".to_owned()
        }
        Kept::Predicate { expression, preamble } => {
            let _ = writeln!(text, "{preamble}\nfn predicate(x: T, i: u32) -> bool {{\n    return\n{expression};\n}}");
            "predicate(x[at], at - sizes.first_of_x)".to_owned()
        }
        Kept::Changes => {
            let before = differs("x[at]", "x[at - 1u]");
            format!("at == sizes.first_of_x || {before}")
        }
        Kept::NotZero => differs("x[at]", "T()"),
    };
    let first = if *kept == Kept::Flags { "sizes.first_of_heads" } else { "sizes.first_of_x" };
    let _ = writeln!(text, "fn is_kept_at(at: u32) -> bool {{\n    return {body};\n}}");
    let _ = writeln!(text, "fn is_kept(i: u32) -> bool {{\n    return is_kept_at({first} + i);\n}}");
}
