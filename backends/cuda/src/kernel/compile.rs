//! Compilation of programs to loaded kernels: a program is translated, compiled or read from a cache, and loaded once.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use anywarp_backend::{BackendError, Program};
use rustc_hash::FxHashMap;

use crate::cache;
use crate::caps::Card;
use crate::driver::{Module, Needs};
use crate::kernel::Loaded;
use crate::nvrtc::{self, Output, Source};
use crate::submit::queue::Queue;
use crate::translate::{self, Form, Options, Translation};

/// The number of entries of `Compiler::loaded` above which unused entries are removed.
const MANY: usize = 256;

/// The kernel loaded from one text of CUDA C++, if it is still in use. The lock is held during compilation, so that two
/// threads with the same text share one compilation.
type Cell = Arc<Mutex<Weak<Loaded>>>;

/// Compiles kernels for one device.
pub(crate) struct Compiler {
    queue: Arc<Queue>,
    card: Card,
    /// The limit on the loop iterations of one invocation.
    pub(crate) loop_limit: u32,
    /// The kernels by their text and by whether arithmetic may be approximate.
    loaded: Mutex<FxHashMap<(String, bool), Cell>>,
}

/// A loaded kernel, and whether it had to be compiled.
pub(crate) struct Made {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) fresh: bool,
}

fn refused(message: String) -> BackendError {
    BackendError::Rejected { operation: "compiling", message }
}

impl Compiler {
    pub(crate) fn new(queue: &Arc<Queue>, card: &Card, loop_limit: u32) -> Self {
        Self { queue: Arc::clone(queue), card: card.clone(), loop_limit, loaded: Mutex::default() }
    }

    /// Returns one form of a program as a loaded kernel; the context is current.
    pub(crate) fn make(&self, program: &Program, form: Form) -> Result<Made, BackendError> {
        let translation = translate::translate(program, &Options { form, steps: self.loop_limit })
            .map_err(|error| refused(format!("kernel '{}': {error}", program.name)))?;
        let cell = self.cell(&translation, program);
        let mut known = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = known.upgrade() {
            return Ok(Made { loaded, fresh: false });
        }
        let loaded = self.load(program, translation)?;
        *known = Arc::downgrade(&loaded);
        Ok(Made { loaded, fresh: true })
    }

    fn cell(&self, translation: &Translation, program: &Program) -> Cell {
        let mut table = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if table.len() >= MANY {
            let in_use =
                |cell: &Cell| Arc::strong_count(cell) > 1 || cell.lock().is_ok_and(|loaded| loaded.strong_count() > 0);
            table.retain(|_, cell| in_use(cell));
        }
        Arc::clone(table.entry((translation.text.clone(), program.leave.fast_math)).or_default())
    }

    fn load(&self, program: &Program, translation: Translation) -> Result<Arc<Loaded>, BackendError> {
        let nvrtc = nvrtc::library().map_err(|error| refused(error.to_string()))?;
        let source = Source {
            name: &program.name,
            text: &translation.text,
            architecture: self.card.architecture,
            fast_math: program.leave.fast_math,
            defines: &[],
        };
        let compiled = cache::compiled(nvrtc, anywarp_host::cache::cache(), &source, Output::Cubin)
            .map_err(|error| refused(error.to_string()))?;
        if !compiled.log.trim().is_empty() {
            log::debug!("kernel '{}': {}", program.name, compiled.log.trim());
        }
        let (major, minor) = nvrtc.version();
        let needs = Needs {
            kernel: &program.name,
            entry: &translation.entry,
            dynamic_shared: translation.dynamic_shared,
            invocations: program.workgroup_size.iter().product(),
            max_shared: self.card.shared,
            max_resident: self.card.resident,
            compiler: &format!("NVRTC {major}.{minor}"),
        };
        let module = Module::load(&self.queue.context, &compiled.image, &needs)?;
        let spilled = compiled.usage.map(|usage| usage.spill_stores.saturating_add(usage.spill_loads));
        Ok(Loaded::new(module, &self.queue, translation.parameters, translation.dynamic_shared, spilled))
    }
}
