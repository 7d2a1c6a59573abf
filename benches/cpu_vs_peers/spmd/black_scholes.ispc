// Prices of European call and put options (Black and Scholes), with the normal distribution by a polynomial of Hastings.
static const uniform float RATE = 0.02f;
static const uniform float VOLATILITY = 0.3f;

static inline float normal_distribution(float d) {
    float k = 1 / (1 + 0.2316419f * abs(d));
    float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989423f * exp(-0.5f * d * d) * series;
    return select(d > 0, 1 - tail, tail);
}

export void run(uniform float options[], uniform float unused[], uniform float prices[], uniform int first, uniform int last) {
    // The options are structures of four values, the prices of two. A unit of work is sixteen options.
    for (uniform int i = first * 16; i < last * 16; i += programCount) {
        float stock, contract, years, padding;
        aos_to_soa4(&options[4 * i], &stock, &contract, &years, &padding);
        float deviation = VOLATILITY * sqrt(years);
        float drift = (RATE + 0.5f * VOLATILITY * VOLATILITY) * years;
        float d1 = (log(stock / contract) + drift) / deviation;
        float discounted = contract * exp(-RATE * years);
        float call = stock * normal_distribution(d1) - discounted * normal_distribution(d1 - deviation);
        float put = call + discounted - stock;
        soa_to_aos2(call, put, &prices[2 * i]);
    }
}
