//! `anywarp ring top`: its lines, and its refusals.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::Folder;

const MEAN: &str = "
struct Reading { id: u32, x: f32 }
// anywarp:actor
fn mean(state: ptr<function, vec2<f32>>, m: Reading, lane: u32) -> f32 {
    *state += vec2<f32>(m.x, 1.0);
    return (*state).x / (*state).y;
}
";

const SILENT: &str = "
// anywarp:actor
fn silent(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }
";

#[test]
fn each_half_second_is_a_line() {
    let folder = Folder::new("ring-top");
    folder.write("mean.wgsl", MEAN);
    let line = "mean.wgsl --device cpu --actors 3 --rate 2000 --seconds 0.2 --message 7,2.5";
    let text = folder.start("ring", &format!("top {line}"), "", &[]).ok();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    let heads: Vec<&str> = lines[0].split_whitespace().collect();
    let expected = "seconds received replied dropped errors queue high p50 p99 p99.9 busy";
    assert_eq!(heads.join(" "), expected);
    assert!(lines[1].starts_with("     0.") && lines[1].ends_with('%'), "{text}");
    assert!(lines[2].starts_with("ended in 0.") && lines[2].contains("Persistent: received "), "{text}");

    let text = folder.start("ring", &format!("top {line} --json"), "", &[]).ok();
    let [top, report] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    let (top, report): (Value, Value) = (serde_json::from_str(top).unwrap(), serde_json::from_str(report).unwrap());
    let report = &report["report"];
    let [received, replied] = ["received", "replied"].map(|name| report[name].as_u64().unwrap());
    assert!(received > 20 && received <= 500 && received == replied, "{text}");
    assert!(top["replied"].as_u64().unwrap() > 0 && top["p50_us"].as_f64().unwrap() > 0.0, "{text}");
    assert!(top["p50_us"].as_f64() <= top["p99_us"].as_f64() && top["busy"].as_f64().unwrap() <= 1.0, "{text}");
    assert_eq!((report["dropped"].as_u64(), report["errors"].as_u64()), (Some(0), Some(0)), "{text}");
}

/// More messages than an inbox of two holds are dropped, and counted.
#[test]
fn dropped_messages_are_counted() {
    let folder = Folder::new("ring-drops");
    folder.write("silent.wgsl", SILENT);
    let line = "top silent.wgsl --device cpu --inbox 2 --rate 10Mi --seconds 0.1 --json";
    let text = folder.start("ring", line, "", &[]).ok();
    let report: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let report = &report["report"];
    assert!(report["dropped"].as_u64().unwrap() > 0, "{text}");
    assert_eq!(report["received"], report["replied"], "{text}");
}

#[test]
fn mistakes_name_the_argument() {
    let folder = Folder::new("ring-mistakes");
    folder.write("mean.wgsl", MEAN);
    folder.write("plain.wgsl", "@compute @workgroup_size(1) fn main() {}");
    for (line, code, said) in [
        ("top", 2, "anywarp ring top actors.wgsl"),
        (
            "top plain.wgsl --device cpu",
            1,
            "expected at least one function after the comment '// anywarp:actor', found 0",
        ),
        ("top missing.wgsl --device cpu", 1, "missing.wgsl"),
        ("top mean.wgsl --device cpu --message 1", 2, "--message 1: expected Reading (2 numbers), found 1 in '1'"),
        ("top mean.wgsl --device cpu --message 1,x", 2, "--message 1,x: expected f32, found 'x'"),
        ("top mean.wgsl --actors 0", 2, "--actors 0: expected a whole number from 1"),
        ("top mean.wgsl --rate -1", 2, "write --rate 1000"),
        ("top mean.wgsl --inbox many", 2, "write --inbox 256"),
        (
            "top mean.wgsl --seconds 0",
            2,
            "--seconds 0: expected a number of seconds above 0, found '0': write --seconds 2.5",
        ),
    ] {
        let outcome = folder.start("ring", line, "", &[]);
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:#?}");
        assert!(outcome.stderr.contains(said), "{line}: {outcome:#?}");
    }
}
