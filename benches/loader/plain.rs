//! The hand-written loader: each thread loads every n-th batch and has a channel of its own, so that batches arrive in
//! order.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::data::{Readable, read_all};

/// The hand-written loader, which returns batches in order.
pub(crate) struct Plain {
    channels: Vec<Receiver<Vec<u32>>>,
    next: usize,
}

impl Plain {
    pub(crate) fn new<D: Readable>(data: &Arc<D>, batch: usize, workers: usize, ahead: usize) -> Self {
        let batches = data.len() / batch;
        let channels = (0..workers).map(|worker| {
            let (sender, receiver) = sync_channel(ahead.div_ceil(workers));
            let data = Arc::clone(data);
            thread::spawn(move || {
                for number in (worker..batches).step_by(workers) {
                    let mut loaded = vec![0; batch * data.length()];
                    let read = read_all(&*data, number * batch..(number + 1) * batch, &mut loaded);
                    // Sending fails after the receiver was dropped, because enough batches were read.
                    if read.is_err() || sender.send(loaded).is_err() {
                        break;
                    }
                }
            });
            receiver
        });
        Self { channels: channels.collect(), next: 0 }
    }
}

impl Iterator for Plain {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let channel = &self.channels[self.next % self.channels.len()];
        self.next += 1;
        channel.recv().ok()
    }
}
