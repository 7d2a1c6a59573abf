//! Kernels, made from a seed, whose indices are often out of range and whose loops count in many ways: hard cases for
//! the proofs about indices and loops. An index out of range has a defined effect in these kernels
//! ([`Outside::Defined`](super::ast::Outside::Defined)).
//!
//! | module | contents |
//! |---|---|
//! | `number` | integers, often near the length of an array, and comparisons of them |
//! | `memory` | variables, buffers, and places in them |
//! | `stmt`, `call` | accesses, guards, switches; calls |
//! | `turns` | loops |
//! | `program` | functions, `main`, and the hash of all results |
//!
//! The rest of a kernel is as simple as possible. A kernel that races, never ends or runs for too long is replaced by
//! the kernel of the next number.

mod call;
mod memory;
mod number;
mod program;
mod stmt;
mod turns;

use super::ast::{Block, Expr, Function, Global, Kind, Place, Program, Root, Scalar, Type};
use super::evaluate::evaluate;
use crate::random::Random;
use memory::Memory;

/// The kernel that belongs to a seed; `size` is approximately its number of statements.
pub fn generate(seed: u64, size: usize) -> Program {
    let mut last = None;
    for attempt in 0..ATTEMPTS {
        let program = program::program(&mut Maker::new(seed.wrapping_mul(ATTEMPTS) + attempt, size));
        if evaluate(&program).is_ok() {
            return program;
        }
        last = Some(program);
    }
    // The caller evaluates this kernel again and reports the reason.
    last.unwrap_or_else(|| program::program(&mut Maker::new(seed, 1)))
}

/// The number of kernels tried for one seed.
const ATTEMPTS: u64 = 100;

/// A readable and perhaps writable integer.
#[derive(Clone)]
struct Number {
    root: Root,
    scalar: Scalar,
    mutable: bool,
}

impl Number {
    fn local(slot: usize, scalar: Scalar, mutable: bool) -> Self {
        Self { root: Root::Slot(slot), scalar, mutable }
    }
}

/// The location of a whole variable.
fn whole(root: Root) -> Place {
    Place { root, path: Vec::new() }
}

/// An expression that loads an integer variable.
fn value(root: Root, scalar: Scalar) -> Expr {
    Expr::new(Type::Scalar(scalar), Kind::Load(whole(root)))
}

/// A generated function that later code can call.
struct Callable {
    params: Vec<Type>,
}

struct Maker {
    random: Random,
    size: usize,
    structs: Vec<Vec<Type>>,
    globals: Vec<Global>,
    functions: Vec<Function>,
    callables: Vec<Callable>,
    buffers: Vec<Vec<u8>>,
    workgroup_size: [u32; 3],
    groups: [u32; 3],

    // The fields from here on are the state of the function that is being generated.
    main: bool,
    slots: usize,
    numbers: Vec<Number>,
    memories: Vec<Memory>,
    /// The enclosing loops and switches.
    around: Vec<Around>,
    depth: usize,
    /// The number of statements still to generate.
    budget: usize,
}

/// The kind of an enclosing statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Loop { continues: bool },
    Switch,
}

impl Maker {
    fn new(seed: u64, size: usize) -> Self {
        Self {
            // The sequence differs from that of the module `generate` for the same seed.
            random: Random::new(!seed),
            size,
            structs: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            callables: Vec::new(),
            buffers: Vec::new(),
            workgroup_size: [1; 3],
            groups: [1; 3],
            main: false,
            slots: 0,
            numbers: Vec::new(),
            memories: Vec::new(),
            around: Vec::new(),
            depth: 0,
            budget: 0,
        }
    }

    /// Whether the kernel has only one invocation, which may access all memory.
    fn alone(&self) -> bool {
        self.workgroup_size.iter().chain(&self.groups).product::<u32>() == 1
    }

    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// Makes a block with a scope of its own.
    fn scoped(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        let visible = (self.numbers.len(), self.memories.len());
        self.depth += 1;
        let block = make(self);
        self.depth -= 1;
        self.numbers.truncate(visible.0);
        self.memories.truncate(visible.1);
        block
    }
}
