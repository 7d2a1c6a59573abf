//! Lists of parameters: `x: f32, raw table: T`.

use super::super::error::OperationError;
use super::types::{ElementType, KNOWN};

/// Names that every operation may use, with their meanings.
const GIVEN: &[(&str, &str)] = &[
    ("i", "`i` is the index of the element, and `n` the number of elements"),
    ("n", "`n` is the number of elements, and `i` the index of the element"),
];
/// Names that the generated WGSL uses, so that no parameter can have them.
const TAKEN: &[&str] = &[
    "main",
    "arguments",
    "places",
    "operation",
    "operation4",
    "mapped",
    "mapped4",
    "combined",
    "finished",
    "identity",
    "lanes",
    "partials",
    "segment_boundaries",
    "segment_bounds",
    "segment_cells",
    "segment_count",
    "segment_long",
    "segment_long_count",
    "segment_long_taken",
    "segment_offsets",
    "segment_owners",
    "segment_partials",
    "segment_reduced",
    "segment_tree",
    "segment_walk",
    "Arguments",
    "Places",
    "Results",
    "Results4",
    "Accumulator",
];
/// Prefixes of names in the generated WGSL, with which no name of a parameter can begin.
const TAKEN_PREFIXES: &[&str] = &["elements_of_", "tail_of_", "before_", "__"];

/// One parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: ParameterType,
    /// Whether the parameter is an array that the operation indexes.
    pub(crate) raw: bool,
    /// Whether the parameter is a raw array of atomics.
    pub(crate) atomic: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterType {
    Exact(ElementType),
    /// A letter whose type the arguments of each call determine.
    Any(char),
}

impl std::fmt::Display for ParameterType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(element) => element.fmt(f),
            Self::Any(letter) => letter.fmt(f),
        }
    }
}

impl std::fmt::Display for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, kind, .. } = self;
        let raw = if self.raw { "raw " } else { "" };
        if self.atomic { write!(f, "{raw}{name}: atomic<{kind}>") } else { write!(f, "{raw}{name}: {kind}") }
    }
}

/// Parses a list of parameters, which may be empty.
pub(crate) fn parse(kernel: &str, list: &str) -> Result<Vec<Parameter>, OperationError> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    for text in list.split(',') {
        let wrong = |problem: String| OperationError::Parameter {
            operator: kernel.to_owned(),
            argument: text.trim().to_owned(),
            problem,
        };
        let parameter = parse_one(text).map_err(wrong)?;
        if parameters.iter().any(|other| other.name == parameter.name) {
            return Err(wrong(format!("there are two parameters named '{}'", parameter.name)));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

fn parse_one(text: &str) -> Result<Parameter, String> {
    let (name, kind) = text.split_once(':').ok_or("expected `name: type`")?;
    let (raw, name) = match name.trim().split_once(char::is_whitespace) {
        Some(("raw", name)) => (true, name.trim()),
        _ => (false, name.trim()),
    };
    let word = |name: &str| {
        name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if !word(name) || name == "_" {
        return Err(format!("'{name}' is not a name; use letters, digits and `_`, with no digit first"));
    }
    if let Some((_, meaning)) = GIVEN.iter().find(|(given, _)| *given == name) {
        return Err(format!(
            "the name '{name}' has a meaning in every operation: {meaning}; remove the parameter, or choose another name"
        ));
    }
    if TAKEN.contains(&name) || TAKEN_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return Err(format!("the name '{name}' has a meaning in generated kernels; choose another name"));
    }
    let inner = kind.trim().strip_prefix("atomic<").and_then(|kind| kind.strip_suffix('>'));
    let vec3 = |problem| match kind.trim().starts_with("vec3") {
        true => format!(
            "{problem}; pass the numbers as `raw {name}: f32` and read `vec3({name}[3 * i], {name}[3 * i + 1], {name}[3 * i + 2])`, \
             or use vec4<..>"
        ),
        false => problem,
    };
    let (kind, atomic) = (parse_type(inner.unwrap_or(kind)).map_err(vec3)?, inner.is_some());
    let counts =
        matches!(kind, ParameterType::Exact(element) if ["u32", "i32"].contains(&element.to_string().as_str()));
    match (atomic, raw, counts) {
        (true, _, false) => Err("the type of an atomic is u32 or i32".to_owned()),
        (true, false, _) => {
            Err(format!("the operation indexes an array of atomics; write `raw {name}: atomic<{kind}>`"))
        }
        _ => Ok(Parameter { name: name.to_owned(), kind, raw, atomic }),
    }
}

/// Parses a type, or a capital letter that stands for one.
pub(crate) fn parse_type(text: &str) -> Result<ParameterType, String> {
    let text = text.trim();
    let mut letters = text.chars();
    if let (Some(letter), None) = (letters.next().filter(char::is_ascii_uppercase), letters.next()) {
        return Ok(ParameterType::Any(letter));
    }
    ElementType::parse(text).map(ParameterType::Exact).ok_or_else(|| format!("'{text}' is not one of {KNOWN}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = |text| parse("k", text).map(|list| list.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(list("").unwrap(), Vec::<String>::new());
        assert_eq!(list("x: f32,raw  y :T").unwrap(), ["x: f32", "raw y: T"]);
        assert_eq!(list(" v: vec4<f32> ").unwrap(), ["v: vec4<f32>"]);
        assert_eq!(list("raw counts: atomic<u32>").unwrap(), ["raw counts: atomic<u32>"]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, words) in [
            ("x", "`name: type`"),
            ("x: f32,", "`name: type`"),
            ("x: float", "'float' is not one of f32"),
            ("2x: f32", "'2x' is not a name"),
            ("raw: f32 y: f32", "'f32 y: f32' is not one of f32"),
            ("x y: f32", "'x y' is not a name"),
            ("i: f32", "'i' has a meaning in every operation: `i` is the index of the element"),
            ("n: u32", "'n' has a meaning in every operation: `n` is the number of elements"),
            ("elements_of_x: f32", "has a meaning"),
            ("x: f32, x: T", "two parameters named 'x'"),
            ("p: vec3<f32>", "pass the numbers as `raw p: f32` and read `vec3(p[3 * i], p[3 * i + 1], p[3 * i + 2])`"),
            ("raw x: atomic<f32>", "the type of an atomic is u32 or i32"),
            ("raw x: atomic<T>", "the type of an atomic is u32 or i32"),
            ("x: atomic<u32>", "write `raw x: atomic<u32>`"),
        ] {
            let error = parse("elementwise k", text).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("elementwise k"), "{text}: {error}");
        }
    }
}
