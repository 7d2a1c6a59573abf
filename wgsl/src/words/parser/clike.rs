//! Declarations in the notation of C, GLSL, HLSL or Rust.

use naga::Span;

use super::super::text::{Token, span};
use super::super::{Finding, foreign};
use super::Said;

/// Explains an error that follows a keyword or type of another language.
pub(super) fn explain(said: Said<'_>, wanted: &str, before: &[Token<'_>]) -> Option<Finding> {
    let found = said.text.at(said.span());
    let last = before.last().copied();
    let name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if wanted.starts_with("global item") {
        return global(said, found);
    }
    if wanted == "`{`" {
        return braces(said, wanted);
    }
    let word = last.filter(|last| last.is_name())?;
    if wanted.starts_with("operation (`=`)") {
        return valueless(said, found, word, before);
    }
    if (wanted == "`:`" || wanted == ":") && name(found) {
        return member(said, word, found);
    }
    if wanted == "`:`" && matches!(found, ")" | ",") {
        return Some(
            Finding::new(format!("the parameter '{}' has no type", word.text))
                .mark(word.span(), "")
                .help(format!("write `{}: f32`", word.text)),
        );
    }
    if !wanted.starts_with("assignment or") && !wanted.starts_with("for loop init") && wanted != "`)`" {
        return None;
    }
    if wanted == "`)`" {
        let layout = before.iter().rev().nth(2).is_some_and(|token| token.text == "layout");
        return (layout && found == "=").then(|| workgroup_size(span(before[before.len() - 3].at..said.at())));
    }
    name(found).then(|| declaration(said, word, found)).flatten()
}

/// Explains a declaration that begins with a type or keyword of another language.
fn declaration(said: Said<'_>, word: Token<'_>, found: &str) -> Option<Finding> {
    let behind = said.text.from(said.at());
    // If the parser stopped at `word` itself, the name is the token after it.
    let at = usize::from(word.at == said.at()) + 1;
    let function = behind.get(at).is_some_and(|token| token.text == "(");
    let finding = |message: &str| Finding::new(message).mark(word.span(), "");
    Some(match word.text {
        "mut" => finding("`mut` is not needed").help(format!("write `var {found}`")),
        "type" | "typedef" | "using" => finding("a type is renamed with `alias`").help(format!("write `alias {found} = ..;`")),
        "static" => finding("WGSL has no `static`").help(format!("write `const {found}`, or `var<private> {found}` if it changes")),
        "use" | "mod" => finding("files are imported with `import`").help("write `import package::shared::math::name;`"),
        "fn" => finding("a function cannot be declared inside another function").help("move it out of the function, or close the function before it: a `}` may be missing"),
        "override" | "struct" | "alias" => {
            finding(&format!("`{}` cannot be declared inside a function", word.text)).help("move it out of the function, to the module")
        }
        "function" | "def" | "func" => finding("functions are declared with `fn`").help(format!("write `fn {found}(..)`")),
        "void" if function => finding("functions are declared with `fn`").help(if found == "main" {
            "write `@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>)`".to_owned()
        } else {
            format!("write `fn {found}(x: f32)`, without a return type")
        }),
        "shared" | "groupshared" | "__shared__" => {
            finding("workgroup memory is declared outside functions").help(format!("write `var<workgroup> {found}..` before the function"))
        }
        "in" | "out" | "inout" | "uniform" | "buffer" => finding("this is a declaration of GLSL").help("write `@group(0) @binding(0) var<storage, read_write> data: array<f32>;` for a buffer, `var<uniform>` for parameters"),
        _ => {
            let ty = of(word.text)?;
            if function {
                let result = ty.clone().unwrap_or_else(|| "f32".to_owned());
                finding("functions are declared with `fn`").help(format!("write `fn {found}(..) -> {result}`"))
            } else {
                let typed = ty.map_or_else(|| found.to_owned(), |ty| format!("{found}: {ty}"));
                finding("a declaration begins with `var`, `let` or `const`, and the type follows the name")
                    .help(format!("write `var {typed} = ..;`, or `let {found} = ..;` if it does not change"))
            }
        }
    })
}

/// The WGSL type for a type name of WGSL or of another language. The inner option is `None` for `auto`.
fn of(word: &str) -> Option<Option<String>> {
    if let Some(scalar) = foreign::scalar(word) {
        return Some(Some(scalar.to_owned()).filter(|scalar| !scalar.is_empty()));
    }
    if ["f32", "f16", "u32", "i32", "bool"].contains(&word) {
        return Some(Some(word.to_owned()));
    }
    let remedy = foreign::remedy(word)?;
    let ty = remedy.strip_prefix("write `")?.split('`').next()?.to_owned();
    ty.contains('<').then_some(Some(ty))
}

/// Explains `float x` in a struct or between parameters.
fn member(said: Said<'_>, word: Token<'_>, found: &str) -> Option<Finding> {
    let ty = of(word.text);
    let finding = Finding::new("the name must come first, then `:` and the type").mark(word.span(), "");
    Some(match (word.text, ty) {
        ("in" | "out" | "inout", _) => {
            Finding::new(format!("parameters have no `{}`", word.text)).mark(word.span(), "").help(format!(
                "pass a pointer to a value that the function changes: declare `{found}: ptr<function, f32>`, and call `f(&x)`"
            ))
        }
        (_, Some(Some(ty))) => finding.help(format!("write `{found}: {ty}`")),
        _ => finding.help(format!("write `{found}: {}`", word.text)).mark(said.span(), ""),
    })
}

/// Explains a `const` or `let` without a value, or with its type before the name.
fn valueless(said: Said<'_>, found: &str, word: Token<'_>, before: &[Token<'_>]) -> Option<Finding> {
    let behind_colon = before.len() > 1 && before[before.len() - 2].text == ":";
    if found == ";" {
        let name = if behind_colon { before.get(before.len().checked_sub(3)?)?.text } else { word.text };
        return Some(
            Finding::new(format!("'{name}' has no value"))
                .mark(said.span(), "")
                .help(format!("write `const {name} = ..;`, or `override {name}: ..;` if the host sets it")),
        );
    }
    let ty = of(word.text).flatten();
    let name = found.starts_with(|c: char| c.is_alphabetic() || c == '_');
    name.then(|| {
        let typed = ty.map_or_else(|| found.to_owned(), |ty| format!("{found}: {ty}"));
        let first = before.len().checked_sub(2).and_then(|at| before.get(at)).map_or("const", |token| token.text);
        Finding::new("the type follows the name").mark(word.span(), "").help(format!("write `{first} {typed} = ..;`"))
    })
}

/// Explains a single statement without braces, as in C after a condition.
fn braces(said: Said<'_>, wanted: &str) -> Option<Finding> {
    (wanted == "`{`").then(|| {
        Finding::new("expected a block in `{ }`")
            .mark(said.span(), "")
            .help("write braces around a single statement as well")
    })
}

/// Explains the conversion `(float)x`.
pub(super) fn cast(said: Said<'_>, before: &[Token<'_>]) -> Option<Finding> {
    let [.., open, ty, close] = before else { return None };
    if (open.text, close.text) != ("(", ")") {
        return None;
    }
    let to = of(ty.text)??;
    let behind = said.text.from(said.at());
    let end = behind.iter().find(|token| matches!(token.text, ";" | "," | ")" | "+" | "-" | "*" | "/"))?;
    let written = said.text.between(said.at(), end.at);
    Some(
        Finding::new("a conversion is written as a call")
            .mark(span(open.at..close.at + 1), "")
            .help(format!("write `{}`", super::super::types::converted(&written, &to))),
    )
}

/// Explains text outside functions that is not a declaration.
fn global(said: Said<'_>, found: &str) -> Option<Finding> {
    let place = said.span();
    let finding = |message: &str| Finding::new(message).mark(place, "");
    let behind = said.text.from(said.at());
    let next = behind.get(1).map_or("", |token| token.text);
    Some(match found {
        "pub" => finding("WGSL has no `pub`").help("remove it: other files can import every declaration"),
        "let" => finding("`let` is only allowed in functions")
            .help(format!("write `const {next} = ..;`, or `override {next} = ..;` if the host sets it")),
        "#" => return None,
        "[" => bracket(said, &said.text.all()[said.at()..]),
        "use" | "mod" => finding("files are imported with `import`")
            .help("write `import package::shared::math::name;`, before all declarations"),
        "import" => finding("imports must come before all declarations").help("move it before all declarations"),
        "static" => finding("WGSL has no `static`")
            .help(format!("write `const {next}`, or `var<private> {next}` if it changes")),
        "type" | "typedef" | "using" => {
            finding("a type is renamed with `alias`").help(format!("write `alias {next} = ..;`"))
        }
        "function" | "def" | "func" => {
            finding("functions are declared with `fn`").help(format!("write `fn {next}(..)`"))
        }
        "layout" => workgroup_size(place),
        "groupshared" | "shared" | "__shared__" => finding("workgroup memory is declared as `var<workgroup>`")
            .help("write `var<workgroup> tile: array<f32, 64>;`"),
        "__global__" | "kernel" => finding("a kernel is a function with attributes")
            .help("write `@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>)`"),
        "void" => return declaration(said, Token { text: found, at: said.at() }, next),
        "if" | "for" | "while" | "return" | "loop" | "switch" => finding(&format!("`{found}` is outside a function"))
            .help("check whether a `}` before it closes the function too early"),
        "}" => finding("this `}` has no matching `{`").help("add the missing `{` before it, or remove it"),
        word => {
            let ty = of(word)?;
            if behind.get(2).is_some_and(|token| token.text == "(") {
                let result = ty.unwrap_or_else(|| "f32".to_owned());
                return Some(
                    finding("functions are declared with `fn`").help(format!("write `fn {next}(..) -> {result}`")),
                );
            }
            let typed = ty.map_or_else(|| next.to_owned(), |ty| format!("{next}: {ty}"));
            finding("a declaration begins with `const`, `override` or `var<..>`, and the type follows the name")
                .help(format!("write `const {typed} = ..;`"))
        }
    })
}

/// Explains `[numthreads(64, 1, 1)]` and `[[stage(compute)]]`.
pub(super) fn bracket(said: Said<'_>, rest: &str) -> Finding {
    let place = said.span();
    if rest.starts_with("[numthreads") || rest.starts_with("[shader") {
        return workgroup_size(place);
    }
    Finding::new("attributes begin with `@`")
        .mark(place, "")
        .help("write `@compute @workgroup_size(64)` for an entry point, `@group(0) @binding(0)` for a buffer")
}

fn workgroup_size(place: Span) -> Finding {
    Finding::new("the workgroup size is an attribute of the entry point")
        .mark(place, "")
        .help("write `@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>)`")
}
