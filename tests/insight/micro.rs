//! Small kernels, each with one pattern of access, branch or loop.

/// A kernel with the buffers `x`, which it reads, and `y`, which it writes; both of `u32`.
pub(crate) struct Micro {
    /// The name of the entry point, which a profiler shows.
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) groups: u32,
    /// The lengths of `x` and `y`.
    pub(crate) input: usize,
    pub(crate) output: usize,
}

/// The invocations of a workgroup, and the workgroups: few enough that all are observed.
const SIZE: u32 = 256;
const GROUPS: u32 = 32;
const ALL: usize = (SIZE * GROUPS) as usize;

/// The types of 4, 8 and 16 bytes.
const TYPES: [(u32, &str); 3] = [(4, "u32"), (8, "vec2<u32>"), (16, "vec4<u32>")];

/// Returns a kernel with this body, in which `i` is the global and `t` the local invocation index.
fn kernel(name: &str, size: u32, x: &str, y: &str, globals: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> x: array<{x}>;
@group(0) @binding(1) var<storage, read_write> y: array<{y}>;
{globals}
@compute @workgroup_size({size})
fn {name}(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {{
    let i = id.x;
    {body}
}}
"
    )
}

fn strides(all: &mut Vec<Micro>) {
    for (bytes, ty) in TYPES {
        for stride in [0, 1, 2, 3, 4, 5, 8, 16, 32, 64] {
            let name = format!("stride_{stride}_of_{bytes}");
            let source = kernel(&name, SIZE, ty, ty, "", &format!("y[i] = x[i * {stride}u];"));
            let elements = ALL * (stride as usize).max(1);
            let words = bytes as usize / 4;
            all.push(Micro { name, source, groups: GROUPS, input: elements * words, output: ALL * words });
        }
    }
    for stride in [2, 3, 8, 33] {
        let name = format!("write_stride_{stride}");
        let source = kernel(&name, SIZE, "u32", "u32", "", &format!("y[i * {stride}u] = x[i];"));
        all.push(Micro { name, source, groups: GROUPS, input: ALL, output: ALL * stride as usize });
    }
    for (name, index) in [
        ("offset_1", "i + 1u"),
        ("offset_7", "i + 7u"),
        ("backwards", "8191u - i"),
        ("pairs_swapped", "i ^ 1u"),
        ("warps_swapped", "i ^ 16u"),
        ("scrambled", "(i * 2654435761u) % 8192u"),
        ("halves", "i / 2u"),
    ] {
        let source = kernel(name, SIZE, "u32", "u32", "", &format!("y[i] = x[{index}];"));
        all.push(Micro { name: name.into(), source, groups: GROUPS, input: ALL + 8, output: ALL });
    }
}

/// Workgroups of one warp write a column of workgroup memory and read that of the next lane.
fn banks(all: &mut Vec<Micro>) {
    for (bytes, ty) in TYPES {
        for stride in [1, 2, 3, 4, 8, 16, 32, 33] {
            if stride * 32 * bytes > 16_384 {
                continue;
            }
            let name = format!("bank_stride_{stride}_of_{bytes}");
            let globals = format!("var<workgroup> tile: array<{ty}, {}>;", stride * 32);
            let body = format!(
                "tile[t * {stride}u] = x[i];\n    workgroupBarrier();\n    y[i] = tile[(t + 1u) % 32u * {stride}u];"
            );
            let words = GROUPS as usize * bytes as usize * 8;
            all.push(Micro {
                source: kernel(&name, 32, ty, ty, &globals, &body),
                name,
                groups: GROUPS,
                input: words,
                output: words,
            });
        }
    }
    let globals = "var<workgroup> tile: array<u32, 32>;";
    let body = "tile[t] = x[i];\n    workgroupBarrier();\n    y[i] = tile[x[0]];";
    let source = kernel("bank_broadcast", 32, "u32", "u32", globals, body);
    all.push(Micro { name: "bank_broadcast".into(), source, groups: GROUPS, input: 1024, output: 1024 });
}

/// A loop of integer arithmetic that no compiler shortens.
const WORK: &str = "var h = x[i];
    for (var k = 0u; k < TURNS; k++) {
        h = (h ^ (h >> 7u)) * 2654435761u + k;
    }
    y[i] = h;";

fn divergence(all: &mut Vec<Micro>) {
    for lanes in [1, 2, 4, 8, 16, 24, 31, 32] {
        let name = format!("branch_of_{lanes}_lanes");
        let work = WORK.replace("TURNS", "200u").replace('\n', "\n    ");
        let body = format!("if (t % 32u < {lanes}u) {{\n        {work}\n    }}");
        let source = kernel(&name, SIZE, "u32", "u32", "", &body);
        all.push(Micro { name, source, groups: GROUPS, input: ALL, output: ALL });
    }
    for (name, turns) in [("even_loop", "256u"), ("loop_by_lane", "8u * (t % 32u)"), ("loop_by_warp", "8u * (t / 32u)")]
    {
        let source = kernel(name, SIZE, "u32", "u32", "", &WORK.replace("TURNS", turns));
        all.push(Micro { name: name.into(), source, groups: GROUPS, input: ALL, output: ALL });
    }
}

fn atomics(all: &mut Vec<Micro>) {
    for words in [1, 4, 32] {
        let name = format!("atomics_on_{words}_words");
        let globals = "var<workgroup> sums: array<atomic<u32>, 32>;";
        let body = format!(
            "atomicAdd(&sums[t % {words}u], x[i]);\n    workgroupBarrier();\n    y[i] = atomicLoad(&sums[t % 32u]);"
        );
        let source = kernel(&name, SIZE, "u32", "u32", globals, &body);
        all.push(Micro { name, source, groups: GROUPS, input: ALL, output: ALL });
    }
}

/// All small kernels, in a fixed order.
pub(crate) fn all() -> Vec<Micro> {
    let mut all = Vec::new();
    strides(&mut all);
    banks(&mut all);
    divergence(&mut all);
    atomics(&mut all);
    all
}
