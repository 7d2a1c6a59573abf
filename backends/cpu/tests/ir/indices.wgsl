// Constant indices become part of the offset.
// pass: optimise
// run: 3

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 32>;
@compute @workgroup_size(20)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
    let i = id.x; let n = data[i];
    // ...
}

// case: indices in range
var s = n; for (var k = 0u; k < 3u; k++) { tile[k] = s; s += tile[k + 1u]; } out[i] = s;
// check: load I32 workgroup + 4
// count 0: load I32 workgroup + $_ +

// case: out of range, reads clamp and writes are dropped
var s = n; for (var k = 30u; k < 34u; k++) { s = s * 3u + tile[k]; if (li == 0u) { tile[k] = 1u; } }
out[i] = s * 0u + n;
// count 0: loop
