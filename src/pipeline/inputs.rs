//! Where the inputs of a pipeline come from.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

/// A source of inputs. Not asked again once it has ended.
pub trait Inputs {
    /// One input.
    type Item;

    /// The next one.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Self::Item>>;

    /// How many are left, as [`Iterator::size_hint`] puts it.
    fn size_hint(&self) -> (usize, Option<usize>);
}

/// Inputs that are always there.
pub struct Iterated<I>(pub(super) I);

impl<I: Iterator> Inputs for Iterated<I> {
    type Item = I::Item;

    fn poll(&mut self, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
        Poll::Ready(self.0.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// Inputs that have to be awaited.
pub struct Streamed<S>(pub(super) Pin<Box<S>>);

impl<S: Stream> Inputs for Streamed<S> {
    type Item = S::Item;

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.0.as_mut().poll_next(context)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
