//! Kernels that exceed limits.

use std::fmt::Write;

use anywarp::{Device, KernelError, Wgsl};

use super::{device, without_hanging};

const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n";

fn kernel(statements: &str) -> String {
    format!("{HEAD}@compute @workgroup_size(64) fn main() {{\n{statements}\n}}")
}

/// The text of functions in which f0 calls f1 twice, f1 calls f2 twice, and so on.
fn doubling(levels: usize) -> String {
    let mut text = format!("fn f{levels}(x: u32) -> u32 {{ return x * 3u + b[x]; }}\n");
    for level in (0..levels).rev() {
        let next = level + 1;
        let _ = writeln!(text, "fn f{level}(x: u32) -> u32 {{ return f{next}(x) + f{next}(x + 1u); }}");
    }
    text + &kernel("b[0] = f0(b[1]);")
}

/// Kernels that must be refused, with words of the error. A kernel without words may be accepted.
fn refused() -> Vec<(&'static str, String, &'static [&'static str])> {
    let nested = |open: &str, count| kernel(&format!("var x = b[1]; b[0] = {}x;", open.repeat(count)));
    vec![
        (
            "workgroup memory",
            format!("var<workgroup> w: array<u32, 100000>;\n{}", kernel("w[b[0]] = 1u; b[1] = w[b[2]];")),
            &["400000", "262144"],
        ),
        ("a workgroup's size", kernel("").replace("(64)", "(2048)"), &["2048", "1024"]),
        ("invocations of a workgroup", kernel("").replace("(64)", "(64, 64)"), &["4096", "1024"]),
        ("recursion", format!("fn f(x: u32) -> u32 {{ return f(x); }}\n{}", kernel("b[0] = f(b[1]);")), &["recursive"]),
        (
            "mutual recursion",
            format!("fn f() {{ g(); }}\nfn g() {{ f(); }}\n{}", kernel("f();")),
            &["depend on each other in a cycle"],
        ),
        ("a long chain of operators", nested("x + ", 10_000), &["bad.wgsl:3", "2000"]),
        ("many negations", nested("- ", 10_000), &["bad.wgsl:3", "2000"]),
        ("an array of nothing", format!("var<private> p: array<u32, 0>;\n{}", kernel("p[0] = 1u;")), &["bad.wgsl"]),
        (
            "private memory",
            format!("var<private> p: array<u32, 300000>;\n{}", kernel("p[b[0]] = 1u; b[1] = p[b[2]];")),
            &["1048576 bytes"],
        ),
        (
            "a huge private array",
            format!("var<private> p: array<u32, 1000000000>;\n{}", kernel("p[b[0]] = 1u; b[1] = p[b[2]];")),
            &["bytes"],
        ),
        ("a huge local array", kernel("var p: array<u32, 1000000>; p[b[0]] = 1u; b[1] = p[b[2]];"), &["bytes"]),
        (
            "a huge array by value",
            format!(
                "fn f(a: array<u32, 100000>) -> array<u32, 100000> {{ return a; }}\n{}",
                kernel("var p: array<u32, 100000>; let q = f(p); b[0] = q[b[1]];")
            ),
            &[],
        ),
        // Functions with barriers have to be inlined, so that their size doubles at each level.
        (
            "inlining without end",
            doubling(40).replace("return x * 3u", "workgroupBarrier(); return x * 3u"),
            &["400000 instructions"],
        ),
    ]
}

fn make(device: &Device, text: &str) -> Result<anywarp::Kernel, KernelError> {
    device.kernel(Wgsl::new(text).file("bad.wgsl"))
}

#[test]
fn kernels_that_exceed_limits_are_refused() {
    without_hanging(|| {
        let device = device();
        for (name, text, words) in refused() {
            let started = std::time::Instant::now();
            match make(&device, &text) {
                Err(error) => {
                    let said = error.to_string();
                    println!("{name}: {:?}: {said:.200}", started.elapsed());
                    assert!(said.contains("bad.wgsl"), "{name}: {said}");
                    for word in words {
                        assert!(said.contains(word), "{name}: {said}");
                    }
                }
                // The kernel is large, but within the limits.
                Ok(_) if words.is_empty() => {}
                Ok(_) => panic!("{name} was accepted"),
            }
        }
        super::counts(&device);
    });
}

/// A kernel with this number of statements, and its result for the value 3.
fn many(statements: usize) -> (String, u32) {
    let mut value = 3u32;
    let mut text = "var x = b[0];\n".to_owned();
    for at in 0..statements as u32 {
        let _ = writeln!(text, "x = (x * {}u) ^ {at}u;", 2 * at + 1);
        value = value.wrapping_mul(2 * at + 1) ^ at;
    }
    (kernel(&(text + "b[0] = x;")).replace("(64)", "(1)"), value)
}

#[test]
fn many_statements_are_no_problem() {
    without_hanging(|| {
        let device = device();
        for statements in [1000, 10_000] {
            let (text, expected) = many(statements);
            let started = std::time::Instant::now();
            let kernel = make(&device, &text).expect("a kernel");
            println!("{statements} statements: {:?}", started.elapsed());
            let mut b = device.buffer_from(&[3u32]).expect("memory");
            kernel.launch().bind("b", &mut b).threads(1).expect("a launch");
            assert_eq!(b.read().expect("the result")[0], expected);
        }
    });
}

#[test]
fn calls_that_double_at_each_level_work() {
    without_hanging(|| {
        let device = device();
        for levels in [10, 18] {
            let started = std::time::Instant::now();
            let kernel = make(&device, &doubling(levels)).expect("a kernel");
            println!("{} calls: {:?}", 1 << levels, started.elapsed());
            let mut b = device.buffer_from(&[0u32, 5]).expect("memory");
            kernel.launch().bind("b", &mut b).groups([1, 1, 1]).expect("a launch");
            // The last function is called with 5 + the number of second calls on the path.
            let sum = |sum: u32, path: u32| sum.wrapping_add((5 + path.count_ones()) * 3 + 5);
            assert_eq!(b.read().expect("the result")[0], (0..1u32 << levels).fold(0, sum));
        }
        // A launch of this kernel would run too long, but the kernel can be compiled.
        make(&device, &doubling(40)).expect("a kernel");
    });
}
