//! Errors about assignments, pointers and atomics.

use super::super::Finding;
use super::{Said, within};

/// Explains an error about an assignment, a pointer or an atomic.
pub(super) fn explain(said: Said<'_>) -> Option<Finding> {
    let message = said.message();
    let (place, written) = (said.span(), said.quote());
    let finding = |text: String| Finding::new(text).mark(place, "");
    if message.starts_with("invalid left-hand side of assignment") {
        return Some(assigned(said));
    }
    if message.starts_with("increment/decrement operation requires") {
        let finding = finding(format!("`{written}` cannot be incremented or decremented"));
        let before = said.text.before(said.at());
        let constant = before
            .windows(2)
            .rev()
            .find(|pair| pair[1].text == written && matches!(pair[0].text, "let" | "const" | "var"));
        return Some(match constant {
            Some([word, name]) if word.text != "var" => finding
                .mark(name.span(), format!("declared with `{}`", word.text))
                .help(format!("declare it as `var {written}`")),
            _ => finding
                .help(format!("`++` and `--` take variables of i32 or u32: write `{written} += 1.0;` for a float")),
        });
    }
    if message.starts_with("atomic variables cannot be accessed directly") {
        let before = said.text.before(said.at());
        let call = before.len().checked_sub(2).map(|at| (before[at].text, before[at + 1].text));
        let finding = finding(format!("`{written}` is atomic: only atomic functions read and write it"));
        return Some(match call {
            Some((function, "(")) if function.starts_with("atomic") => {
                finding.help(format!("pass a pointer: `{function}(&{written}, ..)`"))
            }
            _ => finding.help(format!(
                "write `atomicLoad(&{written})` to read it, `atomicStore(&{written}, value)` to write it"
            )),
        });
    }
    if message.starts_with("atomic operation is done on a pointer to a non-atomic") {
        let name = written.trim_start_matches('&').to_owned();
        return Some(finding(format!("`{name}` is not atomic")).help(format!(
            "declare it as `atomic<u32>` or `atomic<i32>`, a buffer as `array<atomic<u32>>`; on the host, `{}` is still an array of u32",
            name.split(['[', '.']).next().unwrap_or_default()
        )));
    }
    if message.starts_with("atomic operand type is inconsistent") {
        return Some(
            finding(format!("the type of `{written}` is not the type of the atomic"))
                .help("convert it, as in `u32(x)`"),
        );
    }
    if message.starts_with("the operand of the `&` operator must be a reference") {
        let name = written.trim_start_matches('&').to_owned();
        return Some(
            finding(format!("`{name}` is a value, which has no address"))
                .help(format!("declare it with `var {name}`: only variables have an address")),
        );
    }
    if message.starts_with("cannot take the address of a vector component") {
        return Some(
            finding(format!("`{written}` is a component of a vector, which has no address"))
                .help("point to the whole vector, or copy the component to a variable"),
        );
    }
    if message.starts_with("the operand of the `*` operator must be a pointer") {
        return Some(
            finding(format!("`*` expects a pointer, and `{}` is not one", written.trim_start_matches('*')))
                .help("remove the `*`: variables are read by their name"),
        );
    }
    if message.starts_with("type `") && message.ends_with("is not constructible") {
        let behind = said.text.from(said.at());
        let value = behind.iter().position(|token| token.text == "=").and_then(|at| behind.get(at + 1));
        let buffer = value.map_or("data", |token| token.text);
        return Some(
            finding(format!("'{written}' would be an array without a fixed length, which cannot be a value"))
                .help(format!("take an element, `{buffer}[i]`, or a pointer: `let {written} = &{buffer};`")),
        );
    }
    if message.starts_with("invalid address space for local variable") {
        let space = within(message, "`", "`")?;
        return Some(
            finding(format!("`var<{space}>` cannot be declared in a function"))
                .help("move it out of the function, or declare it as a plain `var`"),
        );
    }
    None
}

/// Explains an assignment to an expression that cannot be assigned.
fn assigned(said: Said<'_>) -> Finding {
    let written = said.quote();
    let (place, declared) = (said.span(), said.other(1));
    if said.error.notes().any(|note| note.contains("swizzles")) {
        let (vector, letters) = written.rsplit_once('.').unwrap_or((&written, "xy"));
        let each: Vec<String> = letters.chars().map(|letter| format!("{vector}.{letter} = ..;")).collect();
        return Finding::new("several components cannot be assigned at once")
            .mark(place, "")
            .help(format!("write `{}`, or assign the whole vector: `{vector} = vec3<f32>(..);`", each.join(" ")));
    }
    let finding = Finding::new(format!("`{written}` cannot be assigned"));
    if declared.is_defined() {
        let name = said.text.quote(declared);
        let word = said.text.before(declared.to_range().map_or(0, |range| range.start)).last().map(|token| token.text);
        let finding = finding.mark(place, "");
        return match word {
            Some("let") => {
                finding.mark(declared, "a `let` value cannot change").help(format!("declare it with `var {name}`"))
            }
            _ if pointer(said, declared) => {
                finding.mark(declared, "a pointer").help(format!("write through the pointer: `*{name} = ..;`"))
            }
            _ => finding
                .mark(declared, "a parameter cannot change")
                .help(format!("copy it into a variable first: `var my_{name} = {name};`")),
        };
    }
    let root = written.split(['.', '[']).next().unwrap_or_default().trim_start_matches(['(', '*']).to_owned();
    let before = said.text.before(said.at());
    let constant =
        before.windows(2).rev().find(|pair| pair[1].text == root && matches!(pair[0].text, "const" | "override"));
    match constant {
        Some([word, name]) => finding
            .mark(place, "")
            .mark(name.span(), format!("declared with `{}`", word.text))
            .help(format!("declare it with `var {root}`, or with `var<private> {root}` outside functions")),
        _ => finding.mark(place, "this is a value, not a variable"),
    }
}

/// Whether the parameter with this declaration is a pointer.
fn pointer(said: Said<'_>, declared: naga::Span) -> bool {
    let behind = said.text.from(declared.to_range().map_or(0, |range| range.start));
    behind.get(2).is_some_and(|token| token.text == "ptr")
}
