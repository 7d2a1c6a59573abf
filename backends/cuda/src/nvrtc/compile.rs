//! Compilation of CUDA C++ to machine code or PTX.

use std::ffi::{CStr, CString};

use super::error::{NvrtcError, Place};
use super::library::Nvrtc;
use super::result::{Failed, Outcome};
use super::safe::Program;
use super::sys::Code;
use crate::resources::{self, Usage};

/// Warnings that are useless for generated text: unused declarations (177, 550), unreachable statements (111, 128),
/// comparisons of unsigned numbers with 0 (186), unused computations (174).
const QUIET: &str = "-diag-suppress=111,128,174,177,186,550";

/// The option that makes the assembler report the kernel's resources.
const VERBOSE: &str = "--ptxas-options=-v";

/// The stack size in bytes of the compiling thread. NVRTC ends the process if a text nests too deeply for the stack:
/// fewer than 1000 nested parentheses use up 2 MiB. Only pages that are used take memory.
const STACK: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 32 << 20 };

const BUILTIN_OPERATION_FAILURE: Code = 7;
const COMPILATION: Code = 6;

/// The options of `f32` arithmetic. WGSL allows fused multiply-add, so both modes use it.
fn arithmetic(fast: bool) -> &'static [&'static str] {
    if fast { &["--use_fast_math"] } else { &["--fmad=true", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"] }
}

/// One kernel to compile.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name in errors: file and entry point.
    pub name: &'a str,
    /// CUDA C++ without includes. `#line` directives give the line of the WGSL for the next line.
    pub text: &'a str,
    /// The architecture of the GPU: 90 for compute capability 9.0.
    pub architecture: u32,
    /// Whether quotients, roots and functions are approximate, and subnormal numbers become zero.
    pub fast_math: bool,
    /// Macros and their values.
    pub defines: &'a [(&'a str, &'a str)],
}

/// The kind of a compiled image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// Machine code of one architecture.
    Cubin,
    /// Text that the driver compiles for the GPU when it is loaded; it ends with a zero byte.
    Ptx,
}

/// A compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The bytes that the driver loads.
    pub image: Vec<u8>,
    /// The kind of the image. It is also PTX where a cubin was requested but the GPU is newer than this NVRTC.
    pub output: Output,
    /// The kernel's resources; `None` for PTX, which is not assembled yet.
    pub usage: Option<Usage>,
    /// Warnings of NVRTC. Empty for an image from a cache.
    pub log: String,
    /// Whether the image comes from a cache.
    pub cached: bool,
}

/// The inputs of a compilation by a given NVRTC, apart from the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The kind of image.
    pub output: Output,
    /// The architecture that the kernel is compiled for: `sm_90`, `compute_90`.
    pub architecture: String,
    /// NVRTC's options.
    pub options: Vec<String>,
}

impl Nvrtc {
    /// Compiles a kernel. For a GPU that is newer than this NVRTC, the image is not a cubin but PTX, for the newest
    /// architecture that NVRTC supports and the GPU can run.
    ///
    /// # Errors
    /// [`NvrtcError::Compilation`] with the position of the first error, and the log; [`NvrtcError::TooOld`] for a GPU
    /// that this NVRTC does not support any more; [`NvrtcError::Builtins`] for an incomplete installation.
    pub fn compile(&self, source: &Source<'_>, output: Output) -> Result<Compiled, NvrtcError> {
        self.run(source, &self.job(source, output)?)
    }

    /// Returns the job that [`compile`](Self::compile) would run, without running it; cache keys contain the job.
    ///
    /// # Errors
    /// [`NvrtcError::TooOld`].
    pub fn job(&self, source: &Source<'_>, output: Output) -> Result<Job, NvrtcError> {
        let (output, known) = choose(source.architecture, output, self.architectures()).ok_or_else(|| {
            let oldest = self.architectures().first().copied().unwrap_or(0);
            NvrtcError::TooOld { architecture: source.architecture, oldest, version: self.version() }
        })?;
        let architecture = match output {
            Output::Cubin => format!("sm_{known}"),
            Output::Ptx => format!("compute_{known}"),
        };
        let mut options =
            vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned(), QUIET.to_owned()];
        options.push("--device-as-default-execution-space".to_owned());
        // With line information, profilers show lines of the WGSL. Images become about twice as large; neither kernels
        // nor their compilation become slower.
        options.push("-lineinfo".to_owned());
        options.extend(arithmetic(source.fast_math).iter().map(|option| (*option).to_owned()));
        if output == Output::Cubin {
            options.push(VERBOSE.to_owned());
        }
        options.extend(source.defines.iter().map(|(name, value)| format!("--define-macro={name}={value}")));
        Ok(Job { output, architecture, options })
    }

    /// Compiles a kernel as given by a job.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn run(&self, source: &Source<'_>, job: &Job) -> Result<Compiled, NvrtcError> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("nvrtc".to_owned()).stack_size(STACK);
            let failed = |log: String| NvrtcError::Call {
                function: "nvrtcCompileProgram",
                code: "no thread: the thread of the compiler could not be started, or it panicked".to_owned(),
                log,
            };
            let running =
                thread.spawn_scoped(scope, || self.run_here(source, job)).map_err(|error| failed(error.to_string()))?;
            running.join().unwrap_or_else(|_| Err(failed(String::new())))
        })
    }

    fn run_here(&self, source: &Source<'_>, job: &Job) -> Result<Compiled, NvrtcError> {
        if job.output == Output::Ptx && !self.architectures().contains(&source.architecture) {
            let (major, minor) = self.version();
            log::info!(
                "NVRTC {major}.{minor} does not support sm_{}: kernel '{}' becomes {} for the driver to compile",
                source.architecture,
                source.name,
                job.architecture
            );
        }
        let c = |text: &str, what| {
            CString::new(text).map_err(|_| NvrtcError::ZeroByte { kernel: source.name.to_owned(), what })
        };
        let (text, name) = (c(source.text, "the text")?, c(source.name, "the name")?);
        let options = job.options.iter().map(|option| c(option, "an option")).collect::<Result<Vec<_>, _>>()?;
        let options: Vec<&CStr> = options.iter().map(CString::as_c_str).collect();

        let mut program = self.checked(Program::create(self.functions(), &text, &name))?;
        let compiled = program.compile(&options);
        let log = program.log();
        let code = compiled.map_or_else(|failed| failed.code, |()| 0);
        if code == COMPILATION && !log.contains("error") && job.options.iter().any(|option| option == VERBOSE) {
            // With this verbosity the assembler omits some errors, such as too much shared memory.
            let options = job.options.iter().filter(|option| *option != VERBOSE).cloned().collect();
            return self.run_here(source, &Job { options, ..job.clone() });
        }
        if code != 0 {
            return Err(self.failure(source, job, code, log));
        }
        let image = self.checked(program.image(job.output))?;
        let (usage, log) = resources::split(&log);
        if !log.is_empty() {
            log::debug!("NVRTC on kernel '{}': {log}", source.name);
        }
        Ok(Compiled { image, output: job.output, usage, log, cached: false })
    }

    fn failure(&self, source: &Source<'_>, job: &Job, code: Code, log: String) -> NvrtcError {
        match code {
            COMPILATION => {
                let (place, message) = first_error(&log);
                NvrtcError::Compilation {
                    kernel: source.name.to_owned(),
                    architecture: job.architecture.clone(),
                    version: self.version(),
                    place,
                    message,
                    log,
                }
            }
            BUILTIN_OPERATION_FAILURE => NvrtcError::Builtins { file: self.file().to_owned(), log },
            _ => NvrtcError::Call { function: "nvrtcCompileProgram", code: self.functions().name(code), log },
        }
    }

    fn checked<T>(&self, outcome: Outcome<T>) -> Result<T, NvrtcError> {
        let call = |Failed { function, code }| NvrtcError::Call {
            function,
            code: self.functions().name(code),
            log: String::new(),
        };
        outcome.map_err(call)
    }
}

/// Chooses the kind of image and the architecture for a GPU: the GPU's own architecture or, if NVRTC does not support
/// it, PTX for the newest older architecture. `None` if all supported architectures are newer than the GPU's.
fn choose(card: u32, output: Output, known: &[u32]) -> Option<(Output, u32)> {
    let newest = known.iter().copied().filter(|known| *known <= card).max()?;
    Some(if newest == card { (output, newest) } else { (Output::Ptx, newest) })
}

/// Returns the first error of a log with its position: `FILE(LINE): error: MESSAGE`. Otherwise the first line that
/// contains `error`, or else the first line, without a position.
fn first_error(log: &str) -> (Option<Place>, String) {
    for line in log.lines() {
        let Some((before, message)) = line.split_once("): error").or_else(|| line.split_once("): catastrophic error"))
        else {
            continue;
        };
        // Errors that can be suppressed have a number before the colon.
        let message = message.split_once(": ").map_or(message, |(_, message)| message);
        let place = before.rsplit_once('(').and_then(|(file, line)| {
            let line = line.split(',').next()?.trim().parse().ok()?;
            Some(Place { file: file.to_owned(), line })
        });
        return (place, message.trim().to_owned());
    }
    let line = log.lines().find(|line| line.contains("error")).or_else(|| log.lines().next());
    (None, line.unwrap_or("NVRTC gives no reason").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Output, arithmetic, choose, first_error};

    #[test]
    fn fast_math_is_asked_for_by_its_name() {
        assert_eq!(arithmetic(true), ["--use_fast_math"]);
        assert_eq!(arithmetic(false), ["--fmad=true", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"]);
    }

    #[test]
    fn cards_that_are_known_newer_and_older() {
        let known = [75, 80, 90, 100];
        assert_eq!(choose(80, Output::Cubin, &known), Some((Output::Cubin, 80)));
        assert_eq!(choose(80, Output::Ptx, &known), Some((Output::Ptx, 80)));
        assert_eq!(choose(86, Output::Cubin, &known), Some((Output::Ptx, 80)));
        assert_eq!(choose(130, Output::Cubin, &known), Some((Output::Ptx, 100)));
        assert_eq!(choose(61, Output::Cubin, &known), None);
        assert_eq!(choose(61, Output::Cubin, &[]), None);
    }

    #[test]
    fn the_first_error_of_a_log() {
        let log = "a b.wgsl(4): warning #177-D: unused\nsome (odd).wgsl(9): error: identifier \"zork\" is undefined\n";
        let (place, message) = first_error(log);
        assert_eq!(place.unwrap().to_string(), "some (odd).wgsl:9");
        assert_eq!(message, "identifier \"zork\" is undefined");
        let (place, message) = first_error("k.cu(1): error #20: identifier: \"x\" is undefined");
        assert_eq!((place.unwrap().line, message.as_str()), (1, "identifier: \"x\" is undefined"));
        let (place, message) = first_error("ptxas info : 0 bytes\nptxas error   : too much shared data");
        assert_eq!((place, message.as_str()), (None, "ptxas error   : too much shared data"));
        assert_eq!(first_error("").1, "NVRTC gives no reason");
    }
}
