//! Cases on the CPU backend, with each kernel as read again from its text.

use std::sync::Arc;

use anywarp::Device;
use anywarp_backend::{
    Backend, BackendError, Caps, Compilation, Counters, HostRange, KernelId, MemoryId, MemoryKind, Program, Recording,
    Ticket,
};
use libtest_mimic::{Completion, Trial};

use super::again::again;
use crate::suite::case::Case;
use crate::suite::{kernel, properties};
use anywarp_testing_devices::outcome::Stop;

/// A trial for each case about kernels.
pub(crate) fn trials() -> Vec<Trial> {
    let cases = kernel::CASES.iter().copied().flatten().chain(properties::CASES);
    cases.map(|case| Trial::ignorable_test(format!("wgsl::results::{}", case.name), move || judged(case))).collect()
}

fn judged(case: &Case) -> Result<Completion, libtest_mimic::Failed> {
    let inner = anywarp_cpu::open(anywarp_cpu::Options::default()).map_err(|error| error.to_string())?;
    let device = Device::from_backend(Arc::new(Reader { inner }));
    match pollster::block_on(case.outcome(&device)) {
        Ok(()) => Ok(Completion::Completed),
        Err(Stop::Skip(reason)) => Ok(Completion::ignored_with(reason)),
        Err(Stop::Fail(message)) => Err(message.into()),
    }
}

/// A device that passes each program to the CPU backend with the module that its WGSL text parses to.
struct Reader {
    inner: Arc<dyn Backend>,
}

impl Backend for Reader {
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
        let program =
            again(program).map_err(|message| BackendError::Rejected { operation: "reading again", message })?;
        self.inner.compile(&program)
    }

    fn discard(&self, kernel: KernelId) {
        self.inner.discard(kernel);
    }

    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError> {
        self.inner.submit(recording)
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }
}
