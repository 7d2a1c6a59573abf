// Attention in f16 by cooperative matrices, in tiles of 32 keys; a subgroup has 16 queries. Sums are f32. Heads have a
// multiple of 32 elements, at most 128, and values as many.
//
// Scores and weights are not stored: those of a tile are relative to a level of each row (Milakov and Gimelshein, 2018;
// Dao, 'FlashAttention-2', 2023). Matrices can only be read in memory, and the results of a row stay in matrices. So a
// level is not the greatest score so far: it rises only when a score is more than `slack` above it, which is rare behind
// the first tile, and only then results go through memory to be scaled.
enable f16;
enable subgroups;
enable wgpu_cooperative_matrix;
import package::shared::attention_scores::{attention, is_nan, least, limit_of, plane_of, score};

@group(0) @binding(1) var<storage> q: array<vec4<f16>>;
@group(0) @binding(2) var<storage> k: array<vec4<f16>>;
@group(0) @binding(3) var<storage> v: array<vec4<f16>>;
@group(0) @binding(6) var<storage, read_write> y: array<vec4<f16>>;

// The number of invocations of a subgroup, and of subgroups: at most 8, or 16 with `warps`.
override lanes: u32 = 32u;
override subgroups: u32 = 8u;
// The number of 16 elements in a query, and whether scores are products times the scale, which is positive.
override blocks: u32 = 8u;
override plain: bool = true;

const keys_of_step = 32u;
// Cells of four elements from one row to the next, which begin in different banks.
const stride = 34u;
const stride_of_weights = 10u;
const stride_of_scores = 10u;
const weights_of_subgroup = 160u;
const scores_of_subgroup = 160u;

// Weights are at most 2^15, as those far below the level keep more bits in f16 then; the level is that of 2^7.
const slack = 8.0;
const offset = 7.0;
const binary = 1.4426950408889634;

// 47 KiB with eight subgroups, 77 KiB with sixteen.
@if(warps)
const most_cells = 2560u;
@else
const most_cells = 1280u;
var<workgroup> tile_k: array<vec4<f16>, 1088>;
var<workgroup> tile_v: array<vec4<f16>, 1088>;
// For each subgroup 16 rows of 32 weights, or of 32 elements of queries.
var<workgroup> weights: array<vec4<f16>, most_cells>;
// For each subgroup 16 rows of 32 scores, or of 16 results.
var<workgroup> scores: array<vec4<f32>, most_cells>;

@if(warps)
const ieee = true;
@else
const ieee = false;

// Orders the memory of a subgroup.
@if(warps)
fn order() {
    subgroupBarrier();
}

@if(!warps)
fn order() {
    workgroupBarrier();
}

// The flags of the subgroups.
@if(!warps)
var<workgroup> flags: array<u32, 8>;

// Whether a row of the subgroup has a flag, or of another one, too.
@if(warps)
fn is_any(flag: bool, index: u32) -> bool {
    return subgroupAny(flag);
}

@if(!warps)
fn is_any(flag: bool, index: u32) -> bool {
    let any = subgroupAny(flag);
    if index % lanes == 0u {
        flags[index / lanes] = u32(any);
    }
    let all = workgroupUniformLoad(&flags);
    return (all[0] | all[1] | all[2] | all[3] | all[4] | all[5] | all[6] | all[7]) != 0u;
}

// Cells on their way to workgroup memory, and the cells of an invocation.
var<private> next_k = array<vec4<f16>, 16>();
var<private> next_v = array<vec4<f16>, 16>();

// The cells of a step, and the parts of an invocation.
fn cells_of_step() -> u32 {
    return keys_of_step * blocks * 4u;
}

fn parts() -> u32 {
    return (cells_of_step() + lanes * subgroups - 1u) / (lanes * subgroups);
}

fn fetch(first: u32, from_k: u32, from_v: u32, index: u32) {
    let cells = blocks * 4u;
    for (var part = 0u; part < parts(); part++) {
        let at = part * lanes * subgroups + index;
        // Keys behind the last one repeat it, and are excluded.
        let place = min(first + at / cells, attention.keys - 1u) * cells + at % cells;
        next_k[part] = k[from_k + place];
        next_v[part] = v[from_v + place];
    }
}

fn keep(index: u32) {
    let cells = blocks * 4u;
    for (var part = 0u; part < parts(); part++) {
        let at = part * lanes * subgroups + index;
        let to = at / cells * stride + at % cells;
        if cells_of_step() % (lanes * subgroups) == 0u || at < cells_of_step() {
            tile_k[to] = next_k[part];
            tile_v[to] = next_v[part];
        }
    }
}

// A part of a row: half of the scores of a step. The lanes of both halves have the same level.
struct Part {
    level: f32,
    sum: f32,
    // Whether a score is infinity or NaN.
    is_spoilt: bool,
}

// The scores of a part, negative infinity for keys that do not count.
struct Scores {
    four_0: vec4<f32>,
    four_1: vec4<f32>,
    four_2: vec4<f32>,
    four_3: vec4<f32>,
}

fn bits_of(four: vec4<f32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(four) & vec4(0x7fffffffu);
}

fn greatest_of(all: Scores) -> f32 {
    let most = max(max(all.four_0, all.four_1), max(all.four_2, all.four_3));
    return max(max(most.x, most.y), max(most.z, most.w));
}

// Powers of two relative to a level. With `warps`, on devices whose arithmetic is that of IEEE 754, NaN and infinity reach
// the sum of a row, and make its results NaN.
@if(warps)
fn power(four: vec4<f32>, times: f32, level: f32) -> vec4<f32> {
    return exp2(four * times - vec4(level));
}

// This power is exactly 0; lower ones, such as that of negative infinity, are replaced by it.
@if(!warps)
fn power(four: vec4<f32>, times: f32, level: f32) -> vec4<f32> {
    return exp2(max(four * times - vec4(level), vec4(-160.0)));
}

fn below(four: vec4<f32>, key: u32, limit: u32) -> vec4<f32> {
    let nothing = bitcast<f32>(attention.infinity | 0x80000000u);
    return select(vec4(nothing), four, vec4(key) + vec4(0u, 1u, 2u, 3u) < vec4(limit));
}

fn is_spoilt(one: f32) -> bool {
    return is_nan(one) || bitcast<u32>(one) == 0x7f800000u;
}

// Whether a score may be infinity or NaN.
@if(warps)
fn has_odd(all: Scores) -> bool {
    return false;
}

@if(!warps)
fn has_odd(all: Scores) -> bool {
    let most = max(max(bits_of(all.four_0), bits_of(all.four_1)), max(bits_of(all.four_2), bits_of(all.four_3)));
    return max(max(most.x, most.y), max(most.z, most.w)) >= 0x7f800000u;
}

// Whether one of four scores is infinity or NaN.
fn are_spoilt(four: vec4<f32>) -> bool {
    return is_spoilt(four.x) || is_spoilt(four.y) || is_spoilt(four.z) || is_spoilt(four.w);
}

fn without_spoilt(four: vec4<f32>) -> vec4<f32> {
    let nothing = bitcast<f32>(attention.infinity | 0x80000000u);
    return select(
        four, vec4(nothing), vec4(is_spoilt(four.x), is_spoilt(four.y), is_spoilt(four.z), is_spoilt(four.w)));
}

@compute @workgroup_size(lanes * subgroups)
fn matrices(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let plane = plane_of(group.y);
    let subgroup = index / lanes;
    let lane = index % lanes;
    let cells = blocks * 4u;
    let rows = subgroups * 16u;
    let last = attention.queries - 1u;
    // The first query of the subgroup.
    let query = group.x * rows + subgroup * 16u;
    let weights_at = subgroup * weights_of_subgroup;
    let scores_at = subgroup * scores_of_subgroup;
    // Scores are powers of two; those of `plain` are products, whose factor is positive.
    let times = select(1.0, attention.scale * binary, plain);
    // Keys behind the limit of the last query are not read.
    let end = limit_of(min(group.x * rows + rows - 1u, last));

    var queries: array<coop_mat16x16<f16, A>, 8>;
    for (var block = 0u; block < blocks; block += 2u) {
        for (var turn = 0u; turn < 128u / lanes; turn++) {
            let at = turn * lanes + lane;
            // Queries behind the last one repeat it, and are never stored.
            let source = plane.q / 4u + min(query + at / 8u, last) * cells + block * 4u + at % 8u;
            weights[weights_at + at / 8u * stride_of_weights + at % 8u] = q[source];
        }
        order();
        queries[block] = coopLoadT<coop_mat16x16<f16, A>>(&weights[weights_at], stride_of_weights);
        queries[block + 1u] = coopLoadT<coop_mat16x16<f16, A>>(&weights[weights_at + 4u], stride_of_weights);
        order();
    }

    // The row of a part is its number divided by two.
    var halves: array<Part, 4>;
    for (var turn = 0u; turn < 32u / lanes; turn++) {
        halves[turn] = Part(least(), 0.0, false);
    }
    var results: array<coop_mat16x16<f32, C>, 8>;
    fetch(0u, plane.k / 4u, plane.v / 4u, index);
    keep(index);
    workgroupBarrier();
    for (var first = 0u; first < end; first += keys_of_step) {
        // Fetches a step while the one before is used.
        fetch(first + keys_of_step, plane.k / 4u, plane.v / 4u, index);
        var products: array<coop_mat16x16<f32, C>, 2>;
        products[0] = coop_mat16x16<f32, C>();
        products[1] = coop_mat16x16<f32, C>();
        for (var block = 0u; block < blocks; block++) {
            for (var half = 0u; half < 2u; half++) {
                let right = coopLoad<coop_mat16x16<f16, B>>(&tile_k[half * 16u * stride + block * 4u], stride);
                products[half] = coopMultiplyAdd(queries[block], right, products[half]);
            }
        }
        coopStoreT(products[0], &scores[scores_at], stride_of_scores);
        coopStoreT(products[1], &scores[scores_at + 4u], stride_of_scores);
        order();

        var all: array<Scores, 4>;
        var greatest: array<f32, 4>;
        var is_above = false;
        for (var turn = 0u; turn < 32u / lanes; turn++) {
            let part = turn * lanes + lane;
            // The halves of a row take turns with its cells, which are then in different banks.
            let at = scores_at + part / 2u * stride_of_scores + part % 2u;
            var mine = Scores(scores[at], scores[at + 2u], scores[at + 4u], scores[at + 6u]);
            let row = min(query + part / 2u, last);
            let limit = limit_of(row);
            let key = first + part % 2u * 4u;
            if plain {
                let is_odd = has_odd(mine);
                if is_odd || first + keys_of_step > limit {
                    mine = Scores(below(mine.four_0, key, limit), below(mine.four_1, key + 8u, limit),
                        below(mine.four_2, key + 16u, limit), below(mine.four_3, key + 24u, limit));
                }
                if is_odd {
                    halves[turn].is_spoilt = halves[turn].is_spoilt || are_spoilt(mine.four_0)
                        || are_spoilt(mine.four_1) || are_spoilt(mine.four_2) || are_spoilt(mine.four_3);
                    mine = Scores(without_spoilt(mine.four_0), without_spoilt(mine.four_1),
                        without_spoilt(mine.four_2), without_spoilt(mine.four_3));
                }
            } else {
                // In memory, not in registers, as a vector has no index that is a variable.
                for (var four = 0u; four < 4u; four++) {
                    let products = scores[at + four * 2u];
                    let place = key + four * 8u;
                    let found = binary * vec4(
                        score(plane, row, limit, place, products.x),
                        score(plane, row, limit, place + 1u, products.y),
                        score(plane, row, limit, place + 2u, products.z),
                        score(plane, row, limit, place + 3u, products.w));
                    // Where infinity does not become NaN by itself.
                    if !ieee {
                        halves[turn].is_spoilt = halves[turn].is_spoilt || are_spoilt(found);
                    }
                    scores[at + four * 2u] = select(without_spoilt(found), found, ieee);
                }
                mine = Scores(scores[at], scores[at + 2u], scores[at + 4u], scores[at + 6u]);
            }
            let own = greatest_of(mine) * times;
            greatest[turn] = max(own, subgroupShuffleXor(own, 1u));
            is_above = is_above || greatest[turn] > halves[turn].level + slack;
            all[turn] = mine;
        }
        // Not an `if`: naga wants its condition to be uniform in the workgroup, while the subgroup is enough here.
        for (var rises = is_any(is_above, index); rises; rises = false) {
            // Levels rise to the greatest scores, and results are scaled to them.
            var scales: array<f32, 4>;
            for (var turn = 0u; turn < 32u / lanes; turn++) {
                let now = max(greatest[turn], halves[turn].level);
                scales[turn] = exp2(max(halves[turn].level - now, -160.0));
                halves[turn].level = now;
                halves[turn].sum *= scales[turn];
            }
            for (var block = 0u; block < blocks; block++) {
                order();
                coopStoreT(results[block], &scores[scores_at], stride_of_scores);
                order();
                for (var turn = 0u; turn < 32u / lanes; turn++) {
                    let part = turn * lanes + lane;
                    let at = scores_at + part / 2u * stride_of_scores + part % 2u;
                    scores[at] *= scales[turn];
                    scores[at + 2u] *= scales[turn];
                }
                order();
                results[block] = coopLoadT<coop_mat16x16<f32, C>>(&scores[scores_at], stride_of_scores);
            }
        }
        for (var turn = 0u; turn < 32u / lanes; turn++) {
            let part = turn * lanes + lane;
            let level = halves[turn].level - offset;
            let power_0 = power(all[turn].four_0, times, level);
            let power_1 = power(all[turn].four_1, times, level);
            let power_2 = power(all[turn].four_2, times, level);
            let power_3 = power(all[turn].four_3, times, level);
            let sums = (power_0 + power_1) + (power_2 + power_3);
            halves[turn].sum += (sums.x + sums.y) + (sums.z + sums.w);
            let at = weights_at + part / 2u * stride_of_weights + part % 2u;
            weights[at] = vec4<f16>(power_0);
            weights[at + 2u] = vec4<f16>(power_1);
            weights[at + 4u] = vec4<f16>(power_2);
            weights[at + 6u] = vec4<f16>(power_3);
        }
        order();
        for (var half = 0u; half < 2u; half++) {
            let left = coopLoadT<coop_mat16x16<f16, A>>(&weights[weights_at + half * 4u], stride_of_weights);
            for (var block = 0u; block < blocks; block++) {
                let right = coopLoadT<coop_mat16x16<f16, B>>(&tile_v[half * 16u * stride + block * 4u], stride);
                results[block] = coopMultiplyAdd(left, right, results[block]);
            }
        }
        workgroupBarrier();
        keep(index);
        workgroupBarrier();
    }

    // Rows without keys are 0, rows with a score of infinity or NaN are NaN.
    var inverses: array<f32, 4>;
    for (var turn = 0u; turn < 32u / lanes; turn++) {
        let sum = halves[turn].sum + subgroupShuffleXor(halves[turn].sum, 1u);
        let spoilt = u32(halves[turn].is_spoilt);
        let both = spoilt | subgroupShuffleXor(spoilt, 1u);
        let inverse = select(0.0, 1.0 / sum, sum > 0.0);
        inverses[turn] = select(inverse, bitcast<f32>(attention.infinity | 0x400000u), both != 0u);
    }
    for (var block = 0u; block < blocks; block++) {
        order();
        coopStoreT(results[block], &scores[scores_at], stride_of_scores);
        order();
        for (var turn = 0u; turn < 32u / lanes; turn++) {
            let part = turn * lanes + lane;
            let at = scores_at + part / 2u * stride_of_scores + part % 2u;
            if query + part / 2u < attention.queries {
                let to = plane.y / 4u + (query + part / 2u) * cells + block * 4u + part % 2u;
                y[to] = vec4<f16>(scores[at] * inverses[turn]);
                y[to + 2u] = vec4<f16>(scores[at + 2u] * inverses[turn]);
            }
        }
    }
}
