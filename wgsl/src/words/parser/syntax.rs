//! Tokens that the grammar does not allow at their position.

use naga::Span;

use super::super::Finding;
use super::super::text::{Token, span};
use super::{Said, clike, within};

/// Explains an error about a token that was not expected.
pub(super) fn explain(said: Said<'_>) -> Option<Finding> {
    let message = said.message();
    if message.starts_with("unterminated block comment") || said.text.at(said.span()).starts_with("/*") {
        let start = said.span().to_range()?.start;
        return Some(
            Finding::new("the comment is never closed")
                .mark(span(start..start + 2), "the comment begins here")
                .help("write `*/` at its end; comments nest, so each `/*` needs its own"),
        );
    }
    if message.starts_with("the operand of the `*` operator must be a pointer") {
        return power(said);
    }
    if message.starts_with("invalid numeric literal format") || message.starts_with("numeric literal not representable")
    {
        return number(said);
    }
    if message.starts_with("invalid field accessor") {
        return super::names::field(said);
    }
    let (wanted, _) = message.strip_prefix("expected ")?.split_once(", found \"")?;
    let place = said.span();
    let found = said.text.at(place);
    let before = said.text.before(said.at());
    let last = before.last().copied();
    special(said, found, &before)
        .or_else(|| clike::explain(said, wanted, &before))
        .or_else(|| missing(said, wanted, last))
        .or_else(|| {
            let wanted = plainly(wanted);
            let found = if found.is_empty() {
                "the end of the text".to_owned()
            } else {
                format!("`{}`", said.text.quote(place))
            };
            Some(Finding::new(format!("expected {wanted}, got {found}")).mark(place, ""))
        })
}

/// The name of an expected token or construct in plain words.
fn plainly(wanted: &str) -> String {
    let plain = match wanted {
        "identifier" => "a name",
        "expression" => "a value",
        "statement" => "a statement",
        _ if wanted.starts_with("LHS expression") => "a variable",
        _ if wanted.starts_with("assignment or") => "`=`, `++` or another assignment",
        _ if wanted.starts_with("global item") => {
            "a declaration: `fn`, `struct`, `const`, `override`, `alias` or `var`"
        }
        _ if wanted.starts_with("switch item") => "`case`, `default` or `}`",
        _ if wanted.starts_with("for loop init") => "`var i = 0u`",
        _ if wanted.starts_with("for loop update") => "`i++` or an assignment",
        _ => {
            return within(wanted, "operation (", ")")
                .or_else(|| within(wanted, "(", ")"))
                .unwrap_or(wanted)
                .to_owned();
        }
    };
    plain.to_owned()
}

/// Explains tokens that WGSL does not have, or does not allow at the position of the error.
fn special(said: Said<'_>, found: &str, before: &[Token<'_>]) -> Option<Finding> {
    let place = said.span();
    let last = before.last().copied();
    let rest = &said.text.all()[said.at()..];
    Some(match found {
        "?" => ternary(said, before),
        "++" | "--" => {
            let behind = said.text.from(said.at());
            let operand = match (last.filter(|last| last.is_name()), behind.get(1)) {
                (Some(last), _) => last.text,
                (None, Some(next)) if next.is_name() => next.text,
                _ => "i",
            };
            Finding::new(format!("`{found}` is a separate statement, written after a variable"))
                .mark(place, "a value is expected here")
                .help(format!("write `{operand}{found};` as a separate statement, before or after this one"))
        }
        "as" => cast(said, before),
        "#" if starts_line(said) => Finding::new("WGSL has no preprocessor")
            .mark(place, "")
            .help("write `const N = 4;` for `#define N 4`, `@if(name)` for `#if`, and `import` for `#include`"),
        "\"" if call(before).is_some() => Finding::new("WGSL has no strings").mark(place, "").help(call(before)?),
        "\"" | "'" => {
            Finding::new("WGSL has no strings").mark(place, "").help("use numbers in place of names, as in a `switch`")
        }
        "|" => {
            Finding::new("expected a value, got `|`").mark(place, "").help("WGSL has no closures: declare a function")
        }
        "{" if last.is_some_and(|last| last.text == "=") => Finding::new("a value cannot begin with `{`")
            .mark(place, "")
            .help("write the type and its components: `array<f32, 2>(1.0, 2.0)`, `Params(1u, 2.0)`"),
        "<" if before.len() > 1 && before[before.len() - 2].text == "fn" => {
            Finding::new("functions have no type parameters")
                .mark(place, "")
                .help("use `alias T = f32;` and `Wgsl::element` to create one kernel for each element type")
        }
        "=" if within_head(before) => Finding::new("parameters have no default values")
            .mark(place, "")
            .help("pass every argument, or declare a second function"),
        "[" if before.len() > 1 && matches!(before[before.len() - 2].text, "var" | "let" | "const") => {
            let name = last.map_or("a", |last| last.text);
            Finding::new("the length of an array is part of its type")
                .mark(place, "")
                .help(format!("write `var {name}: array<f32, 4>;`"))
        }
        ";" if within_struct(before) => {
            Finding::new("members of a struct are separated by `,`").mark(place, "").help("write `,` in place of `;`")
        }
        "{" if last.is_some_and(|last| last.text == "->") => Finding::new("the return type is missing")
            .mark(place, "")
            .help("write it after `->`, as in `-> f32`, or leave `->` out"),
        "F" | "f" | "L" | "UL" | "U"
            if last.is_some_and(|last| last.at + last.text.len() == said.at() + found.len()) =>
        {
            let number = last.map_or("1.0", |last| last.text.trim_end_matches(found));
            let suffix = if found.contains('U') { "u" } else { "f" };
            Finding::new(format!("`{found}` is not a number suffix"))
                .mark(place, "")
                .help(format!("write `{number}{suffix}`"))
        }
        "[" if last.is_none_or(|last| matches!(last.text, ";" | "}")) => clike::bracket(said, rest),
        "(" if last.is_some_and(Token::is_name) && before.len() > 1 && before[before.len() - 2].text == "." => {
            method(before)
        }
        _ => return clike::cast(said, before),
    })
}

/// Whether the mistake is the first token on its line.
fn starts_line(said: Said<'_>) -> bool {
    said.text.all()[..said.at()].rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

/// The remedy for a call whose argument is a string.
fn call(before: &[Token<'_>]) -> Option<String> {
    let [.., name, open] = before else { return None };
    (open.text == "(").then(|| super::super::foreign::remedy(name.text)).flatten()
}

/// Whether the last open brace belongs to a struct.
fn within_struct(before: &[Token<'_>]) -> bool {
    let open = before.iter().rposition(|token| token.text == "{" || token.text == "}");
    open.is_some_and(|open| open > 1 && before[open].text == "{" && before[open - 2].text == "struct")
}

/// Whether the tokens end within the parameter list of a function.
fn within_head(before: &[Token<'_>]) -> bool {
    let Some(start) = before.iter().rposition(|token| token.text == "fn") else { return false };
    let depth = |token: &Token<'_>| i32::from(token.text == "(") - i32::from(token.text == ")");
    before[start..].iter().map(depth).sum::<i32>() > 0 && !before[start..].iter().any(|token| token.text == "{")
}

/// The index at which a value begins: after `=`, `return`, a bracket or a comma.
fn value_start(before: &[Token<'_>]) -> usize {
    let mut depth = 0_i32;
    for (index, token) in before.iter().enumerate().rev() {
        match token.text {
            ")" | "]" => depth += 1,
            "(" | "[" if depth == 0 => return index + 1,
            "(" | "[" => depth -= 1,
            "=" | "return" | "," | ";" | "{" | "}" | "+=" | "-=" | "*=" if depth == 0 => return index + 1,
            _ => {}
        }
    }
    0
}

fn ternary(said: Said<'_>, before: &[Token<'_>]) -> Finding {
    let finding = Finding::new("WGSL has no `? :`").mark(said.span(), "");
    let behind = said.text.from(said.at());
    let parts = || {
        let condition = said.text.between(before.get(value_start(before))?.at, said.at());
        let (mut depth, mut colon) = (0_i32, None);
        for token in &behind[1..] {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" if depth > 0 => depth -= 1,
                "?" => return None,
                ":" if depth == 0 => colon = Some(token.at),
                ";" | "," | ")" if depth == 0 => {
                    let yes = said.text.between(said.at() + 1, colon?);
                    let no = said.text.between(colon? + 1, token.at);
                    return Some((condition, yes, no));
                }
                _ => {}
            }
        }
        None
    };
    match parts() {
        Some((condition, yes, no)) => {
            finding.help(format!("write `select({no}, {yes}, {condition})`, which computes both"))
        }
        None => finding.help("write `select(where_false, where_true, condition)`, which computes both, or an `if`"),
    }
}

fn cast(said: Said<'_>, before: &[Token<'_>]) -> Finding {
    let behind = said.text.from(said.at());
    let finding = Finding::new("WGSL has no `as`").mark(said.span(), "");
    let ty = behind.get(1).filter(|token| token.is_name()).map_or("f32", |token| token.text);
    let ty = super::super::foreign::scalar(ty).unwrap_or(ty);
    // The cast has the highest precedence: it converts only the name before it, with its members and indices.
    let (mut first, mut depth) = (before.len(), 0_i32);
    for (index, token) in before.iter().enumerate().rev() {
        match token.text {
            ")" | "]" => depth += 1,
            "(" | "[" if depth > 0 => depth -= 1,
            "." => {}
            _ if depth > 0 || token.is_name() || token.text.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => break,
        }
        if depth == 0 && token.text == "return" {
            break;
        }
        first = index;
    }
    match before.get(first) {
        Some(token) => {
            let written = said.text.between(token.at, said.at());
            finding.help(format!(
                "a conversion is written as a call: write `{}`",
                super::super::types::converted(&written, ty)
            ))
        }
        None => finding.help(format!("a conversion is written as a call: write `{ty}(x)`")),
    }
}

/// Explains a method call such as `data.length()`.
fn method(before: &[Token<'_>]) -> Finding {
    let name = before.last().map_or("", |last| last.text);
    let object = before.len().checked_sub(3).and_then(|at| before.get(at)).map_or("x", |token| token.text);
    let finding = Finding::new(format!("`.{name}(..)`: values have no methods"))
        .mark(before.last().map_or(Span::UNDEFINED, |last| last.span()), "");
    match name {
        "length" | "len" | "size" => finding
            .help(format!("write `arrayLength(&{object})` for an array of a buffer, `length({object})` for a vector")),
        _ => finding.help(format!("write `{name}({object}, ..)`")),
    }
}

/// Explains `a ** b`.
fn power(said: Said<'_>) -> Option<Finding> {
    let before = said.text.before(said.at());
    let at = said.at();
    let all = said.text.all();
    let star = before.last().filter(|token| token.text == "**" || token.text == "*").copied();
    let doubled = star.is_some_and(|star| star.text == "**" || star.at + 1 == at && all[at..].starts_with('*'));
    if !doubled {
        return None;
    }
    let start = star?.at;
    Some(Finding::new("WGSL has no `**`").mark(span(start..start + 2), "").help("write `pow(x, y)`, or `x * x`"))
}

fn number(said: Said<'_>) -> Option<Finding> {
    let place = said.span();
    let written = said.quote();
    let finding = Finding::new(format!("`{written}` is not a valid number in WGSL")).mark(place, "");
    if said.message().starts_with("numeric literal not") {
        let finding = Finding::new(format!("`{written}` is too large for its type")).mark(place, "");
        return Some(match written.chars().last() {
            Some('f') => finding.help("the largest f32 is 3.40282347e38"),
            Some('h') => finding.help("the largest f16 is 65504"),
            Some('u') => finding.help("the largest u32 is 4294967295"),
            Some('i') => finding.help("an i32 holds -2147483648 to 2147483647"),
            _ => finding,
        });
    }
    let trimmed = written.trim_start_matches('0');
    let decimal = written.starts_with('0') && trimmed.starts_with(|c: char| c.is_ascii_digit());
    Some(if decimal { finding.help(format!("WGSL has no octal numbers: write `{trimmed}`")) } else { finding })
}

/// Explains a token that is missing before the token at which the parser stopped.
fn missing(said: Said<'_>, wanted: &str, last: Option<Token<'_>>) -> Option<Finding> {
    let last = last?;
    let behind = last.at + last.text.len();
    let mark = within(wanted, "`", "`")?;
    let all = said.text.all();
    let next_line = all.get(behind..said.at())?.contains('\n');
    let found = said.text.at(said.span());
    // The marked span is the last character before the missing token.
    let place = span(behind.saturating_sub(1)..behind);
    match mark {
        ";" if next_line || found == "}" => {
            Some(Finding::new("a `;` is missing at the end of the statement").mark(place, "after this"))
        }
        ";" if found == "," => Some(
            Finding::new("a declaration declares only one name")
                .mark(said.span(), "")
                .help("write one `let` or `var` for each name"),
        ),
        ")" | "]" => {
            let open = if mark == ")" { "(" } else { "[" };
            let opened = unclosed(&said.text.before(said.at()), open)?;
            Some(
                Finding::new(format!("the `{open}` is not closed"))
                    .mark(said.span(), format!("`{mark}` is missing before this"))
                    .mark(opened.span(), "opened here"),
            )
        }
        _ => None,
    }
}

/// The last bracket `open` that is not closed.
fn unclosed<'a>(before: &[Token<'a>], open: &str) -> Option<Token<'a>> {
    let close = if open == "(" { ")" } else { "]" };
    let mut depth = 0;
    for token in before.iter().rev() {
        if token.text == close {
            depth += 1;
        } else if token.text == open {
            if depth == 0 {
                return Some(*token);
            }
            depth -= 1;
        }
    }
    None
}
