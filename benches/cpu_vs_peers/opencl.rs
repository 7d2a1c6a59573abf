//! OpenCL as a peer: pocl, which runs it on the processor, where it is installed.
//!
//! The texts in `opencl` are those in WGSL as users of OpenCL would write them: with the same algorithms and workgroups,
//! but with constants in place of uniforms, and without conditions on sizes, as a launch has exactly the work items that
//! are asked for.

mod launches;
mod library;

use std::ffi::CStr;
use std::fs;
use std::path::PathBuf;
use std::ptr;
use std::time::{Duration, Instant};

use launches::Launches;
use library::{Functions, Handle, Object, listed, text};

use crate::ispc::Spmd;
use crate::shared::Outcome;
use crate::side::Side;

const PLATFORM_VERSION: u32 = 0x0901;
const PLATFORM_NAME: u32 = 0x0902;
/// The kind of devices.
const CPU: u64 = 1 << 1;

/// A kernel's text for OpenCL. Its sizes and data are those of the text for ISPC.
pub(crate) struct Program {
    pub(crate) text: &'static str,
    /// The lengths of temporary memory, in words.
    pub(crate) temporaries: Vec<usize>,
    /// The work of a run.
    pub(crate) steps: Vec<Step>,
}

impl Program {
    /// A program whose run is one launch of the kernel `run`, which takes the inputs and the output.
    pub(crate) fn of(text: &'static str, global: [usize; 2], local: [usize; 2]) -> Self {
        let launch = Step::Launch { entry: c"run", arguments: Vec::new(), global, local };
        Self { text, temporaries: Vec::new(), steps: vec![launch] }
    }
}

/// A part of a run.
pub(crate) enum Step {
    /// Fills the output with zeros.
    Clear,
    /// Copies the first input to the output.
    Copy,
    /// Launches a kernel. An empty list of arguments stands for all memory.
    Launch { entry: &'static CStr, arguments: Vec<Argument>, global: [usize; 2], local: [usize; 2] },
}

impl Step {
    /// Launches a kernel for some workgroups of 256 work items.
    pub(crate) fn launch(entry: &'static CStr, arguments: impl Into<Vec<Argument>>, groups: usize) -> Self {
        Self::Launch { entry, arguments: arguments.into(), global: [256 * groups, 1], local: [256, 1] }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub(crate) enum Argument {
    /// Memory by its number: the inputs that are not empty, then the output, then the temporary memory.
    Memory(usize),
    Word(u32),
}

/// The processor as a device of OpenCL.
pub(crate) struct OpenCl {
    functions: &'static Functions,
    device: Handle,
    context: Object,
    _cache: Cache,
}

impl OpenCl {
    /// The processor, if pocl is installed, with as many threads as rayon; prints the reason if not.
    ///
    /// # Safety
    ///
    /// There are no other threads than rayon's yet.
    pub(crate) unsafe fn open() -> Option<Self> {
        let cache = Cache(std::env::temp_dir().join(format!("anywarp-pocl-{}", std::process::id())));
        let threads = rayon::current_num_threads().to_string();
        // SAFETY: no other thread uses the environment at the same time: those of rayon wait for work.
        unsafe {
            std::env::set_var("POCL_CACHE_DIR", &cache.0);
            std::env::set_var("POCL_MAX_PTHREAD_COUNT", &threads);
            // The name in later releases.
            std::env::set_var("POCL_CPU_MAX_CU_COUNT", &threads);
        }
        Self::find(cache).inspect_err(|error| println!("pocl: not available ({error})")).ok()
    }

    fn find(cache: Cache) -> Outcome<Self> {
        let functions = Functions::load()?;
        let platforms = listed("platforms", |count, to, found| {
            // SAFETY: `listed` has space for as many handles as it says.
            unsafe { (functions.platforms)(count, to, found) }
        })?;
        for platform in platforms {
            let about = |what| {
                text("a platform", |size, to, length| {
                    // SAFETY: the platform is listed, and `text` has space for as many bytes as it says.
                    unsafe { (functions.platform_info)(platform, what, size, to, length) }
                })
            };
            if !about(PLATFORM_NAME)?.contains("Portable Computing Language") {
                continue;
            }
            let devices = listed("devices", |count, to, found| {
                // SAFETY: the platform is listed, and `listed` has space for as many handles as it says.
                unsafe { (functions.devices)(platform, CPU, count, to, found) }
            })?;
            let Some(&device) = devices.first() else { continue };
            // SAFETY: the device is listed; there are no properties, and there is no callback.
            let context = unsafe {
                Object::new("a context", functions.release_context, |status| {
                    (functions.context)(ptr::null(), 1, &raw const device, ptr::null(), ptr::null_mut(), status)
                })
            }?;
            println!("pocl: {}", about(PLATFORM_VERSION)?);
            return Ok(Self { functions, device, context, _cache: cache });
        }
        Err("not among the platforms of OpenCL; Debian has it as pocl-opencl-icd".into())
    }

    /// Compiles a program; returns a side that runs it, and the time of the compilation. Code is made when a kernel is
    /// first launched, so the time is that until the end of a first run, less that of a second run.
    pub(crate) fn side(&self, program: &Program, data: &Spmd) -> Outcome<(Box<dyn Side>, Duration)> {
        let mut side = Launches::new(self.functions, self.context.handle(), self.device)?;
        side.allocate(data, &program.temporaries)?;
        let start = Instant::now();
        side.compile(program, data.size)?;
        side.run()?;
        let first = start.elapsed();
        let start = Instant::now();
        side.run()?;
        Ok((Box::new(side), first.saturating_sub(start.elapsed())))
    }
}

/// The folder in which pocl keeps compiled code: a new one, so that it finds none of an earlier process.
struct Cache(PathBuf);

impl Drop for Cache {
    fn drop(&mut self) {
        // Where nothing was compiled, there is no folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
