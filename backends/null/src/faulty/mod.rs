//! The wrapper of a backend whose calls a test can make fail.

mod faults;
mod held;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{
    Backend, BackendError, Caps, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Program, Recording,
    Ticket,
};

pub use faults::{Call, Fault, Faults, Pace, When};
use held::Held;

#[derive(Default)]
struct State {
    faults: Faults,
    lost: Option<String>,
    /// The number of calls that have failed since the faults were set.
    fired: u64,
    /// The size of each memory that was not freed, for errors.
    live: HashMap<MemoryId, u64>,
    /// Work that waits for [`FaultyBackend::open_gate`] or for its delay.
    held: Vec<Arc<Held>>,
    /// The ticket of each memory that was mapped and not unmapped, whether or not the mapping has completed.
    mapping: HashMap<MemoryId, Ticket>,
}

/// A wrapper of any backend, whose calls a test can make fail.
///
/// [`Faults`] can be changed at any time, from any thread. After [`Fault::Lost`] or [`lose`](Self::lose) the device
/// stays lost, and all work that is held ends with the error [`BackendError::Lost`].
pub struct FaultyBackend {
    inner: Arc<dyn Backend>,
    state: Mutex<State>,
}

impl FaultyBackend {
    /// Wraps `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Backend>, faults: Faults) -> Arc<Self> {
        Arc::new(Self { inner, state: Mutex::new(State { faults, ..State::default() }) })
    }

    /// Replaces the faults: calls and failed calls are counted from 0 again. Work that is held stays held.
    pub fn set_faults(&self, faults: Faults) {
        let mut state = self.state();
        state.faults = faults;
        state.fired = 0;
    }

    /// The number of calls that have failed since the faults were set. Calls that fail because the device is lost are
    /// not counted.
    #[must_use]
    pub fn fired(&self) -> u64 {
        self.state().fired
    }

    /// Releases all held work. Later work is held again, if the [`Faults`] require it.
    pub fn open_gate(&self) {
        let held = std::mem::take(&mut self.state().held);
        held.iter().for_each(|work| work.finish(Ok(())));
    }

    /// Makes the device lost, for this reason.
    pub fn lose(&self, reason: &str) {
        let mut state = self.state();
        state.lost.get_or_insert_with(|| reason.to_owned());
        let held = std::mem::take(&mut state.held);
        drop(state);
        held.iter().for_each(|work| work.finish(Err(BackendError::Lost { reason: reason.to_owned() })));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> Result<(), BackendError> {
        self.state().lost.clone().map_or(Ok(()), |reason| Err(BackendError::Lost { reason }))
    }

    /// Counts the call; returns an error if the device is lost or the faults require the call to fail.
    fn pass(&self, call: Call, asked: Option<(u64, MemoryKind)>) -> Result<(), BackendError> {
        self.alive()?;
        let (requested, kind) = asked.unwrap_or((0, MemoryKind::Device));
        let mut state = self.state();
        let Some(fault) = state.faults.count(call, requested) else { return Ok(()) };
        state.fired += 1;
        let live = state.live.values().sum();
        drop(state);
        match fault {
            Fault::OutOfMemory => Err(BackendError::OutOfMemory { requested, kind, live }),
            Fault::Refused => {
                Err(BackendError::rejected("a call with an injected fault", format!("{call:?} was set to fail")))
            }
            Fault::Lost => {
                self.lose("a test injected the loss");
                self.alive()
            }
        }
    }

    /// Returns a ticket for the same work, which completes at the time that the pace requires.
    fn paced(state: &mut State, ticket: Ticket) -> Ticket {
        let pace = state.faults.pace;
        if pace == Pace::Usual {
            return ticket;
        }
        let held = Held::new(ticket);
        state.held.push(Arc::clone(&held));
        if let Pace::Delayed(delay) = pace {
            held.finish_after(delay);
        }
        Ticket::new(held)
    }
}

impl Backend for FaultyBackend {
    fn caps(&self) -> &Caps {
        self.inner.caps()
    }

    fn allocate(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<MemoryId, BackendError> {
        self.pass(Call::Allocate, Some((bytes, kind)))?;
        let memory = self.inner.allocate(bytes, kind, label)?;
        self.state().live.insert(memory, bytes);
        Ok(memory)
    }

    fn free(&self, memory: MemoryId) {
        let mut state = self.state();
        state.live.remove(&memory);
        state.mapping.remove(&memory);
        drop(state);
        self.inner.free(memory);
    }

    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError> {
        self.pass(Call::Map, None)?;
        // One lock is held throughout, so that two threads that map a memory receive the same ticket.
        let mut state = self.state();
        if let Some(ticket) = state.mapping.get(&memory) {
            return Ok(ticket.clone());
        }
        let ticket = Self::paced(&mut state, self.inner.map(memory)?);
        state.mapping.insert(memory, ticket.clone());
        Ok(ticket)
    }

    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError> {
        self.pass(Call::Host, None)?;
        let pending = self.state().mapping.get(&memory).cloned();
        if pending.is_some_and(|ticket| !ticket.is_done().unwrap_or(true)) {
            return Err(BackendError::rejected("host access", "the mapping is still pending; wait for its ticket"));
        }
        self.inner.host(memory)
    }

    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError> {
        // The call still succeeds when its fault loses the device.
        let _ = self.pass(Call::Unmap, None);
        self.inner.unmap(memory)?;
        self.state().mapping.remove(&memory);
        Ok(())
    }

    fn compile(&self, program: &Program) -> Result<Compilation, BackendError> {
        self.pass(Call::Compile, None)?;
        self.inner.compile(program)
    }

    fn discard(&self, kernel: KernelId) {
        self.inner.discard(kernel);
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        self.pass(Call::Submit, None)?;
        let ticket = self.inner.submit(recording)?;
        Ok(Self::paced(&mut self.state(), ticket))
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }
}
