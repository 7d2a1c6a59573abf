//! Tests of each rule, with a recording that breaks only this rule.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{
    Access, BindingClass, Bound, Grid, Library, Precision, ProductForm, ProductStrides, Routine, Scale, Transform,
};

use super::*;
use crate::Binding;

const DEVICE: MemoryId = MemoryId(1);
const UPLOAD: MemoryId = MemoryId(2);
const READBACK: MemoryId = MemoryId(3);
const MAPPED: MemoryId = MemoryId(4);
const SHARED: MemoryId = MemoryId(5);
const STAGING: MemoryId = MemoryId(6);
/// The longest possible memory: only the sum of an offset and a length can be beyond its end.
const VAST: MemoryId = MemoryId(7);
/// A kernel with read-only storage, storage, a uniform, and 8 bytes of immediates.
const KERNEL: KernelId = KernelId(1);
/// A kernel without arguments.
const BARE: KernelId = KernelId(2);
/// A kernel with storage of 64-bit scalars.
const WIDE: KernelId = KernelId(3);

pub(super) struct World {
    pub(super) memories: HashMap<MemoryId, MemoryState>,
    kernels: HashMap<KernelId, Signature>,
}

impl Resources for World {
    fn memory(&self, id: MemoryId) -> Option<MemoryState> {
        self.memories.get(&id).copied()
    }

    fn kernel(&self, id: KernelId) -> Option<&Signature> {
        self.kernels.get(&id)
    }
}

fn binding(name: &str, class: BindingClass, access: Access, alignment: u32) -> Binding {
    Binding { name: name.to_owned(), class, access, size: 16, alignment, tail: None }
}

pub(super) fn world() -> World {
    let memory = |bytes, kind, mapped| MemoryState { bytes, kind, mapped };
    let memories = [
        (DEVICE, memory(1024, MemoryKind::Device, false)),
        (UPLOAD, memory(1024, MemoryKind::Upload, false)),
        (READBACK, memory(1024, MemoryKind::Readback, false)),
        (MAPPED, memory(1024, MemoryKind::Shared, true)),
        (SHARED, memory(1024, MemoryKind::Shared, false)),
        (STAGING, memory(1024, MemoryKind::Staging, false)),
        (VAST, memory(u64::MAX, MemoryKind::Device, false)),
    ];
    let bindings = vec![
        binding("input", BindingClass::ReadOnlyStorage, Access::Read, 4),
        binding("output", BindingClass::Storage, Access::Write, 4),
        binding("params", BindingClass::Uniform, Access::Read, 4),
    ];
    let wide = binding("wide", BindingClass::Storage, Access::Write, 8);
    let kernels = [
        (KERNEL, Signature { bindings, immediates: 8 }),
        (BARE, Signature::default()),
        (WIDE, Signature { bindings: vec![wide], immediates: 0 }),
    ];
    World { memories: memories.into(), kernels: kernels.into() }
}

pub(super) fn caps() -> Caps {
    let mut caps = Caps::webgpu_baseline();
    caps.aliased_bindings = true;
    caps.library = Routine::matrix_products(Precision::F32).chain(Routine::matrix_products(Precision::F16)).collect();
    caps.library.push(Routine::FourierTransform { double: false });
    caps.limits.storage_binding_size = 512;
    caps.limits.uniform_binding_size = 32;
    caps.limits.storage_offset_alignment = 4;
    caps.limits.uniform_offset_alignment = 64;
    caps.limits.workgroups_per_dimension = 100;
    caps
}

pub(super) fn region(memory: MemoryId, offset: u64, bytes: u64) -> Region {
    Region { memory, offset, bytes }
}

fn reads(memory: MemoryId, offset: u64, bytes: u64) -> Bound {
    Bound::Memory { region: region(memory, offset, bytes), access: Access::Read }
}

fn writes(memory: MemoryId, offset: u64, bytes: u64) -> Bound {
    Bound::Memory { region: region(memory, offset, bytes), access: Access::Write }
}

/// A dispatch of [`KERNEL`] that is valid unless changed.
struct Launch {
    input: Bound,
    output: Bound,
    params: Bound,
    grid: Grid,
    immediates: usize,
}

impl Default for Launch {
    fn default() -> Self {
        Self {
            input: reads(DEVICE, 0, 64),
            output: writes(SHARED, 64, 512),
            params: Bound::Inline(0..16),
            grid: Grid::Groups([100, 1, 1]),
            immediates: 8,
        }
    }
}

impl Launch {
    fn recorded(self) -> Recording {
        let mut recording = Recording::new();
        recording.fill(region(DEVICE, 0, 4), 0);
        let Self { input, output, params, grid, immediates } = self;
        let bounds = [input, output, params];
        recording.dispatch(KERNEL, &Arc::from("saxpy"), grid, bounds, &[0; 64], &vec![0; immediates]);
        recording
    }
}

fn dispatch(kernel: KernelId, grid: Grid, bounds: impl IntoIterator<Item = Bound>) -> Recording {
    let mut recording = Recording::new();
    recording.dispatch(kernel, &Arc::from("saxpy"), grid, bounds, &[], &[]);
    recording
}

fn copy(source: Region, target: Region) -> Recording {
    let mut recording = Recording::new();
    recording.copy(source, target);
    recording
}

fn fill(target: Region) -> Recording {
    let mut recording = Recording::new();
    recording.fill(target, 7);
    recording
}

fn product(a: Region, b: Region, c: Region, sizes: [u32; 3], precision: Precision) -> Recording {
    product_in_form([a, b, c], sizes, precision, ProductForm::default())
}

fn product_in_form(
    [a, b, c]: [Region; 3],
    [rows, depth, columns]: [u32; 3],
    precision: Precision,
    form: ProductForm,
) -> Recording {
    let mut recording = Recording::new();
    recording.library(Library::MatrixProduct { a, b, c, rows, columns, depth, precision, form });
    recording
}

fn transform(x: Region, y: Region, [lines, length, inner]: [u32; 3], double: bool) -> Recording {
    let mut recording = Recording::new();
    let transform = Transform { lines, length, inner, inverse: false, double, scale: Scale::ONE };
    recording.library(Library::FourierTransform { x, y, transform });
    recording
}

fn checked(recording: &Recording) -> Result<(), BackendError> {
    check(recording, &caps(), &world())
}

#[track_caller]
fn refused(recording: &Recording, expected: &str) {
    let said = checked(recording).expect_err(expected).to_string();
    assert_eq!(said, format!("submitting failed: {expected}"));
}

#[test]
fn a_valid_recording_passes() {
    let whole = |memory| region(memory, 0, 1024);
    for recording in [
        Recording::new(),
        copy(whole(UPLOAD), whole(DEVICE)),
        copy(whole(STAGING), whole(SHARED)),
        copy(whole(SHARED), whole(READBACK)),
        copy(region(DEVICE, 0, 8), region(DEVICE, 8, 8)),
        fill(whole(DEVICE)),
        fill(region(VAST, u64::MAX - 7, 4)),
        Launch::default().recorded(),
        Launch { params: reads(SHARED, 0, 32), ..Launch::default() }.recorded(),
        Launch { output: writes(DEVICE, 64, 64), ..Launch::default() }.recorded(),
        Launch { grid: Grid::Indirect { memory: DEVICE, offset: 1012 }, ..Launch::default() }.recorded(),
        dispatch(BARE, Grid::Groups([1; 3]), []),
        dispatch(WIDE, Grid::Groups([1; 3]), [writes(DEVICE, 8, 16)]),
        product(region(DEVICE, 0, 64), region(DEVICE, 64, 64), region(SHARED, 0, 64), [4, 4, 4], Precision::F32),
        product(region(DEVICE, 2, 32), region(DEVICE, 64, 32), region(SHARED, 0, 32), [4, 4, 4], Precision::F16),
        transform(region(DEVICE, 4, 48), region(SHARED, 0, 48), [1, 3, 2], false),
        transform(region(DEVICE, 4, 48), region(DEVICE, 4, 48), [1, 3, 2], false),
    ] {
        assert_eq!(checked(&recording), Ok(()), "{recording}");
    }
}

#[test]
fn ids_must_exist() {
    assert_eq!(checked(&fill(region(MemoryId(99), 0, 4))), Err(BackendError::UnknownMemory(MemoryId(99))));
    let unknown = dispatch(KernelId(99), Grid::Groups([1; 3]), []);
    assert_eq!(checked(&unknown), Err(BackendError::UnknownKernel(KernelId(99))));
}

#[test]
fn regions_lie_within_unmapped_memory_of_the_right_kind() {
    let mapped =
        "command 0, a fill of memory 4[0..4]: memory 4[0..4] is mapped: unmap it before submitting work that uses it";
    refused(&fill(region(MAPPED, 0, 4)), mapped);
    let empty = "command 0, a fill of memory 1[8..8]: memory 1[8..8] is empty, but at least one byte is expected";
    refused(&fill(region(DEVICE, 8, 0)), empty);
    for (bad, at) in [
        (region(DEVICE, 1020, 8), "memory 1[1020..1028]"),
        (region(DEVICE, u64::MAX - 3, 4), "memory 1[18446744073709551612..18446744073709551616]"),
        (region(DEVICE, 4, u64::MAX - 3), "memory 1[4..18446744073709551616]"),
    ] {
        refused(&fill(bad), &format!("command 0, a fill of {at}: {at} is outside of its memory of 1024 bytes"));
    }
    let sum = region(VAST, u64::MAX - 3, 8);
    assert!(
        checked(&fill(sum)).unwrap_err().to_string().ends_with("outside of its memory of 18446744073709551615 bytes")
    );
    refused(
        &fill(region(UPLOAD, 0, 4)),
        "command 0, a fill of memory 2[0..4]: memory 2[0..4] is upload memory, but device or shared memory is expected",
    );
    refused(
        &copy(region(READBACK, 0, 4), region(DEVICE, 0, 4)),
        "command 0, a copy from memory 3[0..4] to memory 1[0..4]: memory 3[0..4] is readback memory, but device or \
         upload or staging or shared memory is expected",
    );
    refused(
        &copy(region(DEVICE, 0, 4), region(STAGING, 0, 4)),
        "command 0, a copy from memory 1[0..4] to memory 6[0..4]: memory 6[0..4] is staging memory, but device or \
         readback or shared memory is expected",
    );
}

#[test]
fn copies_and_fills_are_of_whole_words_that_agree_and_are_apart() {
    let words = "does not consist of whole words: offset and length must be multiples of 4";
    refused(&fill(region(DEVICE, 2, 4)), &format!("command 0, a fill of memory 1[2..6]: memory 1[2..6] {words}"));
    refused(&fill(region(DEVICE, 0, 6)), &format!("command 0, a fill of memory 1[0..6]: memory 1[0..6] {words}"));
    for (source, target, at) in [(2, 0, "memory 2[2..6]"), (0, 2, "memory 1[2..6]")] {
        let (source, target) = (region(UPLOAD, source, 4), region(DEVICE, target, 4));
        refused(&copy(source, target), &format!("command 0, a copy from {source} to {target}: {at} {words}"));
    }
    refused(
        &copy(region(UPLOAD, 0, 8), region(DEVICE, 0, 4)),
        "command 0, a copy from memory 2[0..8] to memory 1[0..4]: memory 1[0..4] has 4 bytes and memory 2[0..8] has 8: \
         the lengths must be equal",
    );
    refused(
        &copy(region(DEVICE, 0, 8), region(DEVICE, 4, 8)),
        "command 0, a copy from memory 1[0..8] to memory 1[4..12]: memory 1[0..8] and memory 1[4..12] must \
         not overlap",
    );
}

#[test]
fn a_dispatch_gives_what_its_kernel_wants() {
    let saxpy = |launch: Launch, problem: &str| {
        refused(&launch.recorded(), &format!("command 1, a dispatch of saxpy: {problem}"));
    };
    refused(
        &dispatch(KERNEL, Grid::Groups([1; 3]), []),
        "command 0, a dispatch of saxpy: the kernel expects 3 bindings, got 0",
    );
    for immediates in [0, 4, 12] {
        let problem = format!("the kernel expects 8 bytes of immediates, got {immediates}");
        saxpy(Launch { immediates, ..Launch::default() }, &problem);
    }
    saxpy(
        Launch { input: Bound::Inline(0..16), ..Launch::default() },
        "'input' is not a uniform: expected a region of memory, got a value",
    );
    for values in [60..90, Range { start: 24, end: 8 }] {
        let problem =
            format!("'params' got bytes {values:?} of the recording's values, but the recording has no such bytes");
        saxpy(Launch { params: Bound::Inline(values), ..Launch::default() }, &problem);
    }
    saxpy(
        Launch { input: writes(DEVICE, 0, 64), ..Launch::default() },
        "'input' at memory 1[0..64]: expected access Read, got Write",
    );
    saxpy(
        Launch { input: reads(DEVICE, 2, 64), ..Launch::default() },
        "'input' at memory 1[2..66] must begin at a multiple of 4",
    );
    saxpy(
        Launch { params: reads(DEVICE, 32, 16), ..Launch::default() },
        "'params' at memory 1[32..48] must begin at a multiple of 64",
    );
    refused(
        &dispatch(WIDE, Grid::Groups([1; 3]), [writes(DEVICE, 4, 16)]),
        "command 0, a dispatch of saxpy: 'wide' at memory 1[4..20] must begin at a multiple of 8",
    );
    saxpy(
        Launch { input: reads(DEVICE, 0, 18), ..Launch::default() },
        "'input' at memory 1[0..18] must have a length that is a multiple of 4 bytes",
    );
    for (bytes, input) in [(12, 16..=512), (516, 16..=512)] {
        let problem = format!("'input' has {bytes} bytes, outside of {}..={}", input.start(), input.end());
        saxpy(Launch { input: reads(DEVICE, 0, bytes), ..Launch::default() }, &problem);
    }
    for bytes in [15, 33] {
        let problem = format!("'params' has {bytes} bytes, outside of 16..=32");
        saxpy(Launch { params: Bound::Inline(0..bytes), ..Launch::default() }, &problem);
    }
    saxpy(
        Launch { output: writes(UPLOAD, 0, 64), ..Launch::default() },
        "memory 2[0..64] is upload memory, but device or shared memory is expected",
    );
}

#[test]
fn elements_are_counted_by_32_bits() {
    let (mut caps, mut world) = (caps(), world());
    caps.limits.storage_binding_size = u64::MAX;
    let halves = Binding { tail: Some((0, 2)), ..binding("halves", BindingClass::Storage, Access::Write, 4) };
    world.kernels.insert(WIDE, Signature { bindings: vec![halves], immediates: 0 });
    let of = |bytes| check(&dispatch(WIDE, Grid::Groups([1; 3]), [writes(VAST, 0, bytes)]), &caps, &world);
    assert_eq!(of((1 << 33) - 4), Ok(()));
    let said = of(1 << 33).unwrap_err().to_string();
    assert!(said.ends_with("'halves' has 8589934592 bytes: the number of its elements exceeds 32 bits"), "{said}");
}

#[test]
fn bindings_that_share_memory_are_only_read() {
    let launch = || Launch { output: writes(DEVICE, 60, 64), ..Launch::default() };
    refused(
        &launch().recorded(),
        "command 1, a dispatch of saxpy: 'input' at memory 1[0..64] and 'output' at memory 1[60..124] share bytes, and \
         one of them is written",
    );
    let mut strict = caps();
    strict.aliased_bindings = false;
    let apart = Launch { output: writes(DEVICE, 64, 64), ..Launch::default() }.recorded();
    let said = check(&apart, &strict, &world()).unwrap_err().to_string();
    assert_eq!(
        said,
        "submitting failed: command 1, a dispatch of saxpy: 'input' at memory 1[0..64] and 'output' at memory \
         1[64..128] share memory 1, but only one of them is read_write: this device needs them in separate memories"
    );
    let only_read = Launch { params: reads(DEVICE, 0, 16), ..Launch::default() }.recorded();
    assert_eq!(check(&only_read, &strict, &world()), Ok(()));
}

#[test]
fn grids_keep_to_the_device_and_lie_in_memory() {
    let at = "command 1, a dispatch of saxpy";
    for groups in [[0, 1, 1], [1, 101, 1]] {
        let launch = Launch { grid: Grid::Groups(groups), ..Launch::default() };
        let problem = format!("{at}: the grid {groups:?} has a dimension outside of 1..=100");
        refused(&launch.recorded(), &problem);
    }
    let indirect = |memory, offset| Launch { grid: Grid::Indirect { memory, offset }, ..Launch::default() }.recorded();
    refused(
        &indirect(DEVICE, 2),
        &format!("{at}: memory 1[2..14] does not consist of whole words: offset and length must be multiples of 4"),
    );
    refused(&indirect(DEVICE, 1016), &format!("{at}: memory 1[1016..1028] is outside of its memory of 1024 bytes"));
    refused(
        &indirect(UPLOAD, 0),
        &format!("{at}: memory 2[0..12] is upload memory, but device or shared memory is expected"),
    );
}

#[test]
fn transforms_have_lines_and_their_arrays_fit() {
    let (x, y) = (region(DEVICE, 0, 48), region(SHARED, 0, 48));
    let unlisted = transform(region(DEVICE, 0, 96), region(SHARED, 0, 96), [1, 3, 2], true);
    assert!(checked(&unlisted).unwrap_err().to_string().contains("`Caps::library` lists those that it has"));
    let called = |recording: &Recording, problem: &str| {
        let call = recording.to_string();
        refused(recording, &format!("command 0, a call of '{}': {problem}", call.trim_end()));
    };
    for [lines, length, inner] in [[0, 3, 2], [1, 0, 2], [1, 3, 0]] {
        let problem =
            format!("{lines} lines of length {length}, {inner} beside each other: at least 1 of each is expected");
        called(&transform(x, y, [lines, length, inner], false), &problem);
    }
    called(&transform(x, y, [1, 3, 3], false), "'x' at memory 1[0..48]: expected 72 bytes, got 48");
    let short = region(SHARED, 0, 40);
    called(&transform(x, short, [1, 3, 2], false), &format!("'y' at {short}: expected 48 bytes, got 40"));
    let odd = region(SHARED, 2, 48);
    called(&transform(x, odd, [1, 3, 2], false), &format!("'y' at {odd} must begin at a multiple of 4"));
    let over = region(DEVICE, 8, 48);
    let problem = format!("'x' at {x} overlaps 'y' at {over}: expected the same region, or one apart from it");
    called(&transform(x, over, [1, 3, 2], false), &problem);
    let upload = region(UPLOAD, 0, 48);
    called(
        &transform(upload, y, [1, 3, 2], false),
        "memory 2[0..48] is upload memory, but device or shared memory is expected",
    );
}

#[test]
fn routines_are_listed_and_their_matrices_fit() {
    let (a, b, c) = (region(DEVICE, 0, 64), region(DEVICE, 64, 64), region(SHARED, 0, 64));
    let unlisted = product(a, b, c, [4; 3], Precision::Bf16);
    assert!(checked(&unlisted).unwrap_err().to_string().contains("`Caps::library` lists those that it has"));
    let called = |recording: &Recording, problem: &str| {
        let call = recording.to_string();
        refused(recording, &format!("command 0, a call of '{}': {problem}", call.trim_end()));
    };
    for sizes in [[0, 4, 4], [4, 0, 4], [4, 4, 0]] {
        called(
            &product(a, b, c, sizes, Precision::F32),
            "one of rows, columns, depth and batches is zero: at least 1 is expected",
        );
    }
    let most = u32::MAX;
    for (sizes, problem) in [
        ([5, 4, 4], "'a' at memory 1[0..64]: expected at least 80 bytes, got 64"),
        ([4, 4, 5], "'b' at memory 1[64..128]: expected at least 80 bytes, got 64"),
        ([4, 1, 5], "'c' at memory 5[0..64]: expected at least 80 bytes, got 64"),
        ([most, most, 1], "'a' at memory 1[0..64]: expected at least 73786976260478468100 bytes, got 64"),
    ] {
        called(&product(a, b, c, sizes, Precision::F32), problem);
    }
    let problem = "'b' at memory 1[64..128] overlaps 'c' at memory 1[96..160], which the product writes";
    called(&product(a, b, region(DEVICE, 96, 64), [4; 3], Precision::F32), problem);
    let batch = |shared| ProductForm { batches: 2, shared, ..ProductForm::default() };
    let batched = |shared, c| product_in_form([a, b, c], [4; 3], Precision::F32, batch(shared));
    called(&batched([false, true], c), "'a' at memory 1[0..64]: expected at least 128 bytes, got 64");
    called(&batched([true, false], c), "'b' at memory 1[64..128]: expected at least 128 bytes, got 64");
    called(&batched([true; 2], c), "'c' at memory 5[0..64]: expected at least 128 bytes, got 64");
    assert_eq!(checked(&batched([true; 2], region(SHARED, 0, 128))).err(), None);
    let none = ProductForm { batches: 0, ..ProductForm::default() };
    let none = product_in_form([a, b, c], [4; 3], Precision::F32, none);
    called(&none, "one of rows, columns, depth and batches is zero: at least 1 is expected");
    let odd = product(region(DEVICE, 3, 32), b, c, [4; 3], Precision::F16);
    called(&odd, "'a' at memory 1[3..35] must begin at a multiple of 2");
    let upload = product(a, region(UPLOAD, 0, 64), c, [4; 3], Precision::F32);
    called(&upload, "memory 2[0..64] is upload memory, but device or shared memory is expected");
}

#[test]
fn wide_and_strided_products_are_routines_of_their_own() {
    let (a, b, c) = (region(DEVICE, 0, 64), region(DEVICE, 64, 64), region(SHARED, 0, 64));
    let wide = ProductForm { wide: true, ..ProductForm::default() };
    let strided = |rows, batches| ProductForm {
        strides: Some(ProductStrides { rows, batches }),
        batches: 2,
        ..ProductForm::default()
    };
    let in_form = |form| product_in_form([a, b, c], [4, 2, 2], Precision::F16, form);
    let mut dense = caps();
    dense.library = vec![Routine::MatrixProduct(Precision::F16)];
    for (form, name) in [(wide, "into f32"), (strided([2; 3], [8; 3]), "rows [2, 2, 2] matrices [8, 8, 8] apart")] {
        assert_eq!(checked(&in_form(form)).err(), None);
        let error = check(&in_form(form), &dense, &world()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("`Caps::library` lists those that it has"), "{error}");
    }
    // Only factors of 16 bits have wider results.
    assert!(checked(&product_in_form([a, b, c], [2; 3], Precision::F32, wide)).is_err());
    let called = |recording: &Recording, problem: &str| {
        let call = recording.to_string();
        refused(recording, &format!("command 0, a call of '{}': {problem}", call.trim_end()));
    };
    let larger = product_in_form([a, b, c], [4, 2, 5], Precision::F16, wide);
    called(&larger, "'c' at memory 5[0..64]: expected at least 80 bytes, got 64");
    let odd = product_in_form([a, b, region(SHARED, 2, 32)], [2; 3], Precision::F16, wide);
    called(&odd, "'c' at memory 5[2..34] must begin at a multiple of 4");
    called(
        &in_form(strided([2, 1, 2], [8; 3])),
        "'b' at memory 1[64..128]: expected at least 2 elements from one row to the next, got 1",
    );
    called(&in_form(strided([9, 2, 2], [8; 3])), "'a' at memory 1[0..64]: expected at least 74 bytes, got 64");
    called(
        &in_form(strided([2; 3], [8, 8, 7])),
        "'c' at memory 5[0..64]: matrices 7 elements apart overlap; they must follow each other or lie side by side",
    );
    // Two matrices in common rows.
    assert_eq!(checked(&in_form(strided([2, 2, 4], [8, 8, 2]))).err(), None);
}
