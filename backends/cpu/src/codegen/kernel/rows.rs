//! The loop over lane groups of kernels whose workgroups share nothing.
//!
//! A row of all workgroups of a call runs before the next row, because those rows follow each other in memory, and the rows
//! of one workgroup do not. One loop runs through the row, so that what is the same in the row is computed once for it:
//! Cranelift moves arithmetic with constants out of one loop only.

use cranelift_codegen::ir::{InstBuilder, condcodes::IntCC, types};

use super::super::analysis::rows_divide;
use super::super::generator::Generator;
use super::Arguments;
use crate::ir::Inst;

impl Generator<'_, '_> {
    /// Whether the lane groups of several workgroups may run in any order: without shared memory, barriers and atomics.
    pub(super) fn can_run_in_rows(&self) -> bool {
        let function = self.function;
        let shares = function.has_barrier || function.workgroup_bytes > 0;
        let functions = || std::iter::once(function).chain(&function.callees);
        let atomics = functions().flat_map(|function| &function.insts).any(|inst| matches!(inst, Inst::Atomic { .. }));
        let size = function.workgroup_size;
        let whole = rows_divide(size, self.target.lanes)
            && (size[0] / self.target.lanes as u32).is_power_of_two()
            && !function.is_serial();
        whole && !shares && !atomics && function.checks.is_empty() && !self.hoists_from_workgroup()
    }

    pub(super) fn rows_of_groups(&mut self, arguments: Arguments) {
        let size = self.function.workgroup_size;
        let (in_row, rows) = (size[0] / self.target.lanes as u32, size[1] * size[2]);
        let shift = i64::from(in_row.trailing_zeros());
        let workgroups = self.b.ins().isub(arguments.x_end, arguments.x_begin);
        // A dispatch has at most 2^32 - 1 workgroups in x.
        let wide = self.b.ins().uextend(types::I64, workgroups);
        let count = self.b.ins().ishl_imm_u(wide, shift);
        let (outer, header, after, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block(), self.b.create_block());
        let row = self.b.append_block_param(outer, types::I32);
        let at = self.b.append_block_param(header, types::I64);
        let none = self.b.ins().iconst(types::I32, 0);
        self.b.ins().brif(workgroups, outer, &[none.into()], done, &[]);
        self.b.switch_to_block(outer);
        let start = self.b.ins().iconst(types::I64, 0);
        self.b.ins().jump(header, &[start.into()]);

        self.b.switch_to_block(header);
        let before = self.b.ins().ushr_imm_u(at, shift);
        let before = self.b.ins().ireduce(types::I32, before);
        let x = self.b.ins().iadd(arguments.x_begin, before);
        let workgroup = [x, arguments.y, arguments.z];
        self.hoist_from_workgroup(workgroup);
        let narrow = self.b.ins().ireduce(types::I32, at);
        let column = self.b.ins().band_imm_u(narrow, i64::from(in_row - 1));
        self.row = Some([row, column]);
        let first = self.b.ins().ishl_imm_u(row, shift);
        let index = self.b.ins().iadd(first, column);
        self.whole_group(index, workgroup);
        let following = self.b.ins().iadd_imm_s(at, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, following, count);
        self.b.ins().brif(more, header, &[following.into()], after, &[]);
        self.b.seal_block(header);

        self.switch_sealed(after);
        let following = self.b.ins().iadd_imm_s(row, 1);
        let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, i64::from(rows));
        self.b.ins().brif(more, outer, &[following.into()], done, &[]);
        self.b.seal_block(outer);
        self.switch_sealed(done);
    }
}
