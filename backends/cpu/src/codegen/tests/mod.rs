//! Tests that run small compiled kernels on one thread.

mod agree;
mod barriers;
mod calls;
mod clamped;
mod cooperative;
mod early;
mod flow;
mod functions;
mod memory;
mod narrow;
mod proven;
mod regions;
mod serial;
mod sink;
mod wide;

use crate::abi::{Frame, GUARD_BYTES, Slot, Stop};
use crate::lower::tests::program;
use crate::math::Functions;
use anywarp_backend::Mode;

/// Aligned memory with guard bytes before and after.
struct Bytes {
    words: Vec<u64>,
    bytes: usize,
}

impl Bytes {
    fn new(bytes: usize) -> Self {
        Self { words: vec![0; (bytes + 2 * GUARD_BYTES + 64) / 8 + 1], bytes }
    }

    fn start(&mut self) -> *mut u8 {
        let base = self.words.as_mut_ptr().cast::<u8>().wrapping_add(GUARD_BYTES);
        base.wrapping_add(base.align_offset(64))
    }

    fn of(values: &[u32]) -> Self {
        let mut memory = Self::new(values.len() * 4);
        // SAFETY: `new` has reserved this number of bytes after the start.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), memory.start().cast(), values.len()) };
        memory
    }

    fn values(&mut self) -> Vec<u32> {
        let start = self.start().cast::<u32>();
        // SAFETY: the memory was reserved with this length, and is initialised.
        unsafe { std::slice::from_raw_parts(start, self.bytes / 4) }.to_vec()
    }
}

/// Runs `groups` workgroups of a kernel with bindings such as `array<u32>`, unoptimised and optimised; returns the
/// buffers' contents, or the stop code.
fn try_run(source: &str, buffers: &[&[u32]], groups: [u32; 3], steps: u64) -> Result<Vec<Vec<u32>>, u32> {
    let program = program(source);
    let mut function = crate::lower::lower(&program, Mode::Plain).unwrap_or_else(|error| panic!("{error}\n{source}"));
    crate::ir::verify::verify(&function).unwrap_or_else(|broken| panic!("{broken}\n{source}\n{function}"));
    let plain = run_function(&function, buffers, groups, steps);
    crate::ir::optimise::run(&mut function);
    crate::ir::verify::verify(&function).unwrap_or_else(|broken| panic!("{broken}\n{source}\n{function}"));
    let optimised = run_function(&function, buffers, groups, steps);
    assert_eq!(plain, optimised, "optimisation changes the kernel's result\n{source}\n{function}");
    let mut apart = crate::lower::lower_within(&program, Mode::Plain, crate::lower::Budget::NONE).unwrap();
    if !apart.callees.is_empty() {
        for optimise in [false, true] {
            if optimise {
                crate::ir::optimise::run(&mut apart);
            }
            crate::ir::verify::verify(&apart).unwrap_or_else(|broken| panic!("{broken}\n{source}\n{apart}"));
            let result = run_function(&apart, buffers, groups, steps);
            assert_eq!(result, optimised, "calls in place of inlining change the kernel's result\n{source}\n{apart}");
        }
    }
    optimised
}

/// Runs `groups` workgroups of a function.
pub(crate) fn run_function(
    function: &crate::ir::Function,
    buffers: &[&[u32]],
    groups: [u32; 3],
    steps: u64,
) -> Result<Vec<Vec<u32>>, u32> {
    run_with(function, Functions::Fast, buffers, groups, steps)
}

/// Runs `groups` workgroups of a function whose mathematical functions are computed in this way.
fn run_with(
    function: &crate::ir::Function,
    functions: Functions,
    buffers: &[&[u32]],
    groups: [u32; 3],
    steps: u64,
) -> Result<Vec<Vec<u32>>, u32> {
    let result = run_by(super::Isa::Baseline, function, functions, buffers, groups, steps);
    for isa in super::Isa::all().into_iter().filter(|isa| *isa != super::Isa::Baseline) {
        let wide = run_by(isa, function, functions, buffers, groups, steps);
        assert_eq!(wide, result, "{isa:?} changes the kernel's result\n{function}");
    }
    result
}

/// Runs `groups` workgroups of a function that is compiled for these instructions.
fn run_by(
    isa: super::Isa,
    function: &crate::ir::Function,
    functions: Functions,
    buffers: &[&[u32]],
    groups: [u32; 3],
    steps: u64,
) -> Result<Vec<Vec<u32>>, u32> {
    let object =
        super::code::compile_for(function, functions, isa).unwrap_or_else(|error| panic!("{error}\n{function}"));
    // Machine code that was kept on disk is the same.
    let code = super::Object::of_bytes(&object.to_bytes().unwrap()).unwrap().link().unwrap();
    let mut memory: Vec<Bytes> = buffers.iter().map(|values| Bytes::of(values)).collect();
    let slots: Vec<Slot> =
        memory.iter_mut().map(|memory| Slot { start: memory.start(), length: (memory.bytes / 4) as u32 }).collect();
    let [mut immediates, mut workgroup, mut private, mut nowhere] =
        [64, code.workgroup_bytes, code.frame_bytes, 128].map(Bytes::new);
    let mut frame = Frame {
        slots: slots.as_ptr(),
        immediates: immediates.start(),
        workgroup: workgroup.start(),
        private: private.start(),
        groups,
        site: u32::MAX,
        steps,
        receiver: std::ptr::null_mut(),
        nowhere: nowhere.start(),
    };
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            // SAFETY: the frame's memory has the sizes that the code requires.
            let stop = unsafe { (code.entry)(&raw mut frame, 0, groups[0], y, z) };
            if stop != Stop::Done as u32 {
                return Err(stop);
            }
        }
    }
    Ok(memory.iter_mut().map(Bytes::values).collect())
}

/// Returns the contents of the first buffer after a run.
fn run(source: &str, buffers: &[&[u32]], groups: [u32; 3]) -> Vec<u32> {
    match try_run(source, buffers, groups, 1 << 32) {
        Ok(mut buffers) => buffers.swap_remove(0),
        Err(stop) => panic!("stopped: {stop}\n{source}"),
    }
}

/// Returns a kernel with `@workgroup_size(size)` that writes `out[i]`, from `let i = id.x` and `data`.
fn kernel(size: &str, globals: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;
        {globals}
        @compute @workgroup_size({size})
        fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) lid: vec3u,
            @builtin(local_invocation_index) li: u32, @builtin(workgroup_id) wid: vec3u) {{
            let i = id.x;
            {body}
        }}"
    )
}
