//! Launches, and their arguments.

use std::ffi::c_void;
use std::ops::Range;

use anywarp_backend::BackendError;

use super::{Module, Stream};

/// The alignment of arguments in bytes.
const ALIGNMENT: usize = 16;

/// The numbers of blocks and threads of a launch, and its dynamic shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchShape {
    pub(crate) blocks: [u32; 3],
    /// The number of threads of a block in each dimension.
    pub(crate) threads: [u32; 3],
    /// Dynamic shared memory in bytes, in addition to the memory that the kernel declares.
    pub(crate) dynamic_shared: u32,
}

/// The arguments of several launches, in order.
#[derive(Default)]
pub(crate) struct Arguments {
    bytes: Vec<u8>,
    /// The offset of each argument in `bytes`.
    offsets: Vec<usize>,
}

/// Space for the addresses of one launch's arguments, reused so that a launch allocates nothing.
#[derive(Default)]
pub(crate) struct Pointers(Vec<*mut c_void>);

// SAFETY: each launch overwrites the pointers before they are read.
unsafe impl Send for Pointers {}

impl Arguments {
    /// Returns the number of arguments so far.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Appends an argument of `length` bytes, padded with zeros; returns its offset.
    pub(crate) fn push(&mut self, bytes: &[u8], length: usize) -> usize {
        let start = self.bytes.len();
        self.offsets.push(start);
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(length)]);
        self.bytes.resize((start + length).next_multiple_of(ALIGNMENT), 0);
        start
    }

    /// Writes an address to the argument at the offset `place`.
    pub(crate) fn set_address(&mut self, place: usize, address: u64) {
        self.bytes[place..place + 8].copy_from_slice(&address.to_le_bytes());
    }

    /// Removes all arguments, and keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.clear();
    }
}

impl Module {
    /// Enqueues a launch with a range of the arguments: one argument for each parameter of the kernel, in the order of
    /// the parameters. Each argument has the length that the kernel's translation lists for its parameter.
    pub(crate) fn launch(
        &self,
        stream: &Stream,
        shape: &LaunchShape,
        arguments: &Arguments,
        range: Range<usize>,
        Pointers(pointers): &mut Pointers,
    ) -> Result<(), BackendError> {
        // The driver only reads arguments, but its function expects mutable pointers.
        let bytes = arguments.bytes.as_ptr().cast_mut();
        pointers.clear();
        pointers.extend(arguments.offsets[range].iter().map(|offset| bytes.wrapping_add(*offset).cast::<c_void>()));
        let LaunchShape { blocks, threads, dynamic_shared } = *shape;
        let driver = self.context.driver;
        // SAFETY: reasons 1, 3 and 4 in `safe/mod.rs`; each argument has its bytes in `arguments`.
        let launched =
            unsafe { driver.launch(self.function(), blocks, threads, dynamic_shared, stream.raw(), pointers) };
        self.context.check("submitting", launched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_aligned_and_padded() {
        let mut arguments = Arguments::default();
        let places = [arguments.push(&[1, 2], 4), arguments.push(&[3; 24], 24), arguments.push(&[4; 9], 8)];
        assert_eq!((places, arguments.count(), arguments.bytes.len()), ([0, 16, 48], 3, 64));
        assert_eq!(
            (&arguments.bytes[..4], &arguments.bytes[48..64]),
            (&[1, 2, 0, 0][..], &[4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0][..])
        );
        arguments.set_address(48, 7);
        assert_eq!(arguments.bytes[48..56], 7_u64.to_le_bytes());
        arguments.clear();
        assert_eq!(arguments.count(), 0);
    }
}
