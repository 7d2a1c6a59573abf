//! The text of ceilings: a line for each figure, words separated by tabs.

use std::fmt;

use super::Ceilings;

/// The first line. The number is incremented with every change of the format.
const HEADER: &str = "anywarp-ceilings 1";
/// The last line, which shows that the text is complete.
const END: &str = "end";

pub(super) fn write(ceilings: &Ceilings, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // Names come from drivers; a tab or a line break in one would end the word.
    let word = |text: &str| text.replace(|letter: char| letter.is_control(), " ");
    writeln!(f, "{HEADER}")?;
    writeln!(f, "device\t{}\ndriver\t{}", word(&ceilings.device), word(&ceilings.driver))?;
    writeln!(f, "at\t{}\nwarp\t{}", ceilings.at, ceilings.warp)?;
    if ceilings.is_quick {
        writeln!(f, "quick")?;
    }
    writeln!(f, "launch\t{}\ncopy\t{}", ceilings.launch, ceilings.copy)?;
    ceilings.reads.iter().try_for_each(|(bytes, rate)| writeln!(f, "read\t{bytes}\t{rate}"))?;
    ceilings.rates.iter().try_for_each(|(name, rate)| writeln!(f, "rate\t{}\t{rate}", word(name)))?;
    writeln!(f, "{END}")
}

pub(super) fn parse(text: &str) -> Result<Ceilings, String> {
    let mut lines = (1..).zip(text.lines());
    let header = lines.next().map_or("", |(_, line)| line);
    if header != HEADER {
        let shown: String = header.chars().take(60).collect();
        return Err(format!("line 1: expected '{HEADER}', found '{shown}'"));
    }
    let mut ceilings = Ceilings::default();
    for (number, line) in lines {
        if line == END {
            return Ok(ceilings);
        }
        figure(&mut ceilings, line)
            .map_err(|expected| format!("line {number}: expected {expected}, found '{line}'"))?;
    }
    Err(format!("expected '{END}' as the last line, found none: the file is not complete"))
}

/// Reads one line; the error is what was expected.
fn figure(ceilings: &mut Ceilings, line: &str) -> Result<(), &'static str> {
    let words: Vec<&str> = line.split('\t').collect();
    match words.as_slice() {
        ["device", name] => (*name).clone_into(&mut ceilings.device),
        ["driver", name] => (*name).clone_into(&mut ceilings.driver),
        ["at", seconds] => ceilings.at = seconds.parse().map_err(|_| "seconds since 1970")?,
        ["warp", warp] => ceilings.warp = warp.parse().map_err(|_| "a number of invocations")?,
        ["quick"] => ceilings.is_quick = true,
        ["launch", seconds] => ceilings.launch = positive(seconds)?,
        ["copy", rate] => ceilings.copy = positive(rate)?,
        ["read", bytes, rate] => {
            ceilings.reads.push((bytes.parse().map_err(|_| "a number of bytes")?, positive(rate)?));
        }
        ["rate", name, rate] => ceilings.rates.push(((*name).to_owned(), positive(rate)?)),
        _ => return Err("device, driver, at, warp, quick, launch, copy, read or rate, with tabs between the words"),
    }
    Ok(())
}

fn positive(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or("a number from 0 on")
}
