// The elements of a scan in place: a variant of `scan_input`.
import package::shared::scan_monoid::T;
import package::shared::scan_sizes::sizes;
import package::shared::scan_target::y;

fn at(place: u32) -> T {
    return y[sizes.first_of_y + place];
}
