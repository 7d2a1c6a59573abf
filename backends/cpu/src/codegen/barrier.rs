//! Barriers: a lane group leaves the kernel's body at a barrier, and resumes there when every group of the workgroup
//! has arrived.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use cranelift_frontend::Variable;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::analysis::Form;
use super::flow::AtBarrier;
use super::generator::{Generator, Held};
use super::ops::scalar_type;
use crate::abi::{Frame, Stop};
use crate::ir::{SiteId, Value, Var};

/// The points at which lane groups suspend.
#[derive(Default)]
pub(super) struct Suspend {
    /// The blocks in which a group resumes: the body's start, then one for each barrier.
    pub(super) points: Vec<cl::Block>,
    /// The block that a group enters when it suspends or ends, with the number of the point that it reached; `None` if
    /// groups do not suspend.
    pub(super) arrive: Option<cl::Block>,
    /// The size of a group's frame so far, in bytes.
    pub(super) frame_bytes: u32,
    barriers: usize,
    places: FxHashMap<Kept, u32>,
}

impl Suspend {
    /// The number of the next barrier in reading order.
    fn next_barrier(&mut self) -> usize {
        self.barriers += 1;
        self.barriers - 1
    }

    /// Returns the state before the first barrier, where a group's frame contains only private memory.
    pub(super) fn after(private_bytes: u32) -> Self {
        Self { frame_bytes: private_bytes, ..Self::default() }
    }

    /// Returns the offset in a group's frame at which a value or variable of `bytes` bytes is saved. Each value and
    /// variable has one offset, which all barriers use.
    fn place(&mut self, what: Kept, bytes: u32) -> u32 {
        let end = &mut self.frame_bytes;
        *self.places.entry(what).or_insert_with(|| {
            let start = end.next_multiple_of(16);
            *end = start + bytes;
            start
        })
    }
}

/// A value or variable that is saved at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    Value(Value),
    Var(Var),
}

/// The offset in bytes of `site` in [`Frame`].
const SITE: i32 = std::mem::offset_of!(Frame, site) as i32;

/// The flags of accesses to a frame, whose memory is always mapped and aligned.
fn own() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl Generator<'_, '_> {
    /// Generates a barrier: the lane group suspends until all invocations of the workgroup have arrived.
    pub(super) fn barrier(&mut self, site: SiteId) {
        let number = self.suspend.next_barrier();
        let site_id = self.b.ins().iconst(types::I32, i64::from(site.0));
        self.set_site(site_id);
        if self.flow.masked {
            self.require_all_lanes(site);
        }
        self.order_memory();
        // In a workgroup of one lane group, no other group has to arrive.
        if let Some(arrive) = self.suspend.arrive {
            self.kept_at(number).iter().for_each(|what| self.save(*what));
            let (point, resume) = self.resume_point();
            self.b.ins().jump(arrive, &[point.into()]);
            self.b.switch_to_block(resume);
            self.kept_at(number).iter().for_each(|what| self.restore(*what));
        }
        self.rejoin();
    }

    /// Orders the memory accesses around a barrier. A workgroup runs on one thread, so its own accesses are in program
    /// order. Other workgroups must see accesses before the barrier earlier than those after it; x86 keeps the order of
    /// stores without a fence.
    pub(super) fn order_memory(&mut self) {
        if self.target.reorders_stores() {
            self.b.ins().fence();
        }
    }

    /// Creates a block in which groups resume; returns its number too.
    fn resume_point(&mut self) -> (cl::Value, cl::Block) {
        let resume = self.b.create_block();
        let point = self.b.ins().iconst(types::I32, self.suspend.points.len() as i64);
        self.suspend.points.push(resume);
        (point, resume)
    }

    /// The values and variables that a barrier saves.
    fn kept_at(&self, number: usize) -> Vec<Kept> {
        let values = self.live.values_at[number].iter().filter(|value| !self.is_hoisted(**value));
        let values = values.map(|value| Kept::Value(*value));
        values.chain(self.live.vars_at[number].iter().map(|var| Kept::Var(*var))).collect()
    }

    /// Sets the masks after a barrier, where all lanes are active.
    fn rejoin(&mut self) {
        let entry = self.flow.entry;
        self.define_mask(self.flow.mask, entry);
        self.flow.masked = false;
        let none = self.no_lanes();
        for (saved, then) in self.flow.saved.clone() {
            self.define_mask(saved, if then == AtBarrier::All { entry } else { none });
        }
    }

    /// Stores the site that the error message names if the kernel stops here.
    pub(super) fn set_site(&mut self, site: cl::Value) {
        self.b.ins().store(own(), site, self.constants.frame, SITE);
    }

    fn require_all_lanes(&mut self, site: SiteId) {
        let (mask, entry) = (self.mask(), self.flow.entry);
        let missing: Vec<cl::Value> =
            mask.iter().zip(entry.iter()).map(|(mask, entry)| self.emit().xor(*mask, *entry)).collect();
        let any = self.emit().any(&missing);
        let go_on = self.b.create_block();
        let stop = self.b.ins().iconst(types::I32, i64::from(Stop::DivergentBarrier as u32));
        let site = self.b.ins().iconst(types::I32, i64::from(site.0));
        self.b.ins().brif(any, self.flow.stopped, &[stop.into(), site.into()], go_on, &[]);
        self.switch_sealed(go_on);
    }

    /// The Cranelift variables of a kept value or variable, and the type of each.
    fn kept(&self, what: Kept) -> (SmallVec<[Variable; 4]>, cl::Type) {
        let (held, class, form) = match what {
            Kept::Value(value) => (&self.values[value.0 as usize], self.function.class(value), self.form(value)),
            Kept::Var(var) => {
                let at = var.0 as usize;
                (&self.vars[at], self.function.vars[at], self.facts.vars[at].form)
            }
        };
        let Held::Kept(variables) = held else { return (SmallVec::new(), types::I32) };
        (variables.clone(), if form == Form::Varying { self.target.vector(class) } else { scalar_type(class) })
    }

    pub(super) fn save(&mut self, what: Kept) {
        let (variables, _) = self.kept(what);
        // A scalar takes the place of a vector.
        let bytes = self.target.vector_bytes;
        let offset = self.suspend.place(what, bytes * variables.len() as u32);
        for (part, variable) in variables.iter().enumerate() {
            let value = self.b.use_var(*variable);
            self.b.ins().store(own(), value, self.private, (offset + bytes * part as u32) as i32);
        }
    }

    pub(super) fn restore(&mut self, what: Kept) {
        let (variables, ty) = self.kept(what);
        let bytes = self.target.vector_bytes;
        let offset = self.suspend.place(what, bytes * variables.len() as u32);
        for (part, variable) in variables.iter().enumerate() {
            let value = self.b.ins().load(ty, own(), self.private, (offset + bytes * part as u32) as i32);
            self.b.def_var(*variable, value);
        }
    }

    /// Generates the block that a lane group enters when it ends or suspends, with the point that it reached. Then the
    /// next group runs or, when all groups have arrived at the same point, the first group resumes there.
    pub(super) fn close_groups(&mut self, arrive: cl::Block, group: &GroupLoop) {
        self.b.switch_to_block(arrive);
        let point = self.b.append_block_param(arrive, types::I32);
        let (index, first) = (group.index, group.first);
        let is_first = self.b.ins().icmp_imm_s(IntCC::Equal, index, 0);
        let agreed = self.b.ins().select(is_first, point, first);
        let (go_on, next, all, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block(), self.b.create_block());
        let same = self.b.ins().icmp(IntCC::Equal, point, agreed);
        let stop = self.b.ins().iconst(types::I32, i64::from(Stop::DivergentBarrier as u32));
        let parted = self.b.create_block();
        self.b.set_cold_block(parted);
        self.b.ins().brif(same, go_on, &[], parted, &[]);
        self.switch_sealed(parted);
        // The site of the last barrier that a group of this workgroup reached.
        let site = self.b.ins().load(types::I32, own(), self.constants.frame, SITE);
        self.b.ins().jump(self.flow.stopped, &[stop.into(), site.into()]);
        self.switch_sealed(go_on);
        let following = self.b.ins().iadd_imm_s(index, 1);
        let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, i64::from(group.groups));
        self.b.ins().brif(more, next, &[], all, &[]);
        self.switch_sealed(next);
        self.b.ins().jump(group.header, &[following.into(), group.point.into(), agreed.into()]);
        self.switch_sealed(all);
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().brif(agreed, group.header, &[zero.into(), agreed.into(), zero.into()], done, &[]);
        self.switch_sealed(done);
        self.b.ins().jump(group.next_workgroup, &[]);
    }
}

/// The loop over the lane groups of a workgroup with barriers.
pub(super) struct GroupLoop {
    /// The loop's first block, whose parameters are `index`, `point` and `first`.
    pub(super) header: cl::Block,
    /// The index of the current group.
    pub(super) index: cl::Value,
    /// The point at which groups resume.
    pub(super) point: cl::Value,
    /// The point that the first group reached.
    pub(super) first: cl::Value,
    /// The number of groups.
    pub(super) groups: u32,
    /// The block for the next workgroup.
    pub(super) next_workgroup: cl::Block,
}
