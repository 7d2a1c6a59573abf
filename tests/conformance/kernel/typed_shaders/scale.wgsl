//! Imports a struct and a function; compiled for several element types.
import super::shared::weights::{T, Weights, weigh};

@group(0) @binding(0) var<storage> weights: Weights;
@group(0) @binding(1) var<storage, read_write> data: array<T>;

@compute @workgroup_size(1)
fn scale() {
    data[0] = weigh(weights, data[0]);
    @if(twice) {
        data[0] = weigh(weights, data[0]);
    }
}
