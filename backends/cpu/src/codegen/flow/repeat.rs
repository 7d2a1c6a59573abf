//! Loops, and the count of their steps.

use cranelift_codegen::ir::{InstBuilder, condcodes::IntCC, types};

use super::super::generator::Generator;
use super::shape::turns_within;
use crate::abi::Stop;
use crate::ir::{List, SiteId, Stmt};

impl Generator<'_, '_> {
    /// Generates a loop, which ends when no lane is active or an exit leaves it.
    pub(super) fn repeat(&mut self, body: &List, site: SiteId, turns: Option<u32>) {
        let parting = self.list_parts(body);
        let (header, after) = (self.b.create_block(), self.b.create_block());
        self.b.ins().jump(header, &[]);
        self.b.switch_to_block(header);
        self.flow.masked |= parting;
        self.begin_turn(body, site, turns);
        self.list(body);
        self.flow.loops -= 1;
        if self.flow.reachable {
            if parting {
                let any = self.any_active();
                self.b.ins().brif(any, header, &[], after, &[]);
            } else {
                self.b.ins().jump(header, &[]);
            }
        }
        self.b.seal_block(header);
        self.switch_sealed(after);
        self.flow.reachable = parting;
        self.flow.masked |= parting;
        if parting {
            // The loop ends when no lane is active.
            let none = self.no_lanes();
            self.set_mask(none);
        }
    }

    /// Generates the start of one iteration of a loop.
    pub(in super::super) fn begin_turn(&mut self, body: &[Stmt], site: SiteId, turns: Option<u32>) {
        self.flow.loops += 1;
        if !self.function.endless && turns_within(body, turns).is_none() {
            self.count_step(site);
        }
    }

    /// Generates the count of one step, a loop iteration or a call; the kernel stops when all steps are used up.
    pub(in super::super) fn count_step(&mut self, site: SiteId) {
        let steps = self.b.use_var(self.flow.steps);
        let left = self.b.ins().iadd_imm_s(steps, -1);
        self.b.def_var(self.flow.steps, left);
        let (used_up, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(used_up);
        let over = self.b.ins().icmp_imm_s(IntCC::Equal, left, 0);
        self.b.ins().brif(over, used_up, &[], go_on, &[]);
        self.switch_sealed(used_up);
        let stop = self.b.ins().iconst(types::I32, i64::from(Stop::StepLimit as u32));
        let site = self.b.ins().iconst(types::I32, i64::from(site.0));
        self.b.ins().jump(self.flow.stopped, &[stop.into(), site.into()]);
        self.switch_sealed(go_on);
    }
}
