//! Kernels that together use most of the language.

/// The kernels: names and WGSL texts.
pub(super) const KERNELS: [(&str, &str); 12] = [
    ("nothing", "@compute @workgroup_size(1) fn main() {}"),
    (
        "tiles",
        "struct Size { rows: u32, columns: u32, depth: u32 }
        @group(0) @binding(0) var<uniform> size: Size;
        @group(0) @binding(1) var<storage> a: array<f32>;
        @group(0) @binding(2) var<storage> b: array<f32>;
        @group(0) @binding(3) var<storage, read_write> c: array<f32>;
        var<workgroup> left: array<array<f32, 17>, 16>;
        var<workgroup> right: array<array<f32, 16>, 16>;
        @compute @workgroup_size(16, 16)
        fn product(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
            let row = group.y * 16u + local.y;
            let column = group.x * 16u + local.x;
            var sum = 0.0;
            for (var tile = 0u; tile < size.depth; tile += 16u) {
                left[local.y][local.x] = a[row * size.depth + tile + local.x];
                right[local.y][local.x] = b[(tile + local.y) * size.columns + column];
                workgroupBarrier();
                for (var k = 0u; k < 16u; k++) { sum += left[local.y][k] * right[k][local.x]; }
                workgroupBarrier();
            }
            if row < size.rows && column < size.columns { c[row * size.columns + column] = sum; }
        }",
    ),
    (
        "layouts",
        "struct Inner { a: f32, b: vec3f, c: f32, @size(20) d: u32, @align(32) e: vec2u }
        struct Outer { first: Inner, list: array<Inner, 3>, wide: array<vec3f, 2>, m: mat3x2<f32>, n: mat4x3<f32>,
            last: vec3u, tail: array<vec3f> }
        struct Private { on: bool, sides: vec3<bool>, inner: Inner }
        @group(0) @binding(0) var<storage, read_write> outer: Outer;
        @group(0) @binding(1) var<storage, read_write> rows: array<vec3i>;
        @group(0) @binding(2) var<uniform> inner: Inner;
        fn make(x: f32) -> Private { return Private(x > 0.0, vec3(x > 1.0), Inner(x, vec3f(x), x, 3u, vec2u(4u))); }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            var made = make(f32(i));
            if made.on && made.sides.y { outer.list[i] = made.inner; }
            outer.first = inner;
            outer.tail[i] = outer.n * vec4f(outer.wide[i], 1.0) + outer.tail[i + 1u];
            outer.m[1].y = f32(arrayLength(&outer.tail));
            rows[i].z = rows[i + 1u][i];
            rows[0] = vec3i(outer.last);
        }",
    ),
    (
        "switches",
        "@group(0) @binding(0) var<storage, read_write> data: array<i32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            var total = 0;
            for (var k = 0; k < 10; k++) {
                switch data[k] {
                    case 1, 2, default: { total += 1; }
                    case -2147483648: { if total > 4 { break; } continue; }
                    case 7: { for (var l = 0; l < 3; l++) { if l == 1 { continue; } switch l { default: { break; } } total += l; } }
                    case 9: { return; }
                }
                total *= 2;
            }
            switch id.x { case 4294967295u: { total = 0; } default: {} }
            data[id.x] = total;
        }",
    ),
    (
        "continuing",
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main() {
            var k = 0u;
            loop {
                let step = data[k] + 1u;
                let twice = step * 2u;
                if step == 7u { continue; }
                var l = 0u;
                loop {
                    let inner = data[l] + twice;
                    if inner == 3u { continue; }
                    data[l] = inner;
                    continuing { l += inner; break if l > twice; }
                }
                data[k] = l;
                continuing { let next = step + twice; k += next; break if k >= 100u || next == 5u; }
            }
        }",
    ),
    (
        "variables",
        "struct State { seed: u32, table: array<u32, 4> }
        struct Settings { steps: u32, scale: f32 }
        var<private> state: State;
        var<private> count: i32 = 3;
        var<private> unshared: vec2f;
        var<workgroup> total: atomic<u32>;
        var<workgroup> flag: bool;
        var<immediate> settings: Settings;
        @group(1) @binding(3) var<storage, read_write> data: array<u32>;
        @group(1) @binding(4) var<uniform> bounds: vec4u;
        const PRIMES = array<u32, 5>(2u, 3u, 5u, 7u, 11u);
        fn next() -> u32 {
            state.seed = state.seed * 1664525u + PRIMES[state.seed % 5u];
            state.table[state.seed & 3u] += bounds.y;
            count--;
            return state.seed >> 8u;
        }
        fn spin(limit: u32) -> u32 {
            var x = limit;
            loop { if x == 1u { break; } x = select(x / 2u, 3u * x + 1u, (x & 1u) == 1u); }
            atomicAdd(&total, x);
            return x + settings.steps;
        }
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            state.seed = i;
            unshared.y = settings.scale;
            for (var k = 0u; k < settings.steps; k++) { data[i] = next() + spin(k) + u32(count); }
            workgroupBarrier();
            if i == 0u { flag = atomicLoad(&total) > 4u; }
            let shown = workgroupUniformLoad(&flag);
            data[i + 32u] = select(0u, u32(unshared.y), shown);
        }",
    ),
    (
        "pointers",
        "struct Pair { a: f32, b: vec4f }
        @group(0) @binding(0) var<storage, read_write> pairs: array<Pair>;
        @group(0) @binding(1) var<storage> sources: array<f32>;
        var<workgroup> tile: array<f32, 64>;
        var<private> mine: Pair;
        fn add(target_value: ptr<function, f32>, by: f32) { *target_value += by; }
        fn all_of(list: ptr<function, array<f32, 4>>) -> f32 { return (*list)[0] + (*list)[3]; }
        fn touch(pair: ptr<private, Pair>) { (*pair).b.y = 1.0; }
        fn reverse(values: array<f32, 4>) -> array<f32, 4> {
            return array<f32, 4>(values[3], values[2], values[1], values[0]);
        }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var x = sources[i];
            add(&x, 2.0);
            var list = array<f32, 4>(x, x, 1.0, 2.0);
            list = reverse(list);
            add(&list[2], 3.0);
            touch(&mine);
            let p = &pairs[i];
            (*p).a = all_of(&list) + mine.b.y;
            (*p).b = vec4f(list[i], 1.0, 2.0, 3.0);
            tile[i] = x;
        }",
    ),
    (
        "inputs",
        "struct Inputs { @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32 }
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(4, 2, 3) fn main(
            inputs: Inputs, @builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u,
            @builtin(num_workgroups) groups: vec3u,
        ) {
            data[inputs.index] = dot(inputs.id, local) + dot(group, groups);
        }",
    ),
    (
        "returns",
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @group(0) @binding(1) var<storage, read_write> one: u32;
        @group(0) @binding(2) var<storage, read_write> fixed: array<vec3f, 3>;
        fn find(wanted: u32) -> u32 {
            for (var k = 0u; k < arrayLength(&data); k++) { if data[k] == wanted { return k; } }
            return 4u;
        }
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            if id.x > 100u { return; } else if id.x == 3u { one = 4u; } else { one = find(id.x); }
            if id.y > 3u { fixed[id.x].y = 2.0; return; }
            fixed[1] = vec3f(f32(one));
        }",
    ),
    (
        "large",
        "var<workgroup> large: array<vec4f, 4096>;
        var<workgroup> small: array<u32, 3>;
        @group(0) @binding(0) var<storage, read_write> data: array<vec4f>;
        fn swap(a: u32, b: u32) { let c = large[a]; large[a] = large[b]; large[b] = c; small[a] += 1u; }
        @compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32) {
            large[i] = data[i];
            workgroupBarrier();
            swap(i, i + 128u);
            storageBarrier();
            data[i] = large[i] * f32(small[0]);
        }",
    ),
    (
        "halves",
        "enable f16;
        struct Halves { a: f16, b: vec3<f16>, c: array<f16, 5>, m: mat2x3<f16> }
        @group(0) @binding(0) var<storage, read_write> list: array<Halves>;
        @group(0) @binding(1) var<storage, read_write> rows: array<vec3<f16>>;
        var<workgroup> shared_halves: array<f16, 7>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            shared_halves[i] = list[i].a;
            rows[i] = list[i].b * list[i].c[i] + rows[i + 1u];
            list[i].m[1] = rows[0];
        }",
    ),
    (
        "subgroups",
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(
            @builtin(local_invocation_index) i: u32, @builtin(subgroup_size) wide: u32,
            @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) row: u32,
            @builtin(num_subgroups) rows: u32,
        ) {
            let sum = subgroupAdd(data[i] * wide + lane + row + rows);
            let first = subgroupBroadcastFirst(sum);
            let votes = subgroupBallot(data[i] > 3u);
            subgroupBarrier();
            data[i] = sum + first + votes.x + subgroupShuffleXor(sum, 3u);
        }",
    ),
];
