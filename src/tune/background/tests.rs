use std::thread::sleep;

use super::*;
use crate::ops::{self, Reason};

const SHORT: Duration = Duration::from_millis(1);

/// An empty folder for the results of a test.
fn store(test: &str) -> Store {
    let folder = std::env::temp_dir().join(format!("anywarp-background-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    Store::open(folder)
}

fn background(device: &Device) -> Background<'_> {
    Background::new(device).mode(Mode::Record).pause(SHORT).budget(Duration::from_secs(2))
}

fn within(time: Duration, mut done: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !done() {
        if started.elapsed() > time {
            return false;
        }
        sleep(SHORT);
    }
    true
}

/// A sort that the program never listed is tuned after the call, and used by the next one.
#[test]
fn calls_are_tuned_without_a_list() {
    let device = Device::open("cpu").unwrap();
    let store = store("calls");
    let tuner = background(&device).store(store.clone()).start().unwrap();
    let mut x = device.buffer_from(&(0..3000u32).rev().collect::<Vec<_>>()).unwrap();
    ops::sort(&mut x).unwrap();
    device.synchronize().unwrap();
    assert!(within(Duration::from_secs(60), || !tuner.tuned().is_empty()));
    let tuned = tuner.tuned();
    let one = &tuned[0].operators()[0];
    assert_eq!((one.operator(), one.sizes()), ("sort i32 keys in_place", "4096x32"));
    assert!(store.read().unwrap().records.iter().any(|record| record.values == one.chosen()));
    let (again, decisions) = ops::decisions(|| ops::sort(&mut x));
    again.unwrap();
    assert_eq!((decisions[0].reason, &*decisions[0].chosen), (Reason::Kept, one.chosen()));
    drop(tuner);
    assert_eq!(x.read().unwrap()[2999], 2999);
    std::fs::remove_dir_all(store.folder()).unwrap();
}

/// Sums in another order are kept for the next start only.
#[test]
fn other_bits_wait_for_the_next_start() {
    let device = Device::open("cpu").unwrap();
    let tuner = background(&device).store(None).start().unwrap();
    let x = device.buffer_from(&vec![0.5f32; 20_000]).unwrap();
    let mut y = device.buffer::<f32>(x.len()).unwrap();
    ops::cumulative_sum(&x, &mut y).unwrap();
    device.synchronize().unwrap();
    assert!(within(Duration::from_secs(60), || !tuner.tuned().is_empty()));
    assert!(!tuner.tuned()[0].operators()[0].exact());
    let (again, decisions) = ops::decisions(|| ops::cumulative_sum(&x, &mut y));
    again.unwrap();
    assert_eq!(decisions[0].reason, Reason::Default);
}

#[test]
fn nothing_is_measured_unless_results_are_recorded() {
    let device = Device::open("cpu").unwrap();
    let tuner = Background::new(&device).mode(Mode::Pinned).store(None).start().unwrap();
    let mut x = device.buffer_from(&[2u32, 1]).unwrap();
    ops::sort(&mut x).unwrap();
    assert_eq!((tuner.waiting(), tuner.tuned().len(), tuner.thread.is_none()), (0, 0, true));
}

/// While the program submits work, nothing is measured; the end of the tuner is not delayed by that.
#[test]
fn a_busy_program_is_not_disturbed() {
    let device = Device::open("cpu").unwrap();
    let tuner = background(&device).pause(Duration::from_secs(5)).store(None).start().unwrap();
    let mut x = device.buffer_from(&[2u32, 1]).unwrap();
    for _ in 0..10 {
        ops::sort(&mut x).unwrap();
        device.synchronize().unwrap();
        sleep(SHORT);
    }
    assert_eq!((tuner.waiting(), tuner.tuned().len()), (1, 0));
    let started = Instant::now();
    drop(tuner);
    assert!(started.elapsed() < Duration::from_secs(2));
}

/// A search that is interrupted has no result.
#[test]
fn an_end_interrupts_the_search() {
    let device = Device::open("cpu").unwrap();
    let store = store("ended");
    let tuner = background(&device).budget(Duration::from_secs(60)).store(store.clone()).start().unwrap();
    let x = device.buffer_from(&vec![1.0f32; 1 << 18]).unwrap();
    let mut y = device.buffer::<f32>(1 << 18).unwrap();
    ops::Matmul::new([512, 512, 512]).run(&x, &x, &mut y).unwrap();
    device.synchronize().unwrap();
    assert!(within(Duration::from_secs(20), || tuner.waiting() == 0));
    drop(tuner);
    assert!(store.read().unwrap().records.iter().all(|record| record.state != crate::tune::State::Best));
}
