//! Copies and fills, on the host's memory. The recording was checked.

use std::sync::atomic::Ordering;

use anywarp_backend::{Command, Recording, Region};

use crate::check::Memories;
use crate::memory::Memory;

/// Carries out everything but dispatches.
pub(crate) fn execute(memories: &Memories, recording: &Recording) {
    for command in recording.commands() {
        match command {
            Command::Copy { source, target } => {
                if let (Some(from), Some(to)) = (memories.get(&source.memory), memories.get(&target.memory)) {
                    copy(from, *source, to, *target);
                }
            }
            Command::Fill { target, pattern } => {
                if let Some(memory) = memories.get(&target.memory) {
                    words(*target).for_each(|at| memory.word(at).store(*pattern, Ordering::Relaxed));
                }
            }
            Command::Dispatch(_) | Command::Library(_) => {}
        }
    }
}

fn copy(from: &Memory, source: Region, to: &Memory, target: Region) {
    for (source, target) in words(source).zip(words(target)) {
        to.word(target).store(from.word(source).load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

fn words(region: Region) -> impl Iterator<Item = u64> {
    (region.offset..region.offset + region.bytes).step_by(4)
}
