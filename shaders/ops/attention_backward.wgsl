// The derivatives of attention by queries, keys and values, from those by the results. No matrix of scores is stored: each
// kernel computes them again, relative to the greatest score of a row and the sum of exponentials (Dao,
// 'FlashAttention-2', 2023).
import package::shared::attention::{load_k, load_q, load_v};
import package::shared::attention_scores::{Part, Plane, attention, factor_of, least, limit_of, plane_of, power, score};
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Element = u32;
@else
alias Element = f32;

// The index of the first element of the results in their binding.
struct Backward {
    first: u32,
}

@group(0) @binding(7) var<storage> dy: array<Element>;
// The greatest score of each row, the factor of its exponentials, and the mean of the products of dy and values.
@group(0) @binding(8) var<storage, read_write> rows: array<vec4<f32>>;
// The words are atomic, because two invocations may each write one half of a word.
@if(packed)
@group(0) @binding(9) var<storage, read_write> results: array<atomic<u32>>;
@else
@group(0) @binding(9) var<storage, read_write> results: array<f32>;
@group(0) @binding(10) var<uniform> backward: Backward;

const size = 64u;

// The parts of a row, or the factors of 64 rows or keys.
var<workgroup> greatest_of: array<f32, 64>;
var<workgroup> sum_of: array<f32, 64>;
var<workgroup> factors: array<f32, 64>;
// The sums of an invocation, for each 64th element.
var<private> sums: array<f32, 4> = array<f32, 4>();

@if(packed)
fn load_dy(at: u32) -> f32 {
    return element_in(dy[at / 2u], at);
}

@if(!packed)
fn load_dy(at: u32) -> f32 {
    return dy[at];
}

@if(packed)
fn store(at: u32, value: f32) {
    let shift = at % 2u * 16u;
    // Keeps the other half of the word, also if another invocation changes it between the two operations.
    atomicAnd(&results[at / 2u], ~(0xffffu << shift));
    atomicOr(&results[at / 2u], rounded(vec4(value)).x << shift);
}

@if(!packed)
fn store(at: u32, value: f32) {
    results[at] = value;
}

fn product_of(plane: Plane, query: u32, key: u32) -> f32 {
    let in_q = plane.q + query * attention.size;
    let in_k = plane.k + key * attention.size;
    var sum = 0.0;
    for (var i = 0u; i < attention.size; i++) {
        sum += load_q(in_q + i) * load_k(in_k + i);
    }
    return sum;
}

// Returns the product of a row of dy and a value.
fn product_of_value(plane: Plane, query: u32, key: u32) -> f32 {
    let in_dy = plane.y + query * attention.size_of_value;
    let in_v = plane.v + key * attention.size_of_value;
    var sum = 0.0;
    for (var i = 0u; i < attention.size_of_value; i++) {
        sum += load_dy(in_dy + i) * load_v(in_v + i);
    }
    return sum;
}

// Whether a score is negative infinity, so that the query does not attend to the key, and no NaN of one reaches the other.
fn is_excluded(value: f32) -> bool {
    return bitcast<u32>(value) == (attention.infinity | 0x80000000u);
}

// Returns the product of a factor and an element; 0 for a factor of 0, also if the element is not finite.
fn weighted(factor: f32, element: f32) -> f32 {
    return select(factor * element, 0.0, factor == 0.0);
}

// Returns the share of a key in a row's result, from the product of query and key.
fn share_of(plane: Plane, query: u32, key: u32, product: f32) -> f32 {
    let value = score(plane, query, limit_of(query), key, product);
    if is_excluded(value) {
        return 0.0;
    }
    let row = rows[row_of(plane, query)];
    return power(value, row.x) * row.y;
}

// Returns the number of a row from its first element in dy.
fn row_of(plane: Plane, query: u32) -> u32 {
    return (plane.y - attention.first_of_y) / attention.size_of_value + query;
}

// Returns the derivative by the product of a query and a key.
fn slope_of(plane: Plane, query: u32, key: u32) -> f32 {
    let product = product_of(plane, query, key);
    let value = score(plane, query, limit_of(query), key, product);
    if is_excluded(value) {
        return 0.0;
    }
    let row = rows[row_of(plane, query)];
    var slope = power(value, row.x) * row.y * (product_of_value(plane, query, key) - row.z) * attention.scale;
    if attention.cap > 0.0 {
        let height = tanh(clamp(product * attention.scale / attention.cap, -20.0, 20.0));
        slope *= 1.0 - height * height;
    }
    return slope;
}

// A workgroup for each row.
@compute @workgroup_size(64)
fn statistics(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let number = group.x / attention.queries;
    let query = group.x - number * attention.queries;
    let plane = plane_of(number);
    let limit = limit_of(query);
    var part = Part(least(), 0.0);
    var sum_of_products = 0.0;
    for (var key = index; key < limit; key += size) {
        let value = score(plane, query, limit, key, product_of(plane, query, key));
        let greatest = max(part.greatest, value);
        let factor = power(part.greatest, greatest);
        let weight = power(value, greatest);
        part = Part(greatest, part.sum * factor + weight);
        let of_value = select(weight * product_of_value(plane, query, key), 0.0, is_excluded(value));
        sum_of_products = sum_of_products * factor + of_value;
    }
    greatest_of[index] = part.greatest;
    sum_of[index] = part.sum;
    factors[index] = sum_of_products;
    for (var half = size / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if index < half {
            let other = index + half;
            let greatest = max(greatest_of[index], greatest_of[other]);
            let of_this = power(greatest_of[index], greatest);
            let of_other = power(greatest_of[other], greatest);
            greatest_of[index] = greatest;
            sum_of[index] = sum_of[index] * of_this + sum_of[other] * of_other;
            factors[index] = factors[index] * of_this + factors[other] * of_other;
        }
    }
    if index == 0u {
        let factor = factor_of(Part(greatest_of[0], sum_of[0]));
        rows[group.x] = vec4(greatest_of[0], factor, factors[0] * factor, 0.0);
    }
}

// A workgroup for each row: the derivatives by a query.
@compute @workgroup_size(64)
fn by_queries(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let number = group.x / attention.queries;
    let query = group.x - number * attention.queries;
    let plane = plane_of(number);
    let limit = limit_of(query);
    for (var first = 0u; first < limit; first += size) {
        let count = min(limit - first, size);
        factors[index] = 0.0;
        if index < count {
            factors[index] = slope_of(plane, query, first + index);
        }
        workgroupBarrier();
        for (var i = index; i < attention.size; i += size) {
            var sum = 0.0;
            for (var key = 0u; key < count; key++) {
                sum += weighted(factors[key], load_k(plane.k + (first + key) * attention.size + i));
            }
            sums[i / size] += sum;
        }
        workgroupBarrier();
    }
    for (var i = index; i < attention.size; i += size) {
        store(backward.first + group.x * attention.size + i, sums[i / size]);
    }
}

// A workgroup for each key: the derivatives by the key.
@compute @workgroup_size(64)
fn by_keys(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let shared_plane = group.x / attention.keys;
    let key = group.x - shared_plane * attention.keys;
    for (var head = 0u; head < attention.group; head++) {
        let plane = plane_of(shared_plane * attention.group + head);
        for (var first = 0u; first < attention.queries; first += size) {
            let count = min(attention.queries - first, size);
            factors[index] = 0.0;
            if index < count {
                if key < limit_of(first + index) {
                    factors[index] = slope_of(plane, first + index, key);
                }
            }
            workgroupBarrier();
            for (var i = index; i < attention.size; i += size) {
                var sum = 0.0;
                for (var query = 0u; query < count; query++) {
                    sum += weighted(factors[query], load_q(plane.q + (first + query) * attention.size + i));
                }
                sums[i / size] += sum;
            }
            workgroupBarrier();
        }
    }
    for (var i = index; i < attention.size; i += size) {
        store(backward.first + group.x * attention.size + i, sums[i / size]);
    }
}

// A workgroup for each key: the derivatives by its value.
@compute @workgroup_size(64)
fn by_values(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let shared_plane = group.x / attention.keys;
    let key = group.x - shared_plane * attention.keys;
    for (var head = 0u; head < attention.group; head++) {
        let plane = plane_of(shared_plane * attention.group + head);
        for (var first = 0u; first < attention.queries; first += size) {
            let count = min(attention.queries - first, size);
            factors[index] = 0.0;
            if index < count {
                if key < limit_of(first + index) {
                    let product = product_of(plane, first + index, key);
                    factors[index] = share_of(plane, first + index, key, product);
                }
            }
            workgroupBarrier();
            for (var i = index; i < attention.size_of_value; i += size) {
                var sum = 0.0;
                for (var query = 0u; query < count; query++) {
                    let of_dy = load_dy(plane.y + (first + query) * attention.size_of_value + i);
                    sum += weighted(factors[query], of_dy);
                }
                sums[i / size] += sum;
            }
            workgroupBarrier();
        }
    }
    for (var i = index; i < attention.size_of_value; i += size) {
        store(backward.first + group.x * attention.size_of_value + i, sums[i / size]);
    }
}
