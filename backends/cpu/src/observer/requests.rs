//! The cost of one access of a warp: sectors of memory, and passes over the banks of workgroup memory.
//!
//! The rules are those of NVIDIA's GPUs, as the counters `l1tex__t_sectors`, `l1tex__t_requests` and
//! `l1tex__data_pipe_lsu_wavefronts` report them: memory is transferred in sectors of 32 bytes, and workgroup memory
//! has 32 banks of 4 bytes. Accesses of 8 bytes go through the banks by half warps, those of 16 bytes by quarter warps.

use anywarp_backend::RequestCounts;

/// The bytes of a sector.
const SECTOR: u64 = 32;
/// The number of banks of workgroup memory, and the bytes of a word.
const BANKS: usize = 32;
const WORD: u64 = 4;

/// The widest access of one invocation in a request.
pub(super) const WIDEST: u32 = 16;

/// The addresses of one request: one for each active lane.
pub(super) struct Request<'a> {
    pub(super) addresses: &'a [u64],
    pub(super) bytes: u32,
    pub(super) is_atomic: bool,
}

impl Request<'_> {
    /// Counts a request to a buffer. `room` is memory for the computation.
    pub(super) fn of_buffer(&self, room: &mut Vec<u64>) -> RequestCounts {
        let sectors = self.distinct(SECTOR, room);
        let bytes = self.distinct_bytes(room);
        RequestCounts { sectors, ideal_sectors: bytes.div_ceil(SECTOR), ..self.common(room) }
    }

    /// Counts a request to workgroup memory.
    pub(super) fn of_workgroup(&self, room: &mut Vec<u64>) -> RequestCounts {
        let lanes_at_once = match self.bytes {
            0..=4 => usize::MAX,
            5..=8 => 16,
            _ => 8,
        };
        let (mut wavefronts, mut ideal_wavefronts) = (0, 0);
        for part in self.addresses.chunks(lanes_at_once.min(self.addresses.len().max(1))) {
            room.clear();
            let words = |address: &u64| *address / WORD..(address + u64::from(self.bytes)).div_ceil(WORD);
            room.extend(part.iter().flat_map(words));
            room.sort_unstable();
            room.dedup();
            let mut in_bank = [0u64; BANKS];
            for word in room.iter() {
                in_bank[*word as usize % BANKS] += 1;
            }
            wavefronts += in_bank.into_iter().max().unwrap_or(0);
            ideal_wavefronts += (room.len() as u64).div_ceil(BANKS as u64);
        }
        let common = self.common(room);
        if self.is_atomic {
            // Atomics on one word follow each other.
            wavefronts = wavefronts.max(common.contention);
        }
        RequestCounts { wavefronts, ideal_wavefronts, ..common }
    }

    fn common(&self, room: &mut Vec<u64>) -> RequestCounts {
        let lanes = self.addresses.len() as u64;
        let first = self.addresses.first();
        let uniform = lanes > 1 && self.addresses.iter().all(|address| Some(address) == first);
        let contention = if self.is_atomic { self.most_equal(room) } else { 0 };
        RequestCounts { requests: 1, lanes, uniform: u64::from(uniform), contention, ..RequestCounts::default() }
    }

    /// The number of different units of this size that the lanes touch.
    fn distinct(&self, unit: u64, room: &mut Vec<u64>) -> u64 {
        room.clear();
        for address in self.addresses {
            room.extend(address / unit..(address + u64::from(self.bytes)).div_ceil(unit));
        }
        room.sort_unstable();
        room.dedup();
        room.len() as u64
    }

    /// The number of different bytes that the lanes touch; accesses may overlap.
    fn distinct_bytes(&self, room: &mut Vec<u64>) -> u64 {
        room.clear();
        room.extend_from_slice(self.addresses);
        room.sort_unstable();
        let (mut bytes, mut end) = (0, 0);
        for start in room.iter() {
            let next = start + u64::from(self.bytes);
            bytes += next - (*start).max(end).min(next);
            end = end.max(next);
        }
        bytes
    }

    /// The largest number of lanes that access the same address.
    fn most_equal(&self, room: &mut Vec<u64>) -> u64 {
        room.clear();
        room.extend_from_slice(self.addresses);
        room.sort_unstable();
        room.chunk_by(|a, b| a == b).map(|equal| equal.len() as u64).max().unwrap_or(0)
    }
}

/// The sectors that an access touches.
pub(super) fn sectors(address: u64, bytes: u32) -> std::ops::Range<u64> {
    address / SECTOR..(address + u64::from(bytes)).div_ceil(SECTOR)
}

/// The accesses of at most 16 bytes into which one of `bytes` bytes at this alignment is divided: pairs of offset and
/// size, the sizes powers of two.
pub(super) fn parts(offset: u32, bytes: u32, align: u32) -> impl Iterator<Item = (u32, u32)> {
    let end = offset + bytes;
    let mut at = offset;
    std::iter::from_fn(move || {
        let left = end.checked_sub(at).filter(|left| *left > 0)?;
        let aligned = 1 << at.trailing_zeros().min(align.trailing_zeros()).min(WIDEST.trailing_zeros());
        let size = aligned.min(1 << left.ilog2());
        at += size;
        Some((at - size, size))
    })
}
