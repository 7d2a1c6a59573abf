//! The counts themselves: sums over the warps that were observed.

use std::ops::AddAssign;

macro_rules! summed {
    ($(#[$doc:meta])* $name:ident { $($(#[$line:meta])* $field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$line])* pub $field: u64),* }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) { $(self.$field = self.$field.saturating_add(other.$field);)* }
        }
    };
}

summed! {
    /// Counts of an access site for one warp size. A *request* is one access instruction of a warp, for at most 16 bytes
    /// of each invocation; wider accesses are several requests.
    RequestCounts {
        /// The requests.
        requests,
        /// The invocations that took part in them.
        lanes,
        /// The different sectors of 32 bytes that each request touches, summed up. The unit in which memory is
        /// transferred.
        sectors,
        /// The least number of sectors that could hold the different bytes of each request.
        ideal_sectors,
        /// Workgroup memory: the passes over the 32 banks of 4 bytes. One pass reads one word of each bank.
        wavefronts,
        /// Workgroup memory: the passes of conflict-free requests.
        ideal_wavefronts,
        /// The requests in which all invocations access the same bytes, and there are at least two of them.
        uniform,
        /// For atomics: in each request, the largest number of invocations that access the same bytes, summed up.
        contention,
    }
}

summed! {
    /// Counts of a branch or a loop for one warp size.
    BranchCounts {
        /// The warps that arrived at the branch; for a loop, the warps that began an iteration.
        warps,
        /// Those whose invocations then differed: some took the branch, or began the iteration, and others did not.
        diverged,
        /// The lane instructions inside the branch that were lost, because lanes waited for others of their warp.
        lost,
    }
}

summed! {
    /// The instructions of all lanes for one warp size.
    LaneCounts {
        /// The instructions that lanes executed, each counted once per active invocation.
        executed,
        /// The same instructions, each counted once per lane of the warp, active or not.
        issued,
    }
}

summed! {
    /// Operations, each counted once per invocation that executes it.
    Mix {
        /// Floating-point operations; a fused multiplication and addition counts as two.
        float,
        /// Integer operations, comparisons, selections and conversions.
        integer,
        /// Divisions, roots and the functions of the library, such as `sin`.
        special,
        /// Bytes read from storage and uniform buffers.
        read,
        /// Bytes written to storage buffers; an atomic counts as a read and a write.
        written,
    }
}

impl LaneCounts {
    /// The share of lanes that were active, from 0 to 1; 1 without instructions.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        if self.issued == 0 { 1.0 } else { self.executed as f64 / self.issued as f64 }
    }
}

impl RequestCounts {
    /// Sectors per request; 0 without requests.
    #[must_use]
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
    }

    /// Sectors per request of an access without waste; 0 without requests.
    #[must_use]
    pub fn ideal_per_request(&self) -> f64 {
        ratio(self.ideal_sectors, self.requests)
    }

    /// Wavefronts per request of workgroup memory; 0 without requests.
    #[must_use]
    pub fn wavefronts_per_request(&self) -> f64 {
        ratio(self.wavefronts, self.requests)
    }
}

fn ratio(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}
