//! Buffers that are owned during a write.

use crate::on_each_device;
use anywarp::backend::BackendKind;

#[test]
fn writes_of_another_thread_take_effect() {
    on_each_device(|device| {
        let mut buffer = device.buffer::<u32>(1000).expect("memory");
        for round in 0..5u32 {
            let mut writing = buffer.into_write().expect("memory to write");
            assert_eq!(writing.len(), 1000);
            let writer = std::thread::spawn(move || {
                (0..).zip(writing.iter_mut()).for_each(|(at, word)| *word = at * round);
                writing.finish()
            });
            buffer = writer.join().expect("no panic");
            let mut copy = device.buffer::<u32>(1000).expect("memory");
            copy.copy_from(&buffer).expect("a copy");
            if device.caps().backend != BackendKind::Null {
                assert!((0..).zip(copy.read().expect("words").iter()).all(|(at, word)| *word == at * round));
            }
        }
    });
}

#[test]
fn an_unfinished_write_frees_its_memory() {
    on_each_device(|device| {
        let before = device.stats().live_bytes;
        for _ in 0..10 {
            let mut writing = device.buffer::<u8>(4097).expect("memory").into_write().expect("memory to write");
            writing[4096] = 1;
            drop(writing);
        }
        assert_eq!(device.stats().live_bytes, before);
        assert!(device.stats().staging_misses <= 2, "{:?}", device.stats());
    });
}

#[test]
fn empty_buffers_can_be_written() {
    on_each_device(|device| {
        let writing = device.buffer::<u64>(0).expect("no memory").into_write().expect("no memory to write");
        assert!(writing.is_empty());
        assert!(writing.finish().is_empty());
    });
}
