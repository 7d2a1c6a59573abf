// An added call comes after its operands and before its users.
// pass: wide

@group(0) @binding(0) var<storage, read_write> wide: array<u64>;
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) n: u32) {
    wide[0] = (wide[1] + 1) << (n + 2u) | 4;
}

// check: fn main(
// check: let $sum = wide[1]
// next: = $_(
// check: wide[0] =
