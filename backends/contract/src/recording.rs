//! Recordings: the work of a submission as data.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{Access, KernelId, Library, MemoryId, Slot, hazards};

/// A range of bytes in one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The memory that the range is in.
    pub memory: MemoryId,
    /// The start of the range, in bytes from the start of the memory.
    pub offset: u64,
    /// The length of the range in bytes.
    pub bytes: u64,
}

impl Region {
    /// The end of the range in bytes from the start of the memory; `None` if it does not fit 64 bits.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.bytes)
    }

    /// Whether the two regions share a byte.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        // A region whose end does not fit 64 bits is taken to extend to the last possible byte.
        let end = |region: &Self| region.end().unwrap_or(u64::MAX);
        self.memory == other.memory && self.offset < end(other) && other.offset < end(self)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = u128::from(self.offset) + u128::from(self.bytes);
        write!(f, "{:?}[{}..{end}]", self.memory, self.offset)
    }
}

/// The number of workgroups of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// Fixed numbers of workgroups in x, y and z.
    Groups([u32; 3]),
    /// Three `u32` that are read from a memory when the dispatch runs: the numbers of workgroups in x, y and z.
    Indirect {
        /// The memory that contains the three numbers.
        memory: MemoryId,
        /// The offset of the three numbers in bytes; a multiple of 4.
        offset: u64,
    },
}

/// The memory or value that a dispatch passes to one binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A range of memory.
    Memory {
        /// The range of memory.
        region: Region,
        /// The kernel's access to the range.
        access: Access,
    },
    /// The value of a uniform variable, as a range of [`Recording::bytes`].
    Inline(Range<u32>),
}

/// One launch of a kernel, with its bindings and its number of workgroups.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel to run.
    pub kernel: KernelId,
    /// The kernel's name, for profiles and errors.
    pub label: Arc<str>,
    /// The number of workgroups.
    pub grid: Grid,
    /// The memory or value of each binding, as a range of [`Recording::bounds`], in the order of the program's
    /// bindings.
    pub bounds: Range<u32>,
    /// The value of `var<immediate>`, as a range of [`Recording::bytes`].
    pub immediates: Range<u32>,
}

/// A command of a recording: a copy, a fill, a dispatch or a library call.
#[derive(Clone, Debug)]
pub enum Command {
    /// Copies `source` to `target`. The two lengths are equal; offsets and lengths are multiples of 4. Both regions may
    /// be in one memory if they do not overlap.
    Copy {
        /// The region that is read.
        source: Region,
        /// The region that is written.
        target: Region,
    },
    /// Repeats `pattern` over `target`; offset and length are multiples of 4.
    Fill {
        /// The region that is written.
        target: Region,
        /// The four bytes to repeat, as a little-endian number.
        pattern: u32,
    },
    /// Runs a kernel.
    Dispatch(Dispatch),
    /// Runs a routine of the vendor's library.
    Library(Library),
}

/// Commands in the order in which they take effect.
///
/// Bindings and uniform values are stored in arenas beside the commands, so that recording a launch allocates nothing
/// once the arenas have grown.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    commands: Vec<Command>,
    bounds: Vec<Bound>,
    bytes: Vec<u8>,
    /// Whether each dispatch is timed, and each copy and fill where the backend can do so: see
    /// [`Ticket::timings`](crate::Ticket::timings).
    pub timed: bool,
    /// The stream that the commands run on, below [`Caps::streams`](crate::Caps::streams). A backend uses stream 0 in
    /// place of a larger number.
    pub stream: u32,
    /// The control words of a resident dispatch, two words of [`MemoryKind::Exchange`](crate::MemoryKind::Exchange)
    /// memory; `None` for all other work.
    ///
    /// A resident recording has one dispatch with a fixed grid of at most
    /// [`Persistent::max_residents`](crate::Persistent::max_residents) workgroups, whose buffers are exchange memory,
    /// or [`MemoryKind::Device`](crate::MemoryKind::Device) memory that nothing else uses meanwhile and whose earlier
    /// uses have ended. The device repeats each workgroup, independently of the others, until the first control word is not
    /// zero: private and workgroup memory, and the limits of loops, begin anew with each repetition. The submission does
    /// not wait for other work, and no other work waits for it; its ticket is done when no workgroup runs any more. A
    /// workgroup that is [stopped](crate::BackendError::Stopped) ends the whole dispatch. The host increments the second
    /// control word when it has written words that concern a workgroup: a device may repeat workgroups less often while
    /// that word stays the same.
    pub resident: Option<Region>,
    /// The slot for the backend's prepared form of the recording; `None` for a recording that is submitted once.
    slot: Option<Slot>,
    /// The version of the recording, incremented with every change.
    version: u64,
}

impl Recording {
    /// Returns an empty recording.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty recording that will be submitted repeatedly.
    #[must_use]
    pub fn kept() -> Self {
        Self { slot: Some(Slot::default()), ..Self::default() }
    }

    /// The slot in which a backend keeps its prepared form of this recording, and the recording's version: a prepared
    /// form of another version is stale. `None` for a recording that is submitted once.
    #[must_use]
    pub fn slot(&self) -> Option<(&Slot, u64)> {
        self.slot.as_ref().map(|slot| (slot, self.version))
    }

    fn push(&mut self, command: Command) {
        self.version += 1;
        self.commands.push(command);
    }

    /// Appends a copy of `source` to `target`.
    pub fn copy(&mut self, source: Region, target: Region) {
        self.push(Command::Copy { source, target });
    }

    /// Appends a fill of `target` with a repeated `pattern`.
    pub fn fill(&mut self, target: Region, pattern: u32) {
        self.push(Command::Fill { target, pattern });
    }

    /// Appends a call of a library routine.
    pub fn library(&mut self, call: Library) {
        self.push(Command::Library(call));
    }

    /// Appends a dispatch. `bounds` are in the order of the program's bindings; `values` are the bytes to which the
    /// ranges of [`Bound::Inline`] in `bounds` refer; these ranges count from the start of `values`.
    pub fn dispatch(
        &mut self,
        kernel: KernelId,
        label: &Arc<str>,
        grid: Grid,
        bounds: impl IntoIterator<Item = Bound>,
        values: &[u8],
        immediates: &[u8],
    ) {
        let base = len32(&self.bytes);
        self.bytes.extend_from_slice(values);
        let first = len32(&self.bounds);
        self.bounds.extend(bounds.into_iter().map(|bound| match bound {
            Bound::Inline(range) => Bound::Inline(range.start.saturating_add(base)..range.end.saturating_add(base)),
            memory @ Bound::Memory { .. } => memory,
        }));
        let bounds = first..len32(&self.bounds);
        let start = len32(&self.bytes);
        self.bytes.extend_from_slice(immediates);
        let immediates = start..len32(&self.bytes);
        let label = Arc::clone(label);
        self.push(Command::Dispatch(Dispatch { kernel, label, grid, bounds, immediates }));
    }

    /// The recorded commands, in order.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The bindings in `range`; empty for a range outside of the recording.
    #[must_use]
    pub fn bounds(&self, range: &Range<u32>) -> &[Bound] {
        self.bounds.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The uniform and immediate values in `range`; empty for a range outside of the recording.
    #[must_use]
    pub fn bytes(&self, range: &Range<u32>) -> &[u8] {
        self.bytes.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Whether the recording has no commands.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Removes the commands and the request for timings; keeps the arenas' capacity and the stream.
    pub fn clear(&mut self) {
        self.version += 1;
        self.commands.clear();
        self.bounds.clear();
        self.bytes.clear();
        self.timed = false;
        self.resident = None;
    }

    /// Calls `visit` with every region that `command` accesses.
    pub fn visit_regions(&self, command: &Command, mut visit: impl FnMut(Region, Access)) {
        match command {
            Command::Copy { source, target } => {
                visit(*source, Access::Read);
                visit(*target, Access::Write);
            }
            Command::Fill { target, .. } => visit(*target, Access::Write),
            Command::Library(call) => call.visit_regions(visit),
            Command::Dispatch(dispatch) => {
                for bound in self.bounds(&dispatch.bounds) {
                    if let Bound::Memory { region, access } = bound {
                        visit(*region, *access);
                    }
                }
                if let Grid::Indirect { memory, offset } = dispatch.grid {
                    visit(Region { memory, offset, bytes: 12 }, Access::Read);
                }
            }
        }
    }

    /// The number of times that a command must wait for earlier commands: read after write, write after read or write
    /// after write on a shared byte. A command that waits for several earlier commands counts once.
    #[must_use]
    pub fn barriers(&self) -> u64 {
        hazards::count(self)
    }
}

fn len32<T>(items: &[T]) -> u32 {
    // One recording never holds 4 GiB of uniform values: the user's stream submits the recording long before it is so
    // large.
    u32::try_from(items.len()).expect("a recording's arena stays below 2^32 entries")
}

/// The text form that snapshots use: one command per line.
impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for command in &self.commands {
            match command {
                Command::Copy { source, target } => writeln!(f, "copy {source} -> {target}")?,
                Command::Fill { target, pattern } => writeln!(f, "fill {target} with {pattern:#010x}")?,
                Command::Library(call) => writeln!(f, "{call}")?,
                Command::Dispatch(dispatch) => {
                    write!(f, "dispatch {} ", dispatch.label)?;
                    match dispatch.grid {
                        Grid::Groups([x, y, z]) => write!(f, "[{x}, {y}, {z}]")?,
                        Grid::Indirect { memory, offset } => write!(f, "indirect {memory:?}[{offset}..]")?,
                    }
                    for bound in self.bounds(&dispatch.bounds) {
                        match bound {
                            Bound::Memory { region, access: Access::Read } => write!(f, " read {region}")?,
                            Bound::Memory { region, access: Access::Write } => write!(f, " write {region}")?,
                            Bound::Inline(range) => write!(f, " value {:02x?}", self.bytes(range))?,
                        }
                    }
                    if !dispatch.immediates.is_empty() {
                        write!(f, " immediate {:02x?}", self.bytes(&dispatch.immediates))?;
                    }
                    writeln!(f)?;
                }
            }
        }
        Ok(())
    }
}
