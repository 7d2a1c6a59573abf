// Vectors of four elements of a scan, by their index in memory.
import package::shared::scan_monoid::T;
import package::shared::scan_sizes::sizes;

@group(0) @binding(1) var<storage> x: array<vec4<T>>;

fn at(place: u32) -> vec4<T> {
    return x[sizes.first_of_x + place];
}
