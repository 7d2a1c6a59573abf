//! Functions that are not inlined, and calls of them.
//!
//! A called function runs for one lane group, with the mask of the call as its entry mask. An argument that is uniform
//! in every call is a scalar parameter, and so is a linear one; all others are vectors. Results are in memory. The
//! function returns a [`Stop`] and the number of steps left.

use std::cell::Cell;

use cranelift_codegen::ir::{self as cl, AbiParam, InstBuilder, MemFlagsData, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

use super::analysis::{Facts, Form, Live, Outline, Shape, across_barriers, analyse};
use super::generator::{Generator, Held};
use super::kernel::parameters;
use super::ops::{Target, scalar_type};
use crate::abi::{Frame, Stop};
use crate::ir::{Class, Function, Inst, SiteId, Stmt, Value};

/// The analyses of one function, before code generation.
pub(super) struct Learned {
    pub(super) facts: Facts,
    pub(super) live: Live,
}

impl Learned {
    fn of(function: &Function, arguments: &[Shape], lanes: usize) -> Self {
        let outline = Outline::of(function);
        let facts = analyse(function, &outline, arguments, lanes);
        Self { facts, live: across_barriers(function, &outline) }
    }
}

/// The functions that a kernel calls.
pub(super) struct Callees<'a> {
    functions: &'a [Function],
    learned: Vec<Learned>,
    /// By function: the shapes of its arguments.
    arguments: Vec<Vec<Shape>>,
    /// By function: whether some call may have inactive lanes. The answer is complete once the code of all callers has
    /// been generated.
    masked: Vec<Cell<bool>>,
}

/// Analyses a kernel and all its callees, callers first: the shape of an argument follows from all calls of the
/// function.
pub(super) fn learn(kernel: &Function, lanes: usize) -> (Learned, Callees<'_>) {
    let functions = &kernel.callees;
    let mut arguments: Vec<Vec<Shape>> =
        functions.iter().map(|function| vec![Shape::UNKNOWN; function.arguments.len()]).collect();
    let of_kernel = Learned::of(kernel, &[], lanes);
    note_calls(&kernel.body, &of_kernel.facts, &mut arguments);
    let mut learned = Vec::with_capacity(functions.len());
    for (number, function) in functions.iter().enumerate().rev() {
        let of_function = Learned::of(function, &arguments[number], lanes);
        note_calls(&function.body, &of_function.facts, &mut arguments);
        learned.push(of_function);
    }
    learned.reverse();
    let masked = vec![Cell::new(false); functions.len()];
    (of_kernel, Callees { functions, learned, arguments, masked })
}

fn note_calls(list: &[Stmt], facts: &Facts, known: &mut [Vec<Shape>]) {
    for statement in list {
        match statement {
            Stmt::Call { callee, arguments, .. } => {
                for (shape, value) in known[*callee as usize].iter_mut().zip(arguments) {
                    *shape = shape.or(facts.shapes[value.0 as usize]);
                }
            }
            Stmt::If { accept, reject, .. } => {
                note_calls(accept, facts, known);
                note_calls(reject, facts, known);
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => note_calls(body, facts, known),
            _ => {}
        }
    }
}

impl Callees<'_> {
    /// The class of each argument, and whether it is passed in vectors.
    fn parameters(&self, callee: usize) -> impl Iterator<Item = (Class, bool)> + '_ {
        let classes = self.functions[callee].arguments.iter();
        classes.zip(&self.arguments[callee]).map(|(class, shape)| (*class, shape.form == Form::Varying))
    }

    /// The signature of a function.
    pub(super) fn signature(&self, callee: usize, target: &Target) -> cl::Signature {
        // This calling convention is the same on every system, because only kernels call the function.
        let mut signature = cl::Signature::new(CallConv::Fast);
        signature.params.extend([target.pointer, target.pointer, types::I64].map(AbiParam::new));
        signature.params.extend([types::I32; 4].map(AbiParam::new));
        signature.params.extend(vec![AbiParam::new(target.vector(Class::Bool)); target.parts(Class::Bool)]);
        for (class, varies) in self.parameters(callee) {
            if varies {
                signature.params.extend(vec![AbiParam::new(target.vector(class)); target.parts(class)]);
            } else {
                signature.params.push(AbiParam::new(scalar_type(class)));
            }
        }
        signature.returns.extend([types::I32, types::I64].map(AbiParam::new));
        signature
    }

    /// Generates the body of a function, after those of its callers.
    pub(super) fn generate(
        &self,
        callee: usize,
        target: &Target,
        frontend: TargetFrontendConfig,
        mut b: FunctionBuilder<'_>,
    ) {
        let (function, learned) = (&self.functions[callee], &self.learned[callee]);
        let given = parameters(&mut b);
        let (fixed, mut arguments) = given.split_at(FIXED + target.parts(Class::Bool));
        let [frame, private, steps, index, x, y, z, ref mask @ ..] = *fixed else {
            unreachable!("the signature has this number of parameters")
        };
        let mut g = Generator::new(function, learned, self, target, b, frame);
        g.private = private;
        g.b.def_var(g.flow.steps, steps);
        if self.masked[callee].get() {
            g.flow.partial = true;
            g.flow.entry = mask.iter().copied().collect();
        }
        let entry = g.flow.entry;
        g.define_mask(g.flow.mask, entry);
        g.define_inputs(index, [x, y, z]);
        let mut values: Vec<Held> = Vec::new();
        for (class, varies) in self.parameters(callee) {
            let (here, rest) = arguments.split_at(if varies { target.parts(class) } else { 1 });
            values.push(if varies { Held::Lanes(here.into()) } else { Held::Scalar(here[0]) });
            arguments = rest;
        }
        for (value, inst) in function.insts.iter().enumerate() {
            if let Inst::Argument(number) = inst {
                g.values[value] = values[*number as usize].clone();
            }
        }
        g.body();
        let done = g.b.ins().iconst(types::I32, i64::from(Stop::Done as u32));
        let left = g.b.use_var(g.flow.steps);
        g.b.ins().return_(&[done, left]);
        g.switch_sealed(g.flow.stopped);
        let [reason, site] = std::array::from_fn(|index| g.b.block_params(g.flow.stopped)[index]);
        g.set_site(site);
        let none = g.b.ins().iconst(types::I64, 0);
        g.b.ins().return_(&[reason, none]);
        let Generator { mut b, .. } = g;
        b.seal_all_blocks();
        b.finalize(frontend);
    }
}

/// The number of parameters before the vectors of the mask and the WGSL arguments: frame, private memory, steps, lane
/// group, and the three coordinates of the workgroup.
const FIXED: usize = 7;

/// The state that one function needs for calls.
pub(super) struct Calling<'a> {
    callees: &'a Callees<'a>,
    references: FxHashMap<u32, cl::FuncRef>,
    /// The index of the current lane group, and the coordinates of the workgroup.
    pub(super) place: [cl::Value; 4],
}

impl<'a> Calling<'a> {
    /// Returns the state before any call. `nowhere` fills `place` until the lane group and the workgroup are known.
    pub(super) fn new(callees: &'a Callees<'a>, nowhere: cl::Value) -> Self {
        Self { callees, references: FxHashMap::default(), place: [nowhere; 4] }
    }
}

/// The index of a callee among the machine functions of a kernel, the first of which is the kernel itself.
pub(super) fn number_in_code(callee: u32) -> u32 {
    callee + 1
}

impl Generator<'_, '_> {
    /// Calls a function for the active lanes.
    pub(super) fn call(&mut self, callee: u32, arguments: &[Value], site: SiteId) {
        if !self.function.endless {
            self.count_step(site);
        }
        let callees = self.calling.callees;
        let at = callee as usize;
        callees.masked[at].set(callees.masked[at].get() || self.is_masked());
        let steps = self.b.use_var(self.flow.steps);
        let mut given = vec![self.constants.frame, self.private, steps];
        given.extend(self.calling.place);
        given.extend(self.mask());
        for ((_, varies), value) in callees.parameters(at).zip(arguments) {
            if varies {
                given.extend(self.lanes(*value));
            } else {
                given.push(self.scalar(*value));
            }
        }
        let reference = self.reference(callee);
        let call = self.b.ins().call(reference, &given);
        let [stop, left] = std::array::from_fn(|result| self.b.inst_results(call)[result]);
        self.b.def_var(self.flow.steps, left);
        let (stopped, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(stopped);
        self.b.ins().brif(stop, stopped, &[], go_on, &[]);
        self.switch_sealed(stopped);
        let offset = std::mem::offset_of!(Frame, site) as i32;
        let site = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.constants.frame, offset);
        self.b.ins().jump(self.flow.stopped, &[stop.into(), site.into()]);
        self.switch_sealed(go_on);
    }

    fn reference(&mut self, callee: u32) -> cl::FuncRef {
        if let Some(reference) = self.calling.references.get(&callee) {
            return *reference;
        }
        let signature = self.calling.callees.signature(callee as usize, self.target);
        let signature = self.b.import_signature(signature);
        let name = cl::UserExternalName { namespace: 0, index: number_in_code(callee) };
        let name = cl::ExternalName::user(self.b.func.declare_imported_user_function(name));
        // The callee is not colocated: code memory is allocated function by function, at any address.
        let reference = self.b.import_function(cl::ExtFuncData { name, signature, colocated: false, patchable: false });
        self.calling.references.insert(callee, reference);
        reference
    }
}
