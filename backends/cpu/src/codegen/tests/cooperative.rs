//! Compares cooperative matrices with plain sums of products.

use super::run;

/// Returns the bits of small integers with exact products.
fn element(row: usize, column: usize, salt: usize) -> f32 {
    ((row * 7 + column * 3 + salt) % 11) as f32 - 5.0
}

fn check(size: usize, groups: u32, load_a: &str, load_b: &str, store: &str) {
    let source = format!(
        "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage, read> a: array<f32>;
        @group(0) @binding(2) var<storage, read> b: array<f32>;
        @compute @workgroup_size({})
        fn main(@builtin(subgroup_id) subgroup: u32) {{
            let at = subgroup * {}u;
            let x = {load_a}<coop_mat{size}x{size}<f32, A>>(&a[at], {size}u);
            let y = {load_b}<coop_mat{size}x{size}<f32, B>>(&b[at], {size}u);
            var sum = coop_mat{size}x{size}<f32, C>();
            sum = coopMultiplyAdd(x, y, sum);
            sum = coopMultiplyAdd(x, y, sum);
            {store}(sum, &out[at], {size}u);
        }}",
        groups * 8,
        size * size
    );
    let matrices = |salt: usize| -> Vec<f32> {
        (0..groups as usize * size * size).map(|at| element(at / size, at % size, salt)).collect()
    };
    let (a, b) = (matrices(1), matrices(4));
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
    let zeros = vec![0; a.len()];
    let got = run(&source, &[&zeros, &bits(&a), &bits(&b)], [1, 1, 1]);
    for group in 0..groups as usize {
        let base = group * size * size;
        // `coopLoadT` and `coopStoreT` use row-major order, the others column-major.
        let at = |way: &str, row: usize, column: usize| {
            base + if way.ends_with('T') { row * size + column } else { column * size + row }
        };
        for row in 0..size {
            for column in 0..size {
                let sum: f32 = (0..size).map(|k| a[at(load_a, row, k)] * b[at(load_b, k, column)]).sum::<f32>() * 2.0;
                let found = f32::from_bits(got[at(store, row, column)]);
                assert_eq!(found, sum, "{size}: {load_a} {load_b} {store}: group {group}, {row}, {column}");
            }
        }
    }
}

#[test]
fn matrices_in_arrays_of_vectors() {
    let source = "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> out: array<vec2<f32>>;
        @group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
        var<workgroup> tile: array<vec4<f32>, 18>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) lane: u32) {
            for (var at = lane; at < 16u; at += 8u) { tile[at + 2u] = a[at]; }
            workgroupBarrier();
            let x = coopLoadT<coop_mat8x8<f32, A>>(&tile[2], 2u);
            let y = coopLoad<coop_mat8x8<f32, B>>(&a[16], 2u);
            let sum = coopMultiplyAdd(x, y, coopLoadT<coop_mat8x8<f32, C>>(&a[32], 2u));
            coopStoreT(sum, &out[1], 4u);
        }";
    let a: Vec<f32> = (0..192).map(|at| element(at / 8, at % 8, 2)).collect();
    let bits: Vec<u32> = a.iter().map(|value| value.to_bits()).collect();
    let got = run(source, &[&[0; 64], &bits], [1, 1, 1]);
    for row in 0..8 {
        for column in 0..8 {
            let products = (0..8).map(|k| a[row * 8 + k] * a[64 + column * 8 + k]);
            let sum = products.sum::<f32>() + a[128 + row * 8 + column];
            // A store beyond the array does nothing.
            let place = 2 + row * 8 + column;
            if let Some(found) = got.get(place) {
                assert_eq!(f32::from_bits(*found), sum, "{row}, {column}");
            }
        }
    }
}

#[test]
fn products_in_every_layout() {
    for size in [8, 16] {
        check(size, 1, "coopLoadT", "coopLoadT", "coopStoreT");
        check(size, 2, "coopLoad", "coopLoadT", "coopStoreT");
        check(size, 3, "coopLoadT", "coopLoad", "coopStore");
    }
}
