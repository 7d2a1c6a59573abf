//! The table: the transfers of each step on a device with its own memory.

use super::world::BYTES;
use super::world::Step::{self, *};

pub(crate) const NOTHING: [u64; 4] = [0; 4];

pub(crate) fn up(transfers: u64, bytes: u64) -> [u64; 4] {
    [transfers, bytes, 0, 0]
}

pub(crate) fn down(transfers: u64, bytes: u64) -> [u64; 4] {
    [0, 0, transfers, bytes]
}

/// The name of a row, and its steps, each with the number and bytes of the uploads and of the downloads.
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
            "parts that lie apart leave as parts, where copies cost nothing",
            vec![(WritePart(0..16), NOTHING), (WritePart(32..40), NOTHING), (LaunchRead, up(2, 96))],
        ),
        (
            "parts side by side leave as one",
            vec![(WritePart(16..40), NOTHING), (WritePart(0..16), NOTHING), (LaunchRead, up(1, 160))],
        ),
        (
            "overlapping parts leave as one, and what both wrote once",
            vec![(WritePart(0..32), NOTHING), (WritePart(16..48), NOTHING), (LaunchRead, up(1, 192)), (Read, all_down)],
        ),
        (
            "a part that is written again and again leaves once",
            vec![
                (WritePart(8..16), NOTHING),
                (WritePart(8..16), NOTHING),
                (WritePart(10..12), NOTHING),
                (LaunchRead, up(1, 32)),
            ],
        ),
        (
            "a long part leaves from where it lies, its neighbour alone",
            vec![(WritePart(0..1100), NOTHING), (WritePart(1100..1104), NOTHING), (LaunchRead, up(2, 4416))],
        ),
        (
            "a short part within a long one leaves with it",
            vec![(WritePart(0..1100), NOTHING), (WritePart(100..104), NOTHING), (LaunchRead, up(1, 4400))],
        ),
        (
            "a long part over short ones leaves alone",
            vec![(WritePart(100..104), NOTHING), (WritePart(0..1100), NOTHING), (LaunchRead, up(1, 4400))],
        ),
        (
            "a long part within a longer one divides that",
            vec![(Write, NOTHING), (WritePart(400..1500), NOTHING), (LaunchRead, up(3, BYTES)), (Read, all_down)],
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
        (
            "a fill of less supersedes just that",
            vec![(Write, NOTHING), (FillPart(16..32), up(2, BYTES - 64)), (Read, all_down)],
        ),
        (
            "a fill supersedes parts of parts",
            vec![
                (WritePart(0..16), NOTHING),
                (WritePart(32..48), NOTHING),
                (FillPart(8..40), up(2, 64)),
                (Read, all_down),
            ],
        ),
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
            "an update of a part of what was written leaves with it",
            vec![(Write, NOTHING), (UpdatePart(0..16), NOTHING), (LaunchRead, all_up), (Read, all_down)],
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

/// The largest gap in elements that the device of [`over_gaps`] copies together with the written elements around it.
pub(crate) const GAP: usize = 16;

/// Rows for a device where copying a gap of 16 elements costs no more than another upload.
pub(crate) fn over_gaps() -> Vec<Row> {
    let all_down = down(1, BYTES);
    let apart = |between: usize| {
        let second = 4 + between..8 + between;
        vec![(WritePart(0..4), NOTHING), (WritePart(second), NOTHING)]
    };
    let then = |mut before: Vec<(Step, [u64; 4])>, after: Vec<(Step, [u64; 4])>| {
        before.extend(after);
        before
    };
    vec![
        (
            "untouched zeros are copied with their neighbours",
            then(apart(16), vec![(LaunchRead, up(1, 96)), (Read, all_down)]),
        ),
        ("gaps that are too long are not copied", then(apart(17), vec![(LaunchRead, up(2, 32)), (Read, all_down)])),
        (
            "what both sides have goes along",
            then(vec![(Read, all_down)], then(apart(16), vec![(LaunchRead, up(1, 96)), (Read, down(2, 32))])),
        ),
        (
            "what both sides have stays there if it is too much",
            then(vec![(Read, all_down)], then(apart(17), vec![(LaunchRead, up(2, 32)), (Read, down(2, 32))])),
        ),
        (
            "what only the device has is not written over",
            then(vec![(Fill, NOTHING)], then(apart(8), vec![(LaunchRead, up(2, 32)), (Read, all_down)])),
        ),
        (
            "nor is what the device has newer",
            then(
                vec![(Read, all_down), (LaunchWritePart(0..64), NOTHING)],
                then(apart(8), vec![(LaunchRead, up(2, 32)), (Read, down(1, 256))]),
            ),
        ),
        (
            "nor one element of that in the midst of what both have",
            then(
                vec![(Read, all_down), (FillPart(8..9), NOTHING)],
                then(apart(8), vec![(LaunchRead, up(2, 32)), (Read, down(3, 36))]),
            ),
        ),
        (
            "nor what went up before, of which the host has no copy",
            then(vec![(Write, NOTHING), (LaunchRead, up(1, BYTES))], then(apart(8), vec![(LaunchRead, up(2, 32))])),
        ),
        (
            "what was written and is about to be filled goes along",
            vec![(WritePart(0..40), NOTHING), (FillPart(8..24), up(1, 160)), (Read, all_down)],
        ),
        ("of a long part, too", vec![(WritePart(0..1100), NOTHING), (FillPart(8..24), up(1, 4400)), (Read, all_down)]),
        ("but not if it is much", vec![(WritePart(0..40), NOTHING), (FillPart(8..25), up(2, 92)), (Read, all_down)]),
        ("nor at an end", vec![(WritePart(0..1100), NOTHING), (FillPart(0..8), up(1, 4368)), (Read, all_down)]),
        (
            "many go as one",
            (0..10)
                .map(|part| (WritePart(20 * part..20 * part + 4), NOTHING))
                .chain([(LaunchRead, up(1, 4 * 184)), (Read, all_down)])
                .collect(),
        ),
    ]
}
