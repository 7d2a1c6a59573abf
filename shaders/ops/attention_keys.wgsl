// Attention of few queries: a workgroup computes a row of results, or a part of its keys, from 64 keys at a time.
//
// Scores and exponentials are not stored: those of a tile are relative to the greatest score so far (Milakov and
// Gimelshein, 2018; Dao, 'FlashAttention-2', 2023).
import package::shared::attention::{load_k, load_q, load_v, store};
import package::shared::attention_scores::{Part, attention, factor_of, least, limit_of, plane_of, power, score};
import package::shared::attention_parts::{parts, place_of_part, store_part};

// The keys of a tile, which are the invocations, and the elements of a key that are in workgroup memory.
const tile = 64u;
const deep = 32u;
// One more than needed, so that keys begin in different banks.
const stride = 33u;

// The quarters of 64 elements that a value has.
override wide: u32 = 4u;

var<workgroup> query_elements: array<f32, 256>;
var<workgroup> tile_of_keys: array<f32, 2112>;
var<workgroup> scores: array<f32, 64>;
var<workgroup> weights: array<f32, 64>;

// The sums of the values' elements with the invocation's number, 64 apart.
var<private> sums: vec4<f32> = vec4<f32>();

// The product of the query and the invocation's key of a tile.
fn product_of(k: u32, first: u32, local: u32) -> f32 {
    var product = 0.0;
    for (var begin = 0u; begin < attention.size; begin += deep) {
        workgroupBarrier();
        // Neighbours read neighbouring elements.
        for (var at = 0u; at < deep; at++) {
            let number = at * tile + local;
            let key = number / deep;
            let element = number % deep;
            var value = 0.0;
            if begin + element < attention.size && first + key < attention.keys {
                value = load_k(k + (first + key) * attention.size + begin + element);
            }
            tile_of_keys[key * stride + element] = value;
        }
        workgroupBarrier();
        for (var element = 0u; element < deep; element++) {
            product += query_elements[begin + element] * tile_of_keys[local * stride + element];
        }
    }
    return product;
}

fn add_values(v: u32, first: u32, end: u32, local: u32) {
    for (var key = first; key < end; key++) {
        let weight = weights[key - first];
        let at = v + key * attention.size_of_value + local;
        if local < attention.size_of_value {
            sums.x += weight * load_v(at);
        }
        if wide > 1u && local + 64u < attention.size_of_value {
            sums.y += weight * load_v(at + 64u);
        }
        if wide > 2u && local + 128u < attention.size_of_value {
            sums.z += weight * load_v(at + 128u);
        }
        if wide > 3u && local + 192u < attention.size_of_value {
            sums.w += weight * load_v(at + 192u);
        }
    }
}

// The keys of a row from `begin` to `end`. The sum is that of all invocations.
fn attend(number: u32, query: u32, begin: u32, end: u32, local: u32) -> Part {
    let plane = plane_of(number);
    let limit = limit_of(query);
    for (var at = local; at < 256u; at += tile) {
        var element = 0.0;
        if at < attention.size {
            element = load_q(plane.q + query * attention.size + at);
        }
        query_elements[at] = element;
    }
    var greatest = least();
    var sum = 0.0;
    for (var first = begin; first < end; first += tile) {
        let product = product_of(plane.k, first, local);
        let here = score(plane, query, min(limit, end), first + local, product);
        scores[local] = here;
        workgroupBarrier();
        var now = greatest;
        for (var at = 0u; at < tile; at++) {
            now = max(now, scores[at]);
        }
        let factor = power(greatest, now);
        greatest = now;
        let weight = power(here, greatest);
        sum = sum * factor + weight;
        sums *= factor;
        weights[local] = weight;
        workgroupBarrier();
        add_values(plane.v, first, min(first + tile, end), local);
    }
    workgroupBarrier();
    scores[local] = sum;
    workgroupBarrier();
    var total = 0.0;
    for (var at = 0u; at < tile; at++) {
        total += scores[at];
    }
    return Part(greatest, total);
}

@compute @workgroup_size(64)
fn whole_keys(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x / attention.queries;
    let query = group.x - number * attention.queries;
    let factor = factor_of(attend(number, query, 0u, limit_of(query), local));
    let at = attention.first_of_y + group.x * attention.size_of_value;
    if local < attention.size_of_value {
        store(at + local, sums.x * factor);
    }
    if local + 64u < attention.size_of_value {
        store(at + local + 64u, sums.y * factor);
    }
    if local + 128u < attention.size_of_value {
        store(at + local + 128u, sums.z * factor);
    }
    if local + 192u < attention.size_of_value {
        store(at + local + 192u, sums.w * factor);
    }
}

@compute @workgroup_size(64)
fn parts_of_keys(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.y / attention.queries;
    let query = group.y - number * attention.queries;
    let begin = group.x * attention.chunk;
    let part = attend(number, query, begin, min(begin + attention.chunk, limit_of(query)), local);
    let place = place_of_part(group.y, group.x);
    if local < attention.size_of_value {
        parts[place + local] = sums.x;
    }
    if local + 64u < attention.size_of_value {
        parts[place + local + 64u] = sums.y;
    }
    if local + 128u < attention.size_of_value {
        parts[place + local + 128u] = sums.z;
    }
    if local + 192u < attention.size_of_value {
        parts[place + local + 192u] = sums.w;
    }
    if local == 0u {
        store_part(place, part);
    }
}
