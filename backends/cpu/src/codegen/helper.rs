//! The functions of this crate that machine code calls.
//!
//! Machine code names them by numbers, which become addresses when it is linked: addresses change from run to run, and
//! machine code may be kept on disk.

use cranelift_codegen::ir::{ExtFuncData, ExternalName, InstBuilder, SigRef, Type, UserExternalName, Value};
use cranelift_frontend::FunctionBuilder;

use super::kernel::zero;
use super::ops::subgroup_helper;
use crate::ir::Class;
use crate::math::{self, LaneFunction};

/// The namespace of these functions' names; those of a kernel's own functions are in namespace 0.
pub(crate) const NAMESPACE: u32 = 1;

/// A function that machine code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    /// Zeroes workgroup memory.
    Zero,
    /// Receives the reports of kernels with checks.
    Report,
    /// Computes subgroup operations on values of a class.
    Subgroup(Class),
    /// A function of [`crate::math`].
    Lane(LaneFunction),
}

const CLASSES: [Class; 5] = [Class::Bool, Class::I32, Class::I64, Class::F32, Class::F64];
/// The number of the first lane function.
const LANE: u32 = 2 + CLASSES.len() as u32;

impl Helper {
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Report => 1,
            Self::Subgroup(class) => 2 + CLASSES.iter().position(|own| *own == class).unwrap_or(0) as u32,
            Self::Lane(function) => LANE + function as u32,
        }
    }

    pub(super) fn of_number(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Zero),
            1 => Some(Self::Report),
            _ if number < LANE => CLASSES.get(number as usize - 2).copied().map(Self::Subgroup),
            _ => LaneFunction::ALL.get((number - LANE) as usize).copied().map(Self::Lane),
        }
    }

    pub(super) fn address(self) -> *const u8 {
        match self {
            Self::Zero => zero as *const u8,
            Self::Report => crate::reports::report as *const u8,
            Self::Subgroup(class) => subgroup_helper(class),
            Self::Lane(function) => math::address(function),
        }
    }

    /// Emits a call, whose arguments match the signature. `pointer` is the type of addresses.
    pub(super) fn call(self, b: &mut FunctionBuilder<'_>, pointer: Type, signature: SigRef, arguments: &[Value]) {
        let name = UserExternalName::new(NAMESPACE, self.number());
        let name = ExternalName::user(b.func.declare_imported_user_function(name));
        let function = ExtFuncData { name, signature, colocated: false, patchable: false };
        let function = b.func.import_function(function);
        let callee = b.ins().func_addr(pointer, function);
        b.ins().call_indirect(signature, callee, arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_all_functions() {
        let classes = CLASSES.map(Helper::Subgroup);
        let lanes = LaneFunction::ALL.iter().copied().map(Helper::Lane);
        let all: Vec<_> = [Helper::Zero, Helper::Report].into_iter().chain(classes).chain(lanes).collect();
        for (number, helper) in all.iter().enumerate() {
            assert_eq!(helper.number() as usize, number);
            assert_eq!(Helper::of_number(number as u32), Some(*helper));
            assert!(!helper.address().is_null());
        }
        assert_eq!(Helper::of_number(all.len() as u32), None);
    }
}
