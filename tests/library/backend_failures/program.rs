//! A program as a list of steps, and the device that it runs on. Each step either completes, or returns an error and
//! changes nothing, so that it can be repeated.

use std::sync::Arc;

use anywarp::{Device, Error, Kernel, Recording, UnifiedBuffer};
use anywarp_null::{Faults, FaultyBackend, NullBackend, NullOptions};

use anywarp_testing_devices::null_device::{ADD, open};

pub(crate) const LENGTH: usize = 256;
/// The number of launches; it exceeds the number of commands that one submission holds.
pub(crate) const LAUNCHES: usize = 130;

/// The objects that a program has created so far.
pub(crate) struct World {
    pub(crate) device: Device,
    pub(crate) add: Option<Kernel>,
    pub(crate) a: Option<UnifiedBuffer<u32>>,
    pub(crate) b: Option<UnifiedBuffer<u32>>,
    pub(crate) odd: Option<UnifiedBuffer<u8>>,
    pub(crate) kept: Option<Recording>,
    pub(crate) launched: usize,
}

pub(crate) type Step = (&'static str, fn(&mut World) -> anywarp::Result<()>);

pub(crate) fn made<T>(thing: &mut Option<T>) -> &mut T {
    thing.as_mut().expect("an earlier step has made it")
}

/// The program, step by step. [`outcome`] returns its results.
pub(crate) const PROGRAM: &[Step] = &[
    ("compile", |world| {
        world.add = Some(world.device.kernel(ADD)?);
        Ok(())
    }),
    ("make a", |world| {
        world.a = Some(world.device.buffer_from(&counting())?);
        Ok(())
    }),
    ("make b", |world| {
        world.b = Some(world.device.buffer(LENGTH)?);
        Ok(())
    }),
    ("copy a to b", |world| Ok(made(&mut world.b).copy_from(&*made(&mut world.a))?)),
    ("fill a part of b", |world| Ok(made(&mut world.b).slice_mut(64..128).fill(7)?)),
    ("update the front of b", |world| {
        made(&mut world.b).slice_mut(0..16).update()?.iter_mut().for_each(|value| *value += 1000);
        Ok(())
    }),
    ("update the back of b", |world| {
        made(&mut world.b).slice_mut(240..256).update()?.iter_mut().for_each(|value| *value += 1000);
        Ok(())
    }),
    ("fill the front of b", |world| Ok(made(&mut world.b).slice_mut(0..16).fill(9)?)),
    ("write a part of a", |world| Ok(made(&mut world.a).slice_mut(32..36).copy_from_slice(&[1, 2, 3, 4])?)),
    ("launch", |world| {
        let launch = made(&mut world.add).launch();
        launch.bind("x", made(&mut world.a)).bind("y", made(&mut world.b)).threads(LENGTH)?;
        Ok(())
    }),
    ("submit", |world| world.device.submit()),
    ("read b", |world| {
        let b = made(&mut world.b).read()?;
        assert_eq!((b[0], b[16], b[64], b[240]), (9, 16, 7, 1240));
        Ok(())
    }),
    ("make odd bytes", |world| {
        let mut odd = world.device.buffer::<u8>(7)?;
        odd.fill(3)?;
        world.odd = Some(odd);
        Ok(())
    }),
    ("record", |world| {
        let mut kept = world.device.recording();
        let (a, b) = (made(&mut world.a), made(&mut world.b));
        made(&mut world.add).launch().bind("x", &*a).bind("y", &mut *b).record(&mut kept).threads(LENGTH)?;
        kept.copy(a.slice(128..192), b.slice_mut(0..64))?;
        world.kept = Some(kept);
        Ok(())
    }),
    ("write a again", |world| Ok(made(&mut world.a).slice_mut(128..132).copy_from_slice(&[5, 6, 7, 8])?)),
    ("replay", |world| made(&mut world.kept).submit()?.wait()),
    ("launch often", |world| {
        while world.launched < LAUNCHES {
            let launch = made(&mut world.add).launch();
            launch.bind("x", made(&mut world.a)).bind("y", made(&mut world.b)).threads(LENGTH)?;
            world.launched += 1;
        }
        Ok(())
    }),
    ("synchronize", |world| world.device.synchronize()),
    ("read a", |world| {
        assert_eq!(*made(&mut world.a).read()?, outcome().0);
        Ok(())
    }),
    ("read the end", |world| {
        assert_eq!(*made(&mut world.b).read()?, outcome().1);
        assert_eq!(*made(&mut world.odd).read()?, [3; 7]);
        Ok(())
    }),
];

pub(crate) fn counting() -> Vec<u32> {
    (0..LENGTH as u32).collect()
}

/// The expected final contents of `a` and `b`, on a device that runs no kernels.
pub(crate) fn outcome() -> (Vec<u32>, Vec<u32>) {
    let (mut a, mut b) = (counting(), counting());
    b[64..128].fill(7);
    b[240..256].iter_mut().for_each(|value| *value += 1000);
    a[32..36].copy_from_slice(&[1, 2, 3, 4]);
    a[128..132].copy_from_slice(&[5, 6, 7, 8]);
    b[0..64].copy_from_slice(&a[128..192]);
    (a, b)
}

impl World {
    pub(crate) fn new(device: &Device) -> Self {
        Self { device: device.clone(), add: None, a: None, b: None, odd: None, kept: None, launched: 0 }
    }

    /// Runs the program until a step fails.
    pub(crate) fn run(&mut self) -> Result<(), (usize, Error)> {
        self.run_from(0)
    }

    pub(crate) fn run_from(&mut self, first: usize) -> Result<(), (usize, Error)> {
        for (index, (_, step)) in PROGRAM.iter().enumerate().skip(first) {
            step(self).map_err(|error| (index, error))?;
        }
        Ok(())
    }
}

/// A device, and the backends that make it fail and check its calls.
pub(crate) struct Machine {
    pub(crate) device: Device,
    pub(crate) faulty: Arc<FaultyBackend>,
    pub(crate) null: Arc<NullBackend>,
}

impl Machine {
    pub(crate) fn new(options: &NullOptions) -> Self {
        let (device, faulty, null) = open(options);
        Self { device, faulty, null }
    }

    pub(crate) fn faults(&self, faults: Faults) {
        self.faulty.set_faults(faults);
    }

    pub(crate) fn calm(&self) {
        self.faults(Faults::new());
    }

    /// Checks that a new program completes on this device.
    pub(crate) fn works(&self) {
        if let Err((step, error)) = World::new(&self.device).run() {
            panic!("the device is not usable any more: '{}': {error}", PROGRAM[step].0);
        }
    }

    /// Checks that the program made no wrong calls and that nothing remains allocated.
    pub(crate) fn close(self) {
        drop(self.device);
        drop(self.faulty);
        assert_eq!(self.null.misuse(), [""; 0]);
        assert_eq!((self.null.live_bytes(), self.null.live_kernels()), (0, 0), "bytes and kernels that leaked");
    }
}
