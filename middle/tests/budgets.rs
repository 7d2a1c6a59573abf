//! Tests of very large kernels: each pass ends soon, with the default stack of a thread. If the analysis gives up,
//! there are no proofs.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use anywarp_backend::Proofs;
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::prove;
use anywarp_middle::explicit::explicit;
use anywarp_middle::optimise::optimise;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{BinaryOperator, Block, Expression, Function, Literal, Module, Range, Span, Statement};

/// The default size of a thread's stack, in bytes.
const STACK: usize = 2 << 20;

/// The size in bytes of the stack for naga's front end and validator, which follow nested expressions by recursion.
const NAGA_STACK: usize = 256 << 20;

/// The time limit of a pass. On an idle machine each pass takes less than a fifth of this time.
const BUDGET: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });

/// Whether the analysis is expected to give up.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Given {
    Up,
    NotUp,
    Either,
}

fn kernel(statements: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @group(0) @binding(1) var<uniform> n: u32;
        var<workgroup> tile: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) thread: u32) {{
        tile[thread] = 1u;
        {statements}
        }}"
    )
}

/// Concatenates `count` texts; `one` returns the text with a given number.
fn times(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// The kernels with their names, and whether the analysis gives up.
fn kernels() -> Vec<(&'static str, String, Given)> {
    let nested = |depth, open: &str, inside: &str, close: &str| {
        kernel(&format!("var k = n; {}{inside}{} x[k] = k;", open.repeat(depth), close.repeat(depth)))
    };
    let calls = |depth: usize, body: fn(usize) -> String| {
        let functions = times(depth, |at| format!("fn f{}(k: u32) -> u32 {{ {} }}\n", at + 1, body(at)));
        format!(
            "fn f0(k: u32) -> u32 {{ x[k] = k; return k * 3u; }}\n{functions}{}",
            kernel(&format!("x[0] = f{depth}(n);"))
        )
    };
    let cases = |count, one: fn(usize) -> String| {
        kernel(&format!(
            "var k = n; for (var i = 0u; i < n; i++) {{ switch x[i] {{ {} default: {{ k = 2u; }} }} x[k] = i; }}",
            times(count, |at| format!("case {at}u: {{ {} }}\n", one(at)))
        ))
    };
    vec![
        (
            "10,000 sums in a sum",
            kernel(&format!("var k = n; k = k{}; x[k] = k;", times(10_000, |at| format!(" + x[k + {at}u]")))),
            Given::Either,
        ),
        (
            "10,000 sums of constants",
            kernel(&format!("var k = n; k = k{}; x[k] = k;", times(10_000, |at| format!(" * {at}u")))),
            Given::NotUp,
        ),
        (
            "10,000 selections",
            kernel(&format!("var k = n; {} x[k] = k;", "k = select(k + 1u, k * 3u, x[k] > k);".repeat(10_000))),
            Given::Either,
        ),
        ("10,000 indices", kernel(&format!("var k = n; {} x[k] = k;", "k = x[k];".repeat(10_000))), Given::Either),
        ("120 blocks", nested(120, "{", "k++;", "}"), Given::NotUp),
        ("120 branches", nested(120, "if (x[k] > k) { k++;", "", "}"), Given::Either),
        ("120 loops", nested(120, "while (x[k] > k) { k++;", "", "}"), Given::Up),
        ("120 counted loops", nested(120, "for (var i = 0u; i < 2u; i++) {", "k++;", "}"), Given::Up),
        ("60 switches", nested(60, "switch k { case 1u: { k = x[k]; } default: {", "", "}}"), Given::Either),
        (
            "250 branches, each in the else of another",
            kernel(&format!("var k = n; if (n == 0u) {{ }} {}", times(250, |at| format!("else if (k > {at}u) {{ k = x[k]; }}")))),
            Given::Either,
        ),
        (
            "5,000 branches, each in the else of another",
            kernel(&format!("var k = n; if (n == 0u) {{ }} {}", times(5_000, |at| format!("else if (k > {at}u) {{ k = x[k]; }}")))),
            Given::Up,
        ),
        (
            "1,000 loops",
            kernel(&times(1_000, |at| format!("for (var i = 0u; i < n; i++) {{ x[i + {at}u] = i; }}\n"))),
            Given::Either,
        ),
        (
            "1,000 loops of a few iterations",
            kernel(&times(1_000, |at| format!("for (var i = 0u; i < 9u; i++) {{ x[i + {at}u] = i; }}\n"))),
            Given::Either,
        ),
        (
            "1,000 loops that change 100 variables",
            kernel(&format!(
                "{} {}",
                times(100, |at| format!("var v{at} = n;")),
                times(1_000, |at| format!("while (x[{at}] > n) {{ v{} = x[v{}]; }}\n", at % 100, (at + 1) % 100))
            )),
            Given::Either,
        ),
        ("10,000 cases", cases(10_000, |at| format!("k += {at}u;")), Given::Either),
        (
            "10,000 cases that break and continue",
            cases(10_000, |at| {
                ["break;", "k++; continue;", "if k > 3u { break; } k++;", "switch k { case 1u: { break; } default: { continue; } }"]
                    [at % 4]
                    .to_owned()
            }),
            Given::Either,
        ),
        (
            "10,000 continues",
            kernel(&format!(
                "for (var i = 0u; i < n; i++) {{ {} x[i] = i; }}",
                times(10_000, |at| format!("if x[i] == {at}u {{ continue; }}\n"))
            )),
            Given::Either,
        ),
        (
            "10,000 accesses of a private array",
            kernel(&format!("var a: array<u32, 100>; {}", times(10_000, |at| format!("a[x[{at}] % 100u] += {at}u;\n")))),
            Given::Either,
        ),
        (
            "10,000 accesses with constant indices",
            kernel(&format!(
                "var a: array<u32, 100>; {} x[0] = a[n];",
                times(10_000, |at| format!("a[{}] += {at}u;\n", at % 100))
            )),
            Given::Either,
        ),
        ("60 calls deep", calls(60, |at| format!("return f{at}(k + 1u);")), Given::NotUp),
        ("500 calls deep", calls(500, |at| format!("return f{at}(k + 1u);")), Given::Up),
        ("2^20 calls", calls(20, |at| format!("return f{at}(k) + f{at}(k + 1u);")), Given::Up),
        ("2^500 calls", calls(500, |at| format!("return f{at}(k) + f{at}(k + 1u);")), Given::Up),
        (
            "arrays of arrays",
            kernel(&format!(
                "var a: {}u32{}; a{} = 1u; x[0] = a{};",
                "array<".repeat(60),
                ", 2>".repeat(60),
                "[0]".repeat(60),
                "[1]".repeat(60)
            ).replace("array<u32, 2>", "array<u32, 1>").replace(", 2>", ", 1>").replace("[1]", "[0]")),
            Given::Either,
        ),
        (
            "a large array of arrays",
            kernel("var a: array<array<array<u32, 64>, 64>, 64>; a[n][n][n] = 1u; a[1][2][3] = 4u; x[0] = a[3][n][5];"),
            Given::NotUp,
        ),
        (
            "a private variable of many elements",
            format!("var<private> a: array<array<u32, 16>, 16>; {}", kernel(&times(2_000, |at| format!("a[n][{}] = x[{at}];", at % 16)))),
            Given::Either,
        ),
        (
            "a huge number of iterations",
            kernel(
                "for (var i = 0u; i < 4000000000u; i++) { x[i & 63u] = i; }
                for (var i = 0u; i < 4000000000u; i++) { for (var j = 0u; j < 4000000000u; j++) { tile[j & 63u] = i; } }",
            ),
            Given::NotUp,
        ),
        (
            "nested loops of 64 iterations",
            nested(6, "for (var i = 0u; i < 64u; i++) {", "k = x[k];", "}"),
            Given::Either,
        ),
        (
            "branches that change 1,000 variables",
            kernel(&format!(
                "{} {}",
                times(1_000, |at| format!("var v{at} = n;")),
                times(1_000, |at| format!("if (x[{at}] > n) {{ v{at} = x[{at}]; }}\n"))
            )),
            Given::Either,
        ),
    ]
}

fn on_stack<T: Send>(size: usize, run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(size).spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic")
    })
}

fn read(name: &str, text: &str) -> (Module, ModuleInfo) {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
    let info = validate(name, &module);
    (module, info)
}

fn validate(name: &str, module: &Module) -> ModuleInfo {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

/// Runs a pass and records its time.
fn timed<T>(times: &mut String, failures: &mut Vec<String>, name: &str, pass: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let made = run();
    let taken = start.elapsed();
    let _ = write!(times, " {pass} {} ms", taken.as_millis());
    if taken > BUDGET {
        failures.push(format!("{name}: {pass} took {taken:?}"));
    }
    made
}

/// Runs all passes on a module, and the analysis also on the module before optimisation.
fn pass(name: &str, module: &Module, info: &ModuleInfo, given: Given) -> Vec<String> {
    let circumstances = Circumstances::default();
    let (mut times, mut failures) = (String::new(), Vec::new());
    let made = timed(&mut times, &mut failures, name, "optimise", || optimise(module, info, &circumstances));
    let made = made.map(|made| {
        let info = on_stack(NAGA_STACK, || validate(name, &made));
        (made, info)
    });
    let (module_made, info_made) = made.as_ref().map_or((module, info), |(made, info)| (made, info));
    let analysis = timed(&mut times, &mut failures, name, "prove", || prove(module_made, info_made, &circumstances));
    let of_written = timed(&mut times, &mut failures, name, "prove as written", || prove(module, info, &circumstances));
    for (analysis, which) in [(&analysis, "optimised"), (&of_written, "as written")] {
        if analysis.gave_up.is_some() && analysis.proofs != Proofs::default() {
            failures.push(format!("{name}, {which}: has proofs although the analysis gave up"));
        }
    }
    let expected = match given {
        Given::Up => of_written.gave_up.is_some(),
        Given::NotUp => of_written.gave_up.is_none(),
        Given::Either => true,
    };
    if !expected {
        failures.push(format!("{name}: expected to give up: {given:?}, got {:?}", of_written.gave_up));
    }
    // `explicit` follows blocks by recursion, as naga's validator and writers do. naga's front end does not accept a
    // kernel whose blocks nest so deeply.
    if of_written.gave_up != Some("the blocks of the kernel nest too deeply") {
        let checked =
            timed(&mut times, &mut failures, name, "explicit", || explicit(module_made, info_made, &analysis.proofs));
        if let Some(checked) = checked {
            on_stack(NAGA_STACK, || validate(name, &checked));
        }
    }
    println!("{name}:{times}, {}", of_written.gave_up.unwrap_or("analysed"));
    failures
}

/// Returns a kernel of `count` stores to `x` or to a variable. Each stored value is computed from the value before. The
/// kernel is built as IR, because naga would take longer to parse the text than all passes together take.
fn statements(count: u32, to_memory: bool) -> Module {
    let mut module = naga::front::wgsl::parse_str(&kernel("var k = n; x[0] = k;")).expect("a kernel");
    let (x, _) = module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some("x")).expect("x");
    let function = &mut module.entry_points[0].function;
    let (k, _) = function.local_variables.iter().next().expect("k");
    let Function { expressions, body, .. } = function;
    let span = Span::UNDEFINED;
    let (x, k) = (
        expressions.append(Expression::GlobalVariable(x), span),
        expressions.append(Expression::LocalVariable(k), span),
    );
    let three = expressions.append(Expression::Literal(Literal::U32(3)), span);
    let end = body.len() - 1;
    let mut more = Block::new();
    for at in 0..count {
        let read = expressions.append(Expression::Load { pointer: k }, span);
        let product = Expression::Binary { op: BinaryOperator::Multiply, left: read, right: three };
        let product = expressions.append(product, span);
        let (pointer, last) = if to_memory {
            let element = expressions.append(Expression::AccessIndex { base: x, index: at }, span);
            (element, element)
        } else {
            (k, product)
        };
        more.push(Statement::Emit(Range::new_from_bounds(read, last)), span);
        more.push(Statement::Store { pointer, value: product }, span);
    }
    body.splice(end..end, more);
    module
}

#[test]
fn many_statements_are_processed_quickly() {
    let mut failures = Vec::new();
    for (name, to_memory) in [("50,000 statements", true), ("50,000 statements of one variable", false)] {
        let module = statements(50_000, to_memory);
        let info = validate(name, &module);
        failures.extend(on_stack(STACK, || pass(name, &module, &info, Given::Either)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn large_kernels_are_processed_quickly_on_a_small_stack() {
    let mut failures = Vec::new();
    for (name, text, given) in kernels() {
        let (module, info) = on_stack(NAGA_STACK, || read(name, &text));
        failures.extend(on_stack(STACK, || pass(name, &module, &info, given)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
