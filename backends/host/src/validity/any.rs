//! Property tests: the check of an arbitrary recording does not panic.

use std::sync::Arc;

use anywarp_backend::{
    Access, Bound, Factor, Grid, KernelId, Library, MemoryId, Precision, ProductForm, ProductStrides, Recording,
    Region, Scale, Transform,
};
use proptest::prelude::*;

use super::check;
use super::tests::{caps, region, world};

fn number() -> impl Strategy<Value = u64> {
    let edges = [0, 4, 8, 64, 1020, 1024, 1 << 32, u64::MAX - 7, u64::MAX - 3, u64::MAX - 1, u64::MAX];
    prop_oneof![3 => prop::sample::select(edges.to_vec()), 1 => any::<u64>(), 2 => 0..1100u64]
}

fn any_region() -> impl Strategy<Value = Region> {
    (0..9u64, number(), number()).prop_map(|(memory, offset, bytes)| region(MemoryId(memory), offset, bytes))
}

fn any_bound() -> impl Strategy<Value = Bound> {
    let access = prop_oneof![Just(Access::Read), Just(Access::Write)];
    prop_oneof![
        3 => (any_region(), access).prop_map(|(region, access)| Bound::Memory { region, access }),
        1 => (any::<u32>(), any::<u32>()).prop_map(|(start, end)| Bound::Inline(start..end)),
        2 => (0..40u32, 0..40u32).prop_map(|(start, end)| Bound::Inline(start..end)),
    ]
}

fn any_grid() -> impl Strategy<Value = Grid> {
    prop_oneof![
        any::<[u32; 3]>().prop_map(Grid::Groups),
        Just(Grid::Groups([1; 3])),
        (0..9u64, number()).prop_map(|(memory, offset)| Grid::Indirect { memory: MemoryId(memory), offset }),
    ]
}

/// A call that appends a command to a recording.
#[derive(Clone, Debug)]
enum Append {
    Copy(Region, Region),
    Fill(Region),
    Dispatch { kernel: u64, grid: Grid, bounds: Vec<Bound>, values: usize, immediates: usize },
    Library(Library),
}

impl Append {
    fn to(&self, recording: &mut Recording) {
        match self {
            Self::Copy(source, target) => recording.copy(*source, *target),
            Self::Fill(target) => recording.fill(*target, 1),
            Self::Dispatch { kernel, grid, bounds, values, immediates } => {
                let (values, immediates) = (vec![0; *values], vec![0; *immediates]);
                recording.dispatch(KernelId(*kernel), &Arc::from("any"), *grid, bounds.clone(), &values, &immediates);
            }
            Self::Library(call) => recording.library(*call),
        }
    }
}

fn any_form() -> impl Strategy<Value = ProductForm> {
    let flags = any::<[bool; 2]>();
    let factor = prop::sample::select(vec![Factor::ZERO, Factor::ONE, Factor::new(f32::NAN)]);
    let strides =
        prop::option::of((any_strides(), any_strides()).prop_map(|(rows, batches)| ProductStrides { rows, batches }));
    let flags = (flags, any::<[bool; 2]>(), any::<bool>());
    (flags, any::<u32>(), strides, factor.clone(), factor).prop_map(
        |((transposed, shared, wide), batches, strides, alpha, beta)| ProductForm {
            transposed,
            batches,
            shared,
            wide,
            strides,
            alpha,
            beta,
        },
    )
}

fn any_strides() -> impl Strategy<Value = [u64; 3]> {
    [number(), number(), number()]
}

fn any_command() -> impl Strategy<Value = Append> {
    let precision = prop::sample::select(vec![Precision::F32, Precision::Tf32, Precision::F16, Precision::Bf16]);
    let dispatch = (0..5u64, any_grid(), prop::collection::vec(any_bound(), 0..5), 0..40usize, 0..12usize);
    let sizes = [number(), number(), number()].prop_map(|sizes| sizes.map(|size| size as u32));
    let transform = (any_region(), any_region(), sizes, any::<[bool; 2]>());
    let product = (any_region(), any_region(), any_region(), any::<[u32; 3]>(), precision, any_form());
    prop_oneof![
        (any_region(), any_region()).prop_map(|(source, target)| Append::Copy(source, target)),
        any_region().prop_map(Append::Fill),
        dispatch.prop_map(|(kernel, grid, bounds, values, immediates)| Append::Dispatch {
            kernel,
            grid,
            bounds,
            values,
            immediates
        }),
        product.prop_map(|(a, b, c, [rows, columns, depth], precision, form)| {
            Append::Library(Library::MatrixProduct { a, b, c, rows, columns, depth, precision, form })
        }),
        transform.prop_map(|(x, y, [lines, length, inner], [inverse, double])| {
            let transform = Transform { lines, length, inner, inverse, double, scale: Scale::ONE };
            Append::Library(Library::FourierTransform { x, y, transform })
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// No recording makes the check panic; a recording that passes the check accesses only bytes within its memories.
    #[test]
    fn any_recording_is_judged(
        commands in prop::collection::vec(any_command(), 0..4),
        alignment in prop::sample::select(vec![0, 1, 4, 256, u32::MAX]),
        aliased in any::<bool>(),
    ) {
        let (mut caps, world) = (caps(), world());
        caps.aliased_bindings = aliased;
        caps.limits.storage_offset_alignment = alignment;
        let mut recording = Recording::new();
        commands.iter().for_each(|append| append.to(&mut recording));
        let outcome = check(&recording, &caps, &world);
        let (_, _) = (recording.to_string(), recording.barriers());
        if outcome.is_ok() {
            for command in recording.commands() {
                recording.visit_regions(command, |region, _| {
                    let memory = world.memories[&region.memory];
                    let end = u128::from(region.offset) + u128::from(region.bytes);
                    assert!(!memory.mapped && region.bytes > 0 && end <= u128::from(memory.bytes), "{region}");
                });
            }
        }
    }
}
