// Attention in tiles of 64 queries and 32 keys in workgroup memory.
//
// Scores and exponentials are not stored: those of a tile are relative to the greatest score so far (Milakov and
// Gimelshein, 2018; Dao, 'FlashAttention-2', 2023). An invocation computes four queries with four keys, and as many
// results of each query as there are elements of values for eight invocations.
import package::shared::attention::{load_k, load_q, load_v, store};
import package::shared::attention_scores::{
    Part, Plane, attention, factor_of, least, limit_of, plane_of, power, powers, score,
};

const tile_of_queries = 64u;
const tile_of_keys = 32u;
// The elements of queries and keys that are in workgroup memory.
const deep = 16u;
// One more than needed, so that depths begin in different banks.
const stride_of_queries = 17u;
const stride_of_keys = 9u;
const first_of_keys = 272u;

// The quarters of 64 elements that a value has.
override wide: u32 = 4u;

// In turn: four queries, and four keys, at one depth; the greatest scores of four queries; four elements of a value.
var<workgroup> near: array<vec4<f32>, 416>;
// The weights of four queries for a key.
var<workgroup> weights: array<vec4<f32>, 544>;

// The sums of four queries: four elements of values, and the four that are 32 behind them. Named members, not an array,
// so that they stay in registers.
struct Block {
    left_0: vec4<f32>,
    left_1: vec4<f32>,
    left_2: vec4<f32>,
    left_3: vec4<f32>,
    right_0: vec4<f32>,
    right_1: vec4<f32>,
    right_2: vec4<f32>,
    right_3: vec4<f32>,
}

// The scores of four queries with four keys.
struct Scores {
    row_0: vec4<f32>,
    row_1: vec4<f32>,
    row_2: vec4<f32>,
    row_3: vec4<f32>,
}

fn four_queries(plane: Plane, query: u32, element: u32) -> vec4<f32> {
    if element >= attention.size {
        return vec4(0.0);
    }
    // Queries behind the last one repeat it, and are never stored.
    let rows = min(vec4(query) + vec4(0u, 1u, 2u, 3u), vec4(attention.queries - 1u));
    let at = vec4(plane.q + element) + rows * attention.size;
    return vec4(load_q(at.x), load_q(at.y), load_q(at.z), load_q(at.w));
}

fn four_keys(plane: Plane, key: u32, element: u32) -> vec4<f32> {
    if element >= attention.size {
        return vec4(0.0);
    }
    // Keys behind the last one repeat it, and are excluded.
    let rows = min(vec4(key) + vec4(0u, 1u, 2u, 3u), vec4(attention.keys - 1u));
    let at = vec4(plane.k + element) + rows * attention.size;
    return vec4(load_k(at.x), load_k(at.y), load_k(at.z), load_k(at.w));
}

// An element of a value; 0 behind the last one.
fn one_of_value(at: u32, element: u32) -> f32 {
    if element < attention.size_of_value {
        return load_v(at + element);
    }
    return 0.0;
}

fn four_of_value(plane: Plane, key: u32, element: u32) -> vec4<f32> {
    let at = plane.v + min(key, attention.keys - 1u) * attention.size_of_value;
    return vec4(
        one_of_value(at, element),
        one_of_value(at, element + 1u),
        one_of_value(at, element + 2u),
        one_of_value(at, element + 3u),
    );
}

// The products of the tile's queries and keys.
fn products_of(plane: Plane, query: u32, key: u32, local: u32) -> Scores {
    let place = vec2(local % 8u, local / 8u);
    let depth = local % deep;
    let four = local / deep;
    var products = Scores();
    for (var begin = 0u; begin < attention.size; begin += deep) {
        let upper = four_queries(plane, query + four * 4u, begin + depth);
        let lower = four_queries(plane, query + four * 4u + 32u, begin + depth);
        let keys = four_keys(plane, key + four * 4u, begin + depth);
        workgroupBarrier();
        near[depth * stride_of_queries + four] = upper;
        near[depth * stride_of_queries + four + 8u] = lower;
        near[first_of_keys + depth * stride_of_keys + four] = keys;
        workgroupBarrier();
        for (var at = 0u; at < deep; at++) {
            let rows = near[at * stride_of_queries + place.y];
            let columns = near[first_of_keys + at * stride_of_keys + place.x];
            products.row_0 += rows.x * columns;
            products.row_1 += rows.y * columns;
            products.row_2 += rows.z * columns;
            products.row_3 += rows.w * columns;
        }
    }
    return products;
}

fn scores_of(plane: Plane, query: u32, key: u32, products: vec4<f32>) -> vec4<f32> {
    // Rows behind the last one are never stored.
    let row = min(query, attention.queries - 1u);
    let limit = limit_of(row);
    return vec4(
        score(plane, row, limit, key, products.x),
        score(plane, row, limit, key + 1u, products.y),
        score(plane, row, limit, key + 2u, products.z),
        score(plane, row, limit, key + 3u, products.w),
    );
}

fn greatest_of(values: vec4<f32>) -> f32 {
    return max(max(values.x, values.y), max(values.z, values.w));
}

fn total_of(values: vec4<f32>) -> f32 {
    return (values.x + values.y) + (values.z + values.w);
}

fn scaled(block: Block, factor: vec4<f32>) -> Block {
    return Block(
        block.left_0 * factor.x, block.left_1 * factor.y, block.left_2 * factor.z, block.left_3 * factor.w,
        block.right_0 * factor.x, block.right_1 * factor.y, block.right_2 * factor.z, block.right_3 * factor.w);
}

// Adds the products of weights and 64 elements of values, from this one.
fn with_values(sums: Block, plane: Plane, key: u32, element: u32, local: u32) -> Block {
    let place = vec2(local % 8u, local / 8u);
    var block = sums;
    for (var half = 0u; half < tile_of_keys; half += 16u) {
        let four = local % 16u;
        let row = local / 16u;
        let upper = four_of_value(plane, key + half + row, element + four * 4u);
        let lower = four_of_value(plane, key + half + row + 8u, element + four * 4u);
        workgroupBarrier();
        near[row * 16u + four] = upper;
        near[(row + 8u) * 16u + four] = lower;
        workgroupBarrier();
        for (var at = 0u; at < 16u; at++) {
            let weight = weights[(half + at) * stride_of_queries + place.y];
            let left = near[at * 16u + place.x];
            let right = near[at * 16u + place.x + 8u];
            block.left_0 += weight.x * left;
            block.left_1 += weight.y * left;
            block.left_2 += weight.z * left;
            block.left_3 += weight.w * left;
            block.right_0 += weight.x * right;
            block.right_1 += weight.y * right;
            block.right_2 += weight.z * right;
            block.right_3 += weight.w * right;
        }
    }
    return block;
}

fn store_one(at: u32, element: u32, value: f32) {
    if element < attention.size_of_value {
        store(at + element, value);
    }
}

fn store_four(plane: Plane, query: u32, element: u32, values: vec4<f32>) {
    if query < attention.queries {
        let at = plane.y + query * attention.size_of_value;
        store_one(at, element, values.x);
        store_one(at, element + 1u, values.y);
        store_one(at, element + 2u, values.z);
        store_one(at, element + 3u, values.w);
    }
}

fn store_block(plane: Plane, query: u32, element: u32, block: Block) {
    store_four(plane, query, element, block.left_0);
    store_four(plane, query + 1u, element, block.left_1);
    store_four(plane, query + 2u, element, block.left_2);
    store_four(plane, query + 3u, element, block.left_3);
    store_four(plane, query, element + 32u, block.right_0);
    store_four(plane, query + 1u, element + 32u, block.right_1);
    store_four(plane, query + 2u, element + 32u, block.right_2);
    store_four(plane, query + 3u, element + 32u, block.right_3);
}

@compute @workgroup_size(128)
fn tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let plane = plane_of(group.y);
    let place = vec2(local % 8u, local / 8u);
    let first_query = group.x * tile_of_queries;
    let query = first_query + place.y * 4u;
    // Keys behind the limit of the tile's last query are not read.
    let end = limit_of(min(first_query + tile_of_queries - 1u, attention.queries - 1u));
    var greatest = vec4(least());
    var totals = vec4(0.0);
    var block_0 = Block();
    var block_1 = Block();
    var block_2 = Block();
    var block_3 = Block();
    for (var first = 0u; first < end; first += tile_of_keys) {
        let products = products_of(plane, first_query, first, local);
        let key = first + place.x * 4u;
        let row_0 = scores_of(plane, query, key, products.row_0);
        let row_1 = scores_of(plane, query + 1u, key, products.row_1);
        let row_2 = scores_of(plane, query + 2u, key, products.row_2);
        let row_3 = scores_of(plane, query + 3u, key, products.row_3);
        workgroupBarrier();
        near[local] = vec4(greatest_of(row_0), greatest_of(row_1), greatest_of(row_2), greatest_of(row_3));
        workgroupBarrier();
        var now = greatest;
        for (var at = 0u; at < 8u; at++) {
            now = max(now, near[place.y * 8u + at]);
        }
        let factor = powers(greatest, now);
        greatest = now;
        let weights_0 = powers(row_0, vec4(now.x));
        let weights_1 = powers(row_1, vec4(now.y));
        let weights_2 = powers(row_2, vec4(now.z));
        let weights_3 = powers(row_3, vec4(now.w));
        let sums = vec4(total_of(weights_0), total_of(weights_1), total_of(weights_2), total_of(weights_3));
        totals = totals * factor + sums;
        let to = place.x * 4u * stride_of_queries + place.y;
        weights[to] = vec4(weights_0.x, weights_1.x, weights_2.x, weights_3.x);
        weights[to + stride_of_queries] = vec4(weights_0.y, weights_1.y, weights_2.y, weights_3.y);
        weights[to + 2u * stride_of_queries] = vec4(weights_0.z, weights_1.z, weights_2.z, weights_3.z);
        weights[to + 3u * stride_of_queries] = vec4(weights_0.w, weights_1.w, weights_2.w, weights_3.w);
        block_0 = with_values(scaled(block_0, factor), plane, first, 0u, local);
        if wide > 1u {
            block_1 = with_values(scaled(block_1, factor), plane, first, 64u, local);
        }
        if wide > 2u {
            block_2 = with_values(scaled(block_2, factor), plane, first, 128u, local);
        }
        if wide > 3u {
            block_3 = with_values(scaled(block_3, factor), plane, first, 192u, local);
        }
    }
    workgroupBarrier();
    near[local] = totals;
    workgroupBarrier();
    totals = vec4(0.0);
    for (var at = 0u; at < 8u; at++) {
        totals += near[place.y * 8u + at];
    }
    let inverse = vec4(
        factor_of(Part(greatest.x, totals.x)),
        factor_of(Part(greatest.y, totals.y)),
        factor_of(Part(greatest.z, totals.z)),
        factor_of(Part(greatest.w, totals.w)),
    );
    let element = place.x * 4u;
    store_block(plane, query, element, scaled(block_0, inverse));
    if wide > 1u {
        store_block(plane, query, element + 64u, scaled(block_1, inverse));
    }
    if wide > 2u {
        store_block(plane, query, element + 128u, scaled(block_2, inverse));
    }
    if wide > 3u {
        store_block(plane, query, element + 192u, scaled(block_3, inverse));
    }
}
