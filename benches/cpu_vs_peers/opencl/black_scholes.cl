// Prices of European call and put options (Black and Scholes), with the normal distribution by a polynomial of
// Hastings.
#define RATE 0.02f
#define VOLATILITY 0.3f

float normal_distribution(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989423f * exp(-0.5f * d * d) * series;
    return d > 0.0f ? 1.0f - tail : tail;
}

// An option has the price of the stock, that of the contract, and the years until its end.
__kernel void run(__global const float4 *restrict options, __global float2 *restrict prices) {
    size_t i = get_global_id(0);
    float4 option = options[i];
    float deviation = VOLATILITY * sqrt(option.z);
    float drift = (RATE + 0.5f * VOLATILITY * VOLATILITY) * option.z;
    float d1 = (log(option.x / option.y) + drift) / deviation;
    float discounted = option.y * exp(-RATE * option.z);
    float call = option.x * normal_distribution(d1) - discounted * normal_distribution(d1 - deviation);
    prices[i] = (float2)(call, call + discounted - option.x);
}
