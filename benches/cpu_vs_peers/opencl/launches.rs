//! A side that runs the launches of a program.

use std::ffi::{CStr, CString};
use std::ptr;

use super::library::{Functions, Handle, Object, checked, text};
use super::{Argument, Program, Step};
use crate::ispc::Spmd;
use crate::shared::Outcome;
use crate::side::Side;

const BUILD_LOG: u32 = 0x1183;
/// The flag of memory that starts with a copy of the host's.
const COPIES_HOST: u64 = 1 << 5;
/// Whether a transfer waits for its end.
const WAITS: u32 = 1;

/// A step with its kernel, whose arguments are set.
enum Ready {
    Clear,
    Copy,
    Launch { kernel: Object, global: [usize; 2], local: [usize; 2] },
}

/// A program with its memory.
pub(super) struct Launches {
    functions: &'static Functions,
    context: Handle,
    device: Handle,
    queue: Object,
    initial: Vec<u32>,
    memory: Vec<Object>,
    /// The number of the output in the memory.
    output: usize,
    steps: Vec<Ready>,
}

impl Launches {
    /// No launches yet, on a device of a context that stays.
    pub(super) fn new(functions: &'static Functions, context: Handle, device: Handle) -> Outcome<Self> {
        // SAFETY: the context is of this device.
        let queue = unsafe {
            Object::new("a queue", functions.release_queue, |status| (functions.queue)(context, device, 0, status))
        }?;
        let (initial, memory, steps) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { functions, context, device, queue, initial, memory, output: 0, steps })
    }

    /// Makes the memory for a program.
    pub(super) fn allocate(&mut self, data: &Spmd, temporaries: &[usize]) -> Outcome<()> {
        let inputs: Vec<&Vec<u32>> = data.inputs.iter().filter(|input| !input.is_empty()).collect();
        self.output = inputs.len();
        self.initial.clone_from(&data.initial);
        let temporaries: Vec<Vec<u32>> = temporaries.iter().map(|length| vec![0; *length]).collect();
        let all = inputs.into_iter().chain([&data.initial]).chain(&temporaries);
        self.memory = all.map(|words| self.buffer(words)).collect::<Outcome<_>>()?;
        Ok(())
    }

    /// Memory of the device with these words.
    fn buffer(&self, words: &[u32]) -> Outcome<Object> {
        let functions = self.functions;
        // SAFETY: with this flag, the words are only read, before the function returns.
        unsafe {
            Object::new("a buffer", functions.release_buffer, |status| {
                let start = words.as_ptr().cast_mut().cast();
                (functions.buffer)(self.context, COPIES_HOST, size_of_val(words), start, status)
            })
        }
    }

    /// Compiles a program, as far as is possible before a launch.
    pub(super) fn compile(&mut self, program: &Program, size: usize) -> Outcome<()> {
        let built = self.build(program.text, &CString::new(format!("-DSIZE={size}"))?)?;
        self.steps = program.steps.iter().map(|step| self.ready(&built, step)).collect::<Outcome<_>>()?;
        Ok(())
    }

    fn build(&self, source: &str, options: &CStr) -> Outcome<Object> {
        let (functions, device) = (self.functions, self.device);
        let (start, length) = (source.as_ptr().cast(), source.len());
        // SAFETY: there is one text, of this length.
        let program = unsafe {
            Object::new("a program", functions.release_program, |status| {
                (functions.program)(self.context, 1, &raw const start, &raw const length, status)
            })
        }?;
        let handle = program.handle();
        // SAFETY: the program is of a context of the device; there is no callback.
        let status =
            unsafe { (functions.build)(handle, 1, &raw const device, options.as_ptr(), ptr::null(), ptr::null_mut()) };
        if let Err(error) = checked("the compiler", status) {
            let messages = text("the compiler's messages", |size, to, length| {
                // SAFETY: as above, and `text` has space for as many bytes as it says.
                unsafe { (functions.build_info)(handle, device, BUILD_LOG, size, to, length) }
            })?;
            return Err(format!("{error}: {messages}").into());
        }
        Ok(program)
    }

    /// Prepares a step. Each launch has a kernel of its own, so that a run sets no arguments.
    fn ready(&self, program: &Object, step: &Step) -> Outcome<Ready> {
        let functions = self.functions;
        let (entry, arguments, global, local) = match step {
            Step::Clear => return Ok(Ready::Clear),
            Step::Copy => return Ok(Ready::Copy),
            Step::Launch { entry, arguments, global, local } => (entry, arguments, *global, *local),
        };
        // SAFETY: the program has been compiled; the name is a text of C.
        let kernel = unsafe {
            Object::new("a kernel", functions.release_kernel, |status| {
                (functions.kernel)(program.handle(), entry.as_ptr(), status)
            })
        }?;
        let all: Vec<Argument> = (0..self.memory.len()).map(Argument::Memory).collect();
        for (number, argument) in (0..).zip(if arguments.is_empty() { &all } else { arguments }) {
            let (size, value) = match argument {
                Argument::Memory(at) => (size_of::<Handle>(), self.memory[*at].address()),
                Argument::Word(word) => (size_of::<u32>(), ptr::from_ref(word).cast()),
            };
            // SAFETY: the value has this size, and is copied.
            checked("an argument", unsafe { (functions.argument)(kernel.handle(), number, size, value) })?;
        }
        Ok(Ready::Launch { kernel, global, local })
    }

    /// Puts a step in the queue.
    fn start(&self, step: &Ready) -> Outcome<()> {
        let (functions, queue) = (self.functions, self.queue.handle());
        let (output, bytes) = (self.memory[self.output].handle(), size_of_val(&*self.initial));
        let (no_events, no_event) = (ptr::null(), ptr::null_mut());
        let status = match step {
            Ready::Clear => {
                let zero = ptr::from_ref(&0u32).cast();
                // SAFETY: the pattern is one word, and is copied; the output has this size.
                unsafe { (functions.fill)(queue, output, zero, size_of::<u32>(), 0, bytes, 0, no_events, no_event) }
            }
            Ready::Copy => {
                let input = self.memory[0].handle();
                // SAFETY: a program that copies has one input, as large as the output.
                unsafe { (functions.copy)(queue, input, output, 0, 0, bytes, 0, no_events, no_event) }
            }
            Ready::Launch { kernel, global, local } => {
                let (global, local) = (global.as_ptr(), local.as_ptr());
                // SAFETY: both sizes have two dimensions; the texts are for just these sizes of launches and memory.
                unsafe {
                    (functions.launch)(queue, kernel.handle(), 2, ptr::null(), global, local, 0, no_events, no_event)
                }
            }
        };
        checked("a step", status)
    }
}

impl Side for Launches {
    fn prepare(&mut self) -> Outcome<()> {
        let (queue, output) = (self.queue.handle(), self.memory[self.output].handle());
        let (bytes, from) = (size_of_val(&*self.initial), self.initial.as_ptr().cast());
        // SAFETY: the output has as many words as its initial data.
        let status =
            unsafe { (self.functions.write)(queue, output, WAITS, 0, bytes, from, 0, ptr::null(), ptr::null_mut()) };
        checked("a write", status)
    }

    fn run(&mut self) -> Outcome<()> {
        for step in &self.steps {
            self.start(step)?;
        }
        // SAFETY: the queue exists as long as this side.
        checked("a run", unsafe { (self.functions.finish)(self.queue.handle()) })
    }

    fn result(&self) -> Outcome<Vec<u32>> {
        let mut words = vec![0u32; self.initial.len()];
        let (queue, output) = (self.queue.handle(), self.memory[self.output].handle());
        let (bytes, to) = (size_of_val(&*words), words.as_mut_ptr().cast());
        // SAFETY: the output has as many words as its initial data, and so has this memory.
        let status =
            unsafe { (self.functions.read)(queue, output, WAITS, 0, bytes, to, 0, ptr::null(), ptr::null_mut()) };
        checked("a read", status)?;
        Ok(words)
    }
}
