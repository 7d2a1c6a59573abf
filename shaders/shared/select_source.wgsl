// Ones for kept elements and zeros for others, in tiles: a variant of `scan_source`.
import package::shared::scan_sizes::sizes;
import package::shared::select_kept::is_kept;

fn element(i: u32) -> u32 {
    if i < sizes.length {
        return u32(is_kept(i));
    }
    return 0u;
}

fn begins(i: u32) -> bool {
    return false;
}

fn place(i: u32) -> u32 {
    return i;
}
