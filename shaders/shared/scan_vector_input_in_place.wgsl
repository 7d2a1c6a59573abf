// Vectors of four elements of a scan in place: a variant of `scan_vector_input`.
import package::shared::scan_monoid::T;
import package::shared::scan_sizes::sizes;
import package::shared::scan_vector_target::y;

fn at(place: u32) -> vec4<T> {
    return y[sizes.first_of_y + place];
}
