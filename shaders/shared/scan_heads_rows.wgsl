// Segments of equal length: the rows of a matrix.
import package::shared::scan_sizes::sizes;

const segmented = true;

fn is_head(i: u32) -> bool {
    return i % sizes.row == 0u;
}
