//! Work on one input after the other, several of them in flight.

#[cfg(not(target_arch = "wasm32"))]
mod blocking;
mod inputs;
mod item;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

#[cfg(not(target_arch = "wasm32"))]
pub use blocking::PipelineIter;
use inputs::{Inputs, Iterated, Streamed};
use item::{Item, Task};

use crate::Device;

impl Device {
    /// Does `work` for each of `inputs`, for up to `depth` of them at a time (at least one), and gives
    /// the results in the order of the inputs: as a [`Stream`], or to a `for` loop, which blocks.
    ///
    /// `work` runs on the thread that asks for results. It uploads, launches, and returns what to await,
    /// mostly a read that owns: [`UnifiedBuffer::into_read_async`](crate::UnifiedBuffer::into_read_async).
    /// While the device computes for one input, the next ones are prepared and results are used. So a
    /// `depth` of 2 or 3 keeps a device busy; more memory than that is in flight for nothing.
    ///
    /// - An input is taken only when there is room: results that nobody takes stop the pipeline.
    /// - An error, of `work` or of what it returned, is the result for that input; the others go on.
    /// - Dropping the pipeline drops what is in flight, as one drops a future. What the device was given
    ///   goes on there; inputs that were not taken are dropped with their iterator.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let square = device.kernel(
    ///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///      @compute @workgroup_size(64)
    ///      fn square(@builtin(global_invocation_id) id: vec3u) {
    ///          if id.x < arrayLength(&x) { x[id.x] *= x[id.x]; }
    ///      }",
    /// )?;
    /// let results = device.pipeline(0..100u16, 3, |input| -> anywarp::Result<_> {
    ///     let mut x = device.buffer_from(&[f32::from(input); 1000])?;
    ///     square.launch().bind("x", &mut x).threads(1000)?;
    ///     Ok(x.into_read_async())
    /// });
    /// for (input, x) in (0..100u16).zip(results) {
    ///     assert_eq!(x?[999], f32::from(input).powi(2));
    /// }
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    pub fn pipeline<I, F, W, R, V, E>(
        &self,
        inputs: I,
        depth: usize,
        work: F,
    ) -> Pipeline<Iterated<I::IntoIter>, F, W, R, E>
    where
        I: IntoIterator,
        F: FnMut(I::Item) -> Result<W, E>,
        W: Future<Output = Result<R, V>>,
        E: From<V>,
    {
        Pipeline::new(self, Iterated(inputs.into_iter()), depth, work)
    }

    /// [`pipeline`](Self::pipeline) for inputs that come when they come: from a network, a channel, or
    /// another pipeline. Waiting for one keeps no result back.
    pub fn pipeline_of<S, F, W, R, V, E>(&self, inputs: S, depth: usize, work: F) -> Pipeline<Streamed<S>, F, W, R, E>
    where
        S: Stream,
        F: FnMut(S::Item) -> Result<W, E>,
        W: Future<Output = Result<R, V>>,
        E: From<V>,
    {
        Pipeline::new(self, Streamed(Box::pin(inputs)), depth, work)
    }
}

/// Results of work on many inputs, in their order; made by [`Device::pipeline`] and
/// [`Device::pipeline_of`].
///
/// A [`Stream`] of `Result<R, E>`, and outside of a browser something to iterate over.
#[must_use = "nothing is done before somebody asks for results"]
pub struct Pipeline<I, F, W, R, E> {
    device: Device,
    /// `None` once they have ended: then they are not asked again.
    inputs: Option<I>,
    work: F,
    depth: usize,
    /// Oldest first, never more than `depth`.
    items: VecDeque<Item<W, R, E>>,
    task: Arc<Task>,
}

// Inputs and work are never pinned in place: what is awaited has a box of its own.
impl<I, F, W, R, E> Unpin for Pipeline<I, F, W, R, E> {}

impl<I, F, W, R, E> Pipeline<I, F, W, R, E> {
    fn new(device: &Device, inputs: I, depth: usize, work: F) -> Self {
        let (items, task) = (VecDeque::new(), Arc::default());
        Self { device: device.clone(), inputs: Some(inputs), work, depth: depth.max(1), items, task }
    }

    /// The result for the oldest input, if it is there.
    fn take(&mut self) -> Option<Result<R, E>> {
        self.items.pop_front_if(|item| item.is_over()).and_then(Item::into_result)
    }
}

impl<I, F, W, R, V, E> Pipeline<I, F, W, R, E>
where
    I: Inputs,
    F: FnMut(I::Item) -> Result<W, E>,
    W: Future<Output = Result<R, V>>,
    E: From<V>,
{
    /// Begins with as many inputs as there is room for.
    fn fill(&mut self, context: &mut Context<'_>) {
        while self.items.len() < self.depth {
            let Some(inputs) = &mut self.inputs else { return };
            match inputs.poll(context) {
                Poll::Pending => return,
                Poll::Ready(None) => self.inputs = None,
                Poll::Ready(Some(input)) => {
                    let mut item = Item::new((self.work)(input), &self.task);
                    item.advance();
                    self.items.push_back(item);
                    // The device may begin, whatever the future awaits first. An error is told by
                    // whatever reads the results.
                    let _ = self.device.submit();
                }
            }
        }
    }
}

impl<I, F, W, R, V, E> Stream for Pipeline<I, F, W, R, E>
where
    I: Inputs,
    F: FnMut(I::Item) -> Result<W, E>,
    W: Future<Output = Result<R, V>>,
    E: From<V>,
{
    type Item = Result<R, E>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        // Before anything is looked at, so that no wake is missed.
        this.task.set(context.waker());
        this.items.iter_mut().for_each(Item::advance);
        let oldest = this.take();
        // Before the result goes out: whoever uses it may take their time.
        this.fill(context);
        match oldest.or_else(|| this.take()) {
            Some(result) => Poll::Ready(Some(result)),
            None if this.inputs.is_none() && this.items.is_empty() => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.inputs.as_ref().map_or((0, Some(0)), Inputs::size_hint);
        let begun = self.items.len();
        (least.saturating_add(begun), most.and_then(|most| most.checked_add(begun)))
    }
}

impl<I, F, W, R, E> fmt::Debug for Pipeline<I, F, W, R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("in_flight", &self.items.len())
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}
