//! The sums of a timeline, which are all that a comparison of two needs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::compare::Comparison;
use super::{Idle, Profile, Span, SpanKind};

/// The sum of all spans of one kind and one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The kind.
    pub kind: SpanKind,
    /// The name of the kernel or of the scope; the name of the kind for other spans.
    pub label: Arc<str>,
    /// The number of spans.
    pub count: usize,
    /// The sum of their times.
    pub total: Duration,
}

/// The sums of a timeline.
///
/// [`Profile::summary`] makes one, and a program that reads traces of [`Profile::trace`] can make one of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The time of the whole work.
    pub duration: Duration,
    /// Its division.
    pub idle: Idle,
    /// The sums, ordered by kind and name, each once.
    pub sums: Vec<Sum>,
    /// The number of events that were lost because there were too many: the sums lack these.
    pub dropped: u64,
}

impl Summary {
    /// The sums of spans, in any order, if no event was lost.
    pub fn of<'a>(spans: impl IntoIterator<Item = &'a Span>, duration: Duration, idle: Idle) -> Self {
        let mut sums: BTreeMap<(SpanKind, &str), Sum> = BTreeMap::new();
        for span in spans {
            let sum = sums.entry((span.kind, &span.label)).or_insert_with(|| Sum {
                kind: span.kind,
                label: Arc::clone(&span.label),
                count: 0,
                total: Duration::ZERO,
            });
            sum.count += 1;
            sum.total += span.duration();
        }
        Self { duration, idle, sums: sums.into_values().collect(), dropped: 0 }
    }

    /// The differences to the sums of another timeline, which was taken before a change of the program.
    #[must_use]
    pub fn compare(&self, base: &Self) -> Comparison {
        Comparison::between(base, self)
    }
}

impl Profile {
    /// The sums of the timeline.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary { dropped: self.dropped, ..Summary::of(&self.spans, self.duration(), self.idle()) }
    }

    /// The differences to another timeline, which was taken before a change of the program.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::{Device, insight};
    ///
    /// let device = Device::open("cpu")?;
    /// let double = device.kernel(
    ///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///      @compute @workgroup_size(64)
    ///      fn double(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] *= 2.0; }",
    /// )?;
    /// let mut x = device.buffer_from(&vec![1.0f32; 1 << 16])?;
    ///
    /// let mut profile = |launches| {
    ///     insight::profile(&device, || -> anywarp::Result<()> {
    ///         for _ in 0..launches {
    ///             double.launch().bind("x", &mut x).threads(1 << 16)?;
    ///         }
    ///         Ok(())
    ///     })
    /// };
    /// let (_, before) = profile(5)?;
    /// let (_, after) = profile(2)?;
    /// let comparison = after.compare(&before);
    /// let row = comparison.rows.iter().find(|row| &*row.label == "kernel:double").expect("it ran in both");
    /// assert_eq!((row.count.before, row.count.after), (5, 2));
    /// println!("{comparison}"); // a table of 80 columns
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn compare(&self, base: &Self) -> Comparison {
        self.summary().compare(&base.summary())
    }
}
