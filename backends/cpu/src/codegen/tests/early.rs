//! Early index tests: the results equal those of kernels with a test at each access.

use super::{kernel, run};
use anywarp_backend::Mode;

/// The body of a kernel, and the function that computes the expected result from the invocation's number and `data`.
type Case = (&'static str, fn(u32, &dyn Fn(u32) -> u32) -> u32);

const GUARDED: [Case; 8] = [
    ("out[i] = data[i];", |i, data| data(i)),
    ("out[i] = data[i] + data[i + 3u] + data[2u * i + 1u];", |i, data| data(i) + data(i + 3) + data(2 * i + 1)),
    // An index that descends from lane to lane, and one that wraps.
    ("out[i] = data[20u - i] + data[i - 2u];", |i, data| data(20u32.wrapping_sub(i)) + data(i.wrapping_sub(2))),
    ("out[i] = data[wid.x + 17u];", |i, data| data(i / 8 + 17)),
    ("let at = (wid.x * 8u + lid.x) * 1u + wid.y; out[i] = data[at ^ wid.y];", |i, data| data(i)),
    ("var sum = 0u; for (var k = 0u; k < 3u; k++) { sum += data[i + 5u] + data[k + i]; } out[i] = sum;", |i, data| {
        (0..3).map(|k| data(i + 5) + data(k + i)).sum()
    }),
    // Indices that only some lanes use.
    ("var x = 7u; if (i % 3u == 1u) { x = data[i + 4u]; } out[i] = x + data[i];", |i, data| {
        data(i) + if i % 3 == 1 { data(i + 4) } else { 7 }
    }),
    ("if (i % 3u == 1u) { return; } out[i] = data[i + 4u];", |i, data| if i % 3 == 1 { 0 } else { data(i + 4) }),
];

#[test]
fn whatever_is_out_of_range_reads_the_last() {
    for guard in ["if (i >= 21u) { return; }", "if (i >= arrayLength(&out)) { return; }"] {
        for (body, expected) in GUARDED {
            let source = kernel("8", "", &format!("{guard} {body}"));
            for length in [1, 2, 7, 8, 9, 15, 16, 17, 20, 21, 22, 24, 29, 31, 32, 48] {
                let data: Vec<u32> = (0..length).map(|x| x * 5 + 100).collect();
                let got = run(&source, &[&[0; 21], &data], [3, 1, 1]);
                let at = |index: u32| data[index.min(length - 1) as usize];
                let expected: Vec<u32> = (0..21).map(|i| expected(i, &at)).collect();
                assert_eq!(got, expected, "{length} elements: {guard} {body}");
            }
        }
    }
}

#[test]
fn whatever_is_out_of_range_writes_nothing() {
    for (index, at) in [
        ("i", (|i| i) as fn(u32) -> u32),
        ("i + 5u", |i| i + 5),
        ("2u * i", |i| 2 * i),
        ("15u - i", |i| 15u32.wrapping_sub(i)),
        ("i - 3u", |i| i.wrapping_sub(3)),
    ] {
        let source = kernel("8", "", &format!("if (i < 21u) {{ out[{index}] = i + 1u; data[0] = 1u; }}"));
        for length in [1usize, 2, 7, 8, 9, 16, 20, 21, 22, 24, 26, 40, 41, 48] {
            let mut expected = vec![0; length];
            for i in 0..21 {
                if let Some(element) = expected.get_mut(at(i) as usize) {
                    *element = i + 1;
                }
            }
            let got = run(&source, &[&vec![0; length], &[0]], [3, 1, 1]);
            assert_eq!(got, expected, "out[{index}], {length} elements");
        }
    }
}

/// The fast version of the code has no index tests: neither clamps nor a fallback.
#[test]
fn one_test_stands_for_all() {
    let text = |body: &str| {
        let source = kernel("8", "", &format!("if (i >= arrayLength(&out)) {{ return; }} {body}"));
        let mut function = crate::lower::lower(&crate::lower::tests::program(&source), Mode::Plain)
            .unwrap_or_else(|error| panic!("{error}\n{source}"));
        crate::ir::optimise::run(&mut function);
        crate::codegen::clif(&function, crate::math::Functions::Fast)
            .unwrap_or_else(|error| panic!("{error}\n{source}"))
    };
    // Counts index tests: the early tests, and one per access in the slow version.
    let tests = |text: &str| text.matches("icmp ult").count();
    let (one, four) = (text("out[i] = data[i];"), text("out[i] = data[i]; data[i] += data[i] * 3u;"));
    let early = |text: &str| {
        let end = ["load.i32x4", "load.i32x8"]
            .iter()
            .filter_map(|load| text.find(load))
            .min()
            .unwrap_or_else(|| panic!("nothing is read in one piece\n{text}"));
        tests(&text[..end])
    };
    assert_eq!(early(&one), early(&four), "an index that two buffers share is tested twice\n{four}");
}
