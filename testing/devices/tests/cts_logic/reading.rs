//! Case files.

use anywarp_testing_devices::cts::case_file::CaseFile;
use anywarp_testing_devices::cts::expect::{Case, Expected};
use anywarp_testing_devices::cts::format::{Check, Heading, Op, Trace};

const TRACE: &str = r#"{"query": "q:\"a\"", "sub": "s", "buffers": [{"size": 8, "usage": ["storage"], "init": null},
    {"size": 4, "usage": [], "init": "AQIDBA=="}],
    "ops": [{"op":"dispatch","wgsl":"h","entry":null,"constants":{"n":4},
             "bind":[{"group":0,"binding":1,"buf":0,"off":4,"size":4}],"count":[1,2,3],"indirect":[1,0]},
            {"op":"write","buf":0,"off":4,"data":"/w=="},
            {"op":"copy","src":0,"srcOff":0,"dst":1,"dstOff":4,"size":4},
            {"op":"clear","buf":0,"off":0,"size":8}],
    "checks": [{"after":4,"buf":0,"off":0,"kind":"eq","zeros":1}]}"#;

#[test]
fn every_field_of_a_trace_is_read() {
    let trace = Trace::parse(TRACE).unwrap();
    assert_eq!((trace.query.as_str(), trace.sub.as_str()), ("q:\"a\"", "s"));
    assert!(trace.buffers[0].init.is_none());
    assert_eq!(trace.buffers[1].init.as_ref().unwrap().0, [1, 2, 3, 4]);
    let Op::Dispatch(dispatch) = &trace.ops[0] else { panic!("{:?}", trace.ops[0]) };
    assert_eq!((dispatch.entry.as_deref(), dispatch.count, dispatch.indirect), (None, [1, 2, 3], Some((1, 0))));
    assert_eq!(dispatch.constants["n"], 4.0);
    assert_eq!((dispatch.bind[0].binding, dispatch.bind[0].off), (1, 4));
    assert!(matches!(&trace.ops[1], Op::Write { off: 4, data, .. } if data.0 == [255]));
    assert!(matches!(trace.ops[2], Op::Copy { src: 0, dst: 1, dst_off: 4, .. }));
    assert!(matches!(trace.ops[3], Op::Clear { size: 8, .. }));
    assert_eq!(trace.checks[0].after, 4);
}

/// A trace that would pass without a comparison is unreadable.
#[test]
fn traces_that_check_nothing_are_refused() {
    let refused = |from, to, why: &str| {
        let error = Trace::parse(&TRACE.replace(from, to)).unwrap_err();
        assert_eq!(error, why);
    };
    refused(r#"{"after":4,"buf":0,"off":0,"kind":"eq","zeros":1}"#, "", "the trace has no check");
    refused(r#""after":4"#, r#""after":5"#, "a check after 5 of 4 operations");
}

#[test]
fn headings_tell_shaders_from_traces() {
    let one_line = TRACE.replace('\n', " ");
    assert!(matches!(Heading::parse(&one_line), Ok(Heading::Trace { query, .. }) if query == "q:\"a\""));
    let shader = r#"{"def": "h", "wgsl": "fn\n"}"#;
    assert!(matches!(Heading::parse(shader), Ok(Heading::Shader { wgsl, .. }) if wgsl == "fn\n"));
    assert!(Heading::parse("{}").is_err());
    let file = CaseFile::from_text(format!("{shader}\n{one_line}\n"));
    assert_eq!(file.traces().unwrap()[0].0, 1);
    assert_eq!(file.shaders().unwrap()["h"], "fn\n");
    assert_eq!(file.parse(&[1]).next().unwrap().1.unwrap().sub, "s");
    assert!(file.parse(&[7]).next().unwrap().1.is_err());
}

#[test]
fn expectations_are_read() {
    let read = |json| serde_json::from_str::<Expected>(json).map_err(|error| error.to_string());
    assert_eq!(read("null"), Ok(Expected::Anything));
    assert_eq!(read("-3"), Ok(Expected::Number(-3.0)));
    assert_eq!(read("\"-inf\""), Ok(Expected::Number(f64::NEG_INFINITY)));
    assert_eq!(read("[1, \"inf\"]"), Ok(Expected::Within(1.0, f64::INFINITY)));
    assert_eq!(read(r#"{"i64":"-9223372036854775808"}"#), Ok(Expected::Integer(i64::MIN)));
    let either = Expected::OneOf(vec![Expected::Number(1.0), Expected::Within(2.0, 3.0)]);
    assert_eq!(read(r#"{"or":[1,[2,3]]}"#), Ok(either));
    for bad in ["[1]", "[1,2,3]", "[null,1]", "\"nan\"", r#"{"xor":[1]}"#, r#"{"or":[1],"i64":"1"}"#, "true"] {
        assert!(read(bad).is_err(), "{bad}");
    }
    let read = |json| serde_json::from_str::<Case>(json).unwrap();
    assert_eq!(read("null"), Case::Anything);
    assert_eq!(read("[1,null]"), Case::Record(vec![Expected::Number(1.0), Expected::Anything]));
    assert_eq!(read(r#"{"any":[[1],[2]]}"#), Case::AnyOf([1.0, 2.0].map(|n| vec![Expected::Number(n)]).into()));
}

/// Needs the feature `float_roundtrip` of `serde_json`: without it, a bound may be off by one unit in the last place.
#[test]
fn doubles_are_read_exactly() {
    for text in [
        "1.1754942106924411e-38",
        "3.4028234663852886e+38",
        "1.4012984643248170e-45",
        "66257687793595580000",
        "-0.30000000000000004",
        "1.0000000596046448",
        "-340282366920938463463374607431768211455.5",
    ] {
        let number = serde_json::from_str::<Expected>(text).unwrap();
        assert_eq!(number, Expected::Number(text.parse().unwrap()), "{text}");
    }
}

#[test]
fn malformed_checks_are_refused() {
    for bad in [
        r#"{"after":0,"buf":0,"off":0,"kind":"eq","ty":"u8"}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"eq","ty":"u8","data":"","zeros":1}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"eq","zeros":4,"ignore":{"mod":0,"idx":[0]}}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"words"}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"sum","zeros":1}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"eq","zeros":1,"new":1}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"lanes","stride":4,"lanes":[{"off":0,"ty":"f32"}],"cases":[[1,2]]}"#,
        r#"{"after":0,"buf":0,"off":0,"kind":"lanes","stride":4,"lanes":[{"off":0,"ty":"f8"}],"cases":[]}"#,
    ] {
        assert!(serde_json::from_str::<Check>(bad).is_err(), "{bad}");
    }
}
