// Attention for processors, without workgroup memory: an invocation computes a row of results, or a part of its keys.
//
// Scores and exponentials are not stored: those of four keys at a time are relative to the greatest score so far (Milakov
// and Gimelshein, 2018; Dao, 'FlashAttention-2', 2023).
import package::shared::attention::{load_k, load_q, load_v, store};
import package::shared::attention_scores::{
    Part, Plane, attention, factor_of, least, limit_of, plane_of, power, powers, score,
};
import package::shared::attention_parts::{parts, place_of_part, store_part};

// The elements of the query, and the sums of values, four in each vector.
var<private> query_fours: array<vec4<f32>, 64> = array<vec4<f32>, 64>();
var<private> sums: array<vec4<f32>, 64> = array<vec4<f32>, 64>();

// The elements of the last vector, of which `count` exist, have distances that stay inside the array.
fn inside(count: u32) -> vec3<u32> {
    return min(vec3(1u, 2u, 3u), vec3(count - 1u));
}

// Zeros in place of elements that do not exist.
fn existing(values: vec4<f32>, count: u32) -> vec4<f32> {
    return select(vec4(0.0), values, vec4(0u, 1u, 2u, 3u) < vec4(count));
}

fn four_of_k(at: u32) -> vec4<f32> {
    return vec4(load_k(at), load_k(at + 1u), load_k(at + 2u), load_k(at + 3u));
}

fn last_of_k(at: u32, count: u32) -> vec4<f32> {
    let to = vec3(at) + inside(count);
    return existing(vec4(load_k(at), load_k(to.x), load_k(to.y), load_k(to.z)), count);
}

fn four_of_v(at: u32) -> vec4<f32> {
    return vec4(load_v(at), load_v(at + 1u), load_v(at + 2u), load_v(at + 3u));
}

fn last_of_v(at: u32, count: u32) -> vec4<f32> {
    let to = vec3(at) + inside(count);
    return existing(vec4(load_v(at), load_v(to.x), load_v(to.y), load_v(to.z)), count);
}

fn begin_row(plane: Plane, query: u32) {
    let at = plane.q + query * attention.size;
    let whole = attention.size / 4u;
    for (var four = 0u; four < whole; four++) {
        let from_q = at + four * 4u;
        query_fours[four] = vec4(load_q(from_q), load_q(from_q + 1u), load_q(from_q + 2u), load_q(from_q + 3u));
    }
    let count = attention.size % 4u;
    if count > 0u {
        let first = at + whole * 4u;
        let to = vec3(first) + inside(count);
        query_fours[whole] = existing(vec4(load_q(first), load_q(to.x), load_q(to.y), load_q(to.z)), count);
    }
    for (var four = 0u; four < (attention.size_of_value + 3u) / 4u; four++) {
        sums[four] = vec4(0.0);
    }
}

// The products of the query and four keys, which begin at these elements.
fn products_of(keys: vec4<u32>) -> vec4<f32> {
    var products = vec4(0.0);
    let whole = attention.size / 4u;
    for (var four = 0u; four < whole; four++) {
        let elements = query_fours[four];
        let at = keys + four * 4u;
        products.x += dot(elements, four_of_k(at.x));
        products.y += dot(elements, four_of_k(at.y));
        products.z += dot(elements, four_of_k(at.z));
        products.w += dot(elements, four_of_k(at.w));
    }
    let count = attention.size % 4u;
    if count > 0u {
        let elements = query_fours[whole];
        let at = keys + whole * 4u;
        products.x += dot(elements, last_of_k(at.x, count));
        products.y += dot(elements, last_of_k(at.y, count));
        products.z += dot(elements, last_of_k(at.z, count));
        products.w += dot(elements, last_of_k(at.w, count));
    }
    return products;
}

// Adds four values, which begin at these elements, to sums that become smaller by a factor.
fn add_values(values: vec4<u32>, weights: vec4<f32>, factor: f32) {
    let whole = attention.size_of_value / 4u;
    for (var four = 0u; four < whole; four++) {
        let at = values + four * 4u;
        let near = weights.x * four_of_v(at.x) + weights.y * four_of_v(at.y);
        let far = weights.z * four_of_v(at.z) + weights.w * four_of_v(at.w);
        sums[four] = sums[four] * factor + (near + far);
    }
    let count = attention.size_of_value % 4u;
    if count > 0u {
        let at = values + whole * 4u;
        let near = weights.x * last_of_v(at.x, count) + weights.y * last_of_v(at.y, count);
        let far = weights.z * last_of_v(at.z, count) + weights.w * last_of_v(at.w, count);
        sums[whole] = sums[whole] * factor + (near + far);
    }
}

// Four keys for each of some steps. Their number is the same for neighbours, so that processors compute them as vectors.
fn attend(plane: Plane, query: u32, begin: u32, steps: u32) -> Part {
    begin_row(plane, query);
    let limit = limit_of(query);
    var part = Part(least(), 0.0);
    for (var step = 0u; step < steps; step++) {
        let keys = vec4(begin + step * 4u) + vec4(0u, 1u, 2u, 3u);
        // Keys behind the last one repeat it, and are excluded.
        let places = min(keys, vec4(attention.keys - 1u));
        let products = products_of(vec4(plane.k) + places * attention.size);
        let scores = vec4(
            score(plane, query, limit, keys.x, products.x),
            score(plane, query, limit, keys.y, products.y),
            score(plane, query, limit, keys.z, products.z),
            score(plane, query, limit, keys.w, products.w),
        );
        let greatest = max(part.greatest, max(max(scores.x, scores.y), max(scores.z, scores.w)));
        let weights = powers(scores, vec4(greatest));
        let factor = power(part.greatest, greatest);
        part = Part(greatest, part.sum * factor + ((weights.x + weights.y) + (weights.z + weights.w)));
        add_values(vec4(plane.v) + places * attention.size_of_value, weights, factor);
    }
    return part;
}

// Neighbours compute neighbouring queries, which share keys and values.
@compute @workgroup_size(64)
fn whole_rows(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if id.x >= attention.queries {
        return;
    }
    let plane = plane_of(id.y);
    // The limit of the last query of the workgroup.
    let end = limit_of(min(group.x * 64u + 63u, attention.queries - 1u));
    let part = attend(plane, id.x, 0u, (end + 3u) / 4u);
    let factor = factor_of(part);
    let at = plane.y + id.x * attention.size_of_value;
    for (var four = 0u; four < (attention.size_of_value + 3u) / 4u; four++) {
        let result = sums[four] * factor;
        let count = attention.size_of_value - four * 4u;
        store(at + four * 4u, result.x);
        if count > 1u {
            store(at + four * 4u + 1u, result.y);
        }
        if count > 2u {
            store(at + four * 4u + 2u, result.z);
        }
        if count > 3u {
            store(at + four * 4u + 3u, result.w);
        }
    }
}

// Neighbours compute neighbouring parts of a row.
@compute @workgroup_size(8)
fn parts_of_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= attention.parts {
        return;
    }
    let number = id.y / attention.queries;
    let query = id.y - number * attention.queries;
    let part = attend(plane_of(number), query, id.x * attention.chunk, attention.chunk / 4u);
    let place = place_of_part(id.y, id.x);
    for (var four = 0u; four < (attention.size_of_value + 3u) / 4u; four++) {
        let result = sums[four];
        let count = attention.size_of_value - four * 4u;
        parts[place + four * 4u] = result.x;
        if count > 1u {
            parts[place + four * 4u + 1u] = result.y;
        }
        if count > 2u {
            parts[place + four * 4u + 2u] = result.z;
        }
        if count > 3u {
            parts[place + four * 4u + 3u] = result.w;
        }
    }
    store_part(place, part);
}
