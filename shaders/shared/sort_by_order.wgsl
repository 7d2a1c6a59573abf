// The type of elements of a sort by a comparison, and the comparison. The operator replaces this file.
alias T = u32;

// The number of elements that a workgroup sorts.
const tile = 512u;

fn before(x: T, y: T) -> bool {
    return x < y;
}
