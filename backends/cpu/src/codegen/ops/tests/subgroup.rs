//! Operations over the active lanes.

use super::{Isa, Memory, OwnedTargetIsa, compile, is_nan, load, machines, module, store};
use crate::ir::{Class, SubgroupOp};

/// The result of an operation in each lane; `None` in lanes whose result WGSL does not specify.
/// The machines whose groups have as many lanes as a subgroup.
fn machines_of_eight() -> impl Iterator<Item = (&'static str, OwnedTargetIsa, Isa)> {
    machines().into_iter().filter(|(_, _, by)| *by != Isa::Avx512)
}

fn reference(op: SubgroupOp, class: Class, a: &[u64; 8], lanes: &[u64; 8], active: u32) -> [Option<u64>; 8] {
    use SubgroupOp as Op;
    let is_active = |lane: usize| active >> lane & 1 == 1;
    let combine = |x: u64, y: u64| combine(op, class, x, y);
    let one = match class {
        Class::F32 => u64::from(1f32.to_bits()),
        Class::F64 => 1f64.to_bits(),
        _ => 1,
    };
    let fold = |until: usize| (0..until).filter(|&lane| is_active(lane)).map(|lane| a[lane]).reduce(combine);
    std::array::from_fn(|lane| {
        if !is_active(lane) {
            return None;
        }
        Some(match op {
            Op::InclusiveAdd | Op::InclusiveMul => fold(lane + 1)?,
            Op::ExclusiveAdd => fold(lane).unwrap_or(0),
            Op::ExclusiveMul => fold(lane).unwrap_or(one),
            Op::Ballot => (0..8).filter(|&lane| is_active(lane)).map(|lane| a[lane] << lane).sum(),
            Op::Shuffle => return is_active(lanes[lane] as usize % 8).then_some(a[lanes[lane] as usize % 8]),
            Op::First => (0..8).find(|&lane| is_active(lane)).map(|lane| a[lane])?,
            _ => fold(8)?,
        })
    })
}

fn combine(op: SubgroupOp, class: Class, x: u64, y: u64) -> u64 {
    use crate::ir::BinaryOp as B;
    use SubgroupOp as Op;
    let binary = match op {
        Op::Add | Op::InclusiveAdd | Op::ExclusiveAdd => B::Add,
        Op::Mul | Op::InclusiveMul | Op::ExclusiveMul => B::Mul,
        Op::Min if matches!(class, Class::F32 | Class::F64) => B::Min,
        Op::Max if matches!(class, Class::F32 | Class::F64) => B::Max,
        Op::Min => B::MinS,
        Op::Max => B::MaxS,
        Op::MinU => B::MinU,
        Op::MaxU => B::MaxU,
        Op::And => B::And,
        Op::Or => B::Or,
        _ => B::Xor,
    };
    super::reference::binary(binary, class, x, y)
}

fn operands(class: Class) -> Vec<[u64; 8]> {
    let values: Vec<u64> = match class {
        Class::Bool => (0..8).map(|bit| 0b1011_0010 >> bit & 1).collect(),
        Class::F32 => [1.5f32, -2.0, 3.25, 1e8, -1e8, 0.1, 7.0, -0.5].map(|x| u64::from(x.to_bits())).into(),
        Class::F64 => [1.5f64, -2.0, 3.25, 1e18, -1e18, 0.1, 7.0, -0.5].map(f64::to_bits).into(),
        Class::I32 => vec![3, 0xffff_fffe, 7, 0x8000_0000, 0x1234_5678, 0, 0x7fff_ffff, 100],
        Class::I64 => vec![3, u64::MAX - 1, 7, 1 << 63, 0x1234_5678_9abc_def0, 0, i64::MAX as u64, 100],
    };
    let mut out = vec![std::array::from_fn(|lane| values[lane]), std::array::from_fn(|lane| values[7 - lane])];
    out.extend([[values[0]; 8], [values[7]; 8]]);
    out
}

#[test]
fn subgroup_operations() {
    use SubgroupOp as Op;
    let bits = [Op::And, Op::Or, Op::Xor];
    let moves = [Op::Shuffle, Op::First];
    let arithmetic = [Op::Add, Op::Mul, Op::Min, Op::Max];
    let scans = [Op::InclusiveAdd, Op::InclusiveMul, Op::ExclusiveAdd, Op::ExclusiveMul];
    let mut cases: Vec<(Class, Vec<Op>)> = vec![(Class::Bool, [&[Op::And, Op::Or, Op::Ballot][..], &moves].concat())];
    for class in [Class::I32, Class::I64] {
        cases.push((class, [&bits[..], &moves, &arithmetic, &[Op::MinU, Op::MaxU], &scans].concat()));
    }
    for class in [Class::F32, Class::F64] {
        cases.push((class, [&moves[..], &arithmetic, &scans].concat()));
    }
    for (machine, isa, by) in machines_of_eight() {
        let mut module = module(isa);
        for &(class, ref ops) in &cases {
            for &op in ops {
                let to = if op == Op::Ballot { Class::I32 } else { class };
                let code = compile(&mut module, by, |emit, [out, operands]| {
                    let values = emit.load_parts(class, operands, 0);
                    let lanes = emit.load_parts(Class::I32, operands, Memory::SIZE);
                    let mask = emit.load_parts(Class::Bool, operands, 2 * Memory::SIZE);
                    let lane = (op == Op::Shuffle).then_some(&lanes[..]);
                    let result = emit.subgroup(op, class, &values, lane, &mask);
                    emit.store_parts(&result, out, 0);
                });
                let lanes = [7u64, 0, 3, 9, 0xffff_ffff, 5, 1, 2];
                for values in operands(class) {
                    for active in 0..256u32 {
                        let mask = std::array::from_fn(|lane| u64::from(active >> lane & 1));
                        let memory = [store(class, &values), store(Class::I32, &lanes), store(Class::Bool, &mask)];
                        let mut out = store(Class::I32, &[0; 8]);
                        // SAFETY: the code reads three operands and writes one result.
                        unsafe { code(&mut out, memory.as_ptr()) };
                        let found = load(to, &out);
                        for (lane, expected) in reference(op, class, &values, &lanes, active).into_iter().enumerate() {
                            let Some(expected) = expected else { continue };
                            let same = found[lane] == expected || is_nan(to, found[lane]) && is_nan(to, expected);
                            assert!(
                                same,
                                "{op:?} {class:?} ({machine}) of {values:x?}, active {active:08b}, lane {lane}: \
                                 {:x} instead of {expected:x}",
                                found[lane]
                            );
                        }
                    }
                }
            }
        }
        // SAFETY: no pointer into the code is left.
        unsafe { module.free_memory() };
    }
}

#[test]
fn lanes_rearranged_by_a_known_pattern() {
    let patterns: [[u8; 8]; 7] = [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [7, 0, 1, 2, 3, 4, 5, 6],
        [6, 7, 0, 1, 2, 3, 4, 5],
        [4, 5, 6, 7, 0, 1, 2, 3],
        [3; 8],
        [1, 0, 3, 2, 5, 4, 7, 6],
        [7, 2, 0, 0, 5, 1, 6, 3],
    ];
    for (machine, isa, by) in machines_of_eight() {
        let mut module = module(isa);
        for class in [Class::Bool, Class::I32, Class::F32, Class::I64, Class::F64] {
            for pattern in patterns {
                let mut done = false;
                let code = compile(&mut module, by, |emit, [out, operands]| {
                    let values = emit.load_parts(class, operands, 0);
                    let result = emit.rearranged(class, pattern, &values);
                    done = result.is_some();
                    emit.store_parts(&result.unwrap_or(values), out, 0);
                });
                assert_eq!(done, machine != "least" || !cfg!(target_arch = "x86_64"), "{machine}");
                for values in operands(class).into_iter().filter(|_| done) {
                    let mut out = store(Class::I32, &[0; 8]);
                    // SAFETY: the code reads one operand and writes one result.
                    unsafe { code(&mut out, &store(class, &values)) };
                    let expected = pattern.map(|lane| values[usize::from(lane)]);
                    assert_eq!(load(class, &out), expected, "{class:?} {pattern:?} ({machine})");
                }
            }
        }
        // SAFETY: no pointer into the code is left.
        unsafe { module.free_memory() };
    }
}

#[test]
fn masks_that_are_known_in_advance() {
    for (_, isa, by) in machines_of_eight() {
        let mut module = module(isa);
        for bits in [0u8, 0b1111_1110, 0b1010_0011, 0xff] {
            let lanes = std::array::from_fn(|lane| bits >> lane & 1 == 1);
            let code = compile(&mut module, by, |emit, [out, _]| {
                let mask = emit.known_mask(|lane| lanes[lane]);
                emit.store_parts(&mask, out, 0);
            });
            let mut out = store(Class::I32, &[0; 8]);
            // SAFETY: the code reads no operand and writes one result.
            unsafe { code(&mut out, &store(Class::I32, &[0; 8])) };
            assert_eq!(load(Class::Bool, &out), lanes.map(u64::from), "{bits:08b}");
        }
        // SAFETY: no pointer into the code is left.
        unsafe { module.free_memory() };
    }
}
