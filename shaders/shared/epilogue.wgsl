// The activation function that an operator applies to a sum before it stores the result.

// One of the constants below.
override activation: u32 = 0u;

const relu = 1u;
const gelu = 2u;
const silu = 3u;

// 1 - erf(z) for z of at least 0: a Chebyshev fit with a relative error of 1.2e-7 (Press et al., 'Numerical Recipes', 6.2).
fn complement_of_erf(z: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.5 * z);
    var fit = -0.82215223 + t * 0.17087277;
    fit = 1.48851587 + t * fit;
    fit = -1.13520398 + t * fit;
    fit = 0.27886807 + t * fit;
    fit = -0.18628806 + t * fit;
    fit = 0.09678418 + t * fit;
    fit = 0.37409196 + t * fit;
    fit = 1.00002368 + t * fit;
    return t * exp(-z * z - 1.26551223 + t * fit);
}

fn activated(sum: f32) -> f32 {
    if activation == relu {
        // Keeps NaN, which `max` and comparisons may drop: only the bits distinguish NaN from a negative number.
        let bits = bitcast<u32>(sum);
        return select(sum, 0.0, bits > 0x80000000u && bits <= 0xff800000u);
    }
    if activation == gelu {
        let tail = 0.5 * complement_of_erf(abs(sum) * 0.70710678);
        return sum * select(1.0 - tail, tail, sum < 0.0);
    }
    if activation == silu {
        return sum / (1.0 + exp(-sum));
    }
    return sum;
}
