//! The completion threads, which wake tasks: one for each device with waiting tasks. The thread of a dropped device is
//! kept for another device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use super::Fence;

/// The channel of the submissions that a device's tasks wait for.
type Awaited = mpsc::Receiver<Arc<Fence>>;

/// The threads whose devices were dropped. The threads never end: NVIDIA's Vulkan driver (580) can livelock if a thread
/// that has used it ends while another thread destroys a device.
static IDLE: Mutex<Vec<mpsc::Sender<Awaited>>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<mpsc::Sender<Awaited>>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Provides a device with a completion thread until the returned sender is dropped. If no thread starts, sending fails.
pub(super) fn thread() -> mpsc::Sender<Arc<Fence>> {
    let (sender, mut awaited) = mpsc::channel();
    let resting = idle().pop();
    if let Some(resting) = resting {
        match resting.send(awaited) {
            Ok(()) => return sender,
            Err(unsent) => awaited = unsent.0,
        }
    }
    let thread = std::thread::Builder::new().name("anywarp-completion".to_owned());
    if let Err(error) = thread.spawn(move || serve(awaited)) {
        log::error!("the completion thread did not start: {error}");
    }
    sender
}

/// Runs a completion thread, which serves one device after the other.
fn serve(mut awaited: Awaited) {
    loop {
        look_after(&awaited);
        let (sender, next) = mpsc::channel();
        idle().push(sender);
        let Ok(next) = next.recv() else { return };
        awaited = next;
    }
}

/// Wakes the tasks of one device until the device, and with it the sender, is dropped.
///
/// The thread waits for the submissions in their order, awaited or not. Each task is therefore woken as soon as its own
/// work has ended, even if another task began earlier to await later work.
fn look_after(awaited: &Awaited) {
    let mut fences: Vec<Arc<Fence>> = Vec::new();
    loop {
        if fences.is_empty() {
            let Ok(fence) = awaited.recv() else { return };
            fences.push(fence);
        }
        fences.extend(awaited.try_iter());
        for ended in fences.extract_if(.., |fence| fence.is_done()) {
            ended.wake_all();
        }
        let Some(any) = fences.first() else { continue };
        // There may be no submission to wait for: a mapping may wait for work that has already ended.
        let first = any.poller.upgrade().and_then(|poller| poller.first()).unwrap_or_else(|| Arc::clone(any));
        if let Err(error) = first.block() {
            first.finish(Err(error.clone()));
            for fence in fences.iter().filter(|_| error.is_lost()) {
                fence.finish(Err(error.clone()));
            }
        }
    }
}
