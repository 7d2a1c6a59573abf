//! Data sets for the tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp::loader::{Batch, Dataset, IterableDataset, Loader, ReadError};

/// A data set of `length` samples, each with `WIDTH` numbers and a label that identify the sample. Reading some samples
/// is slow, fails or panics.
#[derive(Clone, Default)]
pub(crate) struct Samples {
    pub(crate) length: Arc<AtomicUsize>,
    /// The number of threads that are in `read`.
    pub(crate) readers: Arc<AtomicUsize>,
    pub(crate) read: Arc<AtomicUsize>,
    /// The loaders' threads that have called `read`.
    pub(crate) threads: Threads,
    pub(crate) slow: Option<Duration>,
    pub(crate) fails: Option<usize>,
    pub(crate) panics: Option<usize>,
}

/// The number of values in a sample: odd, so that samples do not start at aligned addresses.
pub(crate) const WIDTH: usize = 5;

impl Samples {
    pub(crate) fn new(length: usize) -> Self {
        Self { length: Arc::new(AtomicUsize::new(length)), ..Self::default() }
    }

    /// Checks that the loader and its workers have released the data set, and that the workers have ended.
    pub(crate) fn is_free(&self) {
        assert_eq!(Arc::strong_count(&self.length), 1, "the data set still has another owner");
        assert_eq!(self.readers.load(Ordering::SeqCst), 0, "a thread is still in `read`");
        self.threads.have_ended();
    }
}

/// Threads of loaders, by their paths in Linux's `/proc`; always empty on other systems.
#[derive(Clone, Default)]
pub(crate) struct Threads(Arc<Mutex<BTreeSet<PathBuf>>>);

impl Threads {
    /// Adds the calling thread, if it belongs to a loader.
    pub(crate) fn note(&self) {
        let is_worker = thread::current().name().is_some_and(|name| name.starts_with("anywarp-load-"));
        if let (true, Ok(thread)) = (is_worker, fs::read_link("/proc/thread-self")) {
            self.0.lock().expect("no panic").insert(Path::new("/proc").join(thread));
        }
    }

    /// The number of threads seen.
    pub(crate) fn seen(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }

    /// Waits until the system has removed the threads, which may take a moment after they were joined.
    pub(crate) fn have_ended(&self) {
        let start = Instant::now();
        let mut threads = self.0.lock().expect("no panic");
        while !threads.is_empty() {
            threads.retain(|thread| thread.exists());
            assert!(start.elapsed() < Duration::from_secs(20), "threads are left: {threads:?}");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The value at index `at` of sample `index`.
pub(crate) fn value(index: usize, at: usize) -> f32 {
    (index * WIDTH + at) as f32 + 1.0
}

/// The label of sample `index`.
pub(crate) fn label(index: usize) -> u32 {
    index as u32 ^ 0x5555
}

impl Dataset for Samples {
    type Fields = (f32, u32);

    fn len(&self) -> usize {
        self.length.load(Ordering::SeqCst)
    }

    fn lengths(&self) -> [usize; 2] {
        [WIDTH, 1]
    }

    fn read(&self, index: usize, (values, labels): (&mut [f32], &mut [u32])) -> Result<(), ReadError> {
        self.readers.fetch_add(1, Ordering::SeqCst);
        self.read.fetch_add(1, Ordering::SeqCst);
        self.threads.note();
        if let Some(time) = self.slow {
            thread::sleep(time);
        }
        self.readers.fetch_sub(1, Ordering::SeqCst);
        assert_ne!(self.panics, Some(index), "the page is torn");
        if self.fails == Some(index) {
            return Err("the ink has run".into());
        }
        for (at, target) in values.iter_mut().enumerate() {
            *target = value(index, at);
        }
        labels[0] = label(index);
        Ok(())
    }
}

/// Shards of numbers with the given lengths: shard `s` has `1000 * s`, `1000 * s + 1` and so on.
#[derive(Clone)]
pub(crate) struct Streams {
    pub(crate) lengths: Vec<usize>,
    /// The shard that cannot be opened, the number that cannot be read, and the number at which `next` panics.
    pub(crate) closed: Option<usize>,
    pub(crate) fails: Option<usize>,
    pub(crate) panics: Option<usize>,
}

impl Streams {
    pub(crate) fn new(lengths: &[usize]) -> Self {
        Self { lengths: lengths.to_vec(), closed: None, fails: None, panics: None }
    }
}

impl IterableDataset for Streams {
    type Fields = u32;
    type Shard = std::ops::Range<usize>;

    fn lengths(&self) -> usize {
        1
    }

    fn shards(&self) -> usize {
        self.lengths.len()
    }

    fn open(&self, shard: usize, epoch: u64) -> Result<Self::Shard, ReadError> {
        if self.closed == Some(shard) {
            return Err("the door is locked".into());
        }
        let start = 1000 * shard + 100_000 * epoch as usize;
        Ok(start..start + self.lengths[shard])
    }

    fn next(&self, shard: &mut Self::Shard, slot: &mut [u32]) -> Result<bool, ReadError> {
        let Some(number) = shard.next() else { return Ok(false) };
        assert_ne!(self.panics, Some(number), "the pipe has burst");
        if self.fails == Some(number) {
            return Err("the pipe leaks".into());
        }
        slot[0] = number as u32;
        Ok(true)
    }
}

/// A loader of `Samples` with `workers` workers.
pub(crate) fn loader(device: &Device, samples: Samples, workers: usize) -> Loader<(f32, u32)> {
    Loader::builder(device, samples).batch_size(8).workers(workers).prefetch(2).build().expect("a loader")
}

/// Checks that the batch holds the values and labels of its samples.
pub(crate) fn check(batch: &Batch<(f32, u32)>) {
    let (values, labels) = batch.fields();
    let indices: Vec<usize> = batch.indices().collect();
    assert_eq!(batch.len(), indices.len());
    let expected: Vec<f32> = indices.iter().flat_map(|index| (0..WIDTH).map(|at| value(*index, at))).collect();
    assert_eq!(*values.read().expect("values"), expected, "batch {}", batch.number());
    let expected: Vec<u32> = indices.iter().map(|index| label(*index)).collect();
    assert_eq!(*labels.read().expect("labels"), expected, "batch {}", batch.number());
}
