// Prices of European call and put options (Black and Scholes), with the normal distribution by a polynomial of Hastings.
struct Params { rate: f32, volatility: f32 }
// The price of the stock, that of the contract, and the years until its end.
@group(0) @binding(0) var<storage> options: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> prices: array<vec2f>;
@group(0) @binding(2) var<uniform> params: Params;

fn normal_distribution(d: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.2316419 * abs(d));
    let series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    let tail = 0.3989423 * exp(-0.5 * d * d) * series;
    return select(tail, 1.0 - tail, d > 0.0);
}

@compute @workgroup_size(64)
fn black_scholes(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&prices) {
        return;
    }
    let option = options[id.x];
    let deviation = params.volatility * sqrt(option.z);
    let drift = (params.rate + 0.5 * params.volatility * params.volatility) * option.z;
    let d1 = (log(option.x / option.y) + drift) / deviation;
    let discounted = option.y * exp(-params.rate * option.z);
    let call = option.x * normal_distribution(d1) - discounted * normal_distribution(d1 - deviation);
    prices[id.x] = vec2f(call, call + discounted - option.x);
}
