//! Scalars of constant memory in all lanes, which a loop reads again at each use.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::{By, Memory, OPERANDS, context, operands, run, store};
use crate::codegen::{Isa, machine};

/// Adds `count` scalars of the operands to a vector, several times, and writes the sums.
fn sums(b: &mut FunctionBuilder, out: Value, from: Value, count: i32) {
    let constant = MemFlagsData::new().with_notrap().with_readonly().with_can_move();
    let (header, done) = (b.create_block(), b.create_block());
    let at = b.append_block_param(header, types::I64);
    let sum = b.append_block_param(header, types::F32X8);
    let zero = b.ins().iconst(types::I64, 0);
    let start = b.ins().load(types::F32X8, MemFlagsData::new().with_notrap(), from, 0);
    b.ins().jump(header, &[zero.into(), start.into()]);
    b.switch_to_block(header);
    let mut total = sum;
    for index in 0..count {
        let scalar = b.ins().load(types::F32, constant, from, 4 * index);
        let all = b.ins().splat(types::F32X8, scalar);
        total = b.ins().fadd(total, all);
    }
    let next = b.ins().iadd_imm_s(at, 1);
    let more = b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, 3);
    b.ins().brif(more, header, &[next.into(), total.into()], done, &[total.into()]);
    b.seal_block(header);
    let total = b.append_block_param(done, types::F32X8);
    b.switch_to_block(done);
    b.seal_block(done);
    store(b, total, out, 0);
}

fn plain(operands: &[Memory; OPERANDS], count: usize) -> Memory {
    let words: Vec<f32> = operands
        .iter()
        .flat_map(|memory| memory.0.chunks_exact(4))
        .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let mut result = Memory([0; 32]);
    for (lane, bytes) in result.0.chunks_exact_mut(4).enumerate() {
        let mut sum = words[lane];
        for _ in 0..3 {
            words[..count].iter().for_each(|word| sum += word);
        }
        bytes.copy_from_slice(&sum.to_le_bytes());
    }
    result
}

#[test]
fn sums_of_few_and_many_scalars() {
    for count in [3, 12, 30] {
        let operands = operands();
        let Some(results) = run(By::Avx2, &operands, |b, out, from| sums(b, out, from, count)) else { return };
        for (operands, result) in operands.iter().zip(results) {
            let expected = plain(operands, count as usize);
            for (found, wanted) in result.0.chunks_exact(4).zip(expected.0.chunks_exact(4)) {
                let [found, wanted] = [found, wanted].map(|word| f32::from_le_bytes(word.try_into().unwrap()));
                assert!(found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(), "{found} {wanted}");
            }
        }
    }
}

/// Few of them stay in registers: each is spread once, before the loop. Many are spread in the loop and stored nowhere.
#[test]
fn many_are_not_copied_to_the_stack() {
    if Isa::Avx2.check().is_err() {
        return;
    }
    let listing = |count: i32| {
        let isa = machine().unwrap();
        let mut context = context(&**isa, |b, out, from| sums(b, out, from, count));
        crate::emitter::compile(&**isa, &mut context, true).unwrap().listing.unwrap()
    };
    let (few, many) = (listing(3), listing(30));
    assert_eq!(few.matches("vbroadcastss").count(), 3, "{few}");
    assert_eq!(many.matches("vbroadcastss").count(), 30, "{many}");
    assert!(!many.contains("spill"), "{many}");
    let in_loop = |text: &str| text.split("block").filter(|block| block.contains("branch")).last().unwrap().to_owned();
    assert!(!in_loop(&few).contains("vbroadcastss"), "{few}");
    assert!(in_loop(&many).contains("vbroadcastss"), "{many}");
}
