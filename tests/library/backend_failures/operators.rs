//! Operators whose device runs out of memory at each allocation in turn.

use anywarp::ops::{self, Histogram, Random, ReductionKernel, Scan, Select, Sort, reduce};
use anywarp::{Device, Error, ErrorClass, UnifiedBuffer};
use anywarp_null::{Call, Fault, Faults, When};

use super::both;
use super::program::Machine;
use super::ready_made::{self, READY_MADE};

/// A length of more than one tile, chunk and workgroup of each operator.
pub(super) const LENGTH: usize = 20_000;

/// The arrays that operators read and write.
pub(super) struct Arrays {
    pub(super) x: UnifiedBuffer<f32>,
    pub(super) keys: UnifiedBuffer<u32>,
    pub(super) offsets: UnifiedBuffer<u32>,
    pub(super) y: UnifiedBuffer<f32>,
    pub(super) z: UnifiedBuffer<f32>,
    pub(super) places: UnifiedBuffer<u32>,
    pub(super) halves: UnifiedBuffer<u16>,
}

impl Arrays {
    fn new(device: &Device) -> anywarp::Result<Self> {
        Ok(Self {
            x: device.buffer_from(&vec![1.5f32; LENGTH])?,
            keys: device.buffer_from(&(0..LENGTH as u32).collect::<Vec<_>>())?,
            offsets: device.buffer_from(&[0u32, 10, LENGTH as u32])?,
            y: device.buffer_from(&vec![2.5f32; LENGTH])?,
            z: device.buffer_from(&vec![3.5f32; LENGTH])?,
            places: device.buffer_from(&vec![7u32; LENGTH])?,
            halves: device.buffer_from(&vec![8u16; LENGTH])?,
        })
    }

    /// The name of an array that no longer has its first contents, if there is one.
    fn changed(&self) -> Option<&'static str> {
        let is = |array: &UnifiedBuffer<f32>, value: f32| array.read().unwrap().iter().all(|x| *x == value);
        let checks = [
            ("x", is(&self.x, 1.5)),
            ("y", is(&self.y, 2.5)),
            ("z", is(&self.z, 3.5)),
            ("keys", self.keys.read().unwrap().iter().copied().eq(0..LENGTH as u32)),
            ("places", self.places.read().unwrap().iter().all(|place| *place == 7)),
            ("halves", self.halves.read().unwrap().iter().all(|half| *half == 8)),
            ("offsets", *self.offsets.read().unwrap() == [0, 10, LENGTH as u32]),
        ];
        checks.into_iter().find(|(_, same)| !same).map(|(array, _)| array)
    }
}

/// A name of the operator, its name in errors, and a call of it.
pub(super) type Called = (&'static str, &'static str, fn(&Device, &mut Arrays) -> anywarp::Result<()>);

const OPERATORS: &[Called] = &[
    ("fill_pattern", "fill with a pattern", |_, arrays| Ok(ops::fill_pattern(&mut arrays.y, &[1.0, 2.0, 3.0])?)),
    ("histogram", "histogram", |_, arrays| Ok(ops::histogram(&arrays.x, arrays.places.slice_mut(..100), 0.0..1.0)?)),
    ("histogram of many bins", "histogram", |_, arrays| Ok(ops::histogram(&arrays.x, &mut arrays.places, 0.0..1.0)?)),
    ("weighted histogram", "histogram", |_, Arrays { x, z, y, .. }| {
        Ok(Histogram::even(50, 0.0..1.0).run_weighted(&*x, &*z, y.slice_mut(..50))?)
    }),
    ("bincount", "histogram", |_, arrays| Ok(ops::bincount(&arrays.keys, arrays.places.slice_mut(..100))?)),
    ("matmul", "matrix product", |_, Arrays { x, z, y, .. }| {
        Ok(ops::matmul(x.slice(..6400), z.slice(..6400), y.slice_mut(..6400), [80, 80, 80])?)
    }),
    ("elementwise", "double", |device, Arrays { x, y, .. }| {
        let double = ops::ElementwiseKernel::new("x: f32", "y: f32", "y = 2 * x")?.name("double");
        Ok(double.run(device, &*x, y)?)
    }),
    ("uniform", "random numbers", |_, arrays| Ok(Random::new(1).uniform(&mut arrays.y)?)),
    ("permutation", "random numbers", |_, arrays| Ok(Random::new(1).permutation(&mut arrays.places)?)),
    ("sum", "reduction sum", |device, Arrays { x, y, .. }| Ok(reduce::sum().run(device, &*x, y.slice_mut(..1))?)),
    ("own reduction", "greatest", |device, Arrays { x, y, .. }| {
        let greatest = ReductionKernel::new("x: f32", "y: f32")?.combine("max(a, b)").identity("-inf");
        Ok(greatest.name("greatest").run(device, &*x, y.slice_mut(..1))?)
    }),
    ("sum of segments", "reduction sum", |device, Arrays { x, y, offsets, .. }| {
        Ok(reduce::sum().call(device).segments(&*offsets).run(&*x, y.slice_mut(..2))?)
    }),
    ("sum by key", "reduction sum", |device, Arrays { x, y, keys, places, .. }| {
        Ok(reduce::sum().call(device).run_by_key(&*keys, &*x, places, y).map(drop)?)
    }),
    ("scan", "scan", |_, Arrays { x, y, .. }| Ok(ops::cumulative_sum(&*x, y)?)),
    ("scan of segments", "scan", |_, Arrays { x, y, offsets, .. }| Ok(Scan::sum().segments(&*offsets).run(&*x, y)?)),
    ("select", "selection", |_, Arrays { x, y, keys, .. }| Ok(ops::select(&*x, &*keys, y).map(drop)?)),
    ("partition", "selection", |_, Arrays { x, y, z, .. }| Ok(Select::new("x > 1").partition(&*x, y, z).map(drop)?)),
    ("run lengths", "run lengths", |_, Arrays { x, y, places, .. }| {
        Ok(ops::run_length_encode(&*x, y, places).map(drop)?)
    }),
    ("runs", "run lengths", |_, Arrays { x, y, keys, .. }| {
        Ok(ops::run_length_decode(x.slice(..100), keys.slice(..100), y).map(drop)?)
    }),
    ("sort", "sort", |_, arrays| Ok(ops::sort(&mut arrays.y)?)),
    ("sort pairs", "sort", |_, Arrays { y, places, .. }| Ok(Sort::new().pairs_in_place(y, places)?)),
    ("argsort", "sort", |_, Arrays { x, places, .. }| Ok(ops::argsort(&*x, places)?)),
];

/// The problem with an error, if there is one.
fn problem(name: &str, error: &Error) -> Option<String> {
    let said = error.to_string();
    // A launch that cannot upload an argument names its kernel.
    let is_named = said.contains(name) || said.contains("kernel 'shaders/ops/");
    let is_complete = error.class() == ErrorClass::Retryable && said.contains("out of memory") && is_named;
    (!is_complete).then(|| format!("expected '{name}' and 'out of memory' in a {:?} error: {said}", error.class()))
}

/// The operators that allocate no memory.
const WITHOUT_MEMORY: &[&str] = &["fill_pattern", "matmul", "elementwise", "uniform", "permutation"];

/// Each call that fails names the operator, changes no array and leaks nothing, and the next call succeeds.
#[test]
fn operators_without_memory_change_nothing() {
    let mut problems = Vec::new();
    for options in both() {
        for (what, name, call) in OPERATORS.iter().chain(READY_MADE) {
            let mut failed = 0;
            for (when, nth) in (0..).map(|nth| (When::From(nth), nth)) {
                let machine = Machine::new(&options);
                let mut arrays = Arrays::new(&machine.device).unwrap();
                machine.faults(Faults::new().fail(Call::Allocate, Fault::OutOfMemory, when));
                let result = call(&machine.device, &mut arrays);
                let fired = machine.faulty.fired();
                machine.calm();
                let what = format!("{what}, from allocation {nth} on");
                if let Err(error) = &result {
                    failed += 1;
                    problems.extend(problem(name, error).map(|problem| format!("{what}: {problem}")));
                    problems.extend(arrays.changed().map(|array| format!("{what}: {array} has changed")));
                    if let Err(error) = call(&machine.device, &mut arrays) {
                        problems.push(format!("{what}: the next call says: {error}"));
                    }
                } else if fired > 0 {
                    problems.push(format!("{what}: succeeded"));
                }
                drop((result, arrays));
                machine.device.trim();
                machine.close();
                if fired == 0 {
                    break;
                }
            }
            if (failed == 0) != (WITHOUT_MEMORY.contains(what) || ready_made::WITHOUT_MEMORY.contains(what)) {
                problems.push(format!("{what}: {failed} allocations"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
