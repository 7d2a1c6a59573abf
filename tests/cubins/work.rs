//! Translates and compiles the kernels, in parallel.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anywarp_backend::{BindingClass, Program};
use anywarp_cuda::cache;
use anywarp_cuda::nvrtc::{Nvrtc, NvrtcError, Output, Source};
use anywarp_cuda::translate::{Form, Options as Translated, translate};

use crate::gather::Kernel;
use crate::options::Options;
use crate::report::Report;

/// The limit on loop iterations of one invocation.
const MAX_STEPS: u32 = 1 << 30;
/// The stack size of a thread: translation recurses to the depth of expressions that the front end allows.
const STACK_BYTES: usize = 256 << 20;

/// Compiles every kernel for every architecture.
pub(crate) fn run(nvrtc: &Nvrtc, options: &Options, kernels: &[Kernel], report: &mut Report) {
    let known = |architecture: &&u32| nvrtc.architectures().contains(architecture);
    let (architectures, unknown): (Vec<u32>, Vec<u32>) = options.architectures.iter().partition(known);
    for architecture in unknown {
        report.skip(&format!("sm_{architecture}: this NVRTC does not support it"));
    }
    let start = Instant::now();
    let run = Run {
        nvrtc,
        architectures,
        kernels,
        next: AtomicUsize::new(0),
        seen: Mutex::default(),
        hasher: RandomState::new(),
        state: Mutex::new((report, Duration::ZERO)),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, || run.take_kernels()).expect("a test may start threads");
        }
    });
    let texts = run.seen.lock().expect(UNPOISONED).len();
    let translating = run.state.lock().expect(UNPOISONED).1.as_secs_f64();
    let all = start.elapsed().as_secs_f64();
    println!(
        "{texts} different texts; {all:.1} s, of which each thread was translating its part of {translating:.1} s"
    );
}

const UNPOISONED: &str = "no thread panics while it counts";

struct Run<'a> {
    nvrtc: &'a Nvrtc,
    architectures: Vec<u32>,
    kernels: &'a [Kernel],
    next: AtomicUsize,
    /// The hashes of the CUDA C++ texts so far.
    seen: Mutex<HashSet<u64>>,
    hasher: RandomState,
    /// The report, and the total time of translation.
    state: Mutex<(&'a mut Report, Duration)>,
}

impl Run<'_> {
    fn take_kernels(&self) {
        while let Some(kernel) = self.kernels.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            for form in forms(kernel) {
                self.one(kernel, form);
            }
        }
    }

    fn one(&self, kernel: &Kernel, form: Form) {
        let name = || match form == Form::default() {
            true => kernel.name.clone(),
            false => format!("{} ({form:?})", kernel.name),
        };
        let start = Instant::now();
        let options = Translated { form, steps: MAX_STEPS };
        let translated = catch_unwind(AssertUnwindSafe(|| translate(&kernel.program, &options)));
        let took = start.elapsed();
        let translation = match translated {
            Ok(Ok(translation)) => translation,
            Ok(Err(error)) => return self.fail(name(), "", &format!("translation: {error}"), ""),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
                return self.fail(name(), "", &format!("translation panicked: {said}"), "");
            }
        };
        self.state.lock().expect(UNPOISONED).1 += took;
        let fast_math = kernel.program.leave.fast_math;
        let hash = self.hasher.hash_one((&translation.text, fast_math));
        if !self.seen.lock().expect(UNPOISONED).insert(hash) {
            return;
        }
        for &architecture in &self.architectures {
            let text = &translation.text;
            let source = Source { name: &kernel.program.name, text, architecture, fast_math, defines: &[] };
            let start = Instant::now();
            let kept = std::env::var_os("ANYWARP_CACHE").and_then(|_| anywarp_host::cache::cache());
            let compiled = cache::compiled(self.nvrtc, kept, &source, Output::Cubin);
            let (took, architecture) = (start.elapsed(), format!("sm_{architecture}"));
            match compiled {
                Ok(compiled) => {
                    self.state.lock().expect(UNPOISONED).0.pass(&architecture, took, compiled.usage);
                }
                Err(error) => self.fail(name(), &architecture, &message(&error, text), text),
            }
        }
    }

    fn fail(&self, name: String, architecture: &str, message: &str, text: &str) {
        self.state.lock().expect(UNPOISONED).0.fail(name, architecture, message, text);
    }
}

/// The distinct forms of a kernel's entry point that are compiled.
fn forms(kernel: &Kernel) -> Vec<Form> {
    let mut forms = vec![Form::default()];
    if kernel.all_forms {
        let addressed = addressed(&kernel.program);
        forms.push(Form { addressed, looped: true });
        if addressed != 0 {
            forms.push(Form { addressed, looped: false });
            forms.push(Form { addressed: 0, looped: true });
        }
    }
    forms
}

/// The mask of the form that passes every uniform by address.
fn addressed(program: &Program) -> u64 {
    let uniforms = program.bindings.iter().take(64).enumerate().filter(|(_, info)| info.class == BindingClass::Uniform);
    uniforms.fold(0, |all, (place, _)| all | 1 << place)
}

/// The first error and its position, with the line of CUDA C++ if the position is in the text.
fn message(error: &NvrtcError, text: &str) -> String {
    let NvrtcError::Compilation { place, message, log, .. } = error else { return error.to_string() };
    let at = place.as_ref().map_or_else(String::new, ToString::to_string);
    let mut shown = format!("{message}\n{at}");
    let mut lines = log.lines().skip_while(|line| !line.contains(message.as_str())).skip(1);
    for line in lines.by_ref().take(2) {
        shown.push('\n');
        shown.push_str(line);
    }
    if place.is_none() {
        shown.push_str(&format!("\n{log}\n({} bytes of text)", text.len()));
    }
    shown
}
