//! Kernels whose entry points have every kind of arguments.

pub(super) struct Kernel {
    pub(super) name: &'static str,
    pub(super) entry: &'static str,
    pub(super) source: &'static str,
}

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "one argument",
        entry: "main",
        source: "
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = id.x; }
        ",
    },
    Kernel {
        name: "every id, separately",
        entry: "main",
        source: "
            @group(0) @binding(0) var<storage, read_write> data: array<vec3<u32>>;
            @compute @workgroup_size(8, 4, 2)
            fn main(
                @builtin(local_invocation_index) index: u32,
                @builtin(num_workgroups) count: vec3<u32>,
                @builtin(global_invocation_id) global: vec3<u32>,
                @builtin(workgroup_id) group: vec3<u32>,
                @builtin(local_invocation_id) local: vec3<u32>,
            ) { data[index] = count + global + group + local; }
        ",
    },
    Kernel {
        name: "a struct",
        entry: "main",
        source: "
            struct Ids {
                @builtin(global_invocation_id) global: vec3<u32>,
                @builtin(local_invocation_index) index: u32,
                @builtin(num_workgroups) count: vec3<u32>,
            }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(8, 4, 2)
            fn main(ids: Ids) { data[ids.global.x] = ids.index + ids.count.y; }
        ",
    },
    Kernel {
        name: "two structs and an argument",
        entry: "main",
        source: "
            struct Local { @builtin(local_invocation_id) id: vec3<u32> }
            struct Group {
                @builtin(workgroup_id) id: vec3<u32>,
                @builtin(num_workgroups) count: vec3<u32>,
            }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(4, 4)
            fn main(group: Group, @builtin(global_invocation_id) id: vec3<u32>, local: Local) {
                data[id.x] = group.id.x * group.count.x + local.id.x;
            }
        ",
    },
    Kernel {
        name: "no arguments",
        entry: "main",
        source: "
            @group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
            @compute @workgroup_size(64)
            fn main() { atomicAdd(&count, 1u); }
        ",
    },
    Kernel {
        name: "subgroups",
        entry: "main",
        source: "
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(64)
            fn main(
                @builtin(num_subgroups) subgroups: u32,
                @builtin(subgroup_id) subgroup: u32,
                @builtin(subgroup_size) size: u32,
                @builtin(subgroup_invocation_id) lane: u32,
                @builtin(workgroup_id) group: vec3<u32>,
            ) {
                let sum = subgroupAdd(lane * size);
                if subgroup < subgroups { data[group.x] = sum + subgroupShuffleXor(sum, 1u); }
            }
        ",
    },
    Kernel {
        name: "subgroups in a struct",
        entry: "main",
        source: "
            struct Ids {
                @builtin(subgroup_invocation_id) lane: u32,
                @builtin(subgroup_size) size: u32,
                @builtin(workgroup_id) group: vec3<u32>,
            }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(64)
            fn main(ids: Ids) { data[ids.group.x] = subgroupAdd(ids.lane) / ids.size; }
        ",
    },
    Kernel {
        name: "workgroup memory and barriers",
        entry: "reduce",
        source: "
            @group(0) @binding(0) var<storage, read> input: array<f32>;
            @group(0) @binding(1) var<storage, read_write> output: array<f32>;
            var<workgroup> partial: array<f32, 64>;
            var<workgroup> steps: u32;
            @compute @workgroup_size(64)
            fn reduce(
                @builtin(workgroup_id) group: vec3<u32>,
                @builtin(local_invocation_index) index: u32,
            ) {
                if group.x >= arrayLength(&output) { return; }
                if index == 0u { steps = 6u; }
                partial[index] = input[group.x * 64u + index];
                let last = workgroupUniformLoad(&steps);
                for (var step = 0u; step < last; step++) {
                    let stride = 32u >> step;
                    workgroupBarrier();
                    if index < stride { partial[index] += partial[index + stride]; }
                }
                if index == 0u { output[group.x] = partial[0]; }
            }
        ",
    },
    Kernel {
        name: "helpers that take ids",
        entry: "main",
        source: "
            struct Ids {
                @builtin(global_invocation_id) global: vec3<u32>,
                @builtin(workgroup_id) group: vec3<u32>,
            }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            fn place(ids: Ids, count: vec3<u32>) -> u32 { return ids.global.x + row(ids.group, count); }
            fn row(group: vec3<u32>, count: vec3<u32>) -> u32 { return group.y * count.x; }
            fn store(to: ptr<function, u32>, value: u32) { *to = value; }
            @compute @workgroup_size(16, 16)
            fn main(ids: Ids, @builtin(num_workgroups) count: vec3<u32>) {
                var value: u32;
                store(&value, place(ids, count));
                data[value] = value;
            }
        ",
    },
    Kernel {
        name: "ids that are written to",
        entry: "main",
        source: "
            struct Ids { @builtin(global_invocation_id) global: vec3<u32> }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(1)
            fn main(ids: Ids) {
                var copy = ids;
                copy.global.x += 1u;
                data[copy.global.x] = ids.global.x;
            }
        ",
    },
    Kernel {
        name: "names like those of folding",
        entry: "main",
        source: "
            const linear = 3u;
            var<private> logical_id: vec3<u32>;
            @group(0) @binding(0) var<uniform> anywarp_grid: vec3<u32>;
            @group(0) @binding(1) var<storage, read_write> data: array<u32>;
            fn main_on_logical_grid(workgroup_id: vec3<u32>) -> u32 { return workgroup_id.x; }
            fn main_1() -> u32 { return linear; }
            @compute @workgroup_size(64)
            fn main(@builtin(workgroup_id) param: vec3<u32>) {
                logical_id = anywarp_grid;
                data[main_on_logical_grid(param)] = main_1() + logical_id.x;
            }
        ",
    },
    Kernel {
        name: "an entry point with the variable's name",
        entry: "anywarp_grid",
        source: "
            @compute @workgroup_size(64)
            fn anywarp_grid(@builtin(workgroup_id) id: vec3<u32>) {}
        ",
    },
    Kernel {
        name: "aliases",
        entry: "main",
        source: "
            alias Id = vec3<u32>;
            alias Index = u32;
            struct Ids { @builtin(workgroup_id) group: Id, @builtin(local_invocation_id) local: Id }
            @group(0) @binding(0) var<storage, read_write> data: array<Index>;
            @compute @workgroup_size(8, 8)
            fn main(
                ids: Ids,
                @builtin(local_invocation_index) index: Index,
                @builtin(global_invocation_id) global: Id,
                @builtin(num_workgroups) count: Id,
            ) { data[global.x] = ids.group.x + ids.local.x + index + count.x; }
        ",
    },
    Kernel {
        name: "cooperative matrices under a branch on the workgroup",
        entry: "main",
        source: "
            enable wgpu_cooperative_matrix;
            var<workgroup> tile: array<f32, 64>;
            @group(0) @binding(0) var<storage, read_write> data: array<f32>;
            fn square(at: u32) {
                let a = coopLoad<coop_mat8x8<f32, A>>(&data[at], 8u);
                let b = coopLoad<coop_mat8x8<f32, B>>(&data[at], 8u);
                let c = coopLoad<coop_mat8x8<f32, C>>(&data[at], 8u);
                coopStore(coopMultiplyAdd(a, b, c), &data[at], 8u);
            }
            @compute @workgroup_size(32)
            fn main(
                @builtin(workgroup_id) group: vec3<u32>,
                @builtin(num_workgroups) count: vec3<u32>,
            ) {
                if group.x + 1u == count.x { return; }
                if group.y == 0u { square(group.x * 64u); }
                let c = coopLoad<coop_mat8x8<f32, C>>(&data[group.x], 8u);
                coopStore(c, &data[group.y], 8u);
            }
        ",
    },
    Kernel {
        name: "one of two, sharing a struct",
        entry: "second",
        source: "
            struct Ids { @builtin(global_invocation_id) global: vec3<u32> }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            var<workgroup> shared_word: u32;
            @compute @workgroup_size(64)
            fn first(ids: Ids) { shared_word = 1u; data[ids.global.x] = shared_word; }
            @compute @workgroup_size(2, 3, 4)
            fn second(ids: Ids) { shared_word = 2u; data[ids.global.y] = shared_word; }
        ",
    },
    Kernel {
        name: "textures, immediates and atomics",
        entry: "main",
        source: "
            struct Settings { scale: f32, offset: vec2<u32> }
            var<immediate> settings: Settings;
            @group(0) @binding(0) var picture: texture_2d<f32>;
            @group(0) @binding(1) var smooth_sampler: sampler;
            @group(0) @binding(2) var canvas: texture_storage_2d<rgba8unorm, write>;
            @group(1) @binding(0) var<storage, read_write> histogram: array<atomic<u32>, 256>;
            fn sample(image: texture_2d<f32>, filtering: sampler, at: vec2<f32>) -> vec4<f32> {
                return textureSampleLevel(image, filtering, at, 0.0);
            }
            @compute @workgroup_size(16, 16)
            fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                let at = id.xy + settings.offset;
                let colour = sample(picture, smooth_sampler, vec2<f32>(at) * settings.scale);
                atomicAdd(&histogram[u32(colour.x * 255.0)], 1u);
                textureStore(canvas, at, colour);
            }
        ",
    },
];
