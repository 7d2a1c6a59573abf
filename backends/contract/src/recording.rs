//! Work as data.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{Access, KernelId, Library, MemoryId, Slot, hazards};

/// A range of bytes in one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The memory.
    pub memory: MemoryId,
    /// Bytes from its start.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
}

impl Region {
    /// Where it ends, in bytes from the start of the memory; `None` beyond what 64 bits count.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.bytes)
    }

    /// Whether the two share a byte.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        // A region without an end goes on to the last byte there can be.
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

/// How many workgroups run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// This many in x, y and z.
    Groups([u32; 3]),
    /// Three `u32` that lie at this offset of a memory when the dispatch runs.
    Indirect {
        /// The memory.
        memory: MemoryId,
        /// Bytes from its start; a multiple of 4.
        offset: u64,
    },
}

/// The memory or value that one binding of a dispatch is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A range of memory.
    Memory {
        /// The range.
        region: Region,
        /// The kernel's access to it.
        access: Access,
    },
    /// A uniform's value, in the recording's own bytes.
    Inline(Range<u32>),
}

/// One launch.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel.
    pub kernel: KernelId,
    /// Its name, for profiles and errors.
    pub label: Arc<str>,
    /// How many workgroups.
    pub grid: Grid,
    /// The bindings, as a range of [`Recording::bounds`]; in the order of the program's bindings.
    pub bounds: Range<u32>,
    /// The value of `var<immediate>`, as a range of [`Recording::bytes`].
    pub immediates: Range<u32>,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Command {
    /// Copies `source` to `target`: equal lengths, offsets and lengths multiples of 4. The two may
    /// lie in one memory when they do not overlap.
    Copy {
        /// Read.
        source: Region,
        /// Written.
        target: Region,
    },
    /// Repeats `pattern` over `target`; offset and length are multiples of 4.
    Fill {
        /// Written.
        target: Region,
        /// Four bytes, little-endian.
        pattern: u32,
    },
    /// Runs a kernel.
    Dispatch(Dispatch),
    /// Runs a routine of the vendor's.
    Library(Library),
}

/// Commands in the order in which they take effect.
///
/// Bindings and uniform values lie in arenas beside the commands, so that recording a launch
/// allocates nothing once the arenas have grown.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    commands: Vec<Command>,
    bounds: Vec<Bound>,
    bytes: Vec<u8>,
    /// Measure each dispatch: see [`Ticket::timings`](crate::Ticket::timings).
    pub timed: bool,
    /// The stream that the commands run on, below [`Caps::streams`](crate::Caps::streams). A backend
    /// takes one that it does not have for the first, 0.
    pub stream: u32,
    /// For a recording that will be submitted again: what a backend has made of it.
    slot: Option<Slot>,
    /// Counts changes.
    version: u64,
}

impl Recording {
    /// A recording with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A recording with nothing in it, that will be submitted again and again.
    #[must_use]
    pub fn kept() -> Self {
        Self { slot: Some(Slot::default()), ..Self::default() }
    }

    /// Where a backend keeps what it has made of this recording, and the version that it was made
    /// of must equal; `None` for a recording that is submitted once.
    #[must_use]
    pub fn slot(&self) -> Option<(&Slot, u64)> {
        self.slot.as_ref().map(|slot| (slot, self.version))
    }

    fn push(&mut self, command: Command) {
        self.version += 1;
        self.commands.push(command);
    }

    /// Appends a copy.
    pub fn copy(&mut self, source: Region, target: Region) {
        self.push(Command::Copy { source, target });
    }

    /// Appends a fill.
    pub fn fill(&mut self, target: Region, pattern: u32) {
        self.push(Command::Fill { target, pattern });
    }

    /// Appends a routine of the vendor's.
    pub fn library(&mut self, call: Library) {
        self.push(Command::Library(call));
    }

    /// Appends a dispatch. `bounds` come in the order of the program's bindings; `values` are the
    /// bytes to which their [`Bound::Inline`] ranges refer, counted from 0.
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

    /// The commands.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The bindings of all dispatches; nothing for a range that the recording does not have.
    #[must_use]
    pub fn bounds(&self, range: &Range<u32>) -> &[Bound] {
        self.bounds.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Uniform and immediate values of all dispatches; nothing for a range that the recording does not have.
    #[must_use]
    pub fn bytes(&self, range: &Range<u32>) -> &[u8] {
        self.bytes.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Forgets the commands and keeps the arenas' capacity, and the stream.
    pub fn clear(&mut self) {
        self.version += 1;
        self.commands.clear();
        self.bounds.clear();
        self.bytes.clear();
        self.timed = false;
    }

    /// Calls `visit` with every region that `command` touches.
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

    /// How many times a command must wait for an earlier one: read after write, write after read
    /// or write after write on a shared byte, each of which ends everything before it.
    #[must_use]
    pub fn barriers(&self) -> u64 {
        hazards::count(self)
    }
}

fn len32<T>(items: &[T]) -> u32 {
    // 4 GiB of uniform values in one recording cannot be: the stream submits long before.
    u32::try_from(items.len()).expect("a recording's arena stays below 2^32 entries")
}

/// One command a line, in the form that snapshots use.
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
