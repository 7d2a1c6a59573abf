// Loops without a proof that they end count their iterations.
// pass: explicit
// check: turns_low = 4294967295u;
// next: turns_high = 4294967295u;
// next: loop {
// check: continuing {
// check: let $low = turns_low;
// next: let $left = ($low - 1u);
// next: turns_low = $left;
// next: if ($left == 0u) {
// next: let $high = turns_high;
// next: if ($high != 0u) {
// next: turns_high = ($high - 1u);
// next: turns_low = 4294967295u;
// check: let $end = turns_low;
// next: break if
// check: $end == 0u

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> wide: Tail;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
@group(0) @binding(3) var<uniform> table: array<vec4<f32>, 4>;
var<workgroup> shared_data: array<u32, 16>;
struct Tail { head: u32, rows: array<array<u32, 4>> }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x; let n = id.y; let s = bitcast<i32>(id.z);
    // ...
}

// case: a loop with a break
loop { if data[0] == i { break; } }

// case: a while with a continue
while data[0] != i { if n == 1 { continue; } data[0] = 1u; }

// case: a for
for (var k = i; k != n; k += 2u) { data[0] = k; }

// case: a break at the end
var k = i; loop { data[0] = k; continuing { k += 2u; break if k == n; } }

// case: a loop with a return and a switch
loop { if n == 2 { return; } switch i { case 1u { continue; } default { break; } } }
