//! Tuning for the least energy, on a device that uses one millijoule for each workgroup.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anywarp::tune::{Goal, Mode, Strategy, Tuner};
use anywarp::{Device, Result};
use anywarp_backend::{
    Backend, BackendError, Caps, Command, Compilation, Counters, Grid, HostRange, KernelId, MemoryId, MemoryKind,
    Program, Recording, Ticket,
};

struct Metered {
    inner: Arc<dyn Backend>,
    groups: AtomicU64,
    /// Whether the counter advances.
    advances: bool,
}

impl Backend for Metered {
    fn caps(&self) -> &Caps {
        self.inner.caps()
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<MemoryId, BackendError> {
        self.inner.allocate(bytes, kind, label)
    }

    fn free(&self, memory: MemoryId) {
        self.inner.free(memory);
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.inner.map(memory)
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.inner.host(memory)
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        self.inner.unmap(memory)
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        self.inner.compile(program)
    }

    fn discard(&self, kernel: KernelId) {
        self.inner.discard(kernel);
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        for command in recording.commands() {
            if let Command::Dispatch(dispatch) = command
                && let Grid::Groups([x, y, z]) = dispatch.grid
            {
                self.groups.fetch_add(u64::from(x) * u64::from(y) * u64::from(z), Ordering::Relaxed);
            }
        }
        self.inner.submit(recording)
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }

    fn energy(&self) -> Option<f64> {
        let groups = if self.advances { self.groups.load(Ordering::Relaxed) } else { 7 };
        Some(groups as f64 * 1e-3)
    }
}

fn device(advances: bool) -> Result<Device> {
    let inner = anywarp_cpu::open(anywarp_cpu::Options::default())?;
    Ok(Device::from_backend(Arc::new(Metered { inner, groups: AtomicU64::new(0), advances })))
}

const TEXT: &str = "
    override WG: u32 = 32; // anywarp:tune 16, 32, 64
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @compute @workgroup_size(WG) fn double(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&x) { x[id.x] *= 2u; }
    }";

fn tuner<'a>(device: &'a Device, x: &'a anywarp::UnifiedBuffer<u32>) -> Tuner<'a> {
    let tuner = Tuner::new(device, TEXT).bind("x", x).threads(1024).store(None).mode(Mode::Again).goal(Goal::Energy);
    tuner.strategy(Strategy::Exhaustive).budget(Duration::ZERO)
}

/// The largest workgroups need the fewest of them.
#[test]
fn the_candidate_with_the_least_energy_wins() -> Result<()> {
    let device = device(true)?;
    let x = device.buffer_from(&[1_u32; 1024])?;
    assert!(device.energy().is_some());
    let search = anywarp::tune::Search::new().strategy(Strategy::Exhaustive).rounds(1);
    let tuned = tuner(&device, &x).search(search.budget(Duration::from_secs(20))).run()?;
    let energy = |values: &str| tuned.rows().iter().find(|row| row.values == values).and_then(|row| row.energy);
    assert_eq!(tuned.rows()[0].values, "WG=64", "{tuned}");
    for (values, groups) in [("WG=16", 64.0), ("WG=32", 32.0), ("WG=64", 16.0)] {
        let joules = energy(values).unwrap_or_default();
        assert!((joules - groups * 1e-3).abs() < 1e-4, "{values}: {joules} J\n{tuned}");
    }
    assert!(tuned.rows().iter().all(|row| row.time.is_none()) && tuned.to_string().contains("mJ"), "{tuned}");
    Ok(())
}

#[test]
fn devices_without_a_counter_are_refused() -> Result<()> {
    let still = device(false)?;
    let x = still.buffer_from(&[1_u32; 1024])?;
    let error = tuner(&still, &x).run().expect_err("a counter that stands still").to_string();
    assert!(error.contains("counter of energy"), "{error}");
    let error = tuner(&still, &x).inside(|_| Ok(())).run().expect_err("two contradicting options").to_string();
    assert!(error.contains("`inside` compares the times"), "{error}");
    Ok(())
}
