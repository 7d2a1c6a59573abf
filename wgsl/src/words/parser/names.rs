//! Undeclared names, and misspelled attributes and keywords.

use naga::keywords::wgsl::BUILTIN_IDENTIFIERS;

use super::super::near::nearest;
use super::super::text::Token;
use super::super::{Finding, foreign};
use super::{Said, within};

const ATTRIBUTES: &[&str] =
    &["compute", "workgroup_size", "builtin", "group", "binding", "align", "size", "id", "must_use"];
const BUILTINS: &[&str] = &[
    "global_invocation_id",
    "local_invocation_id",
    "local_invocation_index",
    "workgroup_id",
    "num_workgroups",
    "subgroup_size",
    "subgroup_invocation_id",
    "num_subgroups",
    "subgroup_id",
];
const SPACES: &[&str] = &["storage", "uniform", "workgroup", "private", "function"];

/// Explains an error about a name.
pub(super) fn explain(said: Said<'_>) -> Option<Finding> {
    let message = said.message();
    let written = said.text.at(said.span());
    if message.starts_with("no definition in scope") {
        return Some(undeclared(said, written));
    }
    if message.starts_with("unknown scalar type") {
        return Some(undeclared(said, written));
    }
    if message.starts_with("unknown attribute") {
        let finding = Finding::new(format!("there is no attribute @{written}")).mark(said.span(), "");
        return Some(match written {
            "stage" => finding.help("write `@compute`"),
            "numthreads" | "local_size" | "block" => finding.help("write `@compute @workgroup_size(64)`"),
            "set" => finding.help("write `@group(0)`"),
            _ => offered(finding, written, ATTRIBUTES, "@"),
        });
    }
    if message.starts_with("unknown builtin") {
        let finding = Finding::new(format!("there is no @builtin({written})")).mark(said.span(), "");
        let known = match written {
            "thread_id" | "global_id" | "dispatch_thread_id" | "invocation_id" => Some("global_invocation_id"),
            "local_id" | "thread_position_in_threadgroup" => Some("local_invocation_id"),
            "group_id" | "block_id" => Some("workgroup_id"),
            "local_index" => Some("local_invocation_index"),
            "workgroup_size" => {
                return Some(finding.help("declare the size as a `const`, and use it in @workgroup_size(..) as well"));
            }
            _ => None,
        };
        return Some(match known {
            Some(known) => finding.help(format!("write `@builtin({known})`")),
            None => offered(finding, written, BUILTINS, ""),
        });
    }
    if message.starts_with("unknown access") {
        let finding = Finding::new(format!("there is no access mode `{written}`")).mark(said.span(), "");
        return Some(match written {
            "rw" | "readwrite" | "write_read" => finding.help("write `read_write`"),
            _ => offered(finding, written, &["read", "read_write"], ""),
        });
    }
    if message.starts_with("unknown address space") {
        let finding = Finding::new(format!("there is no address space `{written}`")).mark(said.span(), "");
        let in_pointer = said.text.before(said.at()).iter().rev().nth(1).is_some_and(|token| token.text == "ptr");
        return Some(match written {
            "shared" | "groupshared" | "threadgroup" | "local" => finding.help("write `workgroup`"),
            "global" | "device" | "buffer" => finding.help("write `storage`, with @group and @binding"),
            "constant" => finding.help("write `uniform`, with @group and @binding"),
            _ if in_pointer => {
                finding.help(format!("a pointer type needs an address space: write `ptr<function, {written}>`"))
            }
            _ => offered(finding, written, SPACES, ""),
        });
    }
    if message.starts_with("unknown enable-extension") {
        let finding = Finding::new(format!("there is no extension `{written}`")).mark(said.span(), "");
        return Some(match written {
            "int64" | "f64" | "float64" => {
                finding.help("remove it: 64-bit types need no `enable` on devices that support them")
            }
            "atomics" => finding.help("remove it: atomics need no `enable`"),
            _ => offered(finding, written, &["f16", "subgroups"], ""),
        });
    }
    None
}

/// Adds as a remedy the candidate that is most similar to the word `written` or, if none is similar, all candidates.
fn offered(finding: Finding, written: &str, candidates: &[&str], before: &str) -> Finding {
    match nearest(written, candidates.iter().copied()) {
        Some(near) => finding.help(format!("write `{before}{near}`")),
        None => {
            let all: Vec<String> = candidates.iter().map(|name| format!("{before}{name}")).collect();
            finding.help(format!("expected one of {}", all.join(", ")))
        }
    }
}

/// The position and the kind of the declaration of a name.
struct Declared<'a> {
    name: Token<'a>,
    /// Whether the name is declared in a function or is a parameter.
    local: bool,
    /// Whether the declaration declares a type.
    ty: bool,
}

fn declared<'a>(tokens: &[Token<'a>]) -> Vec<Declared<'a>> {
    let (mut found, mut braces, mut brackets) = (Vec::new(), 0_i32, 0_i32);
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => braces += 1,
            "}" => braces -= 1,
            "(" => brackets += 1,
            ")" => brackets -= 1,
            _ => {}
        }
        let mut next = index + 1;
        match token.text {
            "var" if tokens.get(next).is_some_and(|token| token.text == "<") => {
                while tokens.get(next).is_some_and(|token| token.text != ">") {
                    next += 1;
                }
                next += 1;
            }
            "var" | "let" | "const" | "override" | "fn" | "struct" | "alias" => {}
            // A parameter has no keyword, but a `:` after its name.
            _ if brackets > 0 && token.is_name() && tokens.get(next).is_some_and(|token| token.text == ":") => {
                found.push(Declared { name: *token, local: true, ty: false });
                continue;
            }
            _ => continue,
        }
        if let Some(name) = tokens.get(next).filter(|token| token.is_name()) {
            let ty = matches!(token.text, "struct" | "alias");
            found.push(Declared { name: *name, local: braces > 0, ty });
        }
    }
    found
}

/// Explains a name that is not in scope where it is used.
fn undeclared(said: Said<'_>, written: &str) -> Finding {
    let tokens = said.text.tokens();
    let called = said.text.from(said.at()).get(1).is_some_and(|token| token.text == "(");
    let declared = declared(&tokens);
    let elsewhere = declared.iter().rev().find(|other| other.local && other.name.text == written);
    let kind = if called { "function or type" } else { "name" };
    let quoted = said.quote();
    let finding = Finding::new(format!("no {kind} '{quoted}' is declared here")).mark(said.span(), "");
    if let Some(other) = elsewhere {
        let line = said.text.line(other.name.span()).unwrap_or_default();
        let behind = other.name.at > said.at();
        let remedy = if behind {
            format!("'{quoted}' is declared later, in line {line}: declare a variable before its first use")
        } else {
            format!(
                "'{quoted}' of line {line} is only in scope in its block or function: declare it outside, or pass it as an argument"
            )
        };
        return finding.mark(other.name.span(), "declared here").help(remedy);
    }
    if let Some(remedy) = foreign::remedy(written) {
        return finding.help(remedy);
    }
    let before_it = said.text.before(said.at());
    let is_type = before_it.last().is_some_and(|token| matches!(token.text, ":" | "->"));
    let own = declared.iter().filter(|declared| !declared.ty || is_type || called).map(|declared| declared.name.text);
    let types = ["f32", "f16", "i32", "u32", "bool", "array", "atomic", "ptr"];
    let types = types.into_iter().filter(|_| is_type || called);
    let builtins = BUILTIN_IDENTIFIERS.iter().copied().filter(|_| called || is_type);
    match nearest(written, own.chain(types).chain(builtins)) {
        Some(near) => finding.help(format!("write '{near}', which is similar, or declare '{quoted}'")),
        None if called => finding.help("import functions of other files: `import package::file::name;`"),
        None if declared.iter().any(|one| one.ty && one.name.text.eq_ignore_ascii_case(written)) => {
            let ty = declared.iter().find(|one| one.ty && one.name.text.eq_ignore_ascii_case(written));
            let ty = ty.map_or(written, |ty| ty.name.text);
            finding.help(format!(
                "'{ty}' is a type: declare a variable, as `@group(0) @binding(0) var<uniform> {quoted}: {ty};`"
            ))
        }
        None => finding.help("declare it, or import it from another file: `import package::file::name;`"),
    }
}

/// Explains a member that a value does not have.
pub(super) fn field(said: Said<'_>) -> Option<Finding> {
    let written = within(said.message(), "`", "`")?;
    let before = said.text.before(said.at());
    let object = before.iter().rev().nth(1).map_or("x", |token| token.text);
    let finding = Finding::new(format!("`{object}` has no member '{}'", said.quote())).mark(said.span(), "");
    let letters = |set: &str| written.chars().all(|letter| set.contains(letter));
    if written.len() <= 4 && (letters("xyzw") || letters("rgba")) {
        if written.contains(['x', 'r']) && written.len() == 1 {
            return Some(finding.help("the value is a scalar, or a struct without such a member"));
        }
        let most = written.chars().filter_map(|letter| "xyzwrgba".find(letter)).map(|at| at % 4).max()?;
        return Some(
            finding
                .help(format!("the vector has fewer than {} components: x, y, z, w are the first to fourth", most + 1)),
        );
    }
    if written.len() <= 4 && letters("xyzwrgba") {
        return Some(finding.help("a swizzle uses letters of `xyzw` or of `rgba`, not of both"));
    }
    if written.len() <= 4 && letters("stpqxyzw") {
        return Some(finding.help("the components of a vector are x, y, z, w, or r, g, b, a"));
    }
    // The parser does not report the struct, so the members of all structs are candidates.
    let tokens = said.text.tokens();
    let mut members = Vec::new();
    let mut index = 0;
    while let Some(start) = tokens[index..].iter().position(|token| token.text == "struct") {
        let start = index + start;
        let end = tokens[start..].iter().position(|token| token.text == "}").map_or(tokens.len(), |end| start + end);
        members.extend(
            tokens[start..end]
                .windows(2)
                .filter(|pair| pair[0].is_name() && pair[1].text == ":")
                .map(|pair| pair[0].text),
        );
        index = end;
    }
    Some(match nearest(written, members.iter().copied()) {
        Some(near) => finding.help(format!("write `{object}.{near}`")),
        None if written == "length" || written == "len" => finding.help(format!("write `arrayLength(&{object})`")),
        None => finding,
    })
}
