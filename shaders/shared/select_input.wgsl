// Ones for kept elements and zeros for others, one element at a time: a variant of `scan_input`.
import package::shared::select_kept::is_kept;

fn at(place: u32) -> u32 {
    return u32(is_kept(place));
}
