//! Kernels from the macro `kernels!`: layouts, values, bindings and overrides through the generated types.

use anywarp::backend::{Layout, Shape};
use anywarp::{Device, Element, LaunchError, f16};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::{ReadHere, WaitHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, fail, same, skip};

pub(crate) const CASES: &[Case] = cases![
    typed_file,
    typed_recording,
    typed_slices,
    typed_structs_have_wgsl_s_layout = structs_have_the_layout_of_wgsl,
    typed_members_arrive = members_reach_the_kernel,
    typed_padding_is_not_compared = padding_is_not_compared,
    typed_f16 = halves,
    typed_wide_scalars = wide_scalars,
    typed_immediates = immediates,
    typed_overrides = overrides,
    typed_several_entry_points = several_entry_points,
    typed_single_values = single_values,
    typed_names = names,
    typed_composed = composed,
    typed_launches_are_checked = launches_are_checked,
];

anywarp::kernels!("examples/shaders/saxpy.wgsl");

async fn typed_file(device: &Device) -> TestResult {
    let saxpy = saxpy::saxpy(device)?;
    equal(saxpy.kernel().name(), "examples/shaders/saxpy.wgsl:saxpy", "the kernel's name")?;
    let x = device.buffer_from(&[1.0f32; 300])?;
    let mut y = device.buffer_from(&[2.0f32; 300])?;
    saxpy.launch(saxpy::Args { params: saxpy::Params { a: 3.0 }, x: &x, y: &mut y }).threads(300)?;
    same(&y.read_here().await?, &[5.0; 300], "3 * 1 + 2")
}

async fn typed_recording(device: &Device) -> TestResult {
    let saxpy = saxpy::saxpy(device)?;
    let x = device.buffer_from(&[1.0f32; 64])?;
    let mut y = device.buffer_from(&[0.0f32; 64])?;
    let mut recording = device.recording();
    let arguments = saxpy::SaxpyArgs { params: saxpy::Params::new(2.0), x: &x, y: &mut y };
    saxpy.launch(arguments).record(&mut recording).threads(64)?;
    recording.submit()?.wait_here().await?;
    recording.submit()?.wait_here().await?;
    same(&y.read_here().await?, &[4.0; 64], "replayed once")
}

async fn typed_slices(device: &Device) -> TestResult {
    let saxpy = saxpy::saxpy(device)?;
    let x = device.buffer_from(&[1.0f32; 256])?;
    let mut y = device.buffer_from(&[0.0f32; 512])?;
    let params = saxpy::Params { a: 1.0 };
    // The slices start at multiples of 256 bytes, the largest alignment that devices require.
    let (mut low, high) = y.split_at_mut(256);
    saxpy.launch(saxpy::Args { params, x: x.slice(64..128), y: low.slice_mut(..64) }).threads(64)?;
    saxpy.launch(saxpy::Args { params, x: &x.slice(..64), y: &mut low.slice_mut(64..128) }).threads(64)?;
    if device.caps().aliased_bindings {
        saxpy.launch(saxpy::Args { params, x: &low.slice_mut(..64), y: high }).threads(64)?;
    } else {
        saxpy.launch(saxpy::Args { params, x: &x, y: high }).threads(64)?;
    }
    let wanted: Vec<f32> = (0..512).map(|at| if at < 128 || (256..320).contains(&at) { 1.0 } else { 0.0 }).collect();
    same(&y.read_here().await?, &wanted, "three slices")
}

anywarp::kernels!(mod layouts {
    r"
    struct Inner { point: vec3<f32>, weight: f32, corner: vec2<u32> }
    struct Outer {
        first: u32,
        inner: Inner,
        list: array<Inner, 2>,
        points: array<vec3<f32>, 2>,
        turn: mat3x3<f32>,
        flat: mat4x2<f32>,
        @size(32) wide: i32,
        @align(32) aligned: vec3<i32>,
        last: array<array<u32, 3>, 2>,
    }
    struct Counts { total: atomic<u32>, each: array<atomic<i32>, 3> }
    @group(0) @binding(0) var<storage> all: array<Outer>;
    @group(0) @binding(1) var<storage, read_write> copies: array<Outer>;
    @group(0) @binding(2) var<storage, read_write> counts: Counts;
    @group(0) @binding(3) var<storage, read_write> out: array<f32>;

    @compute @workgroup_size(1) fn main() {
        let one = all[1];
        atomicAdd(&counts.total, one.first);
        atomicAdd(&counts.each[2], one.wide);
        copies[0] = one;
        out[0] = one.inner.point.z;
        out[1] = one.inner.weight;
        out[2] = f32(one.list[1].corner.y);
        out[3] = one.points[1].z;
        out[4] = one.turn[2].y;
        out[5] = one.flat[3].x;
        out[6] = f32(one.aligned.z);
        out[7] = f32(one.last[1][2]);
    }"
});

/// A struct with a different value in every member.
fn outer() -> layouts::Outer {
    let inner = |from: f32| layouts::Inner::new([from, from + 1.0, from + 2.0], from + 3.0, [from as u32 + 4; 2]);
    let row = |from: f32| [from, from + 1.0, from + 2.0, 99.0];
    layouts::Outer {
        inner: inner(10.0),
        list: [inner(20.0), inner(30.0)],
        points: [row(40.0), row(50.0)],
        turn: [row(60.0), row(70.0), row(80.0)],
        flat: [[90.0, 91.0], [92.0, 93.0], [94.0, 95.0], [96.0, 97.0]],
        wide: -5,
        aligned: [1, 2, 3],
        last: [[1, 2, 3], [4, 5, 6]],
        ..layouts::Outer::new(
            7,
            layouts::Inner::default(),
            [layouts::Inner::default(); 2],
            [[0.0; 4]; 2],
            [[0.0; 4]; 3],
            [[0.0; 2]; 4],
            0,
            [0; 3],
            [[0; 3]; 2],
        )
    }
}

async fn structs_have_the_layout_of_wgsl(device: &Device) -> TestResult {
    let kernel = layouts::main(device)?;
    let bindings = kernel.kernel().bindings();
    let wgsl = |slot: usize| match &bindings[slot].layout.shape {
        Shape::Array { element, .. } => (**element).clone(),
        _ => bindings[slot].layout.clone(),
    };
    for (name, rust, wgsl) in
        [("Outer", layouts::Outer::layout(), wgsl(0)), ("Counts", layouts::Counts::layout(), wgsl(2))]
    {
        equal(rust.size, wgsl.size, name)?;
        let places = |layout: &Layout| match &layout.shape {
            Shape::Struct { fields } => {
                let own = fields.iter().filter(|field| !field.name.starts_with("_pad"));
                own.map(|field| (field.name.clone(), field.offset, field.layout.size)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        equal(places(&rust), places(&wgsl), name)?;
    }
    Ok(())
}

async fn members_reach_the_kernel(device: &Device) -> TestResult {
    let kernel = layouts::main(device)?;
    let all = device.buffer_from(&[layouts::Outer::default(), outer()])?;
    let mut copies = device.buffer::<layouts::Outer>(1)?;
    let mut counts = device.buffer_from(&[layouts::Counts::new(100, [1, 2, 3])])?;
    let mut out = device.buffer::<f32>(8)?;
    kernel
        .launch(layouts::MainArgs { all: &all, copies: &mut copies, counts: &mut counts, out: &mut out })
        .groups(1)?;
    same(&out.read_here().await?, &[12.0, 13.0, 34.0, 52.0, 81.0, 96.0, 3.0, 6.0], "members")?;
    equal(copies.read_here().await?[0], outer(), "a whole struct")?;
    equal(counts.read_here().await?[0], layouts::Counts { total: 107, each: [1, 2, -2] }, "atomics")
}

async fn padding_is_not_compared(_: &Device) -> TestResult {
    let (one, mut other) = (outer(), outer());
    other.points[1][3] = 0.0;
    other.turn[0][3] = 0.0;
    other._pad0 = [1; 12];
    equal(one, other, "values that differ in their padding")?;
    other.turn[0][2] = 0.0;
    ensure(one != other, || "a member that differs made no difference".to_owned())?;
    let shown = format!("{:?}", layouts::Counts::default());
    equal(shown.as_str(), "Counts { total: 0, each: [0, 0, 0] }", "the `Debug` text")
}

anywarp::kernels!(mod half_words {
    r"enable f16;
    struct Mixed { a: f16, b: f32, c: vec3<f16>, d: mat2x3<f16>, e: f16 }
    override gain: f16 = -1.5h;
    @group(0) @binding(0) var<storage> mixed: Mixed;
    @group(0) @binding(1) var<storage, read_write> out: array<f16>;
    @compute @workgroup_size(1) fn main() {
        out[0] = mixed.a;
        out[1] = f16(mixed.b);
        out[2] = mixed.c.z;
        out[3] = mixed.d[1].y + mixed.e;
        out[4] = gain;
    }"
});

async fn halves(device: &Device) -> TestResult {
    if !device.caps().feature_names().contains(&"f16") {
        return skip("no f16");
    }
    let h = f16::from_f32;
    let row = |from: f32| [h(from), h(from + 1.0), h(from + 2.0), h(0.0)];
    let value = half_words::Mixed::new(h(1.5), 2.5, [h(3.0), h(4.0), h(5.0)], [row(6.0), row(9.0)], h(0.5));
    let mixed = device.buffer_from(&[value])?;
    let mut out = device.buffer::<f16>(6)?;
    let kernel = half_words::main_with(device, half_words::Overrides::default())?;
    kernel.launch(half_words::Args { mixed: &mixed, out: &mut out }).groups(1)?;
    same(&out.read_here().await?, &[h(1.5), h(2.5), h(5.0), h(10.5), h(-1.5), h(0.0)], "f16 members")
}

anywarp::kernels!(mod wide {
    r"
    struct Wide { a: u32, b: i64, c: f32, d: vec3<u64>, e: u32 }
    @group(0) @binding(0) var<storage, read_write> wide: Wide;
    @compute @workgroup_size(1) fn main() {
        wide.b += i64(wide.a);
        wide.d.z = u64(wide.e);
    }"
});

async fn wide_scalars(device: &Device) -> TestResult {
    if !device.caps().feature_names().contains(&"i64") {
        return skip("the device has no 64-bit integers");
    }
    let mut value = device.buffer_from(&[wide::Wide::new(5, -1 << 40, 0.5, [1, 2, 3], 1 << 31)])?;
    wide::main(device)?.launch(wide::Args { wide: &mut value }).groups(1)?;
    equal(
        value.read_here().await?[0],
        wide::Wide::new(5, (-1 << 40) + 5, 0.5, [1, 2, 1 << 31], 1 << 31),
        "64-bit members",
    )
}

anywarp::kernels!(mod pushed {
    r"
    struct Pushed { scale: f32, shift: vec2<f32> }
    struct Params { direction: vec3<f32> }
    var<immediate> pushed: Pushed;
    @group(0) @binding(3) var<uniform> params: Params;
    @group(0) @binding(1) var<uniform> gain: vec3<f32>;
    @group(0) @binding(2) var<storage, read_write> out: array<f32, 4>;
    @compute @workgroup_size(1) fn main() {
        out = array(pushed.scale, pushed.shift.y, params.direction.z, gain.y);
    }"
});

async fn immediates(device: &Device) -> TestResult {
    if device.caps().limits.immediate_size < 16 {
        return skip("no immediates");
    }
    let mut out = device.buffer::<f32>(4)?;
    let arguments = pushed::Args {
        gain: [0.0, 7.0, 0.0],
        out: &mut out,
        params: pushed::Params::new([1.0, 2.0, 3.0]),
        pushed: pushed::Pushed::new(5.0, [0.0, 6.0]),
    };
    pushed::main(device)?.launch(arguments).groups(1)?;
    same(&out.read_here().await?, &[5.0, 6.0, 3.0, 7.0], "immediates beside uniforms")
}

anywarp::kernels!(mod chosen {
    r"
    override block: u32 = 4 * 16;
    override twice: u32 = block * 2;
    override shift: i32 = -7;
    @id(5) override scale: f32 = 0.5;
    override on: bool = true;
    @group(0) @binding(0) var<storage, read_write> out: array<f32>;
    @compute @workgroup_size(block) fn main(@builtin(local_invocation_index) at: u32) {
        if at == 0 { out[0] = f32(block); out[1] = f32(twice); out[2] = f32(shift); out[3] = scale; out[4] = f32(on); }
    }"
});

anywarp::kernels!(mod required {
    "override count: u32;
     override least: i32 = -2147483648;
     @group(0) @binding(0) var<storage, read_write> out: array<i32>;
     @compute @workgroup_size(1) fn main() { out[0] = i32(count); out[1] = least; }"
});

async fn overrides(device: &Device) -> TestResult {
    let mut out = device.buffer::<f32>(5)?;
    chosen::main(device)?.launch(chosen::Args { out: &mut out }).groups(1)?;
    same(&out.read_here().await?, &[64.0, 128.0, -7.0, 0.5, 1.0], "the defaults of WGSL")?;
    let values = chosen::Overrides::default();
    chosen::main_with(device, values)?.launch(chosen::Args { out: &mut out }).groups(1)?;
    same(&out.read_here().await?, &[64.0, 128.0, -7.0, 0.5, 1.0], "the defaults of Rust")?;
    let values = chosen::Overrides { block: 32, shift: 3, scale: -1.25, on: false, ..values };
    let kernel = chosen::main_with(device, values)?;
    equal(kernel.kernel().workgroup_size(), [32, 1, 1], "a workgroup size that was set")?;
    kernel.launch(chosen::Args { out: &mut out }).groups(1)?;
    same(&out.read_here().await?, &[32.0, 64.0, 3.0, -1.25, 0.0], "values that were set")?;
    let values = chosen::Overrides { twice: Some(5), ..values };
    chosen::main_with(device, values)?.launch(chosen::Args { out: &mut out }).groups(1)?;
    same(&out.read_here().await?, &[32.0, 5.0, 3.0, -1.25, 0.0], "a value instead of a computed one")?;

    let mut out = device.buffer::<i32>(2)?;
    let kernel = required::main_with(device, required::Overrides { count: 9, least: i32::MIN })?;
    kernel.launch(required::Args { out: &mut out }).groups(1)?;
    same(&out.read_here().await?, &[9, i32::MIN], "a required override")
}

anywarp::kernels!(mod several {
    r"
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> b: array<u32>;
    @compute @workgroup_size(1) fn fill() { a[0] = 5; }
    @compute @workgroup_size(1) fn copy_over() { b[0] = a[0] + 1; }
    @compute @workgroup_size(1) fn nothing() {}
    @fragment fn shade() {}"
});

async fn several_entry_points(device: &Device) -> TestResult {
    let mut a = device.buffer::<u32>(1)?;
    let mut b = device.buffer::<u32>(1)?;
    several::fill(device)?.launch(several::FillArgs { a: &mut a }).groups(1)?;
    // The macro borrows a binding mutably only where its own entry point writes it.
    several::copy_over(device)?.launch(several::CopyOverArgs { a: &a, b: &mut b }).groups(1)?;
    several::nothing(device)?.launch(several::NothingArgs {}).groups(1)?;
    same(&b.read_here().await?, &[6], "one kernel after the other")
}

anywarp::kernels!(mod single {
    r"
    @group(0) @binding(0) var<storage> scalar: f32;
    @group(0) @binding(1) var<storage> vector: vec3<f32>;
    @group(0) @binding(2) var<storage> matrix: mat2x3<f32>;
    @group(0) @binding(3) var<storage, read_write> count: atomic<u32>;
    @group(0) @binding(4) var<storage, read_write> out: array<vec3<f32>>;
    @compute @workgroup_size(1) fn main() {
        atomicAdd(&count, 2u);
        out[1] = vector + matrix[1] + scalar;
    }"
});

async fn single_values(device: &Device) -> TestResult {
    let scalar = device.buffer_from(&[100.0f32])?;
    let vector = device.buffer_from(&[[1.0f32, 2.0, 3.0]])?;
    let matrix = device.buffer_from(&[[[0.0f32; 4], [10.0, 20.0, 30.0, 0.0]]])?;
    let mut count = device.buffer_from(&[40u32])?;
    let mut out = device.buffer::<[f32; 4]>(2)?;
    let arguments =
        single::Args { scalar: &scalar, vector: &vector, matrix: &matrix, count: &mut count, out: &mut out };
    single::main(device)?.launch(arguments).groups(1)?;
    same(&out.read_here().await?[1][..3], &[111.0, 122.0, 133.0], "single values")?;
    equal(count.read_here().await?[0], 42, "a single atomic")
}

anywarp::kernels!(mod odd {
    r"
    struct Args { gen: u32, _pad0: u32, dyn_: vec2<u32>, box: vec3<u32> }
    @group(0) @binding(0) var<uniform> box: Args;
    @group(0) @binding(1) var<storage, read_write> Box: array<Args>;
    @compute @workgroup_size(1) fn ACopy() { Box[0] = box; }"
});

async fn names(device: &Device) -> TestResult {
    let value = odd::Args { r#gen: 1, ..odd::Args::new(0, 2, [3; 2], [4; 3]) };
    let mut out = device.buffer::<odd::Args>(1)?;
    // The struct is named `Args`; the type of the arguments has its own name.
    odd::ACopy(device)?.launch(odd::ACopyArgs { r#box: value, Box: &mut out }).groups(1)?;
    equal(out.read_here().await?[0], value, "keywords, capitals and `_pad0` as names")
}

anywarp::kernels!(mod once = "tests/conformance/kernel/typed_shaders/scale.wgsl", feature twice = false);
anywarp::kernels!(mod twice = "tests/conformance/kernel/typed_shaders/scale.wgsl", feature twice = true, element T = i32);

async fn composed(device: &Device) -> TestResult {
    let weights = device.buffer_from(&[once::Weights::new(2.0, [0.0, 0.0, 0.5])])?;
    let mut data = device.buffer_from(&[10.0f32])?;
    once::scale(device)?.launch(once::Args { weights: &weights, data: &mut data }).groups(1)?;
    same(&data.read_here().await?, &[20.5], "the element of the source, once")?;
    let weights = device.buffer_from(&[twice::Weights { factor: 3, shift: [0, 0, 1], ..Default::default() }])?;
    let mut data = device.buffer_from(&[10i32])?;
    twice::scale(device)?.launch(twice::Args { weights: &weights, data: &mut data }).groups(1)?;
    same(&data.read_here().await?, &[94], "i32, twice")
}

async fn launches_are_checked(device: &Device) -> TestResult {
    let saxpy = saxpy::saxpy(device)?;
    let params = saxpy::Params { a: 1.0 };
    let x = device.buffer_from(&[1.0f32; 64])?;
    let mut y = device.buffer_from(&[1.0f32; 64])?;
    match saxpy.launch(saxpy::Args { params, x: &x, y: y.slice_mut(100..) }).threads(64) {
        Err(LaunchError::Slice { binding, .. }) => equal(binding.as_str(), "y", "the slice out of range")?,
        other => return fail(format!("a slice out of range: {other:?}")),
    }
    let empty = device.buffer::<f32>(0)?;
    match saxpy.launch(saxpy::Args { params, x: &empty, y: &mut y }).threads(64) {
        Err(LaunchError::Length { binding, .. }) => equal(binding.as_str(), "x", "the empty buffer")?,
        other => return fail(format!("an empty buffer: {other:?}")),
    }
    let launch = saxpy.launch(saxpy::Args { params, x: &x, y: &mut y });
    match launch.set("params.a", 2.0f32).bind("x", &x).threads(64) {
        Err(LaunchError::BoundTwice { binding, .. }) => equal(binding.as_str(), "x", "the binding with two buffers"),
        other => fail(format!("bound twice: {other:?}")),
    }
}
