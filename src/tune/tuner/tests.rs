use super::*;
use crate::error::LaunchError;
use crate::tune::{Dropped, State};

fn device() -> Device {
    Device::open("cpu").unwrap()
}

/// Elements are scaled, several by each thread; one value of MODE for each fault.
const SCALE: &str = "
    override WG: u32 = 64;   // anywarp:tune 64, 128
    override EACH: u32 = 1;  // anywarp:tune 1, 2, 4
    override MODE: u32 = 0;  // anywarp:tune 0, 1, 2, 3
    // anywarp:where MODE == 0 || (EACH == 1 && WG == 64)
    @group(0) @binding(0) var<storage> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(WG * (1 + 1000 * u32(MODE == 3)))
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        for (var k = 0u; k < EACH; k++) {
            let at = id.x * EACH + k;
            if at >= arrayLength(&y) { return; }
            if MODE == 1 && at == 77 { continue; }            // leaves an element out
            var scaled = 2.0 * x[at];
            if MODE == 2 && at == 99 { scaled += 1.0; }       // is wrong
            y[at] = scaled;
        }
    }";

fn scale<'a>(device: &'a Device, x: &'a crate::UnifiedBuffer<f32>, y: &'a crate::UnifiedBuffer<f32>) -> Tuner<'a> {
    let wgsl = Wgsl::new(SCALE).file("scale.wgsl");
    let tuner = Tuner::new(device, wgsl).bind("x", x).bind("y", y).budget(Duration::from_secs(20)).store(None);
    tuner.threads_by(|overrides| 1000usize.div_ceil(overrides.size("EACH")))
}

/// The reason why the candidate with these values was dropped.
fn reason(tuned: &Tuned, values: &str) -> Dropped {
    tuned.rows().iter().find(|row| row.values == values).unwrap().dropped.clone().unwrap()
}

#[test]
fn faulty_candidates_are_named_and_no_buffer_changes() {
    let device = device();
    let x = device.buffer_from(&Vec::from_iter((0..1000).map(|at| at as f32))).unwrap();
    // The right results, as from an earlier launch: an element that is left out would not be noticed.
    let y = device.buffer_from(&Vec::from_iter((0..1000).map(|at| 2.0 * at as f32))).unwrap();
    let tuned = scale(&device, &x, &y).run().unwrap();
    assert_eq!(tuned.rows().len(), 2 * 3 + 3);
    assert!(tuned.overrides().value("MODE") == 0.0, "{tuned}");
    assert!(
        matches!(reason(&tuned, "WG=64 EACH=1 MODE=1"), Dropped::Wrong(said) if said.starts_with("y at byte 308:"))
    );
    let said = reason(&tuned, "WG=64 EACH=1 MODE=2").to_string();
    assert_eq!(said, "wrong: y at byte 396: expected 198, got 199");
    let failed = reason(&tuned, "WG=64 EACH=1 MODE=3");
    assert!(matches!(&failed, Dropped::Failed(said) if said.contains("workgroup")), "{failed}");
    let measured = tuned.rows().iter().filter(|row| row.time.is_some() && row.dropped.is_none()).count();
    assert_eq!(measured, 6, "{tuned}");
    assert!(x.read().unwrap().iter().enumerate().all(|(at, value)| *value == at as f32));
    assert!(y.read().unwrap().iter().enumerate().all(|(at, value)| *value == 2.0 * at as f32));
    let size = tuned.overrides().size("WG") as u32;
    assert_eq!(tuned.kernel().workgroup_size(), [size, 1, 1]);
    let table = tuned.to_string();
    assert!(table.contains("(default)") && table.contains("best: WG=") && table.contains("wrong: "), "{table}");
}

#[test]
fn a_greater_tolerance_accepts() {
    let device = device();
    let x = device.buffer_from(&Vec::from_iter((0..1000).map(|at| at as f32))).unwrap();
    let y = device.buffer::<f32>(1000).unwrap();
    let tuned = scale(&device, &x, &y).verify(1e-3).run().unwrap();
    let row = tuned.rows().iter().find(|row| row.values == "WG=64 EACH=1 MODE=2").unwrap();
    assert_eq!(row.dropped, None);
}

#[test]
fn kernels_that_update_begin_with_the_users_contents() {
    let device = device();
    let mut sums = device.buffer_from(&[1u32; 256]).unwrap();
    let tuned = Tuner::new(
        &device,
        "override WG: u32 = 64; // anywarp:tune 32..128 x2
         @group(0) @binding(0) var<storage, read_write> sums: array<u32>;
         var<immediate> by: u32;
         @compute @workgroup_size(WG) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             for (var k = 0u; k < min(sums[id.x], 3u); k++) { sums[id.x] += by; }
         }",
    )
    .bind("sums", &sums)
    .set("by", 5u32)
    .threads(256)
    .store(None)
    .run()
    .unwrap();
    assert!(tuned.rows().iter().all(|row| row.dropped.is_none()), "{tuned}");
    assert!(sums.read().unwrap().iter().all(|sum| *sum == 1));
    tuned.kernel().launch().bind("sums", &mut sums).set("by", 5u32).threads(256).unwrap();
    assert!(sums.read().unwrap().iter().all(|sum| *sum == 16));
}

#[test]
fn a_slow_candidate_is_dropped() {
    let device = device();
    let y = device.buffer::<u32>(64).unwrap();
    let tuned = Tuner::new(
        &device,
        "override TIMES: u32 = 1; // anywarp:tune 1, 20000000
         @group(0) @binding(0) var<storage, read_write> y: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var state = id.x;
             for (var k = 0u; k < TIMES; k++) { state = state * 1664525u + 1013904223u; }
             y[id.x] = select(7u, 8u, state == 3u);
         }",
    )
    .bind("0.0", &y)
    .ignore("0.0")
    .threads(64)
    .store(None)
    .run()
    .unwrap();
    assert!(matches!(reason(&tuned, "TIMES=20000000"), Dropped::Slow(_)), "{tuned}");
    assert_eq!(tuned.overrides().size("TIMES"), 1);
}

#[test]
fn mistakes_are_errors() {
    let device = device();
    let x = device.buffer::<f32>(1000).unwrap();
    let error = Tuner::new(&device, SCALE).bind("x", &x).run().unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(TuneError::NoGrid)), "{error}");
    let error = scale(&device, &x, &x).threads_by(|overrides| overrides.size("EACHES")).run().unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(TuneError::UnknownInGrid { .. })), "{error}");
    let error = scale(&device, &x, &x).bind("z", &x).run().unwrap_err();
    assert!(matches!(error, Error::Launch(LaunchError::UnknownBinding { .. })), "{error}");
    let error = scale(&device, &x, &x).set("a", 1u32).run().unwrap_err();
    assert!(matches!(error, Error::Launch(LaunchError::UnknownPath { .. })), "{error}");
    let error = Tuner::new(&device, "fn").threads(1).run().unwrap_err();
    assert!(matches!(error, Error::Kernel(_)), "{error}");
}

/// A store in an empty folder of its own.
fn store(name: &str) -> Store {
    let folder = std::env::temp_dir().join(format!("anywarp-tuner-{name}-{}", std::process::id()));
    std::fs::remove_dir_all(&folder).ok();
    Store::open(folder)
}

#[test]
fn results_are_kept_by_kernel_and_sizes() {
    let device = device();
    let (x, y) = (device.buffer::<f32>(1000).unwrap(), device.buffer::<f32>(1000).unwrap());
    let store = store("kept");
    let tuner = |mode| scale(&device, &x, &y).store(store.clone()).mode(mode).key([1000]);
    let origin = |tuned: &Tuned| match tuned.origin() {
        Origin::Measured(_) => "measured",
        Origin::Kept => "kept",
        Origin::Default => "default",
    };
    let run = |tuner: Tuner<'_>| origin(&tuner.run().unwrap());

    assert_eq!([run(tuner(Mode::Off)), run(tuner(Mode::Pinned))], ["default", "default"]);
    assert_eq!(store.read().unwrap(), crate::tune::Kept::default());
    let first = tuner(Mode::Record).run().unwrap();
    assert_eq!(origin(&first), "measured");
    let second = tuner(Mode::Record).run().unwrap();
    assert_eq!(origin(&second), "kept");
    assert!(first.overrides().iter().eq(second.overrides().iter()));
    assert_eq!(first.kernel().workgroup_size(), second.kernel().workgroup_size());
    let texts = |tuned: &Tuned| {
        Vec::from_iter(
            tuned
                .rows()
                .iter()
                .map(|row| (row.values.clone(), row.time, row.rounds, row.dropped.as_ref().map(ToString::to_string))),
        )
    };
    assert_eq!(texts(&first), texts(&second));

    assert_eq!([run(tuner(Mode::Pinned)), run(tuner(Mode::Off))], ["kept", "default"]);
    assert_eq!([run(tuner(Mode::Pinned).key([600])), run(tuner(Mode::Pinned).key([1025]))], ["kept", "default"]);
    let edited = SCALE.replace("2.0 *", "2.0f *");
    let edited = Tuner { wgsl: Wgsl::new(edited).file("scale.wgsl"), ..tuner(Mode::Pinned) };
    assert_eq!(run(edited), "default", "an edited kernel");
    assert_eq!(run(tuner(Mode::Again)), "measured");

    // The latest winner counts, also if an earlier one is another candidate.
    let mut records = store.read().unwrap().records;
    for record in &mut records {
        record.at += 1_000_000;
        record.state = if record.values == "WG=128 EACH=4 MODE=0" { State::Best } else { State::Measured };
    }
    store.add(&records).unwrap();
    assert_eq!(tuner(Mode::Pinned).run().unwrap().overrides().size("EACH"), 4);
    std::fs::remove_dir_all(store.folder()).unwrap();
}

#[test]
fn results_of_other_versions_devices_and_drivers_are_never_used() {
    let device = device();
    let (x, y) = (device.buffer::<f32>(1000).unwrap(), device.buffer::<f32>(1000).unwrap());
    let store = store("versions");
    let tuner = |mode| scale(&device, &x, &y).store(store.clone()).mode(mode).budget(Duration::ZERO).run().unwrap();
    tuner(Mode::Record);
    assert_eq!(tuner(Mode::Pinned).origin(), Origin::Kept);
    let records = store.read().unwrap().records;
    let changes: [fn(&mut crate::tune::Record); 3] =
        [|record| record.version.push('0'), |record| record.driver.push('0'), |record| record.device.push('0')];
    for change in changes {
        store.clear().unwrap();
        let mut changed = records.clone();
        changed.iter_mut().for_each(change);
        store.add(&changed).unwrap();
        assert_eq!(tuner(Mode::Pinned).origin(), Origin::Default);
    }
    std::fs::remove_dir_all(store.folder()).unwrap();
}

/// A race that has no effect on this processor, and steps of the program that decide.
#[test]
fn checked_devices_and_steps_of_the_program_have_a_say() {
    const REVERSE: &str = "
        override MODE: u32 = 0; // anywarp:tune 0, 1, 2
        var<workgroup> shared_x: array<f32, 8>;
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(8) fn reverse(@builtin(local_invocation_index) at: u32) {
            shared_x[at] = f32(at);
            if MODE != 1 { workgroupBarrier(); }
            y[at] = shared_x[7u - at];
        }";
    let device = device();
    let y = device.buffer::<f32>(8).unwrap();
    let mut z = device.buffer::<f32>(8).unwrap();
    let mut launches = 0;
    let tuned = Tuner::new(&device, REVERSE)
        .bind("y", &y)
        .groups(1)
        .store(None)
        .mode(Mode::Again)
        .checked(|checked, kernel| {
            let mut y = checked.buffer::<f32>(8)?;
            kernel.launch().bind("y", &mut y).groups(1)?;
            Ok(())
        })
        .inside(|kernel| {
            launches += 1;
            kernel.launch().bind("y", &mut z).groups(1)?;
            Ok(())
        })
        .run()
        .unwrap();
    let said = reason(&tuned, "MODE=1").to_string();
    assert!(said.starts_with("wrong: a finding of cpu:checked: "), "{said}");
    assert_eq!(tuned.rows().iter().filter(|row| row.inside.is_some()).count(), 2, "{tuned}");
    assert!(tuned.alone().is_some() && tuned.to_string().contains(" inside"), "{tuned}");
    assert_eq!(launches, 2 * 12);
}
