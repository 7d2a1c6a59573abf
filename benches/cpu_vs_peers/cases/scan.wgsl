// Inclusive prefix sums: 1024 values per workgroup, four per thread (Hillis and Steele, 1986, over the threads' sums);
// then the same over the blocks' sums, which are added at the end.
const THREADS = 256u;

@group(0) @binding(0) var<storage> values: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> prefixes: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> block_sums: array<u32>;

var<workgroup> running: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn scan_blocks(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var own = vec4<u32>();
    if id.x < arrayLength(&values) {
        own = values[id.x];
    }
    own.y += own.x;
    own.z += own.y;
    own.w += own.z;
    var sum = own.w;
    running[local] = sum;
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance *= 2u) {
        if local >= distance {
            sum += running[local - distance];
        }
        workgroupBarrier();
        running[local] = sum;
        workgroupBarrier();
    }
    if id.x < arrayLength(&prefixes) {
        prefixes[id.x] = own + (sum - own.w);
    }
    if local == THREADS - 1u {
        block_sums[group.x] = sum;
    }
}

// The inclusive prefix sums of the blocks.
@group(0) @binding(3) var<storage> block_prefixes: array<u32>;

@compute @workgroup_size(THREADS)
fn add_block_sums(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if group.x > 0u && id.x < arrayLength(&prefixes) {
        prefixes[id.x] += block_prefixes[group.x - 1u];
    }
}
