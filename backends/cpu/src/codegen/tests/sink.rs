//! Reads of vectors come immediately before their first use, but not behind a store that may change what they read.

use cranelift_codegen::ir::{Function, InstBuilder, MemFlagsData, Opcode, Signature, UserFuncName, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::super::{code, sink};

/// The operations, with the offsets of reads and stores, of a function that reads three vectors and a scalar, stores a sum
/// of the first two, then the third one and the scalar; in the order that the pass gives them. The flags are those of the
/// reads of vectors.
fn sunk(flags: MemFlagsData) -> Vec<(Opcode, Option<i32>)> {
    let signature = Signature::new(CallConv::SystemV);
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut of_builder = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut of_builder);
    let entry = b.create_block();
    b.switch_to_block(entry);
    let plain = MemFlagsData::new().with_trap_code(None);
    let from = b.ins().iconst(types::I64, 4096);
    let [first, second, third] = [0, 16, 32].map(|offset| b.ins().load(types::F32X4, flags, from, offset));
    let scalar = b.ins().load(types::F32, plain, from, 48);
    let twice = b.ins().fadd(first, first);
    let sum = b.ins().fadd(twice, second);
    b.ins().store(plain, sum, from, 64);
    b.ins().store(plain, third, from, 80);
    b.ins().store(plain, scalar, from, 96);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(code::machine().unwrap().frontend_config());
    sink::reads(&mut function);
    let insts = function.layout.block_insts(entry).map(|inst| function.dfg.insts[inst]);
    insts.map(|inst| (inst.opcode(), inst.load_store_offset())).collect()
}

#[test]
fn reads_of_vectors_come_before_their_use() {
    use Opcode::{Fadd, Iconst, Load, Return, Store};
    let plain = MemFlagsData::new().with_trap_code(None);
    let [a, b, c, scalar] = [0, 16, 32, 48].map(|offset| (Load, Some(offset)));
    let [sum, third, last] = [64, 80, 96].map(|offset| (Store, Some(offset)));
    let (from, add, end) = ((Iconst, None), (Fadd, None), (Return, None));
    let behind_no_store = vec![from, c, scalar, a, add, b, add, sum, third, last, end];
    assert_eq!(sunk(plain), behind_no_store);
    let behind_a_store = vec![from, scalar, a, add, b, add, sum, c, third, last, end];
    assert_eq!(sunk(plain.with_readonly()), behind_a_store);
    let where_they_were = vec![from, a, b, c, scalar, add, add, sum, third, last, end];
    assert_eq!(sunk(MemFlagsData::new()), where_they_were, "reads that may trap");
}

/// A read whose address another read returns stays behind it.
#[test]
fn reads_of_addresses_come_first() {
    let plain = MemFlagsData::new().with_trap_code(None);
    let signature = Signature::new(CallConv::SystemV);
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut of_builder = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut of_builder);
    let entry = b.create_block();
    b.switch_to_block(entry);
    let from = b.ins().iconst(types::I64, 4096);
    let places = b.ins().load(types::I64X2, plain, from, 0);
    let place = b.ins().extractlane(places, 1);
    let read = b.ins().load(types::I32X4, plain, place, 0);
    let further = b.ins().iadd(from, place);
    b.ins().store(plain, further, from, 32);
    b.ins().store(plain, read, from, 16);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(code::machine().unwrap().frontend_config());
    sink::reads(&mut function);
    let order: Vec<Opcode> = function.layout.block_insts(entry).map(|inst| function.dfg.insts[inst].opcode()).collect();
    use Opcode::{Extractlane, Iadd, Iconst, Load, Return, Store};
    assert_eq!(order, [Iconst, Load, Extractlane, Load, Iadd, Store, Store, Return]);
}
