//! The rules for resident recordings: one dispatch of few workgroups, with exchange memory and memory of the device.

use anywarp_backend::{BackendError, Caps, Command, Grid, MemoryKind, Recording, Region};

use super::Resources;

/// The kinds of memory that resident kernels may access.
pub(super) const OF_RESIDENTS: &[MemoryKind] = &[MemoryKind::Exchange, MemoryKind::Inbox, MemoryKind::Device];

/// The size of the control words in bytes.
const CONTROL: u64 = 8;

/// Checks what concerns the recording as a whole; its dispatch is checked like any other.
pub(super) fn check(
    recording: &Recording,
    control: Region,
    caps: &Caps,
    resources: &impl Resources,
) -> Result<(), BackendError> {
    let wrong = |problem: String| Err(BackendError::rejected("submitting", format!("a resident dispatch {problem}")));
    let Some(persistent) = caps.persistent else {
        return wrong("is not possible on this device: `Caps::persistent` is `None`".to_owned());
    };
    let [Command::Dispatch(dispatch)] = recording.commands() else {
        let count = recording.commands().len();
        return wrong(format!("must be the only command of its recording, which has {count} commands"));
    };
    if recording.timed {
        return wrong("cannot be timed, because it ends when the host stops it".to_owned());
    }
    let Grid::Groups(groups) = dispatch.grid else {
        return wrong("must have a grid of fixed size".to_owned());
    };
    let (count, most) = (groups.iter().map(|count| u64::from(*count)).product::<u64>(), persistent.max_residents);
    if count > u64::from(most) {
        return wrong(format!("of {count} workgroups is above this device's limit of {most}"));
    }
    let memory = resources.memory(control.memory).ok_or(BackendError::UnknownMemory(control.memory))?;
    let fits = control.offset.is_multiple_of(4)
        && control.bytes == CONTROL
        && control.end().is_some_and(|end| end <= memory.bytes)
        && memory.kind == MemoryKind::Exchange;
    if !fits {
        return wrong(format!(
            "needs {CONTROL} bytes of exchange memory for its control words, got {control} of {} bytes of {} memory",
            memory.bytes, memory.kind
        ));
    }
    Ok(())
}
