// Sums of neighbouring elements where segments may begin.
import package::shared::scan_monoid::{A, combined};

// The sum of elements since the last head among them, and whether there is a head.
struct Part {
    sum: A,
    cut: bool,
}

// Returns the sum of two neighbouring parts.
fn joined(a: Part, b: Part) -> Part {
    if b.cut {
        return b;
    }
    return Part(combined(a.sum, b.sum), a.cut);
}
