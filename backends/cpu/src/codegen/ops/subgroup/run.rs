//! The function that performs operations over lanes for generated code.

use crate::abi::{LANES, convention};
use crate::ir::{Class, SubgroupOp};

/// The function that computes operations on values of a class.
pub(in super::super::super) fn subgroup_helper(class: Class) -> *const u8 {
    match class {
        Class::Bool | Class::I32 => run::<u32> as *const u8,
        Class::I64 => run::<u64> as *const u8,
        Class::F32 => run::<f32> as *const u8,
        Class::F64 => run::<f64> as *const u8,
    }
}

/// A type of the values in lanes.
trait Lane: Copy + Default {
    /// The result of the operation for the values of two lanes.
    fn combine(op: SubgroupOp, a: Self, b: Self) -> Self;
    /// The neutral element of the operation, which is its result for no lanes.
    fn neutral(op: SubgroupOp) -> Self;
}

macro_rules! integer_lane {
    ($unsigned:ty, $signed:ty) => {
        impl Lane for $unsigned {
            fn combine(op: SubgroupOp, a: Self, b: Self) -> Self {
                use SubgroupOp as Op;
                match op {
                    Op::Add | Op::InclusiveAdd | Op::ExclusiveAdd => a.wrapping_add(b),
                    Op::Mul | Op::InclusiveMul | Op::ExclusiveMul => a.wrapping_mul(b),
                    Op::Min => (a as $signed).min(b as $signed) as $unsigned,
                    Op::Max => (a as $signed).max(b as $signed) as $unsigned,
                    Op::MinU => a.min(b),
                    Op::MaxU => a.max(b),
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Ballot | Op::Shuffle | Op::First => a,
                }
            }

            fn neutral(op: SubgroupOp) -> Self {
                (op == SubgroupOp::ExclusiveMul).into()
            }
        }
    };
}

integer_lane!(u32, i32);
integer_lane!(u64, i64);

macro_rules! float_lane {
    ($float:ty) => {
        impl Lane for $float {
            fn combine(op: SubgroupOp, a: Self, b: Self) -> Self {
                use SubgroupOp as Op;
                match op {
                    Op::Add | Op::InclusiveAdd | Op::ExclusiveAdd => a + b,
                    Op::Mul | Op::InclusiveMul | Op::ExclusiveMul => a * b,
                    Op::Min | Op::MinU => a.min(b),
                    Op::Max | Op::MaxU => a.max(b),
                    Op::And | Op::Or | Op::Xor | Op::Ballot | Op::Shuffle | Op::First => a,
                }
            }

            fn neutral(op: SubgroupOp) -> Self {
                if op == SubgroupOp::ExclusiveMul { 1.0 } else { 0.0 }
            }
        }
    };
}

float_lane!(f32);
float_lane!(f64);

/// All operations, by their numbers in the enumeration.
const OPS: [SubgroupOp; 16] = {
    use SubgroupOp as Op;
    [
        Op::Add,
        Op::Mul,
        Op::Min,
        Op::Max,
        Op::MinU,
        Op::MaxU,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::InclusiveAdd,
        Op::InclusiveMul,
        Op::ExclusiveAdd,
        Op::ExclusiveMul,
        Op::Ballot,
        Op::Shuffle,
        Op::First,
    ]
};

convention! {
    /// Performs a subgroup operation for generated code. `active` has a bit per lane, and `op` is the number of the
    /// operation. `out` and `a` point to eight values, and so does `lanes` if the operation is a shuffle.
    [unsafe] fn run<T: Lane>(out: *mut T, a: *const T, lanes: *const u32, active: u32, op: u32) {
        let op = OPS[op as usize % OPS.len()];
        // SAFETY: `Emit::subgroup_call` passes stack memory of 64 bytes, in which it stored the lanes.
        let a = unsafe { a.cast::<[T; LANES]>().read_unaligned() };
        let result = if op == SubgroupOp::Shuffle {
            // SAFETY: as above; a shuffle has lane numbers.
            let lanes = unsafe { lanes.cast::<[u32; LANES]>().read_unaligned() };
            lanes.map(|lane| a[lane as usize % LANES])
        } else {
            over_active(op, a, active)
        };
        // SAFETY: as above; no other code uses this memory during the call.
        unsafe { out.cast::<[T; LANES]>().write_unaligned(result) };
    }
}

/// The results of a reduction or scan over the active lanes, which are combined in order.
fn over_active<T: Lane>(op: SubgroupOp, a: [T; LANES], active: u32) -> [T; LANES] {
    use SubgroupOp as Op;
    let inclusive = matches!(op, Op::InclusiveAdd | Op::InclusiveMul);
    let exclusive = matches!(op, Op::ExclusiveAdd | Op::ExclusiveMul);
    let mut out = [T::default(); LANES];
    let mut so_far = None;
    for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
        let with_this = so_far.map_or(a[lane], |before| T::combine(op, before, a[lane]));
        out[lane] = if exclusive { so_far.unwrap_or(T::neutral(op)) } else { with_this };
        so_far = Some(with_this);
    }
    if inclusive || exclusive { out } else { [so_far.unwrap_or_default(); LANES] }
}
