use super::*;

fn space(text: &str) -> Result<Space, TuneError> {
    Space::of(&Wgsl::new(text).file("k.wgsl"))
}

fn described(text: &str) -> Vec<String> {
    let space = space(text).unwrap();
    space.candidates().unwrap().iter().map(|candidate| space.describe(candidate)).collect()
}

#[test]
fn lists_and_ranges_are_read() {
    assert_eq!(described("override A: u32 = 16u; // anywarp:tune 8, 16,32"), ["A=16", "A=8", "A=32"]);
    assert_eq!(described("@id(3) override A = 64; //anywarp:tune 64..300 x2"), ["A=64", "A=128", "A=256"]);
    assert_eq!(
        described("override A: i32 = -1; // anywarp:tune 1..7 +3, 1, -2"),
        ["A=-1", "A=1", "A=4", "A=7", "A=-2"]
    );
    assert_eq!(described("override A: bool = false; // anywarp:tune false, true"), ["A=0", "A=1"]);
    assert_eq!(described("override A: u32 = 0x10; // other comment"), ["no parameters"]);
}

#[test]
fn restrictions_remove_combinations() {
    let text = "override A: u32 = 1; // anywarp:tune 1, 2\noverride B: u32 = 1; // anywarp:tune 1, 2\n// anywarp:where A * B < 4";
    assert_eq!(described(text), ["A=1 B=1", "A=1 B=2", "A=2 B=1"]);
}

#[test]
fn a_set_override_is_the_default() {
    let wgsl = Wgsl::new("override A: u32 = 1; // anywarp:tune 1, 2").set_override("A", 2.0);
    let space = Space::of(&wgsl).unwrap();
    assert_eq!(space.candidates().unwrap()[0].values(), [2.0]);
}

#[test]
fn wrong_comments_are_errors_with_a_place() {
    for (text, line, column) in [
        ("\noverride A: u32 = 1; // anywarp:tune 1, x", 2, 40),
        ("override A: u32 = 1; // anywarp:tune 1..9", 1, 37),
        ("override A: u32 = 1; // anywarp:tune 9..1 +1", 1, 37),
        ("override A: u32 = 1; // anywarp:tune 1..9 x1", 1, 37),
        ("override A: u32 = 1; // anywarp:tune", 1, 36),
        ("override A: u32; // anywarp:tune 1", 1, 8),
        ("override A: u32 = 2 * 8; // anywarp:tune 1", 1, 17),
        ("const A = 1; // anywarp:tune 1", 1, 0),
        ("// anywarp:where A <", 1, 20),
        ("// anywarp:tuned 1", 1, 3),
    ] {
        let error = space(text).unwrap_err();
        let TuneError::Comment { line: at, excerpt, .. } = &error else { panic!("{error}") };
        let caret = excerpt.lines().last().unwrap();
        assert_eq!((*at, caret.len() - 1), (line, column), "{error}");
    }
}

#[test]
fn wrong_spaces_are_errors() {
    let one = || Space::new().parameter("A", 1.0, [1.0, 2.0]);
    let error = |space: Space| space.candidates().unwrap_err();
    assert!(matches!(error(one().parameter("A", 1.0, [1.0])), TuneError::Parameter { .. }));
    assert!(matches!(error(one().parameter("B", 1.0, [])), TuneError::Parameter { .. }));
    assert!(matches!(error(one().parameter("B", 1.0, [f64::NAN])), TuneError::Parameter { .. }));
    assert!(matches!(error(one().restrict("A > 1").unwrap()), TuneError::Default { .. }));
    assert!(matches!(error(one().restrict("C < 1").unwrap()), TuneError::Unknown { .. }));
    let wide = || (0..2000).map(f64::from);
    let large = Space::new().parameter("A", 0.0, wide()).parameter("B", 0.0, wide());
    assert!(matches!(error(large), TuneError::TooLarge { combinations: 4_000_000, .. }));
}
