//! The table: what each step moves where the device has memory of its own.

use crate::world::BYTES;
use crate::world::Step::{self, *};

pub(crate) const NOTHING: [u64; 4] = [0; 4];

pub(crate) fn up(transfers: u64, bytes: u64) -> [u64; 4] {
    [transfers, bytes, 0, 0]
}

pub(crate) fn down(transfers: u64, bytes: u64) -> [u64; 4] {
    [0, 0, transfers, bytes]
}

/// Steps, each with the transfers and bytes that it uploads and downloads.
pub(crate) type Row = (&'static str, Vec<(Step, [u64; 4])>);

pub(crate) fn from_the_host() -> Vec<Row> {
    let all_up = up(1, BYTES);
    let all_down = down(1, BYTES);
    vec![
        ("written and read back never leaves", vec![(Write, NOTHING), (Read, NOTHING), (Read, NOTHING)]),
        ("written twice leaves once", vec![(Write, NOTHING), (Write, NOTHING), (LaunchRead, all_up)]),
        (
            "a launch uploads once",
            vec![(Write, NOTHING), (LaunchRead, all_up), (LaunchRead, NOTHING), (CopyTo, NOTHING)],
        ),
        (
            "what was uploaded comes back once",
            vec![(Write, NOTHING), (LaunchRead, all_up), (Read, all_down), (LaunchRead, NOTHING), (Read, NOTHING)],
        ),
        ("a copy on the device uploads", vec![(Write, NOTHING), (CopyTo, all_up), (CopyTo, NOTHING)]),
        (
            "parts leave as parts",
            vec![(WritePart(0..16), NOTHING), (WritePart(32..40), NOTHING), (LaunchRead, up(2, 96))],
        ),
        (
            "overlapping parts leave in order",
            vec![(WritePart(0..32), NOTHING), (WritePart(16..48), NOTHING), (LaunchRead, up(2, 256)), (Read, all_down)],
        ),
        (
            "a part that is overwritten as a whole does not leave",
            vec![(WritePart(8..16), NOTHING), (Write, NOTHING), (LaunchRead, all_up)],
        ),
        (
            "a slice that is bound brings all that is new",
            vec![(Write, NOTHING), (LaunchReadPart(64..128), all_up), (LaunchReadPart(0..64), NOTHING)],
        ),
        (
            "a part written later leaves alone",
            vec![
                (Write, NOTHING),
                (LaunchRead, all_up),
                (WritePart(100..104), NOTHING),
                (ReadPart(100..104), NOTHING),
                (LaunchRead, up(1, 16)),
            ],
        ),
        (
            "reading around a part that is only on the host",
            vec![(WritePart(0..64), NOTHING), (ReadPart(0..64), NOTHING), (Read, [1, 256, 1, BYTES])],
        ),
    ]
}

pub(crate) fn from_the_device() -> Vec<Row> {
    let all_down = down(1, BYTES);
    vec![
        ("untouched is zeros on the device", vec![(Read, all_down), (Read, NOTHING)]),
        (
            "never read is never moved",
            vec![(Fill, NOTHING), (CopyTo, NOTHING), (LaunchWrite, NOTHING), (Wait, NOTHING)],
        ),
        (
            "a launch that only reads leaves the host's copy",
            vec![(Read, all_down), (LaunchRead, NOTHING), (Read, NOTHING)],
        ),
        (
            "a launch that writes makes it stale",
            vec![(Read, all_down), (LaunchWrite, NOTHING), (Read, all_down), (Read, NOTHING)],
        ),
        (
            "a slice that was written makes just itself stale",
            vec![
                (Read, all_down),
                (LaunchWritePart(64..128), NOTHING),
                (ReadPart(0..64), NOTHING),
                (ReadPart(128..256), NOTHING),
                (Read, down(1, 256)),
            ],
        ),
        (
            "stale slices come one by one",
            vec![
                (Read, all_down),
                (LaunchWritePart(0..64), NOTHING),
                (LaunchWritePart(128..192), NOTHING),
                (Read, down(2, 512)),
                (Read, NOTHING),
            ],
        ),
        (
            "a part is read as a part",
            vec![(Fill, NOTHING), (ReadPart(8..16), down(1, 32)), (ReadPart(8..16), NOTHING), (Read, all_down)],
        ),
        (
            "a part that is read again stays with the rest",
            vec![
                (Read, all_down),
                (LaunchWritePart(64..128), NOTHING),
                (ReadPart(64..128), down(1, 256)),
                (Read, NOTHING),
            ],
        ),
        ("a fill makes its range stale", vec![(Read, all_down), (FillPart(4..8), NOTHING), (Read, down(1, 16))]),
        ("so does a copy", vec![(Read, all_down), (CopyPartFrom(4..8), NOTHING), (Read, down(1, 16))]),
        ("and a copy of everything", vec![(Read, all_down), (CopyFrom, NOTHING), (Read, all_down)]),
        ("being copied from does not", vec![(Read, all_down), (CopyTo, NOTHING), (Read, NOTHING)]),
    ]
}

pub(crate) fn from_both() -> Vec<Row> {
    let all_up = up(1, BYTES);
    let all_down = down(1, BYTES);
    vec![
        (
            "a fill supersedes what was written",
            vec![(Write, NOTHING), (Fill, NOTHING), (Wait, NOTHING), (Read, all_down)],
        ),
        ("a copy supersedes it too", vec![(Write, NOTHING), (CopyFrom, NOTHING), (Wait, NOTHING), (Read, all_down)]),
        (
            "a fill of a part supersedes that part",
            vec![
                (WritePart(0..16), NOTHING),
                (WritePart(32..40), NOTHING),
                (FillPart(0..16), up(1, 32)),
                (Read, all_down),
            ],
        ),
        ("a fill of less supersedes nothing", vec![(Write, NOTHING), (FillPart(0..16), all_up), (Read, all_down)]),
        (
            "an update reads, then uploads",
            vec![(Update, all_down), (Read, NOTHING), (LaunchRead, all_up), (Read, all_down)],
        ),
        ("an update that only looks uploads nothing", vec![(Look, all_down), (LaunchRead, NOTHING), (Read, NOTHING)]),
        (
            "an update of a part moves that part",
            vec![
                (Fill, NOTHING),
                (UpdatePart(16..32), down(1, 64)),
                (LaunchRead, up(1, 64)),
                (ReadPart(16..32), down(1, 64)),
            ],
        ),
        (
            "an update of what was written moves nothing by itself",
            vec![(Write, NOTHING), (Update, NOTHING), (Update, NOTHING), (LaunchRead, all_up)],
        ),
        (
            "an update of a part of what was written leaves after it",
            vec![(Write, NOTHING), (UpdatePart(0..16), NOTHING), (LaunchRead, up(2, BYTES + 64)), (Read, all_down)],
        ),
        (
            "a write into a copy that is in step leaves the rest in step",
            vec![
                (Read, all_down),
                (WritePart(0..16), NOTHING),
                (Read, NOTHING),
                (LaunchRead, up(1, 64)),
                (Read, down(1, 64)),
            ],
        ),
        (
            "a loop of launch and read moves one way",
            vec![
                (Write, NOTHING),
                (LaunchWrite, all_up),
                (Read, all_down),
                (LaunchWrite, NOTHING),
                (Read, all_down),
                (LaunchWrite, NOTHING),
                (Read, all_down),
            ],
        ),
    ]
}
