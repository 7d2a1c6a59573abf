//! Measures the middle end for a kernel of about three hundred lines, which is composed of eight of the kernels.

use anywarp_middle::Circumstances;
use anywarp_middle::analysis::prove;
use anywarp_middle::explicit::explicit;
use anywarp_middle::optimise::optimise;
use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::shared::Outcome;
use crate::shared::pairs::{repeated, timed};

/// The limit on the time of all passes together, in milliseconds.
const GOAL: f64 = 5.0;

/// The parts of the kernel.
const PARTS: [&str; 8] = [
    include_str!("kernels/conv7x7.wgsl"),
    include_str!("kernels/softmax.wgsl"),
    include_str!("kernels/bitonic_sort.wgsl"),
    include_str!("kernels/scan.wgsl"),
    include_str!("kernels/knn.wgsl"),
    include_str!("kernels/sobel.wgsl"),
    include_str!("kernels/hash_rounds.wgsl"),
    include_str!("kernels/compaction.wgsl"),
];

/// The built-in values of the parts, by the names of their parameters.
const BUILT_INS: [(&str, &str, &str); 4] = [
    ("id", "global_invocation_id", "vec3<u32>"),
    ("group", "workgroup_id", "vec3<u32>"),
    ("local", "local_invocation_id", "vec3<u32>"),
    ("thread", "local_invocation_index", "u32"),
];

/// Prints the time of each pass.
pub(crate) fn print(quick: bool) -> Outcome<()> {
    let text = composed();
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
    let info = valid(&module, &text)?;
    let faster = optimise(&module, &info, &Circumstances::default());
    let (rest, rest_info) = match &faster {
        Some(faster) => (faster, valid(faster, &text)?),
        None => (&module, info.clone()),
    };
    let proofs = prove(rest, &rest_info, &Circumstances::default()).proofs;
    let times = if quick { 5 } else { 101 };
    let measure = |work: &dyn Fn()| -> Outcome<f64> {
        let seconds = repeated(times, || {
            timed(|| {
                work();
                Ok(())
            })
        })?;
        Ok(seconds * 1e3)
    };
    let rows = [
        ("optimise", measure(&|| drop(optimise(&module, &info, &Circumstances::default())))?),
        ("validate what that made", measure(&|| drop(valid(rest, &text)))?),
        ("prove", measure(&|| drop(prove(rest, &rest_info, &Circumstances::default())))?),
        ("explicit checks", measure(&|| drop(explicit(rest, &rest_info, &proofs)))?),
    ];
    println!("the middle end, for a kernel of {} lines:", text.lines().count());
    for (what, milliseconds) in rows {
        println!("{what:<26} {milliseconds:>8.3} ms");
    }
    let all: f64 = rows.iter().map(|(_, milliseconds)| milliseconds).sum();
    let verdict = if all < GOAL { "met" } else { "MISSED" };
    println!("{:<26} {all:>8.3} ms (< {GOAL} ms: {verdict})", "together");
    Ok(())
}

fn valid(module: &Module, text: &str) -> Outcome<ModuleInfo> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    Ok(validator.validate(module).map_err(|error| error.emit_to_string(text))?)
}

/// The text of one kernel: the parts with separate names and bindings, and an entry point that calls them all.
fn composed() -> String {
    let (mut text, mut binding) = (String::new(), 0);
    let mut calls = String::new();
    for (number, part) in PARTS.iter().enumerate() {
        let declared = declared(part);
        let mut entry = false;
        for line in part.lines() {
            if line.starts_with("@compute") {
                entry = true;
                continue;
            }
            let mut line = renamed(line, number, &declared);
            if let Some((_, rest)) = line.split_once(") var<").filter(|_| line.starts_with("@group")) {
                line = format!("@group(0) @binding({binding}) var<{rest}");
                binding += 1;
            }
            for (_, built_in, _) in BUILT_INS {
                line = line.replace(&format!("@builtin({built_in}) "), "");
            }
            text.push_str(&line);
            text.push('\n');
            if std::mem::take(&mut entry) {
                let name = line.trim_start_matches("fn ").split('(').next().unwrap_or_default().to_owned();
                let taken = BUILT_INS.iter().filter(|(_, built_in, _)| part.contains(&format!("@builtin({built_in})")));
                let mut taken: Vec<(usize, &str)> = taken
                    .map(|(name, built_in, _)| (part.find(&format!("@builtin({built_in})")).unwrap_or(0), *name))
                    .collect();
                taken.sort_unstable();
                let names: Vec<&str> = taken.into_iter().map(|(_, name)| name).collect();
                calls.push_str(&format!("    {name}({});\n", names.join(", ")));
            }
        }
    }
    let inputs: Vec<String> =
        BUILT_INS.iter().map(|(name, built_in, ty)| format!("@builtin({built_in}) {name}: {ty}")).collect();
    text + &format!("@compute @workgroup_size(256)\nfn all({}) {{\n{calls}}}\n", inputs.join(", "))
}

/// The names that a text declares at module scope.
fn declared(text: &str) -> Vec<&str> {
    let starts = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("const ").or(line.strip_prefix("struct ")).or(line.strip_prefix("fn "));
        rest.or_else(|| {
            let variable = line.starts_with("var<") || line.starts_with("@group");
            variable.then(|| line.split_once("> ").map(|(_, rest)| rest)).flatten()
        })
    });
    starts.filter_map(|rest| rest.split(|letter: char| !is_part(letter)).next()).collect()
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The line with the part's number appended to every name of `declared`.
fn renamed(line: &str, number: usize, declared: &[&str]) -> String {
    let mut made = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|letter| !is_part(letter)).map_or(rest.len(), |end| start + end);
        made.push_str(&rest[..end]);
        if declared.contains(&&rest[start..end]) {
            made.push_str(&format!("_{number}"));
        }
        rest = &rest[end..];
    }
    made + rest
}
