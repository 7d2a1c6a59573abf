//! The mask of active lanes, and its storage in variables.

use cranelift_codegen::ir::{self as cl, InstBuilder};

use super::super::generator::{Generator, Mask};
use super::{AtBarrier, SavedMask};
use crate::ir::Class;

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
        let zero = self.emit().constant(Class::Bool, 0);
        zero.into_iter().collect()
    }

    pub(in crate::codegen) fn save_mask(&mut self, value: Mask, at_barrier: AtBarrier) -> SavedMask {
        let saved: SavedMask = value.map(|_| self.b.declare_var(self.target.vector(Class::Bool)));
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

    /// The lanes in `a` and in `b`.
    pub(super) fn and(&mut self, a: Mask, b: Mask) -> Mask {
        a.with(b, |a, b| match (self.all_or_none(a), self.all_or_none(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (_, Some(true)) | (Some(false), _) => a,
            _ => self.b.ins().band(a, b),
        })
    }

    /// The lanes in `a`, but not in `b`.
    pub(super) fn and_not(&mut self, a: Mask, b: Mask) -> Mask {
        a.with(b, |a, b| match (self.all_or_none(a), self.all_or_none(b)) {
            (_, Some(false)) | (Some(false), _) => a,
            _ => self.b.ins().band_not(a, b),
        })
    }

    /// The lanes in `a` or in `b`.
    pub(super) fn or(&mut self, a: Mask, b: Mask) -> Mask {
        a.with(b, |a, b| match (self.all_or_none(a), self.all_or_none(b)) {
            (Some(false), _) | (_, Some(true)) => b,
            (_, Some(false)) | (Some(true), _) => a,
            _ => self.b.ins().bor(a, b),
        })
    }

    /// Whether a part of a mask is a constant with all lanes, or one with none. Cranelift folds no constant vectors.
    fn all_or_none(&mut self, part: cl::Value) -> Option<bool> {
        match self.emit().uniform_constant(Class::I32, &[part])? {
            0 => Some(false),
            0xffff_ffff => Some(true),
            _ => None,
        }
    }

    /// Whether the mask is known to have no lane.
    fn is_empty(&mut self) -> bool {
        let mask = self.mask();
        mask.into_iter().all(|part| self.all_or_none(part) == Some(false))
    }

    /// Continues at the end of statements that are skipped when no lane is active. A mask that the statements leave
    /// empty is empty on both ways.
    pub(super) fn join_skipped(&mut self, join: cl::Block) {
        let empty = !self.flow.reachable || self.is_empty();
        if self.flow.reachable {
            self.b.ins().jump(join, &[]);
        }
        self.switch_sealed(join);
        if empty {
            let none = self.no_lanes();
            self.set_mask(none);
        }
        self.flow.reachable = true;
    }

    /// Whether any lane is active.
    pub(in crate::codegen) fn any_active(&mut self) -> cl::Value {
        let mask = self.mask();
        self.emit().any(&mask)
    }
}
