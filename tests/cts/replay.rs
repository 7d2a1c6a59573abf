//! Replays one trace through the public API.

use std::collections::BTreeSet;

use anywarp::backend::BackendError;
use anywarp::{BufferError, Device, DeviceOptions, Error, ErrorClass, KernelError, LaunchError, UnifiedBuffer, Wgsl};

use anywarp_testing_devices::cts::case_file::Shaders;
use anywarp_testing_devices::cts::check::compare;
use anywarp_testing_devices::cts::format::{Binding, Check, Dispatch, Op, Trace};
use anywarp_testing_devices::cts::outcome::{Failure, Outcome};
use anywarp_testing_devices::cts::worker::Replay;

use crate::findings::Expected;

/// A device that runs traces.
pub(crate) struct Player {
    device: Device,
    /// The expected findings, if the device is a checked one.
    expected: Option<Expected>,
    lost: bool,
}

impl Player {
    /// Opens a device.
    ///
    /// # Errors
    ///
    /// The reason why no device opens.
    pub(crate) fn open(selector: Option<&str>, staged: bool) -> Result<Self, String> {
        let mut options = DeviceOptions::default().staged(staged);
        options.selector = selector.map(str::to_owned);
        let device = Device::open_with(&options).map_err(|error| error.to_string())?;
        let is_checked = device.selector().to_string().ends_with(":checked");
        let expected = is_checked.then(Expected::read).transpose()?;
        Ok(Self { device, expected, lost: false })
    }

    fn run(&self, trace: &Trace, shaders: &Shaders, alive: &mut dyn FnMut()) -> Result<Vec<String>, Stop> {
        let mut buffers = self.allocate(trace)?;
        let mut mismatches = Vec::new();
        for done in 0..=trace.ops.len() {
            if let Some(op) = done.checked_sub(1).map(|last| &trace.ops[last]) {
                self.apply(op, shaders, &mut buffers)?;
            }
            for (index, check) in trace.checks.iter().enumerate().filter(|(_, check)| check.after == done) {
                inspect(index, check, &buffers, &mut mismatches)?;
                alive();
            }
            alive();
        }
        // The wait makes late failures belong to this trace instead of the next one.
        self.device.synchronize().map_err(stop)?;
        Ok(mismatches)
    }

    /// The differences between the findings since the last call and the expected ones; none on a device without checks.
    fn findings(&self, trace: &Trace) -> Vec<String> {
        let Some(expected) = &self.expected else { return Vec::new() };
        let kernels = trace.ops.iter().filter_map(|op| match op {
            Op::Dispatch(dispatch) => Some(dispatch.wgsl.as_str()),
            Op::Write { .. } | Op::Copy { .. } | Op::Clear { .. } => None,
        });
        let kernels: BTreeSet<&str> = kernels.collect();
        expected.differences(&kernels, &self.device.findings())
    }

    fn allocate(&self, trace: &Trace) -> Result<Vec<UnifiedBuffer<u8>>, Stop> {
        let allocate = |buffer: &anywarp_testing_devices::cts::format::Buffer| match &buffer.init {
            None => self.device.buffer(buffer.size).map_err(stop),
            Some(data) if data.0.len() == buffer.size => self.device.buffer_from(&data.0).map_err(stop),
            Some(data) => {
                Err(Stop::Failed(format!("malformed: {} bytes for a buffer of {}", data.0.len(), buffer.size)))
            }
        };
        trace.buffers.iter().map(allocate).collect()
    }

    fn apply(&self, op: &Op, shaders: &Shaders, buffers: &mut [UnifiedBuffer<u8>]) -> Result<(), Stop> {
        match *op {
            Op::Dispatch(ref dispatch) => self.dispatch(dispatch, shaders, buffers),
            Op::Write { buf, off, ref data } => {
                let target = buffer(buffers, buf)?.slice_mut(off..off + data.0.len());
                target.copy_from_slice(&data.0).map_err(stop)
            }
            Op::Copy { src, src_off, dst, dst_off, size } => {
                let [source, target] = buffers
                    .get_disjoint_mut([src, dst])
                    .map_err(|error| Stop::Failed(format!("malformed: copy from {src} to {dst}: {error}")))?;
                let source = source.slice(src_off..src_off + size);
                target.slice_mut(dst_off..dst_off + size).copy_from(source).map_err(stop)
            }
            Op::Clear { buf, off, size } => buffer(buffers, buf)?.slice_mut(off..off + size).fill(0).map_err(stop),
        }
    }

    fn dispatch(&self, dispatch: &Dispatch, shaders: &Shaders, buffers: &mut [UnifiedBuffer<u8>]) -> Result<(), Stop> {
        let text = shaders.get(&dispatch.wgsl).ok_or_else(|| Stop::Failed("malformed: no such shader".to_owned()))?;
        let mut source = Wgsl::new(text).file(format!("{}.wgsl", dispatch.wgsl));
        if let Some(entry) = &dispatch.entry {
            source = source.entry(entry);
        }
        for (name, value) in &dispatch.constants {
            source = source.set_override(name, *value);
        }
        let kernel = self.device.kernel(source).map_err(stop)?;
        // The counts are copied first, because the bindings borrow all buffers.
        let counts = dispatch.indirect.map(|(buf, off)| self.indirect_counts(buffers, buf, off)).transpose()?;

        let mut launch = kernel.launch().partial_elements();
        let mut unbound: Vec<_> = buffers.iter_mut().map(Some).collect();
        for info in kernel.bindings() {
            let wanted = |at: &&Binding| (at.group, at.binding) == (info.resource.group, info.resource.binding);
            // A binding that the trace does not list is left out, and the launch reports it.
            let Some(at) = dispatch.bind.iter().find(wanted) else { continue };
            let buffer = unbound.get_mut(at.buf).and_then(Option::take);
            let buffer = buffer.ok_or_else(|| Stop::Failed(format!("malformed: buffer {} is bound twice", at.buf)))?;
            let key = format!("{}.{}", at.group, at.binding);
            launch = if (at.off, at.size) == (0, buffer.len()) {
                launch.bind(&key, buffer)
            } else {
                launch.bind(&key, buffer.slice_mut(at.off..at.off + at.size))
            };
        }
        match &counts {
            Some((counts, index)) => launch.indirect(counts, *index),
            None => launch.groups(dispatch.count),
        }
        .map(|_| ())
        .map_err(stop)
    }

    /// Copies a buffer into a new one of words, for the indirect launch; the counts keep their offset, and the second
    /// value is their index.
    fn indirect_counts(
        &self,
        buffers: &mut [UnifiedBuffer<u8>],
        buf: usize,
        off: usize,
    ) -> Result<(UnifiedBuffer<u32>, usize), Stop> {
        if !off.is_multiple_of(4) {
            return Err(Stop::Failed(format!("malformed: indirect counts at byte {off}, not a multiple of 4")));
        }
        let bytes = buffer(buffers, buf)?.read().map_err(stop)?;
        let (words, _) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Ok((self.device.buffer_from(&words).map_err(stop)?, off / 4))
    }
}

impl Replay for Player {
    fn describe(&self) -> String {
        let caps = self.device.caps();
        format!("{} {} {}", self.device.selector(), caps.name, caps.driver)
    }

    fn replay(&mut self, trace: &Trace, shaders: &Shaders, alive: &mut dyn FnMut()) -> Outcome {
        let outcome = self.run(trace, shaders, alive);
        // The findings are taken after a failure, too, so that they do not count for the next trace.
        let findings = self.findings(trace);
        match outcome {
            Ok(mut details) if details.is_empty() && !findings.is_empty() => {
                details.extend(findings);
                Outcome::Failed(Failure { cause: "other findings than expected".to_owned(), details })
            }
            Ok(details) if details.is_empty() => Outcome::Passed,
            Ok(details) => Outcome::Failed(Failure { cause: "wrong results".to_owned(), details }),
            Err(Stop::Skipped(reason)) => Outcome::Skipped { reason },
            Err(Stop::Failed(text)) => Outcome::failed(&text),
            Err(Stop::Lost(text)) => {
                self.lost = true;
                Outcome::failed(&text)
            }
        }
    }

    fn is_lost(&self) -> bool {
        self.lost
    }
}

fn buffer(buffers: &mut [UnifiedBuffer<u8>], index: usize) -> Result<&mut UnifiedBuffer<u8>, Stop> {
    buffers.get_mut(index).ok_or_else(|| Stop::Failed(format!("malformed: no buffer {index}")))
}

fn inspect(
    index: usize,
    check: &Check,
    buffers: &[UnifiedBuffer<u8>],
    mismatches: &mut Vec<String>,
) -> Result<(), Stop> {
    let buffer = buffers.get(check.buf).ok_or_else(|| Stop::Failed(format!("malformed: no buffer {}", check.buf)))?;
    let found = compare(check, &buffer.read().map_err(stop)?);
    let place = format!("check {index}, buffer {}", check.buf);
    mismatches.extend(found.described.iter().map(|described| format!("{place}, {described}")));
    let omitted = found.count - found.described.len();
    if omitted > 0 {
        mismatches.push(format!("{place}: {omitted} more"));
    }
    Ok(())
}

/// The reason why a trace does not complete.
enum Stop {
    Skipped(String),
    Failed(String),
    /// The device is lost: the trace failed, and every later trace on this device would fail.
    Lost(String),
}

/// Classifies an error of the library.
fn stop(error: impl Into<Error>) -> Stop {
    let error = error.into();
    match (lacking(&error), error.class()) {
        (Some(reason), _) => Stop::Skipped(reason),
        (None, ErrorClass::Fatal) => Stop::Lost(error.to_string()),
        (None, _) => Stop::Failed(error.to_string()),
    }
}

/// The feature or limit that the device lacks, if that is the cause of the error.
fn lacking(error: &Error) -> Option<String> {
    match error {
        Error::Kernel(KernelError::MissingFeature { feature, .. }) => Some(format!("the device has no {feature}")),
        Error::Kernel(KernelError::AboveLimit { what, .. }) => Some(format!("above the device's limit of {what}")),
        Error::Launch(LaunchError::AboveLimit { .. }) => Some("a binding is above the device's limit".to_owned()),
        Error::Buffer(BufferError::Device { error: BackendError::TooLarge { .. }, .. }) => {
            Some("a buffer is above the device's limit".to_owned())
        }
        _ => None,
    }
}
