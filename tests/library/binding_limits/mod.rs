//! Operators on arrays that are larger than a device can bind: they work in windows, or their errors name the limit.

mod limited;
mod operators;

use anywarp::{Device, Error};

use limited::{LIMIT, devices};
use operators::operators;

/// The outcome of an operator, and the words of its result.
type Outcome = (Result<(), Error>, Vec<u32>);

/// An operator, and a call of it on arrays that are larger than [`LIMIT`], the size in bytes that the devices can bind.
struct Operator {
    name: &'static str,
    /// Whether the operator processes such arrays in windows: parts that the devices can bind.
    windows: bool,
    run: fn(&Device) -> Result<Outcome, Error>,
}

/// On devices that can bind at most [`LIMIT`] bytes, every operator returns the same result as on other devices, or an
/// error that names the limit and leaves the result unchanged.
#[test]
fn every_operator_works_in_windows_or_names_the_limit() -> anywarp::Result<()> {
    let [(_, free), limited @ ..] = devices();
    let mut wrong = Vec::new();
    for Operator { name, windows, run } in operators() {
        let (outcome, expected) = run(&free)?;
        if let Err(error) = outcome {
            wrong.push(format!("{name} on a device without such a limit: {error}"));
            continue;
        }
        for (which, device) in &limited {
            let (outcome, got) = run(device)?;
            let text = match outcome {
                Ok(()) if got != expected => "other results".to_owned(),
                Ok(()) if !windows => "no error: list it as one that works in windows".to_owned(),
                Ok(()) => continue,
                Err(error) if *windows => format!("an error: {error}"),
                // The text names the limit of a binding in bytes, or the limit of the operator in elements.
                Err(error) if !names_limit(&error.to_string()) => format!("no limit in: {error}"),
                Err(_) if got.iter().any(|word| *word != operators::BEFORE) => "changed the result".to_owned(),
                Err(_) => continue,
            };
            wrong.push(format!("{name} on {which}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Whether an error names the operator, not the file of one of its kernels, and the limit of a binding in bytes, or a
/// limit in elements that follows from it: fewer than the arrays have, and at least a sixteenth of what a binding can
/// hold.
fn names_limit(error: &str) -> bool {
    if error.contains(".wgsl") || !error.contains('\'') && !error.contains(" has the shape ") {
        return false;
    }
    if error.contains(&LIMIT.to_string()) {
        return true;
    }
    let number = error.split("the limit is ").nth(1).map(|rest| {
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().unwrap_or(u64::MAX)
    });
    number.is_some_and(|number| (LIMIT / 64..=LIMIT).contains(&number))
}
