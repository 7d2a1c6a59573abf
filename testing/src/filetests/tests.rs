//! Tests of the reader and of the matcher.

use super::cases;

const RESULT: &str = "fn main() {\n    let a = one + two;\n    let b = a * a;\n    return b;\n}\n";

fn compared(directives: &str) -> Result<(), String> {
    let cases = cases("name.ir", &format!("; pass: any\n{directives}\n"), &[])?;
    cases.iter().try_for_each(|case| case.compare(RESULT))
}

#[test]
fn directives_that_hold() {
    for directives in [
        "; check: let a\n; check: let b",
        "; check: let   a =\n; next: let b",
        "; check: one\n; check: two",
        "; not: three\n; check: two\n; not: two\n; check: return",
        "; count 2: let\n; count 0: loop\n; count 1: a * a",
        "; check: let $x = $_ + $_\n; next: let $y = $x * $x\n; next: return $y",
        "; check: }",
    ] {
        assert_eq!(compared(directives), Ok(()), "{directives}");
    }
}

#[test]
fn directives_that_do_not_hold() {
    for (directives, problem) in [
        ("; check: let b\n; check: let a", "name.ir:3: `let a` is missing in:\n      let b = a * a;\n"),
        ("; check: one\n; next: return", "name.ir:3: `return` is not in the next line in:\n      let a = one"),
        ("; check: two\n; check: two", "name.ir:3: `two` is missing in:\n"),
        ("; not: a * a\n; check: return", "name.ir:2: `a * a` must not be there in:\n  let b = a * a;\n"),
        ("; check: let b\n; not: return", "name.ir:3: `return` must not be there in:\n  return b;"),
        ("; not: one\n; check: two", "name.ir:2: `one` must not be there"),
        ("; count 1: let", "name.ir:2: `let` occurs 2 times, expected 1 in:\n  fn main"),
        ("; check: $x = one\n; check: return $x", "name.ir:3: `return $x` is missing"),
        ("; next: let", "name.ir:2: `next` before any `check`"),
    ] {
        let error = compared(directives).expect_err(directives);
        assert!(error.starts_with(problem), "expected\n{problem}\nfound\n{error}");
    }
}

#[test]
fn cases_share_the_start_of_their_file() {
    let text = "// pass: fold\n// count 1: x\nstart\n// ...\nend\n// An ordinary comment: with a colon.\n\
        // case: one\none\n// check: 1\n// run: 3\n// case: two\n// pass: other\ntwo\n";
    let found = cases("file.wgsl", text, &["run"]).unwrap();
    let [one, two] = &found[..] else { panic!("{found:?}") };
    assert_eq!(one.text, "start\none\n\nend\n// An ordinary comment: with a colon.\n");
    assert_eq!((one.pass.as_str(), one.directives.len(), one.setting("run")), ("fold", 2, Some("3")));
    assert_eq!((two.pass.as_str(), two.directives.len(), two.setting("run")), ("other", 1, None));
    assert_eq!(two.title(), "file.wgsl:11: two");
}

#[test]
fn wrong_files_are_refused() {
    for (text, problem) in [
        ("; pass: fold\n; chekc: 1\n", "f:2: unknown directive: `; chekc: 1`"),
        ("; pass: fold\n; count: 1\n", "f:2: unknown directive: `; count: 1`"),
        ("; pass: fold\n; check:\n", "f:2: expected a text after the colon: `; check:`"),
        ("; check: 1\n", "f:1: no pass is named"),
        ("; pass: fold\n; case: a\n; check: 1\n; case: b\n", "f:4: b: nothing is expected"),
    ] {
        assert_eq!(cases("f", text, &[]).map(drop), Err(problem.to_owned()));
    }
}
