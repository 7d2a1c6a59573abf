//! The mask of active lanes, and its storage in variables.

use cranelift_codegen::ir::{self as cl, InstBuilder, types};

use super::super::generator::{Generator, Mask};
use super::{AtBarrier, SavedMask};

impl Generator<'_, '_> {
    /// The mask of active lanes at the current point.
    pub(in crate::codegen) fn mask(&mut self) -> Mask {
        self.flow.mask.map(|variable| self.b.use_var(variable))
    }

    /// Whether some of the eight lanes may be inactive at the current point.
    pub(in crate::codegen) fn is_masked(&self) -> bool {
        self.flow.masked || self.flow.partial
    }

    pub(super) fn set_mask(&mut self, mask: Mask) {
        for (variable, value) in self.flow.mask.into_iter().zip(mask) {
            self.b.def_var(variable, value);
        }
    }

    pub(in crate::codegen) fn no_lanes(&mut self) -> Mask {
        let zero = self.emit().constant(crate::ir::Class::Bool, 0);
        std::array::from_fn(|part| zero[part])
    }

    pub(in crate::codegen) fn save_mask(&mut self, value: Mask, at_barrier: AtBarrier) -> SavedMask {
        let saved: SavedMask = std::array::from_fn(|_| self.b.declare_var(types::I32X4));
        self.define_mask(saved, value);
        self.flow.saved.push((saved, at_barrier));
        saved
    }

    pub(in crate::codegen) fn define_mask(&mut self, saved: SavedMask, value: Mask) {
        for (variable, value) in saved.into_iter().zip(value) {
            self.b.def_var(variable, value);
        }
    }

    pub(super) fn saved_mask(&mut self, saved: SavedMask) -> Mask {
        saved.map(|variable| self.b.use_var(variable))
    }

    pub(super) fn combine(&mut self, a: Mask, b: Mask, with: fn(&mut Self, cl::Value, cl::Value) -> cl::Value) -> Mask {
        std::array::from_fn(|part| with(self, a[part], b[part]))
    }

    pub(super) fn or(&mut self, a: Mask, b: Mask) -> Mask {
        self.combine(a, b, |generator, a, b| generator.b.ins().bor(a, b))
    }

    /// Whether any lane is active.
    pub(in crate::codegen) fn any_active(&mut self) -> cl::Value {
        let mask = self.mask();
        self.emit().any(&mask)
    }
}
