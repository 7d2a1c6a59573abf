//! ISPC as a peer: its compiler, where it is installed, makes a library of each kernel's text.
//!
//! Texts are in `spmd`, written as ISPC's users would: scan and reduction in one pass. Each exports `run`, with two inputs, the output
//! and a range of units of work.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use bytemuck::NoUninit;
use libloading::Library;
use rayon::prelude::*;

use crate::shared::Outcome;
use crate::side::{Side, on_host};

/// A kernel's text for ISPC, and its data as words of 32 bits.
#[derive(Clone)]
pub(crate) struct Spmd {
    /// The text.
    pub(crate) text: &'static str,
    /// The value of `SIZE` in the text.
    pub(crate) size: usize,
    /// The inputs.
    pub(crate) inputs: [Vec<u32>; 2],
    /// The initial output.
    pub(crate) initial: Vec<u32>,
    /// The number of units of work: elements, rows or tiles.
    pub(crate) units: usize,
    /// Whether ranges of units may run in parallel.
    pub(crate) parallel: bool,
}

/// The bits of values as words.
pub(crate) fn words<T: NoUninit>(values: &[T]) -> Vec<u32> {
    bytemuck::cast_slice(values).to_vec()
}

type Run = unsafe extern "C" fn(*const u32, *const u32, *mut u32, i32, i32);

/// The compiler, for one kind of processor.
pub(crate) struct Ispc {
    target: &'static str,
    folder: PathBuf,
}

impl Ispc {
    /// The compiler for a target, if it is in `PATH` and this processor has the `features`; prints the reason if not.
    pub(crate) fn open(target: &'static str, has_features: bool) -> Option<Self> {
        let version = Command::new("ispc").arg("--version").output();
        match version {
            Ok(output) if output.status.success() && has_features => {
                println!("ispc {target}: {}", String::from_utf8_lossy(&output.stdout).trim());
            }
            Ok(_) => {
                println!("ispc {target}: not available (this processor lacks its instructions)");
                return None;
            }
            Err(error) => {
                println!("ispc {target}: not available ({error}); its releases are at github.com/ispc/ispc");
                return None;
            }
        }
        let folder = std::env::temp_dir().join(format!("anywarp-ispc-{}-{target}", std::process::id()));
        Some(Self { target, folder })
    }

    /// Compiles a text; returns a side that runs it, and the time of the compilation without that of the linker.
    pub(crate) fn side(&self, name: &str, spmd: Spmd) -> Outcome<(Box<dyn Side>, Duration)> {
        fs::create_dir_all(&self.folder)?;
        let [source, object, library] = ["ispc", "o", "so"].map(|ending| self.folder.join(name).with_extension(ending));
        fs::write(&source, spmd.text)?;
        let start = Instant::now();
        let mut ispc = Command::new("ispc");
        ispc.args(["-O3", "--pic", "--quiet", &format!("--target={}", self.target), &format!("-DSIZE={}", spmd.size)]);
        done(ispc.arg(&source).arg("-o").arg(&object))?;
        let compiled = start.elapsed();
        done(Command::new("cc").arg("-shared").arg(&object).arg("-o").arg(&library))?;
        // SAFETY: the library has no initialisers, only the exported function.
        let library = unsafe { Library::new(&library) }?;
        // SAFETY: each text exports a function of this type.
        let run: Run = unsafe { *library.get(b"run\0")? };
        let Spmd { inputs, initial, units, parallel, .. } = spmd;
        let threads = if parallel { rayon::current_num_threads() } else { 1 };
        let piece = if threads == 1 { units } else { units.div_ceil(8 * threads) };
        let side = on_host(initial, move |output: &mut [u32]| {
            let _owner = &library;
            let output = output.as_mut_ptr() as usize;
            let [a, b] = inputs.each_ref().map(|input| input.as_ptr() as usize);
            let work = |first: usize| {
                let last = units.min(first + piece);
                // SAFETY: the buffers have the sizes that the text has as constants, and pieces write different parts of
                // the output.
                unsafe { run(a as *const u32, b as *const u32, output as *mut u32, first as i32, last as i32) }
            };
            if threads == 1 {
                work(0);
            } else {
                (0..units.div_ceil(piece)).into_par_iter().for_each(|number| work(number * piece));
            }
        });
        Ok((side, compiled))
    }
}

impl Drop for Ispc {
    fn drop(&mut self) {
        // Where nothing was compiled, there is no folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn done(command: &mut Command) -> Outcome<()> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}", command.get_program().display(), String::from_utf8_lossy(&output.stderr)).into())
}
