//! Counts the commands that must wait for an earlier command, by the memory regions that the commands access.

use crate::{Access, MemoryId, Recording};

/// The bytes of one memory that commands accessed since the last barrier, widened to one range of reads and one range
/// of writes. Widening a range can add a barrier, but never lose one.
struct Touched {
    memory: MemoryId,
    reads: (u64, u64),
    writes: (u64, u64),
}

const NOTHING: (u64, u64) = (u64::MAX, 0);

/// The largest number of memories accessed since the last barrier. If there are more, the next command counts as
/// waiting, so that each command is compared with a limited number of memories.
const MAX_TRACKED: usize = 64;

pub(crate) fn count(recording: &Recording) -> u64 {
    if recording.commands().len() < 2 {
        return 0;
    }
    let mut barriers = 0;
    let mut touched: Vec<Touched> = Vec::with_capacity(8);
    for command in recording.commands() {
        let mut conflict = touched.len() > MAX_TRACKED;
        recording.visit_regions(command, |region, access| {
            let range = (region.offset, region.end().unwrap_or(u64::MAX));
            if let Some(seen) = touched.iter().find(|seen| seen.memory == region.memory) {
                conflict |= overlap(seen.writes, range);
                conflict |= access == Access::Write && overlap(seen.reads, range);
            }
        });
        if conflict {
            barriers += 1;
            touched.clear();
        }
        recording.visit_regions(command, |region, access| {
            let range = (region.offset, region.end().unwrap_or(u64::MAX));
            let index = touched.iter().position(|seen| seen.memory == region.memory).unwrap_or_else(|| {
                touched.push(Touched { memory: region.memory, reads: NOTHING, writes: NOTHING });
                touched.len() - 1
            });
            let side = match access {
                Access::Read => &mut touched[index].reads,
                Access::Write => &mut touched[index].writes,
            };
            *side = (side.0.min(range.0), side.1.max(range.1));
        });
    }
    barriers
}

fn overlap(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Region;

    fn region(memory: u64, offset: u64) -> Region {
        Region { memory: MemoryId(memory), offset, bytes: 16 }
    }

    #[test]
    fn a_chain_waits_at_each_link_and_independent_work_never() {
        let mut chain = Recording::new();
        for link in 0..4 {
            chain.copy(region(link, 0), region(link + 1, 0));
        }
        assert_eq!(chain.barriers(), 3);

        let mut apart = Recording::new();
        for pair in 0..4 {
            apart.copy(region(2 * pair, 0), region(2 * pair + 1, 0));
        }
        assert_eq!(apart.barriers(), 0);
    }

    #[test]
    fn disjoint_ranges_of_one_memory_do_not_wait() {
        let mut recording = Recording::new();
        recording.fill(region(1, 0), 0);
        recording.fill(region(1, 16), 0);
        assert_eq!(recording.barriers(), 0);
        recording.fill(region(1, 8), 0);
        assert_eq!(recording.barriers(), 1);
    }

    #[test]
    fn write_after_read_waits_and_read_after_read_does_not() {
        let mut recording = Recording::new();
        recording.copy(region(1, 0), region(2, 0));
        recording.copy(region(1, 0), region(3, 0));
        assert_eq!(recording.barriers(), 0);
        recording.fill(region(1, 0), 0);
        assert_eq!(recording.barriers(), 1);
    }
}
