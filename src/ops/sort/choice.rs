//! The choice between the forms of a sort. This module is pure.

use std::fmt;

use anywarp_backend::{BackendKind, Caps, DeviceKind};

use super::super::choices::{Question, powers};
use super::super::ordering::keys::Kind;
use super::plan::{Shape, Values};

/// The number of keys that a workgroup of 256 invocations sorts at a time, with workgroup memory alone.
pub(super) const TILE: u64 = 3328;
/// The number of keys of each invocation, if subgroups rank the keys.
const ITEMS: u64 = 14;
/// The number of keys from which the 30-bit counts of a sweep's kernel could overflow.
pub(super) const MAX_SWEPT: u64 = 1 << 30;
/// The greatest number of workgroups of a pass. It is several times the number that runs at once, so that the last
/// workgroups do not leave a device idle. It is small enough that the counters are a small part of the memory traffic.
const GROUPS: u64 = 4096;

/// The choice of how keys are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One workgroup sorts all keys, if they fit into its memory.
    Small,
    /// One pass for each digit, with at most `most` blocks.
    Digits { form: Form, most: u64 },
    /// One launch for each digit, in workgroups of `threads` invocations, if the keys can be counted in 30 bits.
    Sweep { threads: u32 },
}

/// The properties of a device on which a choice depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Whether the backend `cpu` runs the kernels. This is false for other drivers for processors, as they limit the
    /// iterations of loops.
    pub(super) processor: bool,
    /// The number of keys from which a sweep is fastest; `None` for devices on which workgroups that wait for each
    /// other may block each other.
    pub(super) least_swept: Option<u64>,
    /// The smallest and largest size of a subgroup; `None` without subgroups.
    pub(super) subgroups: Option<(u32, u32)>,
}

impl Place {
    pub(super) fn of(caps: &Caps) -> Self {
        // NVIDIA's devices run each workgroup that has begun to its end. On an H200, relative to passes over digits, a
        // sweep takes 0.75 of the time with CUDA. With Vulkan, it takes 0.75 of the time for 2^24 pairs or more, 0.95
        // for 2^24 keys or more, and 1.4 for 2^20.
        let least_swept = match (caps.backend, caps.kind, caps.subgroup_size) {
            (BackendKind::Cuda, ..) => Some(0),
            (BackendKind::Vulkan, DeviceKind::Discrete, Some((32, 32))) => Some(1 << 24),
            _ => None,
        };
        Self { processor: caps.backend == BackendKind::Cpu, least_swept, subgroups: caps.subgroup_size }
    }
}

/// A form of a sort without its parameters, for benches that measure all forms.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortWay {
    Small,
    Pieces,
    Workgroups,
    Subgroups,
    Sweep,
}

impl Choice {
    /// Returns the default choice for this shape and device.
    pub(super) fn default_for(shape: &Shape, place: Place) -> Self {
        let way = if place.processor {
            // On the CPU, barriers take much longer than the work between them.
            SortWay::Pieces
        } else if shape.length <= TILE {
            SortWay::Small
        } else if place.least_swept.is_some_and(|least| shape.length >= least) && shape.length < MAX_SWEPT {
            SortWay::Sweep
        } else {
            SortWay::Subgroups
        };
        Self::of_way(way, shape, place).unwrap_or(Self::Digits { form: Form::Workgroups, most: GROUPS })
    }

    /// Returns all choices. A sort is stable, so that all give the same results.
    pub(super) fn all(shape: &Shape, place: Place) -> Vec<Self> {
        let small = (shape.length <= TILE).then_some(Self::Small);
        if place.processor {
            let digits = |most| Self::Digits { form: Form::Pieces, most };
            return small.into_iter().chain(powers(256.min(shape.length >> 8)).map(digits)).collect();
        }
        let subgroups = place.subgroups.and_then(|(least, greatest)| Form::subgroups(least, greatest));
        let forms = [Some(Form::Workgroups), subgroups].into_iter().flatten();
        let digits = forms.flat_map(|form| [512, 1024, 2048, GROUPS].map(|most| Self::Digits { form, most }));
        // Elsewhere, workgroups that wait for each other may block each other.
        let may_sweep = place.least_swept.is_some() && shape.length < MAX_SWEPT;
        let sweep = Self::of_way(SortWay::Sweep, shape, place).filter(|_| may_sweep);
        small.into_iter().chain(digits).chain(sweep).collect()
    }

    /// Returns the choice for a form; `None` if the device cannot run this form.
    pub(super) fn of_way(way: SortWay, shape: &Shape, place: Place) -> Option<Self> {
        let (form, most) = match way {
            SortWay::Small => return Some(Self::Small),
            // A piece has to be long compared with its 256 counters. 64 pieces are enough for every thread of the CPU.
            SortWay::Pieces => (Form::Pieces, (shape.length >> 14).clamp(1, 64)),
            SortWay::Workgroups => (Form::Workgroups, GROUPS),
            SortWay::Subgroups => {
                let (least, greatest) = place.subgroups?;
                (Form::subgroups(least, greatest)?, GROUPS)
            }
            SortWay::Sweep => match Self::of_way(SortWay::Subgroups, shape, place)? {
                Self::Digits { form: Form::Subgroups { threads }, .. } => return Some(Self::Sweep { threads }),
                _ => return None,
            },
        };
        Some(Self::Digits { form, most })
    }
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small => f.write_str("small"),
            Self::Digits { form: Form::Pieces, most } => write!(f, "pieces most={most}"),
            Self::Digits { form: Form::Workgroups, most } => write!(f, "workgroups most={most}"),
            Self::Digits { form: Form::Subgroups { threads }, most } => {
                write!(f, "subgroups threads={threads} most={most}")
            }
            Self::Sweep { threads } => write!(f, "sweep threads={threads}"),
        }
    }
}

impl Shape {
    /// The properties on which the choice depends.
    pub(super) fn question(&self) -> Question {
        let key = match (self.kind, self.key_bits) {
            (Kind::Float { .. }, 64) => "f64",
            (Kind::Float { .. }, 32) => "f32",
            (Kind::Float { .. }, _) => "f16",
            (_, 64) => "i64",
            (_, 32) => "i32",
            (_, 16) => "i16",
            _ => "i8",
        };
        let values = match self.values {
            Values::None => "keys",
            Values::Given { words: 1 } => "pairs",
            Values::Given { .. } => "wide_pairs",
            Values::Indices => "indices",
        };
        let bits = u64::from(self.bits.end.saturating_sub(self.bits.start));
        let question = Question::new("sort", &[self.length, bits]).form(key).form(values);
        question.form_if(self.in_place, "in_place").exact(true)
    }
}

/// The kernels of a pass over one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One invocation for each block, without barriers.
    Pieces,
    /// Workgroups that rank keys with workgroup memory alone.
    Workgroups,
    /// Workgroups of `threads` invocations that rank keys within subgroups.
    Subgroups { threads: u32 },
}

impl Form {
    /// Returns the form for subgroups of `least` to `greatest` invocations; `None` if subgroups are too small to save
    /// time, or too large. The kernel has workgroup memory for 8 subgroups.
    pub(super) fn subgroups(least: u32, greatest: u32) -> Option<Self> {
        let threads = (8 * least).min(256);
        (least.is_power_of_two() && least >= 4 && greatest <= threads && greatest <= 128)
            .then_some(Self::Subgroups { threads })
    }

    /// Returns the number of keys that a workgroup sorts at a time.
    pub(super) fn tile(self) -> u64 {
        match self {
            Self::Pieces => 1,
            Self::Workgroups => TILE,
            Self::Subgroups { threads } => u64::from(threads) * ITEMS,
        }
    }
}

/// The distribution of the keys: blocks of `span` neighbouring keys, one for each workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) form: Form,
    pub(super) span: u64,
    pub(super) count: u64,
}

impl Blocks {
    pub(super) fn of(length: u64, choice: Choice) -> Self {
        let (form, most) = match choice {
            Choice::Small => (Form::Workgroups, GROUPS),
            Choice::Sweep { threads } => (Form::Subgroups { threads }, GROUPS),
            Choice::Digits { form, most } => (form, most.clamp(1, 1 << 15)),
        };
        let span = length.div_ceil(most).next_multiple_of(form.tile());
        Self { form, span, count: length.div_ceil(span) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ordering::keys::Kind;
    use super::super::plan::Values;
    use super::*;

    fn chosen(length: u64, processor: bool, subgroups: Option<(u32, u32)>) -> Choice {
        let shape = Shape {
            length,
            key_bits: 32,
            kind: Kind::Unsigned,
            bits: 0..32,
            descending: false,
            values: Values::None,
            in_place: true,
        };
        Choice::default_for(&shape, Place { processor, least_swept: None, subgroups })
    }

    #[test]
    fn a_choice_depends_on_the_length_and_the_device() {
        let digits = |form| Choice::Digits { form, most: GROUPS };
        assert_eq!(chosen(TILE, false, Some((32, 32))), Choice::Small);
        assert_eq!(chosen(TILE + 1, false, Some((32, 32))), digits(Form::Subgroups { threads: 256 }));
        assert_eq!(chosen(TILE + 1, false, Some((8, 32))), digits(Form::Subgroups { threads: 64 }));
        assert_eq!(chosen(TILE + 1, false, Some((64, 128))), digits(Form::Subgroups { threads: 256 }));
        // 8 subgroups of 4 invocations have fewer invocations than one subgroup of 64.
        assert_eq!(chosen(TILE + 1, false, Some((4, 64))), digits(Form::Workgroups));
        assert_eq!(chosen(TILE + 1, false, None), digits(Form::Workgroups));
        let pieces = |length| chosen(length, true, Some((8, 8)));
        assert_eq!(pieces(100), Choice::Digits { form: Form::Pieces, most: 1 });
        assert_eq!(pieces(1 << 16), Choice::Digits { form: Form::Pieces, most: 4 });
        assert_eq!(pieces(1 << 30), Choice::Digits { form: Form::Pieces, most: 64 });
    }

    #[test]
    fn a_sweep_takes_as_many_keys_as_it_can_count() {
        let chosen = |least_swept, length| {
            let (kind, bits, values) = (Kind::Unsigned, 0..32, Values::None);
            let shape = Shape { length, key_bits: 32, kind, bits, descending: false, values, in_place: true };
            Choice::default_for(&shape, Place { processor: false, least_swept, subgroups: Some((32, 32)) })
        };
        let digits = Choice::Digits { form: Form::Subgroups { threads: 256 }, most: GROUPS };
        assert_eq!(chosen(Some(0), TILE), Choice::Small);
        assert_eq!(chosen(Some(0), TILE + 1), Choice::Sweep { threads: 256 });
        assert_eq!(chosen(Some(0), MAX_SWEPT - 1), Choice::Sweep { threads: 256 });
        assert_eq!(chosen(Some(0), MAX_SWEPT), digits);
        assert_eq!(chosen(Some(5000), 4999), digits);
        assert_eq!(chosen(Some(5000), 5000), Choice::Sweep { threads: 256 });
    }

    #[test]
    fn blocks_contain_every_key_once() {
        for form in [Form::Pieces, Form::Workgroups, Form::Subgroups { threads: 64 }] {
            for length in [1, 2, 895, 896, 897, 3328, 3329, 1 << 24, (1 << 24) + 1, (1 << 32) - (1 << 16)] {
                for most in [0, 1, 2, GROUPS, u64::MAX] {
                    let Blocks { span, count, .. } = Blocks::of(length, Choice::Digits { form, most });
                    assert!(span.is_multiple_of(form.tile()) && count <= most.clamp(1, 1 << 15));
                    assert!(span * count >= length && span * (count - 1) < length, "{length} by {most}");
                }
            }
        }
    }
}
