//! The lines of a case file: shader texts and traces.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine;
use serde::{Deserialize, Deserializer};

use super::expect::Case;

/// The content of a line; of a trace, only the name.
#[derive(Debug)]
pub enum Heading<'a> {
    /// A shader text, stored once per file under its hash.
    Shader { hash: Cow<'a, str>, wgsl: Cow<'a, str> },
    /// A trace, named by its query and, for a query with several traces, its sub-parameters.
    Trace { query: Cow<'a, str>, sub: Cow<'a, str> },
}

impl<'a> Heading<'a> {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// The fault of the line.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Fields<'a> {
            #[serde(borrow)]
            def: Option<Cow<'a, str>>,
            #[serde(borrow)]
            wgsl: Option<Cow<'a, str>>,
            #[serde(borrow)]
            query: Option<Cow<'a, str>>,
            #[serde(borrow)]
            sub: Option<Cow<'a, str>>,
        }
        let fields: Fields<'a> = serde_json::from_str(line).map_err(|error| error.to_string())?;
        match fields {
            Fields { def: Some(hash), wgsl: Some(wgsl), .. } => Ok(Self::Shader { hash, wgsl }),
            Fields { query: Some(query), sub: Some(sub), .. } => Ok(Self::Trace { query, sub }),
            _ => Err("neither a shader text nor a trace".to_owned()),
        }
    }
}

/// One recorded test: buffers, operations and checks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    #[allow(dead_code, reason = "the real runner has the name already; fakes of tests use it")]
    pub query: String,
    #[allow(dead_code, reason = "the real runner has the name already; fakes of tests use it")]
    pub sub: String,
    pub buffers: Vec<Buffer>,
    pub ops: Vec<Op>,
    pub checks: Vec<Check>,
}

impl Trace {
    /// Reads one line, which must be a trace.
    ///
    /// # Errors
    ///
    /// The fault of the line. A trace that checks nothing, or only after more operations than it has, is a fault.
    pub fn parse(line: &str) -> Result<Self, String> {
        let trace: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if trace.checks.is_empty() {
            return Err("the trace has no check".to_owned());
        }
        match trace.checks.iter().find(|check| check.after > trace.ops.len()) {
            Some(check) => Err(format!("a check after {} of {} operations", check.after, trace.ops.len())),
            None => Ok(trace),
        }
    }
}

/// A buffer. Its usages in the file are ignored, because a buffer of anywarp has all usages.
#[derive(Debug, Deserialize)]
pub struct Buffer {
    pub size: usize,
    /// The initial contents of the buffer; zeros if absent.
    pub init: Option<Bytes>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Op {
    Dispatch(Dispatch),
    Write {
        buf: usize,
        off: usize,
        data: Bytes,
    },
    Copy {
        src: usize,
        #[serde(rename = "srcOff")]
        src_off: usize,
        dst: usize,
        #[serde(rename = "dstOff")]
        dst_off: usize,
        size: usize,
    },
    Clear {
        buf: usize,
        off: usize,
        size: usize,
    },
}

#[derive(Debug, Deserialize)]
pub struct Dispatch {
    /// The hash by which the case file names the shader text.
    pub wgsl: String,
    pub entry: Option<String>,
    /// The values of overrides, by name.
    #[serde(default)]
    pub constants: BTreeMap<String, f64>,
    /// The bindings of the dispatch; the shader may use only some of them.
    pub bind: Vec<Binding>,
    pub count: [u32; 3],
    /// For an indirect dispatch: the buffer that contains the numbers of workgroups, and their offset in bytes.
    pub indirect: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    pub group: u32,
    pub binding: u32,
    pub buf: usize,
    pub off: usize,
    pub size: usize,
}

/// The expected contents of a buffer after the first `after` operations.
#[derive(Debug, Deserialize)]
#[serde(try_from = "CheckFields")]
pub struct Check {
    pub after: usize,
    pub buf: usize,
    pub off: usize,
    pub what: What,
}

#[derive(Debug)]
pub enum What {
    Equal {
        data: Vec<u8>,
        element: Element,
        ignore: Option<Ignore>,
    },
    /// The index of each checked word of 32 bits, with its expected value.
    Words(Vec<(usize, u32)>),
    Lanes {
        stride: usize,
        lanes: Vec<Lane>,
        cases: Vec<Case>,
    },
}

/// The unit in which the bytes of an equality are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Bytes,
    F16,
    F32,
}

/// The positions, modulo `modulus`, of the 32-bit words that the comparison skips.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ignore {
    #[serde(rename = "mod")]
    pub modulus: usize,
    pub idx: Vec<usize>,
}

/// The offset in bytes and the type of one scalar of a record.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    pub off: usize,
    pub ty: LaneType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaneType {
    F32,
    F16,
    I32,
    U32,
    /// A boolean, stored as a `u32`: zero is false, any other value is true.
    Bool,
    /// A 64-bit number, stored as two `u32`: the low word, then the high word.
    Ai64,
    /// A 64-bit number, stored as two `u32`: the low word, then the high word.
    Af64,
}

/// Bytes, which are written in base64 in the file.
#[derive(Debug)]
pub struct Bytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        base64::engine::general_purpose::STANDARD.decode(text.as_bytes()).map(Self).map_err(serde::de::Error::custom)
    }
}

/// A check as the file has it: one JSON object with the fields of all three kinds of check.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckFields {
    after: usize,
    buf: usize,
    off: usize,
    kind: String,
    ty: Option<String>,
    data: Option<Bytes>,
    zeros: Option<usize>,
    ignore: Option<Ignore>,
    words: Option<Vec<(usize, u32)>>,
    /// The WGSL type of the result, for readers of the file.
    #[serde(rename = "result")]
    _result: Option<String>,
    stride: Option<usize>,
    lanes: Option<Vec<Lane>>,
    cases: Option<Vec<Case>>,
}

impl TryFrom<CheckFields> for Check {
    type Error = String;

    fn try_from(fields: CheckFields) -> Result<Self, String> {
        let CheckFields { after, buf, off, .. } = fields;
        let what = match fields.kind.as_str() {
            "eq" => equality(fields)?,
            "words" => What::Words(fields.words.ok_or("a check of words has no words")?),
            "lanes" => lanes(fields)?,
            other => return Err(format!("unknown kind of check '{other}'")),
        };
        Ok(Self { after, buf, off, what })
    }
}

fn equality(fields: CheckFields) -> Result<What, String> {
    let data = match (fields.data, fields.zeros) {
        (Some(data), None) => data.0,
        (None, Some(zeros)) => vec![0; zeros],
        _ => return Err("an equality has either data or zeros".to_owned()),
    };
    let element = match fields.ty.as_deref() {
        Some("f32") => Element::F32,
        Some("f16") => Element::F16,
        _ => Element::Bytes,
    };
    if fields.ignore.as_ref().is_some_and(|ignore| ignore.modulus == 0) {
        return Err("words are ignored modulo 0".to_owned());
    }
    Ok(What::Equal { data, element, ignore: fields.ignore })
}

fn lanes(fields: CheckFields) -> Result<What, String> {
    let (Some(stride), Some(lanes), Some(cases)) = (fields.stride, fields.lanes, fields.cases) else {
        return Err("a check of lanes needs stride, lanes and cases".to_owned());
    };
    if let Some(bad) = cases.iter().position(|case| !case.fits(lanes.len())) {
        return Err(format!("case {bad} has not one expectation for each of {} lanes", lanes.len()));
    }
    Ok(What::Lanes { stride, lanes, cases })
}
