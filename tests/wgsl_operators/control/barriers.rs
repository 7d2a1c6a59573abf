//! Barriers in all forms of uniform control flow, with workgroups of many sizes.
//!
//! Each step writes to workgroup memory, waits at a barrier, reads a neighbour's value and waits at another barrier. A
//! step that is skipped, repeated or out of order changes every result.

use anywarp::Device;

use crate::operator_suite::program::Program;
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, same};

struct Shape {
    name: &'static str,
    /// WGSL in which `WORK(n)` is a step with the number `n`; it uses `acc`, `at` and `params`.
    body: &'static str,
    /// The numbers of the steps, in the order of execution.
    steps: &'static [u32],
}

/// The contents of `params`, which are only known at run time.
const PARAMS: [u32; 4] = [1, 0, 4, 3];

const SHAPES: &[Shape] = &[
    Shape { name: "straight", body: "WORK(0u) WORK(1u) WORK(2u)", steps: &[0, 1, 2] },
    Shape {
        name: "uniform_if",
        body: "if params[0] == 1u { WORK(0u) } WORK(1u)
               if params[1] == 1u { WORK(9u) } else { WORK(2u) }
               if params[1] == 1u { WORK(8u) }",
        steps: &[0, 1, 2],
    },
    Shape { name: "uniform_loop", body: "for (var n = 0u; n < params[2]; n++) { WORK(n) }", steps: &[0, 1, 2, 3] },
    Shape {
        name: "loop_never_entered",
        body: "for (var n = 0u; n < params[1]; n++) { WORK(n) } WORK(5u)",
        steps: &[5],
    },
    Shape {
        name: "nested_loops",
        body: "for (var a = 0u; a < params[3]; a++) {
                   for (var b = 0u; b <= a; b++) { WORK(a * 4u + b) }
                   WORK(20u + a)
               }",
        steps: &[0, 20, 4, 5, 21, 8, 9, 10, 22],
    },
    Shape {
        name: "switch",
        body: "for (var n = 0u; n < 5u; n++) {
                   switch n * params[0] {
                       case 0u { WORK(1u) }
                       default { WORK(3u) WORK(4u) }
                       case 1u, 3u { WORK(2u) }
                   }
               }",
        steps: &[1, 2, 3, 4, 2, 3, 4],
    },
    Shape { name: "called_function", body: "acc = step(acc, at, 6u);", steps: &[6] },
    Shape {
        name: "function_called_often",
        body: "acc = step(acc, at, 1u); acc = step(step(acc, at, 2u), at, 3u);
               for (var n = 0u; n < params[3]; n++) { acc = twice(acc, at, n); }",
        steps: &[1, 2, 3, 0, 1, 1, 2, 2, 3],
    },
    Shape {
        name: "continuing",
        body: "var n = 0u;
               loop {
                   if n == 99u { break; }
                   acc += n;
                   acc -= n;
                   continuing { WORK(n) n++; break if n >= params[2]; }
               }",
        steps: &[0, 1, 2, 3],
    },
    Shape {
        name: "break_and_continue",
        body: "var n = 0u;
               loop {
                   if n > params[2] { break; }
                   n++;
                   if n == 2u { continue; }
                   WORK(n)
                   if n == params[2] { break; }
                   WORK(n + 10u)
               }",
        steps: &[1, 11, 3, 13, 4],
    },
    Shape {
        name: "while_in_an_if_in_a_loop",
        body: "for (var a = 0u; a < 3u; a++) {
                   if a != params[0] { var b = a; while b < params[3] { WORK(b) b++; } }
               }",
        steps: &[0, 1, 2, 2],
    },
    Shape {
        name: "values_across",
        body: "var kept = array<u32, 5>(at, acc, 3u, at * at, 5u);
               let vector = vec4<u32>(acc, at, acc ^ at, 7u);
               let matrix = mat2x2<f32>(f32(at), 1.0, 2.0, f32(at) * 0.5);
               let flag = (acc & 1u) == 1u;
               var pair = Pair(acc, vec3<u32>(at, at + 1u, at + 2u));
               WORK(0u)
               kept[at % 5u] += 1u;
               pair.second[at % 3u] += vector[at % 4u];
               WORK(1u)
               var sum = vector.x ^ (vector.y + vector.z) ^ pair.first ^ u32(matrix[0].x + matrix[1].y * 2.0);
               for (var n = 0u; n < 5u; n++) { sum += kept[n]; }
               sum += select(0u, 1u, flag) + pair.second.x + pair.second.y + pair.second.z;
               extra = sum;",
        steps: &[0, 1],
    },
    Shape {
        name: "divergence_between",
        body: "if at % 2u == 1u { for (var n = 0u; n < at % 7u; n++) { extra += n; } } else { extra = 1u; }
               WORK(0u)
               var n = 0u;
               loop { if n >= at % 5u { break; } n++; if n == 2u { continue; } extra += n * 100u; }
               WORK(1u)",
        steps: &[0, 1],
    },
    Shape {
        name: "uniform_return",
        body: "WORK(0u) if params[0] == 1u { WORK(1u) result[i] = acc; return; } WORK(2u)",
        steps: &[0, 1],
    },
    Shape {
        name: "switch_in_a_loop_with_break",
        body: "for (var n = 0u; n < 6u; n++) {
                   switch n {
                       case 1u { continue; }
                       case 4u { break; }
                       default { WORK(n) if n == params[3] { break; } WORK(n + 30u) }
                   }
                   WORK(n + 60u)
               }",
        steps: &[0, 30, 60, 2, 32, 62, 3, 63, 64, 5, 35, 65],
    },
    Shape {
        name: "storage_memory_too",
        body: "WORK(0u) spare[i] = acc; storageBarrier(); workgroupBarrier();
               extra = spare[i - at + (at + 1u) % COUNT];
               storageBarrier(); workgroupBarrier(); WORK(1u)",
        steps: &[0, 1],
    },
];

const SIZES: &[[u32; 3]] =
    &[[1, 1, 1], [3, 1, 1], [7, 1, 1], [8, 1, 1], [33, 1, 1], [64, 1, 1], [256, 1, 1], [4, 3, 5], [2, 32, 1]];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for shape in SHAPES {
        for size in SIZES {
            let [x, y, z] = size;
            let name = format!("control::barriers::{}_{x}x{y}x{z}", shape.name);
            cases.push(Case::new(name, move |device| run(device, shape, *size)));
        }
    }
    cases
}

const GROUPS: usize = 3;

fn run(device: &Device, shape: &Shape, [x, y, z]: [u32; 3]) -> TestResult {
    let count = x * y * z;
    if device.caps().limits.workgroup_invocations < count {
        return anywarp_testing_devices::outcome::skip(format!("the device has no workgroups of {count}"));
    }
    let source = format!(
        "struct Pair {{ first: u32, second: vec3<u32> }}
         @group(0) @binding(0) var<storage, read> params: array<u32>;
         @group(0) @binding(1) var<storage, read> in_x: array<u32>;
         @group(0) @binding(2) var<storage, read_write> result: array<u32>;
         @group(0) @binding(3) var<storage, read_write> spare: array<u32>;
         var<workgroup> cells: array<u32, COUNT>;
         fn step(before: u32, at: u32, n: u32) -> u32 {{ var acc = before; WORK(n) return acc; }}
         fn twice(before: u32, at: u32, n: u32) -> u32 {{
             let acc = step(before, at, n);
             return step(acc, at, n + 1u);
         }}
         @compute @workgroup_size({x}, {y}, {z})
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) at: u32) {{
             let i = group.x * COUNT + at;
             var acc = in_x[i];
             var extra = 0u;
             {}
             result[i] = acc;
             result[i + arrayLength(&in_x)] = extra;
             spare[i] += params[0];
         }}",
        shape.body
    );
    let source = expand_work(&source).replace("COUNT", &format!("{count}u"));
    let total = GROUPS * count as usize;
    let input: Vec<u32> = (0..total as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let program = Program::new(source).input("params", &PARAMS).input("in_x", &input).spare("spare", total);
    let got = program.run(device, 2 * total, GROUPS)?;
    let acc: Vec<u32> = input.chunks(count as usize).flat_map(|group| steps(group, shape.steps)).collect();
    same(&got[..total], &acc, &format!("{} with {x}x{y}x{z} invocations", shape.name))?;
    let extra: Vec<u32> = (0..total).map(|i| extra(shape, i, count as usize, &input)).collect();
    same(&got[total..], &extra, "the values kept across the barriers")
}

/// Replaces each `WORK(n)` by the WGSL of the step.
fn expand_work(source: &str) -> String {
    let mut expanded = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("WORK(") {
        let (mut depth, mut end) = (1, 0);
        for (at, letter) in after.char_indices() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            if depth == 0 {
                end = at;
                break;
            }
        }
        expanded.push_str(before);
        let n = &after[..end];
        expanded.push_str(&format!(
            "cells[at] = acc * 3u + at; workgroupBarrier();
             acc = (acc ^ cells[(at + ({n}) * 7u + 1u) % COUNT]) * 5u + ({n}); workgroupBarrier();"
        ));
        rest = &after[end + 1..];
    }
    expanded + rest
}

/// Executes the steps of one workgroup in Rust.
fn steps(start: &[u32], steps: &[u32]) -> Vec<u32> {
    let mut acc = start.to_vec();
    let count = acc.len();
    for n in steps {
        let cells: Vec<u32> =
            acc.iter().enumerate().map(|(at, acc)| acc.wrapping_mul(3).wrapping_add(at as u32)).collect();
        for (at, acc) in acc.iter_mut().enumerate() {
            let read = cells[(at + *n as usize * 7 + 1) % count];
            *acc = (*acc ^ read).wrapping_mul(5).wrapping_add(*n);
        }
    }
    acc
}

/// The expected extra result of a kernel with this control flow; 0 for most kernels.
fn extra(shape: &Shape, i: usize, count: usize, input: &[u32]) -> u32 {
    let (at, acc) = ((i % count) as u32, input[i]);
    match shape.name {
        "values_across" => {
            let vector = [acc, at, acc ^ at, 7];
            let mut sum = vector[0] ^ vector[1].wrapping_add(vector[2]) ^ acc ^ (at + at);
            let kept = [at, acc, 3, at * at, 5].iter().fold(1u32, |sum, word| sum.wrapping_add(*word));
            sum = sum.wrapping_add(kept).wrapping_add(acc & 1).wrapping_add(3 * at + 3);
            sum.wrapping_add(vector[at as usize % 4])
        }
        "divergence_between" => {
            let first = if at % 2 == 1 { (0..at % 7).sum() } else { 1 };
            first + (1..=at % 5).filter(|n| *n != 2).map(|n| n * 100).sum::<u32>()
        }
        "storage_memory_too" => {
            let group = i / count * count;
            steps(&input[group..group + count], &[0])[(at as usize + 1) % count]
        }
        _ => 0,
    }
}
