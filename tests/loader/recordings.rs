//! Recordings that use the buffers of a batch.

use anywarp::backend::BackendKind;
use anywarp::loader::Loader;

use crate::data::{Samples, check, label, loader};
use crate::on_each_device;

#[test]
fn buffers_of_a_recording_are_not_reused() {
    on_each_device(|device| {
        for (workers, pinned) in [(0, true), (2, true), (2, false)] {
            let builder = Loader::builder(device, Samples::new(80)).batch_size(8).workers(workers).pinned(pinned);
            let mut loader = builder.build().expect("a loader");
            let mut kept = Vec::new();
            for epoch in 0..3 {
                for batch in loader.epoch(epoch) {
                    let batch = batch.expect("a batch");
                    check(&batch);
                    if kept.len() < 7 {
                        let mut labels = device.buffer::<u32>(8).expect("memory");
                        let mut recording = device.recording();
                        recording.copy(batch.fields().1, &mut labels).expect("a copy");
                        kept.push((recording, labels, batch.indices().map(label).collect::<Vec<_>>()));
                    }
                    drop(batch);
                    for (recording, labels, expected) in &mut kept {
                        labels.fill(0).expect("a fill");
                        recording.submit().expect("its buffers are free");
                        if epoch == 2 && device.caps().backend != BackendKind::Null {
                            assert_eq!(*labels.read().expect("labels"), **expected);
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn memory_of_a_dropped_recording_is_reused() {
    on_each_device(|device| {
        for workers in [0, 2] {
            let before = device.stats().live_bytes;
            let mut loader = loader(device, Samples::new(800), workers);
            let mut labels = device.buffer::<u32>(8).expect("memory");
            let mut recording = device.recording();
            for batch in loader.epoch(0) {
                recording.clear();
                recording.copy(batch.expect("a batch").fields().1, &mut labels).expect("a copy");
                recording.submit().expect("its buffers are free");
            }
            device.synchronize().expect("a wait");
            let live = device.stats().live_bytes - before;
            assert!(live <= (workers as u64 + 2 + 4) * 8 * 24 + 32, "{live} bytes are live");
            drop((loader, labels, recording));
            assert_eq!(device.stats().live_bytes, before);
        }
    });
}
