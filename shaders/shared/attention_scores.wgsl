// Attention: the sizes of a call, and the scores of queries and keys. Floats are f32, or, with `packed`, two in a word.
@if(packed)
import package::shared::halves::element_in;

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

struct Attention {
    // The distances of neighbours in the mask and the bias: batches, heads, queries, keys; 0 where all share an element.
    in_mask: vec4<u32>,
    in_bias: vec4<u32>,
    batches: u32,
    heads: u32,
    queries: u32,
    keys: u32,
    // The number of heads of queries that share a head of keys.
    group: u32,
    // The number of elements of a query and of a key, and of a value.
    size: u32,
    size_of_value: u32,
    // Query i attends to the keys up to i + offset.
    offset: i32,
    scale: f32,
    // The bound of scores; 0 for no bound.
    cap: f32,
    // 1 if there is a mask, or a bias. Kernels are not specialised for these, as kernels take long to compile.
    has_mask: u32,
    has_bias: u32,
    first_of_q: u32,
    first_of_k: u32,
    first_of_v: u32,
    first_of_mask: u32,
    first_of_bias: u32,
    first_of_y: u32,
    // The number of parts of the keys, and of the keys of a part.
    parts: u32,
    chunk: u32,
    // The bits of infinity: compilers assume that constants are finite.
    infinity: u32,
}

@group(0) @binding(0) var<uniform> attention: Attention;
@group(0) @binding(4) var<storage> mask: array<u32>;
@group(0) @binding(5) var<storage> bias: array<Cell>;

@if(packed)
fn load_bias(at: u32) -> f32 {
    return element_in(bias[at / 2u], at);
}

@if(!packed)
fn load_bias(at: u32) -> f32 {
    return bias[at];
}

// The index of the first element of a head of a batch, in each array.
struct Plane {
    q: u32,
    k: u32,
    v: u32,
    y: u32,
    mask: u32,
    bias: u32,
}

fn plane_of(number: u32) -> Plane {
    let batch = number / attention.heads;
    let head = number - batch * attention.heads;
    let shared_plane = number / attention.group;
    return Plane(
        attention.first_of_q + number * attention.queries * attention.size,
        attention.first_of_k + shared_plane * attention.keys * attention.size,
        attention.first_of_v + shared_plane * attention.keys * attention.size_of_value,
        attention.first_of_y + number * attention.queries * attention.size_of_value,
        attention.first_of_mask + batch * attention.in_mask.x + head * attention.in_mask.y,
        attention.first_of_bias + batch * attention.in_bias.x + head * attention.in_bias.y,
    );
}

// Returns the number of keys to which a query may attend.
fn limit_of(query: u32) -> u32 {
    return u32(clamp(i32(query) + attention.offset + 1, 0, i32(attention.keys)));
}

fn is_nan(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}

// Returns the score of a query and a key from the product of their elements: negative infinity for keys to which the
// query does not attend, infinity in place of NaN, as comparisons of NaN have no defined results.
fn score(plane: Plane, query: u32, limit: u32, key: u32, product: f32) -> f32 {
    let infinity = bitcast<f32>(attention.infinity);
    // A key behind the last key is excluded by the limit.
    let place = min(key, attention.keys - 1u);
    var result = product * attention.scale;
    if attention.cap > 0.0 {
        // Drivers may compute NaN as the tanh of large arguments, which is 1.
        let capped = attention.cap * tanh(clamp(result / attention.cap, -20.0, 20.0));
        result = select(capped, result, is_nan(result));
    }
    if attention.has_bias != 0u {
        result += load_bias(plane.bias + query * attention.in_bias.z + place * attention.in_bias.w);
    }
    result = select(result, infinity, is_nan(result));
    var has_key = key < limit;
    if attention.has_mask != 0u {
        has_key = has_key && mask[plane.mask + query * attention.in_mask.z + place * attention.in_mask.w] != 0u;
    }
    return select(bitcast<f32>(attention.infinity | 0x80000000u), result, has_key);
}

// The greatest score of some keys, or the least finite number, and the sum of exponentials relative to this score.
struct Part {
    greatest: f32,
    sum: f32,
}

// Returns the least finite number, from the bits of infinity, as browsers refuse it as a decimal constant.
fn least() -> f32 {
    return bitcast<f32>((attention.infinity - 1u) | 0x80000000u);
}

// The exponential of this number is exactly 0; lower differences, such as negative infinity, are replaced by it.
const lowest = -110.0;

fn power(score: f32, greatest: f32) -> f32 {
    return exp(max(score - greatest, lowest));
}

fn powers(scores: vec4<f32>, greatest: vec4<f32>) -> vec4<f32> {
    return exp(max(scores - greatest, vec4(lowest)));
}

// Returns the factor of a row's results: 0 for rows without keys, NaN for rows with a score of infinity.
fn factor_of(part: Part) -> f32 {
    if bitcast<u32>(part.greatest) == 0x7f800000u {
        return bitcast<f32>(attention.infinity | 0x400000u);
    }
    return select(0.0, 1.0 / part.sum, part.sum > 0.0);
}
