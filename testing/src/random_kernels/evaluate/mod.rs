//! The reference: runs a kernel in plain Rust, all invocations of a workgroup in lockstep. It refuses everything that
//! WGSL does not define: races, floats that are not exact, indices out of range, and barriers that some invocations do
//! not reach.

mod builtins;
mod expr;
mod memory;
mod races;
mod scalar;
mod stmt;

use rustc_hash::FxHashMap;

use super::ast::{Block, Expr, Outside, Program, Space, Type, Value};
use super::layout;
use memory::{Frame, Held};
use races::Races;

/// The reason why a kernel has no defined result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop(pub &'static str);

/// The results of running a kernel: its buffers, and counts of its execution.
pub struct Outcome {
    /// The bytes of all buffers, by binding; padding is zero.
    pub buffers: Vec<Vec<u8>>,
    /// How often each condition was true and how often false, by the condition's address in the program.
    pub branches: FxHashMap<usize, [u64; 2]>,
    /// The number of executed statements, summed over invocations.
    pub steps: u64,
    /// The number of accesses with an index out of range.
    pub outside: u64,
}

/// The limit on executed statements, summed over invocations.
const MAX_STEPS: u64 = 4_000_000;
/// The limit on executed statements, summed over invocations, for hostile kernels, which are small but may have endless
/// loops.
const MAX_STEPS_IF_HOSTILE: u64 = 10_000;

/// Runs all workgroups.
///
/// # Errors
///
/// The kernel does something that WGSL does not define.
pub fn evaluate(program: &Program) -> Result<Outcome, Stop> {
    let mut machine = Machine::new(program)?;
    let [x, y, z] = program.groups;
    for group in 0..x * y * z {
        machine.run_group([group % x, group / x % y, group / (x * y)])?;
    }
    let mut buffers = program.buffers.clone();
    for (index, global) in program.globals.iter().enumerate() {
        if let (Some(binding), Held::One(value)) = (global.binding, &machine.globals[index]) {
            let bytes = &mut buffers[binding as usize];
            layout::write(value, &global.ty, &program.structs, bytes);
            canonical(&global.ty, &program.structs, bytes);
        }
    }
    Ok(Outcome { buffers, branches: machine.branches, steps: machine.steps, outside: machine.outside })
}

/// Clears padding and the signs of zeros, which WGSL does not define.
pub fn canonical(ty: &Type, structs: &[Vec<Type>], bytes: &mut [u8]) {
    let mut value = layout::read(ty, structs, bytes);
    unsign(&mut value);
    bytes.fill(0);
    layout::write(&value, ty, structs, bytes);
}

fn unsign(value: &mut Value) {
    match value {
        Value::F32(value) if *value == 0.0 => *value = 0.0,
        Value::Many(parts) => parts.iter_mut().for_each(unsign),
        _ => {}
    }
}

struct Machine<'p> {
    program: &'p Program,
    constants: Vec<Value>,
    globals: Vec<Held>,
    frames: Vec<Frame>,
    races: Races,
    /// The number of invocations of one workgroup.
    size: usize,
    /// The index of the workgroup.
    group: usize,
    /// The number of barriers that the workgroup has passed so far.
    epoch: u64,
    steps: u64,
    outside: u64,
    branches: FxHashMap<usize, [u64; 2]>,
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program) -> Result<Self, Stop> {
        let size = program.workgroup_size.iter().product::<u32>() as usize;
        let mut machine = Self {
            program,
            constants: Vec::new(),
            globals: Vec::new(),
            frames: vec![Frame::new(0, 1, 0)],
            races: Races::default(),
            size,
            group: 0,
            epoch: 1,
            steps: 0,
            outside: 0,
            branches: FxHashMap::default(),
        };
        for constant in &program.constants {
            let value = machine.eval(constant, 0)?;
            machine.constants.push(value);
        }
        for global in &program.globals {
            let held = match global.binding {
                Some(binding) => {
                    Held::One(layout::read(&global.ty, &program.structs, &program.buffers[binding as usize]))
                }
                None => Held::One(global.ty.zero(&program.structs)),
            };
            machine.globals.push(held);
        }
        Ok(machine)
    }

    fn run_group(&mut self, id: [u32; 3]) -> Result<(), Stop> {
        let program = self.program;
        let [x, y, _] = program.groups;
        self.group = (id[0] + x * (id[1] + y * id[2])) as usize;
        self.epoch += 1;
        for (index, global) in program.globals.iter().enumerate() {
            let fresh = match &global.init {
                Some(init) => self.eval(init, 0)?,
                None => global.ty.zero(&program.structs),
            };
            match global.space {
                Space::Private => self.globals[index] = Held::Each(vec![fresh; self.size]),
                Space::Workgroup => self.globals[index] = Held::One(fresh),
                _ => {}
            }
        }
        let Some(main) = program.functions.last() else { return Ok(()) };
        let mut frame = Frame::new(0, self.size, main.slots);
        let [width, height, _] = program.workgroup_size;
        for lane in 0..self.size {
            let at = lane as u32;
            let local = [at % width, at / width % height, at / (width * height)];
            let all: [u32; 3] = std::array::from_fn(|axis| id[axis] * program.workgroup_size[axis] + local[axis]);
            let vector = |of: [u32; 3]| Value::Many(of.map(Value::U32).to_vec());
            let inputs = [vector(all), vector(local), Value::U32(at), vector(id), vector(program.groups)];
            for (slot, input) in inputs.into_iter().enumerate() {
                *frame.slot(slot, lane) = input;
            }
        }
        self.frames.truncate(1);
        self.frames.push(frame);
        self.block(&main.body, (0..self.size).collect())?;
        self.frames.truncate(1);
        Ok(())
    }

    /// Runs a function for `lanes`, and returns its results in the order of `lanes`.
    fn call(&mut self, function: usize, lanes: &[usize], arguments: Vec<Vec<Value>>) -> Result<Vec<Value>, Stop> {
        let callee = self.program.functions.get(function).ok_or(Stop("a function is missing"))?;
        if self.frames.len() > 16 {
            return Err(Stop("calls are nested too deeply"));
        }
        let mut frame = match lanes {
            [only] => Frame::new(*only, 1, callee.slots),
            _ => Frame::new(0, self.size, callee.slots),
        };
        for (lane, arguments) in lanes.iter().zip(arguments) {
            for ((slot, _), argument) in callee.params.iter().zip(arguments) {
                *frame.slot(*slot, *lane) = argument;
            }
        }
        self.frames.push(frame);
        self.block(&callee.body, lanes.to_vec())?;
        let mut frame = self.frames.pop().ok_or(Stop("a frame is missing"))?;
        let nothing = Value::Many(Vec::new());
        let result = |lane: &usize| {
            let found = frame.returned.iter_mut().find(|(by, _)| by == lane);
            found.map_or_else(|| nothing.clone(), |(_, value)| std::mem::replace(value, Value::Bool(false)))
        };
        let results: Vec<Value> = lanes.iter().map(result).collect();
        if callee.result.is_some() && results.contains(&nothing) {
            return Err(Stop("a function returns nothing"));
        }
        Ok(results)
    }

    /// Evaluates a condition for every lane, and splits the lanes into those where the condition is true and those
    /// where it is false.
    fn part(&mut self, condition: &'p Expr, lanes: Vec<usize>) -> Result<(Vec<usize>, Vec<usize>), Stop> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for lane in lanes {
            match self.eval(condition, lane)? {
                Value::Bool(true) => yes.push(lane),
                Value::Bool(false) => no.push(lane),
                _ => return Err(Stop("a condition's type")),
            }
        }
        let counts = self.branches.entry(std::ptr::from_ref(condition) as usize).or_default();
        counts[0] += yes.len() as u64;
        counts[1] += no.len() as u64;
        Ok((yes, no))
    }

    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        self.steps += steps as u64;
        let most = if self.program.outside == Outside::Defined { MAX_STEPS_IF_HOSTILE } else { MAX_STEPS };
        if self.steps > most { Err(Stop("the kernel exceeds the limit of statements")) } else { Ok(()) }
    }

    /// Runs a block for `lanes`, and returns the lanes that reach the end of the block.
    fn block(&mut self, block: &'p Block, mut lanes: Vec<usize>) -> Result<Vec<usize>, Stop> {
        for stmt in block {
            if lanes.is_empty() {
                break;
            }
            self.spend(lanes.len())?;
            lanes = self.stmt(stmt, lanes)?;
        }
        Ok(lanes)
    }
}
