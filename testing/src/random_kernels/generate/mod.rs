//! Makes kernels from a seed: valid, without races or endless loops, and with one defined result.
//!
//! | module | contents |
//! |---|---|
//! | `scope` | the variables that can be read and written at a point of the kernel |
//! | `types` | types and structs |
//! | `expr`, `integer`, `float` | expressions |
//! | `stmt`, `flow` | statements; branches and loops |
//! | `shared` | workgroup memory, barriers and atomics |
//! | `program` | globals, functions, `main` and the hash of all results |

mod expr;
mod float;
mod flow;
mod integer;
mod program;
mod scope;
mod shared;
mod stmt;
mod types;

use super::ast::{Block, Function, Global, Program, Stmt, Type};
use crate::random::Random;
use scope::{Loop, Variable};
use shared::Shared;

/// The kernel that belongs to a seed; `size` is approximately its number of statements.
pub fn generate(seed: u64, size: usize) -> Program {
    program::program(&mut Generator::new(seed, size))
}

/// A generated function that later code may call.
struct Callable {
    params: Vec<Type>,
    result: Option<Type>,
    /// The number of statements that one call executes at most.
    cost: u64,
    /// Whether the function reads or writes private variables: pointers to them would be aliases.
    private: bool,
    /// Whether the function changes memory that callers see: private variables, or the targets of its pointers.
    effects: bool,
    /// Whether the function contains barriers. If so, all invocations call it together, and its first parameter is the
    /// invocation's index.
    meets: bool,
}

struct Generator {
    random: Random,
    size: usize,
    structs: Vec<Vec<Type>>,
    /// The number of structs, the first ones of `structs`, that buffers may contain because they have no booleans.
    shareable: usize,
    constants: Vec<super::ast::Expr>,
    globals: Vec<Global>,
    functions: Vec<Function>,
    callables: Vec<Callable>,
    buffers: Vec<Vec<u8>>,
    workgroup_size: [u32; 3],
    /// Whether calls with side effects may occur within expressions, where the order of evaluation matters.
    ordered: bool,

    // The fields from here on are the state of the function that is being generated.
    variables: Vec<Variable>,
    slots: usize,
    loops: Vec<Loop>,
    shared: Vec<Shared>,
    /// The variable with the invocation's index; `None` where workgroup memory must not be used.
    index: Option<usize>,
    /// Whether control flow is uniform at this point.
    uniform: bool,
    /// Whether expressions must have the same value in all invocations.
    only_uniform: bool,
    result: Option<Type>,
    private: bool,
    effects: bool,
    /// How often the current statement runs at most. The field `cost` is the number of executions of all statements so
    /// far.
    times: u64,
    cost: u64,
    depth: usize,
}

impl Generator {
    fn new(seed: u64, size: usize) -> Self {
        let mut random = Random::new(seed);
        let ordered = random.chance(25);
        Self {
            random,
            size,
            structs: Vec::new(),
            shareable: 0,
            constants: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            callables: Vec::new(),
            buffers: Vec::new(),
            workgroup_size: [1; 3],
            ordered,
            variables: Vec::new(),
            slots: 0,
            loops: Vec::new(),
            shared: Vec::new(),
            index: None,
            uniform: false,
            only_uniform: false,
            result: None,
            private: false,
            effects: false,
            times: 1,
            cost: 0,
            depth: 0,
        }
    }

    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// Makes a block with a scope of its own.
    fn scoped(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        let visible = self.variables.len();
        self.depth += 1;
        let block = make(self);
        self.depth -= 1;
        self.variables.truncate(visible);
        block
    }

    /// Makes a block that only some invocations enter.
    fn divergent(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        let before = std::mem::replace(&mut self.uniform, false);
        let block = self.scoped(make);
        self.uniform = before;
        block
    }

    /// Makes a block that either all invocations enter or none, and that preserves the state of the workgroup's memory.
    fn together(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        let before = self.shared.clone();
        let mut block = self.scoped(make);
        if self.shared != before {
            block.push(Stmt::WorkgroupBarrier);
            self.shared = before;
        }
        block
    }
}
