//! The findings of a checked device, compared with those that the cases cause on purpose: a case of robust access reads
//! out of range, for example. Notes, which are no mistakes in WGSL, are not compared.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anywarp::{Findings, Severity};

/// The list; its first lines describe the format.
const LIST: &str = include_str!("expected_findings.txt");

/// The kind of a finding, and its line in the kernel.
type Place = (String, u32);

/// The expected findings of each kernel.
pub(crate) struct Expected {
    kernels: HashMap<String, BTreeSet<Place>>,
}

impl Expected {
    /// Reads the list.
    ///
    /// # Errors
    ///
    /// The text names the line that cannot be read.
    pub(crate) fn read() -> Result<Self, String> {
        Self::parse(LIST)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut kernels = HashMap::new();
        let mut places: BTreeSet<Place> = BTreeSet::new();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        for (index, line) in lines {
            let wrong = |what: &str| format!("expected findings, line {}: {what}", index + 1);
            if !line.starts_with(' ') {
                places = line
                    .split(';')
                    .map(group)
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| wrong("no line"))?
                    .concat()
                    .into_iter()
                    .collect();
                continue;
            }
            for kernel in line.split_whitespace() {
                if kernels.insert(kernel.to_owned(), places.clone()).is_some() {
                    return Err(wrong(&format!("{kernel} is listed twice")));
                }
            }
        }
        Ok(Self { kernels })
    }

    /// The differences between the findings of a trace and those expected of its kernels, a line for each kernel.
    pub(crate) fn differences(&self, kernels: &BTreeSet<&str>, findings: &Findings) -> Vec<String> {
        let mut found: BTreeMap<&str, BTreeSet<Place>> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.kind.severity() == Severity::Error) {
            // A kernel is called as its file and its entry point.
            let kernel = finding.kernel.split_once(".wgsl").map_or(&*finding.kernel, |(file, _)| file);
            found.entry(kernel).or_default().insert((finding.kind.name().to_owned(), finding.at.line));
        }
        self.compare(kernels, &found)
    }

    fn compare(&self, kernels: &BTreeSet<&str>, found: &BTreeMap<&str, BTreeSet<Place>>) -> Vec<String> {
        let none = BTreeSet::new();
        let all: BTreeSet<&str> = kernels.iter().chain(found.keys()).copied().collect();
        let difference = |kernel: &str| {
            let found = found.get(kernel).unwrap_or(&none);
            let expected = self.kernels.get(kernel).unwrap_or(&none);
            let new: Vec<&Place> = found.difference(expected).collect();
            let missing: Vec<&Place> = expected.difference(found).collect();
            let differs = !new.is_empty() || !missing.is_empty();
            differs.then(|| format!("findings in {kernel}: new {}; missing {}", listed(&new), listed(&missing)))
        };
        all.into_iter().filter_map(difference).collect()
    }
}

/// The places of a kind: `out-of-range 3 7`.
fn group(text: &str) -> Option<Vec<Place>> {
    let mut words = text.split_whitespace();
    let kind = words.next()?;
    let places: Vec<Place> = words.map(|line| Some((kind.to_owned(), line.parse().ok()?))).collect::<Option<_>>()?;
    (!places.is_empty()).then_some(places)
}

fn listed(places: &[&Place]) -> String {
    if places.is_empty() {
        return "none".to_owned();
    }
    places.iter().map(|(kind, line)| format!("{kind} in line {line}")).collect::<Vec<_>>().join(", ")
}

/// Checks the comparison itself, because this program has no harness: the text describes the fault.
///
/// # Errors
///
/// The comparison does not tell a new or a missing finding.
pub(crate) fn check() -> Result<(), String> {
    let expected = Expected::parse("# a comment\nrace 3; out-of-range 5 7\n  abc def\n")?;
    let of = |kind: &str, line| (kind.to_owned(), line);
    let all = BTreeSet::from([of("race", 3), of("out-of-range", 5), of("out-of-range", 7)]);
    let some = BTreeSet::from([of("race", 4), of("out-of-range", 5), of("out-of-range", 7)]);
    let compare = |kernels: &[&str], found| expected.compare(&kernels.iter().copied().collect(), &found);
    let text = "findings in abc: new race in line 4; missing race in line 3";
    let cases = [
        (compare(&["abc"], BTreeMap::from([("abc", all.clone())])), 0, ""),
        (compare(&["abc"], BTreeMap::from([("abc", some)])), 1, text),
        (compare(&["abc", "other"], BTreeMap::new()), 1, "findings in abc: new none; missing out-of-range in line 5"),
        (compare(&["other"], BTreeMap::from([("other", all)])), 1, "findings in other: new out-of-range in line 5"),
    ];
    for (index, (found, count, start)) in cases.into_iter().enumerate() {
        if found.len() != count || !found.iter().all(|line| line.starts_with(start)) {
            return Err(format!("comparison {index}: expected {count} lines with '{start}', got {found:?}"));
        }
    }
    for (text, start) in
        [("race\n", "expected findings, line 1: no line"), ("race 1\n  a a\n", "expected findings, line 2: a is")]
    {
        match Expected::parse(text) {
            Err(error) if error.starts_with(start) => {}
            other => return Err(format!("'{text}': expected '{start}', got {:?}", other.err())),
        }
    }
    Ok(())
}
