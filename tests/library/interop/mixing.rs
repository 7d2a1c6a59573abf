//! Work of both sides on one buffer, in every order, compared with the same steps on the host.

use anywarp::interop::wgpu as beside;
use anywarp::interop::wgpu::wgpu::BufferUsages;
use anywarp::{Kernel, UnifiedBuffer};

use super::raw::{Pair, Triple, WORK, buffer, pairs};

const LENGTH: usize = 1000;
const BYTES: u64 = LENGTH as u64 * 4;

/// A kernel that computes `x = 2 x + i` for word `i`.
const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) { data[id.x] = 2u * data[id.x] + id.x; }
}";

#[derive(Clone, Copy, Debug)]
enum Step {
    Launch,
    Replay,
    Fill,
    Update,
    Write,
    Read,
    RawPass,
    RawWrite,
    RawCopy,
}

const STEPS: [Step; 9] = [
    Step::Launch,
    Step::Replay,
    Step::Fill,
    Step::Update,
    Step::Write,
    Step::Read,
    Step::RawPass,
    Step::RawWrite,
    Step::RawCopy,
];

struct Program<'p> {
    pair: &'p Pair,
    double: Kernel,
    triple: Triple,
    recording: anywarp::Recording,
    data: UnifiedBuffer<u32>,
    expected: Vec<u32>,
}

impl<'p> Program<'p> {
    fn new(pair: &'p Pair, mut data: UnifiedBuffer<u32>) -> anywarp::Result<Self> {
        let double = pair.anywarp.kernel(DOUBLE)?;
        let mut recording = pair.anywarp.recording();
        double.launch().bind("data", &mut data).record(&mut recording).threads(LENGTH)?;
        let triple = Triple::new(&pair.raw.device);
        Ok(Self { pair, double, triple, recording, data, expected: vec![0; LENGTH] })
    }

    fn step(&mut self, step: Step) -> anywarp::Result<()> {
        let queue = &self.pair.raw.queue;
        let doubled = |x: &mut Vec<u32>| {
            x.iter_mut().zip(0..).for_each(|(x, i)| *x = x.wrapping_mul(2).wrapping_add(i));
        };
        match step {
            Step::Launch => {
                self.double.launch().bind("data", &mut self.data).threads(LENGTH)?;
                doubled(&mut self.expected);
            }
            Step::Replay => {
                self.recording.submit()?;
                doubled(&mut self.expected);
            }
            Step::Fill => {
                self.data.slice_mut(500..).fill(9)?;
                self.expected[500..].fill(9);
            }
            Step::Update => {
                self.data.slice_mut(..700).update()?.iter_mut().for_each(|x| *x ^= 0xf0f0);
                self.expected[..700].iter_mut().for_each(|x| *x ^= 0xf0f0);
            }
            Step::Write => {
                self.data.slice_mut(100..200).write()?.fill(77);
                self.expected[100..200].fill(77);
            }
            Step::Read => self.check("in between"),
            Step::RawPass => {
                let lent = self.data.lend_wgpu_mut()?;
                queue.submit([self.triple.commands(&lent, BYTES)]);
                self.expected.iter_mut().for_each(|x| *x = x.wrapping_mul(3).wrapping_add(1));
            }
            Step::RawWrite => {
                let lent = self.data.lend_wgpu_mut()?;
                queue.write_buffer(&lent, 40, bytemuck::cast_slice(&[5u32; 300]));
                // A write of the queue takes effect with the next submission, of raw code or of anywarp.
                drop(lent);
                self.expected[10..310].fill(5);
            }
            Step::RawCopy => {
                let other = buffer(&self.pair.raw.device, BYTES, WORK);
                {
                    // The words are copied from a shared loan, and back to a mutable loan.
                    let lent = self.data.lend_wgpu()?;
                    let mut encoder = self.pair.raw.device.create_command_encoder(&Default::default());
                    encoder.copy_buffer_to_buffer(&lent, 0, &other, 0, BYTES);
                    queue.submit([encoder.finish(), self.triple.commands(&other, BYTES)]);
                }
                let lent = self.data.lend_wgpu_mut()?;
                let mut encoder = self.pair.raw.device.create_command_encoder(&Default::default());
                encoder.copy_buffer_to_buffer(&other, 0, &lent, 0, BYTES / 2);
                queue.submit([encoder.finish()]);
                self.expected[..LENGTH / 2].iter_mut().for_each(|x| *x = x.wrapping_mul(3).wrapping_add(1));
            }
        }
        Ok(())
    }

    fn check(&self, when: &str) {
        let read = self.data.read().unwrap();
        let wrong = (0..LENGTH).find(|&index| read[index] != self.expected[index]);
        let wrong = wrong.map(|index| format!("[{index}]: expected {}, got {}", self.expected[index], read[index]));
        assert_eq!(wrong, None, "{when}, {}", self.pair.name);
    }
}

/// Runs every sequence of three steps on the same buffer, and reads the buffer at the end of each.
fn run(pair: &Pair, data: UnifiedBuffer<u32>) -> anywarp::Result<()> {
    let mut program = Program::new(pair, data)?;
    for first in STEPS {
        for second in STEPS {
            for third in STEPS {
                for step in [first, second, third] {
                    program.step(step)?;
                }
                program.check(&format!("after {first:?}, {second:?}, {third:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn raw_work_on_buffers_of_anywarp() -> anywarp::Result<()> {
    for pair in pairs() {
        run(&pair, pair.anywarp.buffer(LENGTH)?)?;
    }
    Ok(())
}

#[test]
fn anywarp_work_on_raw_buffers() -> anywarp::Result<()> {
    for pair in pairs() {
        let raw = buffer(&pair.raw.device, BYTES, WORK);
        run(&pair, beside::buffer(&pair.anywarp, raw)?)?;
        let mappable = WORK | BufferUsages::MAP_READ | BufferUsages::MAP_WRITE;
        if pair.anywarp.caps().unified {
            let data = beside::buffer(&pair.anywarp, buffer(&pair.raw.device, BYTES, mappable))?;
            run(&pair, data)?;
        }
    }
    Ok(())
}

/// A buffer keeps the results of earlier work when raw code takes it from anywarp, and the other way round.
#[test]
fn results_stay_with_the_buffer() -> anywarp::Result<()> {
    for pair in pairs() {
        let triple = Triple::new(&pair.raw.device);
        let raw = buffer(&pair.raw.device, BYTES, WORK);
        pair.raw.queue.write_buffer(&raw, 0, bytemuck::cast_slice(&[2u32; LENGTH]));
        pair.raw.queue.submit([triple.commands(&raw, BYTES)]);
        let mut data = beside::buffer::<u32>(&pair.anywarp, raw.clone())?;
        pair.anywarp.kernel(DOUBLE)?.launch().bind("data", &mut data).threads(LENGTH)?;
        data.slice_mut(..1).update()?[0] += 100;
        // The launch is still recorded and the update not uploaded: without the loan, both would be lost.
        drop(data.lend_wgpu()?);
        drop(data);
        pair.raw.queue.submit([triple.commands(&raw, BYTES)]);

        let again = beside::buffer::<u32>(&pair.anywarp, raw)?;
        let read = again.read()?;
        assert_eq!((read[0], read[1], read[999]), (343, 46, 3 * (14 + 999) + 1), "{}", pair.name);
        drop(read);
        let given = again.into_wgpu()?;
        pair.raw.queue.submit([triple.commands(&given, BYTES)]);
        assert_eq!(beside::buffer::<u32>(&pair.anywarp, given)?.read()?[1], 139, "{}", pair.name);
    }
    Ok(())
}

/// Memory that the device shares with the host is not copied, whether anywarp or raw code allocated it.
#[test]
fn shared_memory_is_not_copied() -> anywarp::Result<()> {
    for pair in pairs().into_iter().filter(|pair| pair.anywarp.caps().unified) {
        let mappable = WORK | BufferUsages::MAP_READ | BufferUsages::MAP_WRITE;
        let mut data = beside::buffer::<u32>(&pair.anywarp, buffer(&pair.raw.device, BYTES, mappable))?;
        data.write()?.fill(1);
        pair.anywarp.kernel(DOUBLE)?.launch().bind("data", &mut data).threads(LENGTH)?;
        pair.raw.queue.submit([Triple::new(&pair.raw.device).commands(&*data.lend_wgpu_mut()?, BYTES)]);
        assert_eq!(data.read()?[10], 3 * 12 + 1);
        assert_eq!(data.stats(), Default::default(), "{}", pair.name);
    }
    Ok(())
}
