//! Calls, and the places of arguments and results.
//!
//! Functions of this crate are called by the System V convention. Functions of a kernel, which are called only by code of
//! this emitter, have the same convention, with more arguments on the stack, and with longer vectors.

use cranelift_codegen::ir::{self, AbiParam, Block, ExternalName, FuncRef, InstructionData, Signature, types};
use cranelift_codegen::isa::CallConv;
use regalloc2::PReg;

use super::values::{load_op, store_op};
use super::{Lower, is_in_vector, is_long, length_of, refused};
use crate::codegen::{HELPERS, Target};
use crate::emitter::inst::{Call, Inst};
use crate::emitter::program::clobbers;
use crate::emitter::reg::{Base, Mem, Reg, Rm, Size, int, vector};

/// The place of an argument.
enum Place {
    Reg(PReg),
    /// An offset from the start of the arguments on the stack.
    Stack(u32),
}

const INTEGER_ARGUMENTS: [u8; 6] = [7, 6, 2, 1, 8, 9];
const INTEGER_RESULTS: [u8; 2] = [0, 2];

/// The places of arguments, and the size of those on the stack.
fn places(parameters: &[AbiParam]) -> (Vec<Place>, u32) {
    let (mut integers, mut vectors) = (INTEGER_ARGUMENTS.into_iter(), 0..8);
    let mut stack: u32 = 0;
    let mut place = |parameter: &AbiParam| {
        let ty = parameter.value_type;
        let next = if is_in_vector(ty) { vectors.next().map(vector) } else { integers.next().map(int) };
        next.map_or_else(
            || {
                let size = ty.bytes().max(8);
                let start = stack.next_multiple_of(size);
                stack = start + size;
                Place::Stack(start)
            },
            Place::Reg,
        )
    };
    let all = parameters.iter().map(&mut place).collect();
    (all, stack.next_multiple_of(32))
}

fn result_places(results: &[AbiParam]) -> Result<Vec<PReg>, String> {
    let (mut integers, mut vectors) = (INTEGER_RESULTS.into_iter(), 0..2);
    results
        .iter()
        .map(|result| {
            let vector_next = is_in_vector(result.value_type);
            let next = if vector_next { vectors.next().map(vector) } else { integers.next().map(int) };
            next.map_or_else(|| refused("so many results"), Ok)
        })
        .collect()
}

/// Whether code that is called so, or that returns so, may be compiled Rust code.
fn is_foreign(signature: &Signature) -> Result<bool, String> {
    match signature.call_conv {
        CallConv::SystemV => Ok(true),
        CallConv::Fast => Ok(false),
        other => refused(format_args!("the calling convention {other}")),
    }
}

impl Lower<'_> {
    /// The function that a reference names.
    pub(super) fn target(&self, function: FuncRef) -> Result<Target, String> {
        match self.func.dfg.ext_funcs[function].name {
            ExternalName::User(name) => {
                let name = &self.func.params.user_named_funcs()[name];
                match name.namespace {
                    HELPERS => Ok(Target::Helper(name.index)),
                    0 => Ok(Target::Function(name.index)),
                    other => refused(format_args!("function {} of namespace {other}", name.index)),
                }
            }
            ref other => refused(format_args!("a reference to {other:?}")),
        }
    }

    /// Selects the receipt of the function's arguments, as the first instructions.
    pub(super) fn parameters(&mut self, block: Block) -> Result<(), String> {
        is_foreign(&self.func.signature)?;
        let (places, _) = places(&self.func.signature.params);
        let mut in_registers = Vec::new();
        for (value, place) in self.func.dfg.block_params(block).iter().zip(places) {
            // Registers hold arguments that no instruction uses, too.
            let to = self.register_of(*value);
            let ty = self.type_of(*value);
            match place {
                Place::Reg(place) => in_registers.push((to, place)),
                Place::Stack(offset) => {
                    let mem = Rm::Mem(Mem::at(Base::Incoming(offset)));
                    if is_in_vector(ty) {
                        self.v1_to(to, load_op(ty), length_of(ty), mem, None);
                    } else {
                        self.push(Inst::Extend { signed: false, from: Size::S64, into: Size::S64, to, a: mem });
                    }
                }
            }
        }
        self.sequence.insert(0, Inst::Arguments(in_registers));
        Ok(())
    }

    pub(super) fn returns(&mut self, inst: ir::Inst) -> Result<(), String> {
        let places = result_places(&self.func.signature.returns)?;
        let values = self.arguments(inst);
        let results = values.iter().zip(places).map(|(value, place)| (self.reg(*value), place)).collect();
        // A caller that is compiled Rust code may use instructions without VEX prefix.
        let long_result = self.func.signature.returns.iter().any(|result| is_long(result.value_type));
        let zero_upper = is_foreign(&self.func.signature)? && !long_result;
        self.push(Inst::Return { results, zero_upper });
        Ok(())
    }

    pub(super) fn call(&mut self, inst: ir::Inst) -> Result<(), String> {
        if let Some(function) = self.intrinsic_of(inst) {
            return self.intrinsic(function, inst);
        }
        let dfg = &self.func.dfg;
        let (signature, name, callee) = match dfg.insts[inst] {
            InstructionData::Call { func_ref, .. } => (dfg.ext_funcs[func_ref].signature, Some(func_ref), None),
            InstructionData::CallIndirect { sig_ref, .. } => (sig_ref, None, self.arguments(inst).first().copied()),
            ref other => return refused(other.opcode()),
        };
        let skipped = usize::from(callee.is_some());
        let arguments = &self.arguments(inst)[skipped..];
        let signature = &dfg.signatures[signature];
        let foreign = is_foreign(signature)?;
        let (places, on_stack) = places(&signature.params);
        self.outgoing = self.outgoing.max(on_stack);
        let mut in_registers: Vec<(Reg, PReg)> = Vec::new();
        for (value, place) in arguments.iter().zip(places) {
            let ty = self.type_of(*value);
            let from = self.reg(*value);
            match place {
                Place::Reg(place) => in_registers.push((from, place)),
                Place::Stack(offset) => {
                    let mem = Mem::at(Base::Outgoing(offset));
                    if is_in_vector(ty) {
                        self.push(Inst::Out {
                            op: store_op(ty),
                            length: length_of(ty),
                            from,
                            to: Rm::Mem(mem),
                            imm: None,
                        });
                    } else {
                        self.push(Inst::Store { size: Size::S64, from, mem });
                    }
                }
            }
        }
        let callee = match (callee, name) {
            (Some(callee), _) => self.reg(callee),
            (None, Some(name)) => {
                let target = self.target(name)?;
                let to = self.new_int();
                self.push(Inst::Name { to, target });
                to
            }
            (None, None) => return refused("a call without a function"),
        };
        let places = result_places(&signature.returns)?;
        let results: Vec<(Reg, PReg)> = self
            .func
            .dfg
            .inst_results(inst)
            .iter()
            .zip(places)
            .map(|(value, place)| (self.register_of(*value), place))
            .collect();
        let long = signature.params.iter().chain(&signature.returns).any(|one| is_long(one.value_type));
        let clobbers = clobbers(&results);
        let zero_upper = foreign && !long;
        self.push(Inst::Call(Box::new(Call { callee, arguments: in_registers, results, clobbers, zero_upper })));
        Ok(())
    }
}

/// The type of addresses.
pub(super) const POINTER: ir::Type = types::I64;
