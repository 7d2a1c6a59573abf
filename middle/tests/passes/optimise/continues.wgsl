// The pass that replaces `continue` by branches, without other passes.
// pass: continues

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // ...
}

// case: the rest of the body becomes the other side of the branch
for (var i = 0u; i < id.y; i++) { if i == id.x { out[5] = 1u; continue; } out[i] = i; }
// count 0: continue;
// check: == id.x)
// check: out[5] = 1u;
// next: } else {
// check: out[$_] = $_;
// check: continuing {

// case: a loop without one
for (var i = 0u; i < id.y; i++) { out[i] = i; }
// check: unchanged
