//! Random sequences of host and device operations on one buffer, compared with the same operations on a `Vec`.

use std::ops::Range;
use std::pin::pin;
use std::task::{self, Waker};

use anywarp::{Device, Recording, UnifiedBuffer};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{ADD, add};
use crate::suite::portable_waits::{ReadHere, SynchronizeHere, WriteHere};
use anywarp_testing_devices::outcome::{Context, Stop, TestResult, equal, fail, same};

pub(crate) const CASES: &[Case] = cases![
    a_buffer_is_a_vec = |device| check(device, any_length(), 40),
    a_long_buffer_is_a_vec = |device| check(device, (1100usize..3000).boxed(), 30),
    a_small_buffer_is_a_vec = |device| check(device, Just(5).boxed(), 60),
    bytes_are_a_vec,
];

/// The maximum number of attempts to simplify a failing input.
const MAX_TRIES: usize = 500;

/// An operation on a buffer of words. Ranges are in units of the binding alignment for `AddSlice`, in elements
/// otherwise.
#[derive(Clone, Debug)]
enum Step {
    Write(Range<usize>, u32),
    /// Writes elements one by one.
    Scatter(Vec<usize>, u32),
    Update(Range<usize>, u32),
    Fill(Range<usize>, u32),
    Copy(Range<usize>, usize),
    Add(u32),
    AddSlice(Range<usize>, u32),
    Replay,
    Read(Range<usize>),
    ReadAsync,
    CancelledRead(Range<usize>),
    Submit,
    Synchronize,
    Swap,
}

fn any_length() -> BoxedStrategy<usize> {
    (1usize..700).boxed()
}

fn any_step(length: usize, unit: usize) -> impl Strategy<Value = Step> {
    let within = move |length: usize| (0..=length, 0..=length).prop_map(|(a, b)| a.min(b)..a.max(b));
    let units = length / unit;
    prop_oneof![
        3 => (within(length), any::<u32>()).prop_map(|(range, value)| Step::Write(range, value)),
        2 => (prop::collection::vec(0..length, 1..30), any::<u32>()).prop_map(|(at, value)| Step::Scatter(at, value)),
        3 => (within(length), any::<u32>()).prop_map(|(range, value)| Step::Update(range, value)),
        2 => (within(length), any::<u32>()).prop_map(|(range, value)| Step::Fill(range, value)),
        2 => (within(length), 0..=length).prop_map(|(range, to)| Step::Copy(range, to)),
        3 => any::<u32>().prop_map(Step::Add),
        2 => (within(units), any::<u32>()).prop_map(move |(range, value)| {
            Step::AddSlice(range.start * unit..range.end * unit, value)
        }),
        1 => Just(Step::Replay),
        3 => within(length).prop_map(Step::Read),
        1 => Just(Step::ReadAsync),
        1 => within(length).prop_map(Step::CancelledRead),
        1 => Just(Step::Submit),
        1 => Just(Step::Synchronize),
        2 => Just(Step::Swap),
    ]
}

/// The buffer and its expected contents.
struct Subject<'d> {
    device: &'d Device,
    buffer: UnifiedBuffer<u32>,
    spare: UnifiedBuffer<u32>,
    /// A recording that adds 1 to `buffer`, or to `spare` while the two are swapped.
    recording: Recording,
    swapped: bool,
    model: Vec<u32>,
    spare_model: Vec<u32>,
}

impl<'d> Subject<'d> {
    fn new(device: &'d Device, length: usize) -> TestResult<Self> {
        let mut buffer = device.buffer::<u32>(length)?;
        let mut recording = device.recording();
        let kernel = device.kernel(ADD)?;
        kernel.launch().bind("data", &mut buffer).set("params.by", 1u32).record(&mut recording).threads(length)?;
        let spare = device.buffer_from(&words(length))?;
        let (model, spare_model) = (vec![0; length], words(length));
        Ok(Self { device, buffer, spare, recording, swapped: false, model, spare_model })
    }

    async fn apply(&mut self, step: &Step) -> TestResult {
        let add_to = |model: &mut [u32], by: u32| model.iter_mut().for_each(|value| *value = value.wrapping_add(by));
        match step.clone() {
            Step::Write(range, value) => {
                self.buffer.slice_mut(range.clone()).write_here().await?.fill(value);
                self.model[range].fill(value);
            }
            Step::Scatter(places, value) => {
                for at in places {
                    self.buffer.slice_mut(at..at + 1).write_here().await?[0] = value;
                    self.model[at] = value;
                }
            }
            Step::Update(range, value) => {
                add_to(&mut self.buffer.slice_mut(range.clone()).update_here().await?, value);
                add_to(&mut self.model[range], value);
            }
            Step::Fill(range, value) => {
                self.buffer.slice_mut(range.clone()).fill(value)?;
                self.model[range].fill(value);
            }
            Step::Copy(range, to) => self.copy_across(range, to)?,
            Step::Add(by) => {
                add(self.device, &mut self.buffer, self.model.len(), by)?;
                add_to(&mut self.model, by);
            }
            Step::AddSlice(range, _) if range.is_empty() => {}
            Step::AddSlice(range, by) => {
                add(self.device, self.buffer.slice_mut(range.clone()), range.len(), by)?;
                add_to(&mut self.model[range], by);
            }
            Step::Replay => {
                self.recording.submit()?;
                add_to(if self.swapped { &mut self.spare_model } else { &mut self.model }, 1);
            }
            Step::Read(range) => {
                same(&self.buffer.slice(range.clone()).read_here().await?, &self.model[range], "read")?;
            }
            Step::ReadAsync => same(&self.buffer.read_async().await?, &self.model, "read_async")?,
            Step::CancelledRead(range) => {
                let mut context = task::Context::from_waker(Waker::noop());
                // The result of the poll is ignored, whether it is ready or not.
                let _ = pin!(self.buffer.slice(range).read_async()).poll(&mut context);
            }
            Step::Submit => self.device.submit()?,
            Step::Synchronize => self.device.synchronize_here().await?,
            Step::Swap => {
                std::mem::swap(&mut self.buffer, &mut self.spare);
                std::mem::swap(&mut self.model, &mut self.spare_model);
                self.swapped = !self.swapped;
            }
        }
        Ok(())
    }

    /// Copies `range` of the spare buffer to `to`, cut to the length of the buffer.
    fn copy_across(&mut self, range: Range<usize>, to: usize) -> TestResult {
        let length = range.len().min(self.model.len() - to);
        let source = range.start..range.start + length;
        self.buffer.slice_mut(to..to + length).copy_from(self.spare.slice(source.clone()))?;
        self.model[to..to + length].copy_from_slice(&self.spare_model[source]);
        Ok(())
    }

    async fn finish(&self) -> TestResult {
        same(&self.buffer.read_here().await?, &self.model, "at the end")?;
        same(&self.spare.read_here().await?, &self.spare_model, "the other buffer at the end")
    }
}

/// Runs the loop of proptest for an asynchronous test.
async fn run<S: Strategy>(strategy: S, cases: u32, test: impl AsyncFn(S::Value) -> TestResult) -> TestResult {
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for _ in 0..cases {
        let tree = strategy.new_tree(&mut runner).or_else(|reason| fail(reason.to_string()))?;
        if let Err(failure) = test(tree.current()).await {
            return simplest(tree, failure, test).await;
        }
    }
    Ok(())
}

/// Simplifies a failing input as long as it fails; returns the failure of the simplest input found.
async fn simplest<V: ValueTree>(mut tree: V, failure: Stop, test: impl AsyncFn(V::Value) -> TestResult) -> TestResult {
    let (mut failure, mut input) = (failure, format!("{:?}", tree.current()));
    let mut more = tree.simplify();
    for _ in 0..MAX_TRIES {
        if !more {
            break;
        }
        more = match test(tree.current()).await {
            Ok(()) => tree.complicate(),
            Err(simpler) => {
                (failure, input) = (simpler, format!("{:?}", tree.current()));
                tree.simplify()
            }
        };
    }
    Err(failure).context(|| format!("with {input}"))
}

async fn check(device: &Device, lengths: BoxedStrategy<usize>, cases: u32) -> TestResult {
    let unit = device.caps().limits.storage_offset_alignment as usize / 4;
    let strategy = lengths
        .prop_flat_map(move |length| (Just(length), prop::collection::vec(any_step(length, unit.max(1)), 1..40)));
    run(strategy, cases, async |(length, steps)| {
        let mut subject = Subject::new(device, length)?;
        for (number, step) in steps.iter().enumerate() {
            subject.apply(step).await.context(|| format!("step {number}, {step:?}"))?;
        }
        subject.finish().await
    })
    .await
}

/// A buffer of bytes behaves as a `Vec`, also at lengths that are no multiple of 4, where the last word is partial.
async fn bytes_are_a_vec(device: &Device) -> TestResult {
    let step = (any::<bool>(), any::<bool>(), 0usize..10, any::<u8>());
    let strategy = (1usize..40, prop::collection::vec(step, 1..20));
    run(strategy, 40, async |(length, steps)| {
        let mut model: Vec<u8> = (0..length).map(|n| n as u8).collect();
        let mut buffer = device.buffer_from(&model)?;
        let mut other = device.buffer::<u8>(length)?;
        for (by_fill, through_device, word, value) in steps {
            let start = (4 * word).min(length / 4 * 4);
            if by_fill {
                buffer.slice_mut(start..).fill(value)?;
                model[start..].fill(value);
            } else {
                buffer
                    .slice_mut(start..)
                    .update_here()
                    .await?
                    .iter_mut()
                    .for_each(|byte| *byte = byte.wrapping_add(value));
                model[start..].iter_mut().for_each(|byte| *byte = byte.wrapping_add(value));
            }
            if through_device {
                other.copy_from(&buffer)?;
                std::mem::swap(&mut buffer, &mut other);
            }
        }
        equal(buffer.read_here().await?.to_vec(), model, "bytes")
    })
    .await
}
