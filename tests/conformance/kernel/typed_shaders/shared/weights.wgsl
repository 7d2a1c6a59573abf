alias T = f32;

/// A factor and a summand.
struct Weights {
    factor: T,
    shift: vec3<T>,
}

fn weigh(weights: Weights, value: T) -> T {
    return weights.factor * value + weights.shift.z;
}
