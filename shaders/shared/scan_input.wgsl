// The elements of a scan, by their index in memory.
import package::shared::scan_monoid::T;
import package::shared::scan_sizes::sizes;

@group(0) @binding(1) var<storage> x: array<T>;

fn at(place: u32) -> T {
    return x[sizes.first_of_x + place];
}
