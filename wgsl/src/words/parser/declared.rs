//! Declarations that are repeated, recursive or incomplete, and calls that do not match the declaration of the
//! function.

use super::super::Finding;
use super::super::near::nearest;
use super::{Said, within};

/// Explains an error in a declaration or a call.
pub(super) fn explain(said: Said<'_>) -> Option<Finding> {
    let message = said.message();
    let (place, written) = (said.span(), said.quote());
    let finding = |text: String| Finding::new(text).mark(place, "");
    if message.starts_with("redefinition of") {
        let line = said.text.line(said.other(1)).unwrap_or_default();
        let again = said.text.before(said.at()).last().is_some_and(|token| matches!(token.text, "let" | "var"));
        let finding = Finding::new(format!("'{written}' is declared twice"))
            .mark(place, "declared again here")
            .mark(said.other(1), format!("first declared in line {line}"));
        return Some(if again {
            finding.help(format!("give it another name, or assign it: declare the first one with `var {written}`, and write `{written} = ..;` here"))
        } else {
            finding.help("give one of them another name")
        });
    }
    if message.contains("is recursive") || message.contains("is cyclic") {
        return Some(circle(said));
    }
    if message.starts_with("workgroup size is missing") {
        return Some(
            finding("the entry point has no @workgroup_size".to_owned())
                .help("write `@compute @workgroup_size(64)` for 64 invocations in a workgroup"),
        );
    }
    if said.error.notes().any(|note| note == "we had the attribute but no var?") {
        return bound_without_variable(said);
    }
    if message.starts_with("variable `") && message.contains("needs a '") {
        let wanted = within(message, "needs a '", "'")?;
        return Some(
            finding(format!("a buffer needs @group and @binding, and @{wanted} is missing"))
                .help(format!("write `@{wanted}(0)` beside it")),
        );
    }
    if message.starts_with("declaration of `") && message.ends_with("needs a type specifier or initializer") {
        return Some(
            finding(format!("'{written}' has neither a type nor a value"))
                .help(format!("write `var {written}: f32;` or `var {written} = 0.0;`")),
        );
    }
    if message.starts_with("name `") {
        let known = nearest(&written, ["var", "let"]).is_some();
        let finding = finding(format!("'{written}' is a reserved word of WGSL"));
        return Some(match &*written {
            "mut" => finding.help("leave `let mut` out: write `var`"),
            _ if known => finding,
            _ => finding.help(format!("choose another name, as `{written}_` or `my_{written}`")),
        });
    }
    if message.starts_with("Identifier starts with a reserved prefix") {
        return Some(
            finding(format!("'{written}' begins with two underscores, which is not allowed"))
                .help(format!("write `{}`", written.trim_start_matches('_'))),
        );
    }
    if message.starts_with("Identifier can't be `_`") {
        return Some(finding("'_' is not a name".to_owned()).help("write `_ = value;`, without `let` or `var`"));
    }
    if message.starts_with("expected global declaration, but found a global directive") {
        return Some(
            finding(format!("`{written}` is after a declaration")).help("move it to the beginning of the text"),
        );
    }
    if let Some(name) =
        message.strip_prefix("the `").and_then(|rest| rest.strip_suffix("` enable extension is not enabled"))
    {
        return Some(
            finding(format!("`{written}` needs the extension '{name}'"))
                .help(format!("write `enable {name};` at the beginning of the text")),
        );
    }
    if message.starts_with("wrong number of arguments: ") {
        let expected = within(message, "expected ", ",")?;
        let found = message.rsplit(' ').next()?;
        return Some(finding(format!("`{written}` expects {expected} arguments, got {found}")));
    }
    if let Some(function) = message.strip_prefix("too many arguments passed to ") {
        let most = said.error.notes().find_map(|note| within(note, "at most ", " argument"))?;
        let arguments = if most == "1" { "argument" } else { "arguments" };
        return Some(
            Finding::new(format!("{function} expects at most {most} {arguments}, got more"))
                .mark(said.other(1), "this is one too many"),
        );
    }
    if message.starts_with("function does not return any value") {
        return Some(
            finding(format!("`{written}` returns nothing"))
                .help("call it as a statement, or declare its return type: `fn f() -> f32`"),
        );
    }
    if message.starts_with("unused return value from function annotated with @must_use") {
        return Some(
            finding(format!("the result of `{written}` is not used")).help("assign it, or write `_ = ..;` before it"),
        );
    }
    if message.starts_with("entry point cannot be called") {
        return Some(
            finding(format!("'{written}' is an entry point, which cannot be called"))
                .help("move the shared code into a function without @compute"),
        );
    }
    if message.starts_with("local declaration cannot be called") {
        return Some(
            finding(format!("'{written}' is a variable, which cannot be called"))
                .help("another name hides the function: rename the variable"),
        );
    }
    if message.starts_with("`const_assert` failure") {
        return Some(finding(format!("`const_assert {written}` is false")));
    }
    if message.starts_with("invalid `switch` selector") {
        return Some(
            finding(format!("`switch` expects an integer, and `{written}` is not one"))
                .help(format!("write `switch u32({written})`, or `if`s")),
        );
    }
    if message.starts_with("invalid `switch` case") {
        return Some(
            finding(format!("the case `{written}` is not a constant of the type of the `switch` value"))
                .help("use a constant with the suffix of the type, as in `1u` or `1i`"),
        );
    }
    if message.starts_with("array element count must be positive") {
        return Some(
            finding("an array needs at least one element".to_owned())
                .help("omit the length for a buffer whose length the host sets: `array<f32>`"),
        );
    }
    if message.starts_with("this operation is not supported in a const context") {
        return Some(
            finding(format!("`{written}` is not a constant expression"))
                .help("array lengths and `const` values use only numbers and other constants: declare it with `const`"),
        );
    }
    if matches!(message, "Unexpected runtime-expression" | "Unexpected override-expression")
        || message.starts_with("Can't use pipeline-overridable")
    {
        let kind = if message.starts_with("Unexpected runtime") {
            "only known when the kernel runs"
        } else {
            "set when the kernel is created"
        };
        return Some(finding(format!("expected a constant, got `{written}`, which is {kind}")).help(
            if message.starts_with("Unexpected runtime") {
                "assign it in a function"
            } else {
                "declare it with `override` as well, or use it only in functions"
            },
        ));
    }
    if message.starts_with("unused expressions for template") {
        let before = said.text.before(said.at());
        let space = before.iter().rev().nth(1).map_or("", |token| token.text);
        return Some(finding(format!("`{space}<.., {written}>` has too many template arguments")).help(match space {
            "uniform" | "workgroup" | "private" => format!("write `var<{space}>`: only `storage` has an access mode"),
            _ => "remove it".to_owned(),
        }));
    }
    if message.starts_with("struct member alignment must be") || message.starts_with("struct member size must be") {
        return Some(finding(
            message
                .replace("struct member ", "the ")
                .replace("alignment", "number of @align")
                .replace("size must", "number of @size must"),
        ));
    }
    None
}

/// Explains `@group` or `@binding` before an item that is not a variable. naga gives no position for this mistake.
fn bound_without_variable(said: Said<'_>) -> Option<Finding> {
    let tokens = said.text.tokens();
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
    let attributes = (0..tokens.len()).filter(|&at| text(at) == "@" && matches!(text(at + 1), "group" | "binding"));
    for at in attributes {
        let mut next = at;
        while text(next) == "@" {
            next += 2;
            let mut depth = 0;
            while next < tokens.len() {
                depth += i32::from(text(next) == "(") - i32::from(text(next) == ")");
                if depth == 0 {
                    next += usize::from(text(next) == ")");
                    break;
                }
                next += 1;
            }
        }
        if text(next) != "var" {
            let name = text(at + 1);
            let finding = Finding::new(format!("`@{name}` is not before a variable")).mark(tokens[at + 1].span(), "");
            return Some(
                finding.help("write it before `var`, as in `@group(0) @binding(0) var<storage> data: array<f32>;`"),
            );
        }
    }
    None
}

/// Explains a function or type that depends on itself.
fn circle(said: Said<'_>) -> Finding {
    let name = said.quote();
    let function = said.text.before(said.at()).last().is_some_and(|token| token.text == "fn");
    let finding = if said.message().contains("is recursive") {
        let does = if function { "calls" } else { "contains" };
        Finding::new(format!("'{name}' {does} itself")).mark(said.other(1), "here").mark(said.span(), "")
    } else {
        let ends = said.error.labels().skip(1).step_by(2);
        let names: Vec<String> = said.error.labels().step_by(2).map(|(span, _)| said.text.quote(span)).collect();
        let finding = Finding::new(format!("'{}' depend on each other in a cycle", names.join("' and '")));
        ends.fold(finding, |finding, (span, _)| finding.mark(span, "used here"))
    };
    if function {
        finding.help("functions cannot be recursive: use a loop, with an array as a stack where needed")
    } else {
        finding.help("a type cannot contain itself: keep an index into an array instead")
    }
}
