//! Dynamic indices into local arrays, vectors and matrices, layouts in buffers, and zero initialisation.

use anywarp::Device;

use super::PerInvocation;
use crate::operator_suite::program::Program;
use crate::operator_suite::table::{Case, Named};
use anywarp_testing_devices::outcome::{TestResult, equal, same};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = PROGRAMS.iter().map(|program| program.case("memory")).collect();
    let named: [Named; 6] = [
        ("workgroup_memory_starts_as_zeros", workgroup_memory_starts_as_zeros),
        ("workgroup_memory_starts_as_zeros_again", workgroup_memory_starts_as_zeros_again),
        ("private_memory_is_initialised_again", private_memory_is_initialised_again),
        ("array_length", array_length),
        ("layouts", layouts),
        ("uniform_layouts", uniform_layouts),
    ];
    cases.extend(named.map(|(name, run)| Case::new(format!("control::memory::{name}"), run)));
    cases
}

const PROGRAMS: &[PerInvocation] = &[
    PerInvocation {
        name: "dynamic_index_of_an_array",
        body: "var a: array<u32, 11>; for (var n = 0u; n < 30u; n++) { a[(n * x) % 11u] += n; } r = a[i % 11u] + a[0] * 3u;",
        declarations: "",
        reference: |x, i| {
            let mut a = [0u32; 11];
            (0..30u32).for_each(|n| a[(n.wrapping_mul(x) % 11) as usize] += n);
            a[(i % 11) as usize] + a[0] * 3
        },
    },
    PerInvocation {
        name: "dynamic_index_of_a_vector",
        body: "var v = vec4<u32>(x, i, 7u, 9u); v[x & 3u] += 5u; v[(x + 1u) & 3u] ^= 1u; let w = v; r = w[i & 3u] + v.w;",
        declarations: "",
        reference: |x, i| {
            let mut v = [x, i, 7, 9];
            v[(x & 3) as usize] = v[(x & 3) as usize].wrapping_add(5);
            v[(x.wrapping_add(1) & 3) as usize] ^= 1;
            v[(i & 3) as usize].wrapping_add(v[3])
        },
    },
    PerInvocation {
        name: "dynamic_index_of_a_matrix",
        body: "var m = mat3x4<f32>(); for (var c = 0u; c < 3u; c++) { for (var row = 0u; row < 4u; row++) { m[c][row] = f32(c * 4u + row); } }
               m[x % 3u][i & 3u] += 50.0; m[i % 3u] *= 2.0; let n = m; r = u32(n[(x + i) % 3u][x & 3u]);",
        declarations: "",
        reference: |x, i| {
            let mut m = [[0u32, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]];
            m[(x % 3) as usize][(i & 3) as usize] += 50;
            m[(i % 3) as usize].iter_mut().for_each(|value| *value *= 2);
            m[(x.wrapping_add(i) % 3) as usize][(x & 3) as usize]
        },
    },
    PerInvocation {
        name: "dynamic_index_of_a_value",
        body: "let a = array<vec2<u32>, 3>(vec2(x, 1u), vec2(2u, i), vec2(5u, 6u)); r = a[x % 3u][i & 1u];",
        declarations: "",
        reference: |x, i| [[x, 1], [2, i], [5, 6]][(x % 3) as usize][(i & 1) as usize],
    },
    PerInvocation {
        name: "dynamic_index_of_a_constant",
        body: "r = TABLE[x % 5u] + TABLE[i % 5u];",
        declarations: "const TABLE = array<u32, 5>(3u, 1u, 4u, 1u, 5u);",
        reference: |x, i| [3, 1, 4, 1, 5][(x % 5) as usize] + [3, 1, 4, 1, 5][(i % 5) as usize],
    },
    PerInvocation {
        name: "nested_arrays_and_structs",
        body: "var g: Grid; g.rows[x & 3u].cells[i % 3u].y = x; g.rows[i & 3u].count += 2u; let copy = g; g.rows[0].count = 99u;
               for (var a = 0u; a < 4u; a++) { r += copy.rows[a].count * (a + 1u); for (var b = 0u; b < 3u; b++) { r += copy.rows[a].cells[b].y * (b + 1u) + copy.rows[a].cells[b].x; } }",
        declarations: "struct Row { count: u32, cells: array<vec2<u32>, 3> } struct Grid { rows: array<Row, 4> }",
        reference: |x, i| (2 * ((i & 3) + 1)).wrapping_add(x.wrapping_mul(i % 3 + 1)),
    },
    PerInvocation {
        name: "locals_start_as_zeros",
        body: "var a: array<u32, 9>; var v: vec3<f32>; var m: mat2x2<f32>; var p: Part; var b: bool; var s: i32;
               for (var n = 0u; n < 9u; n++) { r += a[n]; a[n] = x; }
               r += u32(v.x + v.y + v.z + m[0][0] + m[1][1]) + p.a + p.b[1] + select(0u, 1u, b) + u32(s); p.a = x;",
        declarations: "struct Part { a: u32, b: array<u32, 2> }",
        reference: |_, _| 0,
    },
    PerInvocation {
        name: "swizzles",
        body: "let v = vec4<u32>(x, i, 3u, 4u); var w = v.wzyx; let t = w.xyz + v.yyx; w.y = t.z; r = w.x + w.y * 3u + v.zw.y + t.xy.x * v.bgra.x;",
        declarations: "",
        reference: |x, i| {
            let t = [i.wrapping_add(4), i.wrapping_add(3), x.wrapping_add(i)];
            4u32.wrapping_add(t[2].wrapping_mul(3)).wrapping_add(4).wrapping_add(t[0].wrapping_mul(3))
        },
    },
    PerInvocation {
        name: "constructors",
        body: "let v = vec4<f32>(vec2<f32>(f32(x & 255u), 1.0), vec2<f32>(2.0)); let m = mat2x2<f32>(v.xy, v.zw); let z = vec3<u32>(); let s = vec3(i);
               let a = array(1u, 2u, x); r = u32(m[0].x + m[1].y) + z.y + s.z + a[2];",
        declarations: "",
        reference: |x, i| (x & 255).wrapping_add(2).wrapping_add(i).wrapping_add(x),
    },
    PerInvocation {
        // A read returns some element or zero; a write changes one element of the same variable or none.
        name: "index_out_of_range",
        body: "var a = array<u32, 4>(3u, 5u, 7u, 9u); var v = vec3<u32>(3u, 5u, 7u); var m = mat2x2<f32>(3.0, 5.0, 7.0, 9.0); var guard = array<u32, 4>(9u, 9u, 9u, 9u);
               let far = x | 4u;
               if known(a[far]) && known(v[far]) && known(u32(m[far][far])) && known(own[far]) && known(TABLE[far]) { r = 1u; }
               a[far] = 7u; v[far] = 7u; m[far][x] = 7.0; own[far] = 7u; own[i32(x) - 2000000000] = 5u;
               for (var n = 0; n < 4; n++) { if !known(a[n]) || !known(own[n]) || guard[n] != 9u { r += 2u; } }
               if !all(vec3<bool>(known(v.x), known(v.y), known(v.z))) || !known(u32(m[0].y)) { r += 100u; }",
        declarations: "var<private> own: array<u32, 4> = array<u32, 4>(3u, 5u, 7u, 9u);
                       const TABLE = array<u32, 4>(3u, 5u, 7u, 9u);
                       fn known(word: u32) -> bool { return word == 0u || word == 3u || word == 5u || word == 7u || word == 9u; }",
        reference: |_, _| 1,
    },
    PerInvocation {
        name: "private_with_initialisers",
        body: "table[i % 3u] += x; r = table[0] + table[1] + table[2] + zero; zero = x;",
        declarations: "var<private> table: array<u32, 3> = array<u32, 3>(7u, 8u, 9u); var<private> zero: u32;",
        reference: |x, _| x.wrapping_add(24),
    },
];

const DIRTY: &str = "
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
struct Part { a: u32, b: array<vec3<u32>, 2>, c: atomic<u32> }
var<workgroup> words: array<u32, 300>;
var<workgroup> part: Part;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    var sum = part.a + part.b[1].z + part.b[0].x + atomicLoad(&part.c);
    for (var n = at; n < 300u; n += 64u) { sum |= words[n]; }
    result[group.x * 64u + at] = sum;
    workgroupBarrier();
    for (var n = at; n < 300u; n += 64u) { words[n] = 0xdeadbeefu; }
    if at == 3u { part.a = 1u; part.b[1].z = 2u; part.b[0].x = 4u; }
    atomicAdd(&part.c, 8u);
}";

fn workgroup_memory_starts_as_zeros(device: &Device) -> TestResult {
    let got = Program::new(DIRTY).starting(&[9; 64 * 200]).run(device, 64 * 200, 200)?;
    same(&got, &[0; 64 * 200], "workgroup memory at the start of 200 workgroups")
}

fn workgroup_memory_starts_as_zeros_again(device: &Device) -> TestResult {
    let kernel = device.kernel(DIRTY)?;
    let mut result = device.buffer_from(&[9u32; 64 * 8])?;
    for round in 0..3 {
        kernel.launch().bind("result", &mut result).groups(8)?;
        equal(result.read()?.iter().all(|word| *word == 0), true, &format!("zeros in dispatch {round}"))?;
        result.fill(9)?;
    }
    Ok(())
}

/// Private memory belongs to each invocation, and is initialised in each dispatch.
fn private_memory_is_initialised_again(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<private> count: u32 = 5u;
         var<private> list: array<u32, 20>;
         fn bump(by: u32) { count += by; list[by % 20u] += count; }
         @compute @workgroup_size(33) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             bump(id.x); bump(1u);
             var sum = count;
             for (var n = 0u; n < 20u; n++) { sum += list[n]; }
             result[id.x] = sum;
         }",
    )?;
    let wanted: Vec<u32> = (0..330).map(|id| (6 + id) + (5 + id) + (6 + id)).collect();
    let mut result = device.buffer::<u32>(330)?;
    for _ in 0..2 {
        kernel.launch().bind("result", &mut result).groups(10)?;
        same(&result.read()?, &wanted, "private memory")?;
    }
    Ok(())
}

fn array_length(device: &Device) -> TestResult {
    let program = |length: usize| {
        Program::new(
            "struct List { head: vec2<u32>, items: array<vec2<u32>> }
             @group(0) @binding(0) var<storage, read> words: array<u32>;
             @group(0) @binding(1) var<storage, read> list: List;
             @group(0) @binding(2) var<storage, read_write> result: array<u32>;
             @compute @workgroup_size(1) fn main() {
                 result[0] = arrayLength(&words);
                 result[1] = arrayLength(&list.items);
                 result[2] = arrayLength(&result);
                 let items = &list.items;
                 result[3] = arrayLength(items);
             }",
        )
        .input("words", &vec![0; length])
        .input("list", &vec![0; 2 + 2 * length])
    };
    for length in [1, 2, 63, 1000] {
        let got = program(length).run(device, 4 + length, 1)?;
        let length = length as u32;
        same(&got[..4], &[length, length, length + 4, length], "lengths")?;
    }
    Ok(())
}

/// Vectors, matrices and structs have the specified layout in storage.
fn layouts(device: &Device) -> TestResult {
    let program = Program::new(
        "struct Inner { a: u32, b: vec3<u32> }
         struct Outer { first: u32, inner: array<Inner, 2>, m: mat3x2<f32>, v: vec2<u32>, w: mat2x3<f32>, last: u32 }
         @group(0) @binding(0) var<storage, read> given: Outer;
         @group(0) @binding(1) var<storage, read_write> result: Outer;
         @compute @workgroup_size(1) fn main() {
             var copy = given;
             copy.first += 1000u;
             copy.inner[1].b.z += 1000u;
             copy.m[2].y *= 2.0;
             result = copy;
             result.v = given.v.yx;
             result.w[1] = given.w[0];
             result.last = given.inner[0].a + given.inner[1].a;
         }",
    );
    // Offsets in words: first 0, inner 4 and 12 (a, then b 4 words later), m 20, v 26, w 28, last 36.
    let mut given: Vec<u32> = (100..140).collect();
    given[20..26].copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_bits));
    given[28..36].copy_from_slice(&[1.5f32, 2.5, 3.5, 0.0, 4.5, 5.5, 6.5, 0.0].map(f32::to_bits));
    let got = program.input("given", &given).run(device, 40, 1)?;
    let at = |range: std::ops::Range<usize>| range.map(|word| got[word]).collect::<Vec<u32>>();
    equal(got[0], 1100, "first")?;
    equal(got[4], 104, "inner[0].a")?;
    same(&at(8..11), &[108, 109, 110], "inner[0].b")?;
    equal(got[12], 112, "inner[1].a")?;
    same(&at(16..19), &[116, 117, 1118], "inner[1].b")?;
    same(&at(20..26), &[1.0f32, 2.0, 3.0, 4.0, 5.0, 12.0].map(f32::to_bits), "m")?;
    same(&at(26..28), &[127, 126], "v")?;
    same(&at(28..31), &[1.5f32, 2.5, 3.5].map(f32::to_bits), "w[0]")?;
    same(&at(32..35), &[1.5f32, 2.5, 3.5].map(f32::to_bits), "w[1]")?;
    equal(got[36], 104 + 112, "last")
}

fn uniform_layouts(device: &Device) -> TestResult {
    let program = Program::new(
        "struct Params { a: u32, v: vec3<u32>, m: mat4x4<f32>, rows: array<vec4<u32>, 3> }
         @group(0) @binding(0) var<uniform> params: Params;
         @group(0) @binding(1) var<storage, read_write> result: array<u32>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) at: u32) {
             result[at] = params.a + params.v[at % 3u] + u32(params.m[at][3u - at]) + params.rows[at % 3u][at];
         }",
    );
    let mut words: Vec<u32> = (0..36).collect();
    words[8..24].copy_from_slice(&std::array::from_fn::<u32, 16, _>(|n| (n as f32).to_bits()));
    let got = program.input("params", &words).run(device, 4, 1)?;
    let wanted: Vec<u32> = (0..4).map(|at| (4 + at % 3) + (at * 4 + 3 - at) + (24 + at % 3 * 4 + at)).collect();
    same(&got, &wanted, "sums of a uniform's parts")
}
