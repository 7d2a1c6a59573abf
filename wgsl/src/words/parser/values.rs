//! Values of a wrong type, and numbers out of range.

use naga::Span;

use super::super::types::{converted, literal, quoted, spoken};
use super::super::{Finding, text};
use super::{Said, probe, within};

/// Explains an error about a value.
pub(super) fn explain(said: Said<'_>) -> Option<Finding> {
    let message = said.message();
    if message.starts_with("automatic conversions cannot convert") {
        return unconverted(said);
    }
    if message.starts_with("the type of `") {
        return initialised(said);
    }
    if message.starts_with("the concrete type `") {
        return out_of_range(said);
    }
    if message.starts_with("failed to convert expression to a concrete type") {
        return abstract_operand(said);
    }
    if message.starts_with("cannot cast a ") {
        return uncast(said);
    }
    if message.starts_with("inconsistent type passed") || message.starts_with("wrong type passed") {
        return argument(said);
    }
    if message.starts_with("type mismatch for reject and accept") {
        return selected(said);
    }
    if message.starts_with("Constructor expects ") {
        let expected = within(message, "expects ", " components")?;
        let found = message.rsplit(' ').next()?;
        return Some(Finding::new(format!("expected {expected} components, got {found}")).mark(said.span(), ""));
    }
    if message == "Division by zero" || message == "Remainder by zero" {
        return Some(Finding::new("division by zero").mark(said.span(), "both operands are constants"));
    }
    if let Some(operation) = message.strip_suffix(" operation overflowed") {
        let operation = operation.to_lowercase();
        return Some(
            Finding::new(format!("the result of this {operation} is out of range for its type"))
                .mark(said.span(), "both operands are constants"),
        );
    }
    if message.starts_with("Incompatible operands: ") {
        return operands(said);
    }
    if message == "RHS of shift operation is greater than or equal to 32" {
        return Some(Finding::new("a 32-bit integer can be shifted by at most 31 bits").mark(said.span(), ""));
    }
    if message.starts_with("Cannot cast scalar components of expression") {
        let to = message.rsplit('`').nth(1)?;
        return Some(Finding::new(format!("`{}` cannot be converted to `{to}`", said.quote())).mark(said.span(), ""));
    }
    None
}

/// The span of the label `a value of type .. is required here`, and the type that it names.
fn required(said: Said<'_>) -> Option<(Span, String)> {
    said.error.labels().find_map(|(span, label)| {
        let rest =
            label.strip_prefix("a value of type ").or_else(|| label.strip_prefix("a value with elements of type "))?;
        Some((span, rest.strip_suffix(" is required here")?.to_owned()))
    })
}

/// Explains a value of a wrong type that is assigned or passed.
fn unconverted(said: Said<'_>) -> Option<Finding> {
    let from = within(said.message(), "`", "`")?;
    let to = said.message().rsplit('`').nth(1)?;
    let mut labels = said.error.labels();
    let (value, _) = labels.find(|(_, label)| label.starts_with("this expression has type"))?;
    let value = used(said, value);
    let range = value.to_range()?;
    if let Some((target, _)) = required(said).filter(|(target, _)| target.is_defined() && *target != value) {
        let instead = target.to_range()?;
        let behind = said.text.from(instead.end);
        let sign = behind.first().filter(|token| {
            token.text.ends_with('=') && !token.text.starts_with(['=', '!', '<', '>']) || token.text == "="
        });
        let end = behind.iter().find(|token| token.text == ";");
        // naga's span of a name is the span of the value that the name stands for, so the assigned text is found
        // between `=` and `;`.
        let (value, range) = match (sign, end) {
            (Some(sign), Some(end)) => {
                let value = said.text.trimmed(sign.at + sign.text.len()..end.at);
                let range = value.to_range()?;
                if let Some(finding) =
                    probe::mistake_in(said, range.clone(), instead.start..sign.at + sign.text.len(), "_=")
                {
                    return Some(finding);
                }
                (value, range)
            }
            _ => (value, range),
        };
        let (written, goal) = (said.text.quote(value), said.text.quote(target));
        let (is, wanted) = (quoted(&spoken(from)), quoted(&spoken(to)));
        if instead.start <= range.start && range.end <= instead.end || target == value {
            return Some(remedied(
                Finding::new(format!("expected {wanted}, got `{written}`, which is {is}")).mark(value, ""),
                &written,
                from,
                to,
            ));
        }
        if said.text.at(target).contains("<<") || said.text.at(target).contains(">>") {
            let amount = text::split(said.text.at(target)).map(|(_, _, right)| right.to_owned())?;
            return Some(
                Finding::new(format!("expected {wanted} as the shift distance, got `{amount}`, which is {is}"))
                    .mark(target, "")
                    .help(format!("write `{}`", converted(&amount, to))),
            );
        }
        if sign.is_none() {
            let finding = Finding::new(format!("expected {wanted}, got `{written}`, which is {is}"))
                .mark(value, format!("this is {is}"));
            return Some(match to {
                "bool" => finding.help(format!("compare it, as in `{written} != 0`")),
                _ => remedied(finding, &written, from, to),
            });
        }
        let finding = Finding::new(format!("cannot assign {is} to `{goal}`, which is {wanted}"))
            .mark(value, format!("this is {is}"))
            .mark(target, format!("this is {wanted}"));
        return Some(remedied(finding, &written, from, to));
    }
    let written = said.text.quote(value);
    let (is, wanted) = (quoted(&spoken(from)), quoted(&spoken(to)));
    let finding =
        Finding::new(format!("expected {wanted}, got `{written}`, which is {is}")).mark(value, format!("this is {is}"));
    Some(remedied(finding, &written, from, to))
}

/// The span of a value where it is passed to an atomic function, if naga reports the declaration of a parameter.
fn used(said: Said<'_>, value: Span) -> Span {
    let name = said.text.at(value);
    let Some(range) = value.to_range() else { return value };
    if said.text.from(range.end).first().is_none_or(|token| token.text != ":") {
        return value;
    }
    let tokens = said.text.from(range.end);
    let calls = tokens.iter().filter(|token| token.text.starts_with("atomic"));
    let mut arguments = calls.filter_map(|call| said.text.argument(call.at, 1));
    arguments.find(|argument| said.text.at(*argument) == name).unwrap_or(value)
}

/// Adds the remedy that converts a value to the type `to`.
fn remedied(finding: Finding, written: &str, from: &str, to: &str) -> Finding {
    if to.starts_with('{') || to.starts_with("array") || to.starts_with("ptr") {
        return finding;
    }
    if let Some(same) = literal(written, to) {
        return finding.help(format!("write `{same}`"));
    }
    // A vector is converted as a whole, if only its elements have a wrong type.
    let to = match (from.strip_prefix("vec"), to.contains('<')) {
        (Some(size), false) => format!("vec{}<{to}>", &size[..1]),
        _ => to.to_owned(),
    };
    let finding = finding.help(format!("write `{}`", converted(written, &to)));
    match (from, &*to) {
        ("f32" | "{AbstractFloat}", "u32" | "i32") => {
            finding.help("the conversion truncates towards zero; call `round(x)` first for the nearest number")
        }
        _ => finding,
    }
}

/// Explains a declaration such as `let x: f32 = id.x;`.
fn initialised(said: Said<'_>) -> Option<Finding> {
    let parts: Vec<&str> = said.message().split('`').collect();
    let [_, _, _, expected, _, got, ..] = parts[..] else { return None };
    let behind = said.text.from(said.at());
    let equals = behind.iter().position(|token| token.text == "=")?;
    let first = behind.get(equals + 1)?.at;
    let end = behind[equals..].iter().find(|token| token.text == ";")?.at;
    // Without its type, the declaration accepts any value, so a remaining mistake is in the value.
    let colon = behind.iter().find(|token| token.text == ":")?.at;
    if let Some(finding) = probe::mistake_in(said, first..end, colon..behind[equals].at, "") {
        return Some(finding);
    }
    let value = text::span(first..first + said.text.all().get(first..end)?.trim_end().len());
    let (written, is, wanted) = (said.text.quote(value), quoted(&spoken(got)), quoted(&spoken(expected)));
    let finding = Finding::new(format!("'{}' is declared as {wanted}, and its value is {is}", said.quote()));
    Some(remedied(
        finding.mark(value, format!("this is {is}")).mark(said.span(), format!("declared as {wanted}")),
        &written,
        got,
        expected,
    ))
}

/// Explains a number that is out of range for its type.
fn out_of_range(said: Said<'_>) -> Option<Finding> {
    let parts: Vec<&str> = said.message().split('`').collect();
    let [_, ty, _, value, ..] = parts[..] else { return None };
    let range = match ty {
        "u32" => "0 to 4294967295",
        "i32" => "-2147483648 to 2147483647",
        "f16" => "-65504 to 65504",
        "f32" => "-3.40282347e38 to 3.40282347e38",
        _ => "",
    };
    let finding = Finding::new(format!("{value} is out of range for `{ty}`"));
    let finding =
        finding.mark(said.span(), if range.is_empty() { String::new() } else { format!("`{ty}` holds {range}") });
    Some(match ty {
        "u32" if value.starts_with('-') => {
            finding.help("use an `i32` for negative numbers, or `~0u` for the largest `u32`")
        }
        _ => finding,
    })
}

/// Explains `i * 0.5`, where `i` is an integer.
fn abstract_operand(said: Said<'_>) -> Option<Finding> {
    let place = said.span();
    let written = said.text.at(place);
    let start = place.to_range()?.start;
    let (left, sign, right) = text::split(written)?;
    let spot = |part: &str| {
        let at = start + (part.as_ptr() as usize - written.as_ptr() as usize);
        text::span(at..at + part.len())
    };
    let is_literal = |part: &str| part.contains('.') && part.parse::<f64>().is_ok();
    let (integer, float) = match (is_literal(left), is_literal(right)) {
        (false, true) => (left, right),
        (true, false) => (right, left),
        _ => return None,
    };
    let as_float = converted(&said.text.quote(spot(integer)), "f32");
    let remedy =
        if integer == left { format!("{as_float} {sign} {float}") } else { format!("{float} {sign} {as_float}") };
    Some(
        Finding::new(format!("`{sign}` does not take an integer and a float constant"))
            .mark(spot(integer), "this is an integer")
            .mark(spot(float), "this is a float")
            .help(format!("WGSL does not convert values implicitly: write `{remedy}`")),
    )
}

/// Explains `f32(id)`, where `id` is a vector.
fn uncast(said: Said<'_>) -> Option<Finding> {
    let (from, to) = said.message().strip_prefix("cannot cast a ")?.split_once(" to a ")?;
    let written = said.quote();
    let finding =
        Finding::new(format!("`{written}` is `{from}`, which cannot be converted to `{to}`")).mark(said.span(), "");
    Some(match from.strip_prefix("vec") {
        Some(size) if !to.starts_with("vec") => finding.help(format!(
            "take a component, as in `{to}({written}.x)`, or convert all components: `vec{}<{to}>({written})`",
            &size[..1]
        )),
        _ => finding,
    })
}

/// Explains an argument of a built-in function.
fn argument(said: Said<'_>) -> Option<Finding> {
    let function = said.message().rsplit('`').nth(1)?;
    let (place, label) = said.error.labels().nth(1).filter(|(_, label)| label.contains("has type"))?;
    let number = within(label, "#", " ")?;
    let is = label.rsplit("has type ").next()?.trim_matches('`');
    // naga's span of a name is the span of the value that the name stands for, so the argument is looked up in the
    // text.
    let call = said.at();
    let argument = |number: &str| said.text.argument(call, number.parse::<usize>().ok()?.checked_sub(1)?);
    let place = argument(number).unwrap_or(place);
    let written = said.text.quote(place);
    let mark = format!("this is {}", quoted(&spoken(is)));
    let other = said
        .error
        .labels()
        .find_map(|(span, label)| Some((span, within(label, "this argument has type ", ",")?.to_owned())));
    if let Some((first, wanted)) = other {
        let first =
            said.error.notes().find_map(|note| argument(within(note, "Because argument #", " ")?)).unwrap_or(first);
        let finding = Finding::new(format!(
            "`{function}` expects arguments of one type, got {} and {}",
            quoted(&spoken(&wanted)),
            quoted(&spoken(is))
        ));
        let finding = finding.mark(place, mark).mark(first, format!("this is {}", quoted(&spoken(&wanted))));
        let own = literal(&written, &wanted).is_none() && is == "{AbstractFloat}";
        return Some(if own {
            let first = said.text.quote(first);
            finding.help(format!("write `{}` for the other argument", converted(&first, "f32")))
        } else {
            remedied(finding, &written, is, &wanted)
        });
    }
    let allowed: Vec<&str> = said.error.notes().filter_map(|note| note.strip_prefix("allowed type: ")).collect();
    let finding = Finding::new(format!("`{function}` does not take {} as argument {number}", quoted(&spoken(is))))
        .mark(place, mark);
    let integer = |ty: &str| ["u32", "i32"].iter().any(|scalar| ty == *scalar || ty.ends_with(&format!("<{scalar}>")));
    let float = if is.starts_with("vec") { format!("vec{}<f32>", &is[3..4]) } else { "f32".to_owned() };
    if integer(is) && allowed.contains(&&*float) {
        return Some(finding.help(format!("it takes floats: write `{}`", converted(&written, &float))));
    }
    let concrete: Vec<&str> = allowed.into_iter().filter(|ty| !ty.contains('{') && !ty.contains("f64")).collect();
    Some(if concrete.is_empty() { finding } else { finding.help(format!("it takes {}", concrete.join(", "))) })
}

/// Explains a `select` of values of two types.
fn selected(said: Said<'_>) -> Option<Finding> {
    let of = |label: &str| label.rsplit_once("of type ").map(|(_, ty)| ty.trim_matches('`').to_owned());
    let mut labels = said.error.labels();
    let ((no, no_label), (yes, yes_label)) = (labels.next()?, labels.next()?);
    let (no_type, yes_type) = (of(no_label)?, of(yes_label)?);
    let finding = Finding::new(format!(
        "`select` expects two values of one type, got {} and {}",
        quoted(&spoken(&no_type)),
        quoted(&spoken(&yes_type))
    ))
    .mark(no, format!("where the condition is false: {}", quoted(&spoken(&no_type))))
    .mark(yes, format!("where the condition is true: {}", quoted(&spoken(&yes_type))));
    let (from, to, value) =
        if no_type.contains("Float") || no_type == "f32" { (yes_type, "f32", yes) } else { (no_type, &*yes_type, no) };
    let to = if to.starts_with('{') { "f32" } else { to };
    Some(remedied(finding, &said.text.quote(value), &from, to))
}

/// Explains `a && b` with numbers, which naga reports without a span.
fn operands(said: Said<'_>) -> Option<Finding> {
    let (operation, types) =
        said.message().strip_prefix("Incompatible operands: ")?.strip_suffix(')')?.split_once('(')?;
    let sign = match operation {
        "LogicalAnd" => "&&",
        "LogicalOr" => "||",
        _ => return None,
    };
    let ty = types.split(',').next()?.trim();
    let tokens = said.text.tokens();
    let places: Vec<_> = tokens.iter().filter(|token| token.text == sign).collect();
    // If there are several such operators, the mistake is at the one whose replacement removes the error.
    let other = "==";
    let mut without = places.iter().filter(|token| probe::is_right(said, token.at..token.at + sign.len(), other));
    let place = if let [only] = places[..] { Some(only) } else { without.next().copied() };
    let finding = Finding::new(format!("`{sign}` expects conditions, got {}", quoted(&spoken(ty))));
    let finding = place.map_or(finding.clone(), |place| finding.mark(place.span(), ""));
    Some(finding.help(format!("compare numbers, as in `x != 0`, or use `{}` for the bits", &sign[..1])))
}
