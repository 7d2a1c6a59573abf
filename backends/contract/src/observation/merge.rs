//! Sums of the counts of several dispatches.

use super::{ObservedAccess, ObservedBranch, ObservedBuffer, ObservedKernel};

impl ObservedKernel {
    /// Adds the counts of other dispatches of the same kernel.
    pub(super) fn merge(&mut self, other: Self) {
        self.dispatches += other.dispatches;
        self.workgroups += other.workgroups;
        self.observed += other.observed;
        self.workgroup_bytes = self.workgroup_bytes.max(other.workgroup_bytes);
        self.mix += other.mix;
        self.lanes.iter_mut().zip(other.lanes).for_each(|(sum, counts)| *sum += counts);
        other.buffers.into_iter().for_each(|buffer| self.add_buffer(buffer));
        other.accesses.into_iter().for_each(|access| self.add_access(access));
        other.branches.into_iter().for_each(|branch| self.add_branch(branch));
    }

    fn add_buffer(&mut self, buffer: ObservedBuffer) {
        match self.buffers.iter_mut().find(|known| known.name == buffer.name) {
            Some(known) => {
                known.bytes = known.bytes.max(buffer.bytes);
                known.read += buffer.read;
                known.written += buffer.written;
            }
            None => self.buffers.push(buffer),
        }
    }

    /// Adds the counts of an access site to those of the same site, if there are any.
    pub fn add_access(&mut self, access: ObservedAccess) {
        let key = |one: &ObservedAccess| {
            (one.at.line, one.at.column, one.space, one.bytes, one.touch.name(), one.variable.clone())
        };
        match self.accesses.binary_search_by(|known| key(known).cmp(&key(&access))) {
            Ok(index) => {
                let known = &mut self.accesses[index];
                known.invocations += access.invocations;
                known.extent = [known.extent[0].min(access.extent[0]), known.extent[1].max(access.extent[1])];
                known.common &= access.common;
                known.stride = known.stride.filter(|_| known.stride == access.stride);
                known.counts.iter_mut().zip(access.counts).for_each(|(sum, counts)| *sum += counts);
            }
            Err(index) => self.accesses.insert(index, access),
        }
    }

    /// Adds the counts of a branch to those of the same branch, if there are any.
    pub fn add_branch(&mut self, branch: ObservedBranch) {
        let key = |one: &ObservedBranch| (one.at.line, one.at.column, one.is_loop);
        match self.branches.binary_search_by(|known| key(known).cmp(&key(&branch))) {
            Ok(index) => {
                let known = &mut self.branches[index];
                known.counts.iter_mut().zip(branch.counts).for_each(|(sum, counts)| *sum += counts);
            }
            Err(index) => self.branches.insert(index, branch),
        }
    }
}
