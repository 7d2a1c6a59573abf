alias T = f32;

/// What is multiplied and added.
struct Weights {
    factor: T,
    shift: vec3<T>,
}

fn weigh(weights: Weights, value: T) -> T {
    return weights.factor * value + weights.shift.z;
}
