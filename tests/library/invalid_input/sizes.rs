//! Grids, buffers and devices: empty, too large, and very many.

use anywarp::{Device, ErrorClass};
use anywarp_testing::process::in_own_process;

use super::{COUNT, counts, device, devices, without_hanging};

#[test]
fn very_many_invocations() {
    without_hanging(|| {
        let device = device();
        let text = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
            @compute @workgroup_size(256)
            fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
                let at = id.x + id.y * n.x * 256u;
                if at < arrayLength(&b) { b[at] += 1u; }
            }";
        let kernel = device.kernel(text).expect("a kernel");
        let mut b = device.buffer::<u32>(1 << 26).expect("memory");
        for threads in [1usize << 26, 1 << 31] {
            let started = std::time::Instant::now();
            kernel.launch().bind("b", &mut b).threads(threads).expect("a launch");
            device.synchronize().expect("no error");
            println!("{threads} invocations: {:?}", started.elapsed());
        }
        assert!(b.read().expect("the results").iter().all(|count| *count == 2));
    });
}

#[test]
fn empty_grids_and_buffers() {
    for device in devices() {
        let kernel = device.kernel(COUNT).expect("a kernel");
        let mut b = device.buffer::<u32>(4).expect("memory");
        for launched in
            [kernel.launch().bind("b", &mut b).threads(0), kernel.launch().bind("b", &mut b).groups([0, 5, 1])]
        {
            launched.expect("nothing").wait().expect("nothing");
        }
        device.recording().submit().expect("nothing").wait().expect("nothing");
        device.synchronize().expect("no error");
        assert_eq!(*b.read().expect("no error"), [0; 4]);

        let mut empty = device.buffer::<u32>(0).expect("memory");
        assert!(empty.read().expect("nothing").is_empty());
        empty.fill(7).expect("nothing");
        empty.copy_from_slice(&[]).expect("nothing");
        b.slice_mut(2..2).copy_from_slice(&[]).expect("nothing");
        let launched = kernel.launch().bind("b", &mut empty).threads(1);
        if let Err(error) = launched {
            assert!(error.to_string().contains("'b'"), "{error}");
        }
        drop(empty.read().expect("nothing"));
        counts(&device);
    }
}

#[test]
fn more_memory_than_any_machine_has() {
    for device in devices() {
        for length in [1 << 33, 1 << 38, 1 << 50, usize::MAX / 4, usize::MAX] {
            let live = device.stats().live_bytes;
            let Err(error) = device.buffer::<u32>(length) else { continue };
            let (said, error) = (error.to_string(), anywarp::Error::from(error));
            let bytes = (length as u128 * 4).to_string();
            assert!(said.contains(&bytes) || said.contains(&length.to_string()), "{said}");
            assert!(matches!(error.class(), ErrorClass::Resource | ErrorClass::Retryable | ErrorClass::Programmer));
            assert_eq!(device.stats().live_bytes, live);
        }
        counts(&device);
    }
}

#[test]
fn many_devices_opened_and_dropped() {
    in_own_process(|| without_hanging(open_and_drop));
}

fn open_and_drop() {
    let threads = || std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    for _ in 0..20 {
        counts(&device());
    }
    let before = threads();
    for round in 0..300 {
        let device = Device::open("cpu").expect("the processor");
        if round % 10 == 0 {
            counts(&device);
        }
    }
    let open: Vec<Device> = (0..50).map(|_| device()).collect();
    open.iter().for_each(counts);
    drop(open);
    // Threads end slightly later than their devices.
    let started = std::time::Instant::now();
    while threads() > before + 4 {
        assert!(started.elapsed().as_secs() < 20, "{} threads, {before} before", threads());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
