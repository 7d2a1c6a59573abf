//! The WGSL lines that the lines of a translation come from.

use crate::stage::Stage;

/// The origin of one line of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This line of the WGSL.
    Line(u32),
    /// The line itself has no origin: it gives the origin of the next lines.
    Mark,
    /// The line has no origin, or an unknown one.
    Unknown,
}

/// The origin of every line of `text`; `None` for a stage without line information. `file` is the name of the WGSL.
pub(crate) fn origins(stage: Stage, text: &str, file: &str) -> Option<Vec<Origin>> {
    // The stages contain the name of the file in the form of a C++ string.
    let file = &file.replace('\\', "/").replace(|letter: char| letter == '"' || letter.is_control(), "_");
    match stage {
        Stage::Source => Some((1..).take(text.lines().count()).map(Origin::Line).collect()),
        Stage::Spirv => Some(of_spirv(text)),
        Stage::Cuda => Some(of_cuda(text, file)),
        Stage::Ptx => Some(of_ptx(text, file)),
        Stage::Sass => Some(of_sass(text, file)),
        Stage::Wgsl | Stage::Msl | Stage::Hlsl | Stage::Clif | Stage::Asm => None,
    }
}

/// `OpLine %file 12 5` applies until the end of its block.
fn of_spirv(text: &str) -> Vec<Origin> {
    let mut here = Origin::Unknown;
    let origin = |line: &str| {
        let mut words = line.split_whitespace();
        if words.next() == Some("OpLine") {
            here = words.nth(1).and_then(|word| word.parse().ok()).map_or(Origin::Unknown, Origin::Line);
            return Origin::Mark;
        }
        if ["OpLabel", "OpFunctionEnd", "OpNoLine"].iter().any(|end| line.ends_with(end)) {
            here = Origin::Unknown;
        }
        here
    };
    text.lines().map(origin).collect()
}

/// `#line 12 "file"` gives the line and the file of the next line of C++; the lines after it are counted from 12 on.
fn of_cuda(text: &str, file: &str) -> Vec<Origin> {
    let (mut next, mut ours) = (0, false);
    let origin = |line: &str| {
        if let Some(place) = line.trim_start().strip_prefix("#line ") {
            let (number, name) = place.trim().split_once(' ').unwrap_or((place.trim(), ""));
            // Without a name the file does not change.
            ours = if name.is_empty() { ours } else { unquoted(name) == Some(file) };
            next = number.parse().unwrap_or(0);
            return Origin::Mark;
        }
        let here = match line.trim() {
            // A single brace may belong to any line.
            "{" | "}" if ours => Origin::Mark,
            "" => Origin::Unknown,
            _ if ours && next > 0 => Origin::Line(next),
            _ => Origin::Unknown,
        };
        next += 1;
        here
    };
    let mut origins: Vec<Origin> = text.lines().map(origin).collect();
    // A comment precedes the line that it belongs to.
    let mut below = Origin::Unknown;
    for (line, origin) in text.lines().rev().zip(origins.iter_mut().rev()) {
        if line.trim_start().starts_with("//") {
            *origin = below;
        } else if *origin != Origin::Mark {
            below = *origin;
        }
    }
    origins
}

/// `.file 1 "file"`, and `.loc 1 12 5` for the lines after it; a line from another file may have `inlined_at 1 12 5`.
fn of_ptx(text: &str, file: &str) -> Vec<Origin> {
    let ours: Vec<&str> = text.lines().filter_map(|line| number_of_file(line, file)).collect();
    let line_in = |place: &str| {
        let mut words = place.split_whitespace();
        let known = words.next().is_some_and(|number| ours.contains(&number));
        known.then(|| words.next()?.parse().ok()).flatten()
    };
    let mut here = Origin::Unknown;
    let origin = |line: &str| {
        let line = line.trim();
        if let Some(place) = line.strip_prefix(".loc") {
            let (place, caller) = place.split_once("inlined_at").map_or((place, None), |(a, b)| (a, Some(b)));
            here = match line_in(place).or_else(|| line_in(caller?)) {
                Some(line) => Origin::Line(line),
                // A nested function of the prelude: the caller in the WGSL stays the same.
                None if caller.is_some() => here,
                None => Origin::Unknown,
            };
            return Origin::Mark;
        }
        if line == "}" || line.starts_with(".visible") || line.starts_with(".section") {
            here = Origin::Unknown;
        }
        here
    };
    text.lines().map(origin).collect()
}

/// The number in a line such as `.file 1 "saxpy.wgsl"`, if the line names `file`.
fn number_of_file<'a>(line: &'a str, file: &str) -> Option<&'a str> {
    let (number, name) = line.trim().strip_prefix(".file")?.trim_start().split_once(char::is_whitespace)?;
    names(unquoted(name)?, file).then_some(number)
}

/// `//## File "file", line 12` for the lines after it, and for inlined code `//## File "prelude", line 7 inlined at
/// "file", line 12`.
fn of_sass(text: &str, file: &str) -> Vec<Origin> {
    let mut here = Origin::Unknown;
    let mut marked = false;
    let origin = |line: &str| {
        if let Some(place) = line.trim_start().strip_prefix("//## File ") {
            // In a chain of calls the innermost position in the WGSL is the origin.
            let found = place.split(" inlined at ").find_map(|place| {
                let (name, line) = place.rsplit_once(", line ")?;
                let line = line.split_whitespace().next()?.parse().ok()?;
                names(unquoted(name.trim())?, file).then_some(Origin::Line(line))
            });
            let first = !std::mem::replace(&mut marked, true);
            if let Some(found) = found.filter(|_| first || here == Origin::Unknown) {
                here = found;
            } else if first {
                here = Origin::Unknown;
            }
            return Origin::Mark;
        }
        marked = false;
        if line.trim().is_empty() || line.starts_with(".section") || line.starts_with("\t.section") {
            here = Origin::Unknown;
        }
        here
    };
    text.lines().map(origin).collect()
}

fn unquoted(name: &str) -> Option<&str> {
    name.trim().strip_prefix('"')?.split('"').next()
}

/// Whether `name`, as a compiler writes it, means `file`: it may begin with a folder.
fn names(name: &str, file: &str) -> bool {
    name == file || name.strip_suffix(file).is_some_and(|folder| folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Origin::{Line, Mark, Unknown};

    #[test]
    fn spirv_lines_hold_for_their_block() {
        let text =
            "%f = OpString \"a\"\n%l = OpLabel\n  OpLine %f 12 5\n  OpNop\n  OpReturn\n  OpFunctionEnd\n%x = OpY";
        assert_eq!(of_spirv(text), [Unknown, Unknown, Mark, Line(12), Line(12), Unknown, Unknown]);
    }

    #[test]
    fn lines_of_cuda_count_on() {
        let text = "a\n#line 3 \"k.wgsl\"\nb\nc\n\n// d\n#line 9\nd\n}\n#line 1 \"prelude\"\ne";
        let expected = [Unknown, Mark, Line(3), Line(4), Unknown, Line(9), Mark, Line(9), Mark, Mark, Unknown];
        assert_eq!(of_cuda(text, "k.wgsl"), expected);
    }

    #[test]
    fn ptx_places_may_be_inlined() {
        let text = "x\n.loc 1 7 3\na\n.loc 2 1 1, function_name $L, inlined_at 1 8 2\nb\n\
                    .loc 2 5 1, function_name $L, inlined_at 2 1 1\nc\n.loc 2 9 1\n}\n\
                    .file 1 \"/home/k.wgsl\"\n.file 2 \"prelude\"";
        let expected = [Unknown, Mark, Line(7), Mark, Line(8), Mark, Line(8), Mark, Unknown, Unknown, Unknown];
        assert_eq!(of_ptx(text, "k.wgsl"), expected);
    }

    #[test]
    fn sass_places_may_be_inlined() {
        let text = "a\n//## File \"/x/k.wgsl\", line 4\nb\nc\n//## File \"p\", line 1 inlined at \"/x/k.wgsl\", line 5\n\
                    //## File \"/x/k.wgsl\", line 5\nd\n//## File \"p\", line 2\ne";
        assert_eq!(of_sass(text, "k.wgsl"), [Unknown, Mark, Line(4), Line(4), Mark, Mark, Line(5), Mark, Unknown]);
    }
}
