//! The expected results of subgroup functions, computed from the active lanes.

/// One active lane: its number, its value and its flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub(super) lane: u32,
    pub(super) bits: u32,
    pub(super) flags: u32,
}

/// The type of a computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    U32,
    I32,
    F32,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
        }
    }
}

/// A function from the type, all active lanes and one lane to the result of this lane, as four words; `None` for an
/// undefined result.
pub(super) type Reference = fn(Kind, &[Lane], Lane) -> Option<[u32; 4]>;

pub(super) struct Function {
    pub(super) name: &'static str,
    /// WGSL of the value `x`, the flags `f` and `lane`; `TYPE` is replaced by the type.
    pub(super) expression: &'static str,
    /// WGSL that converts a result `r` to words.
    pub(super) words: &'static str,
    pub(super) kinds: &'static [Kind],
    pub(super) reference: Reference,
}

const NUMBERS: &[Kind] = &[Kind::U32, Kind::I32, Kind::F32];
const INTEGERS: &[Kind] = &[Kind::U32, Kind::I32];
const WORDS: &[Kind] = &[Kind::U32];
const ONE: &str = "vec4<u32>(bitcast<u32>(r), 0u, 0u, 0u)";
const BOOL: &str = "vec4<u32>(u32(r), 0u, 0u, 0u)";

const fn number(name: &'static str, expression: &'static str, reference: Reference) -> Function {
    Function { name, expression, words: ONE, kinds: NUMBERS, reference }
}

pub(super) const FUNCTIONS: &[Function] = &[
    number("subgroupAdd", "subgroupAdd(x)", |k, all, _| one(fold(k, all, add))),
    number("subgroupMul", "subgroupMul(x)", |k, all, _| one(fold(k, all, multiply))),
    number("subgroupMin", "subgroupMin(x)", |k, all, _| one(fold(k, all, least))),
    number("subgroupMax", "subgroupMax(x)", |k, all, _| one(fold(k, all, greatest))),
    number("subgroupInclusiveAdd", "subgroupInclusiveAdd(x)", |k, all, me| one(fold(k, until(all, me.lane + 1), add))),
    number("subgroupInclusiveMul", "subgroupInclusiveMul(x)", |k, all, me| {
        one(fold(k, until(all, me.lane + 1), multiply))
    }),
    number("subgroupExclusiveAdd", "subgroupExclusiveAdd(x)", |k, all, me| {
        one(if until(all, me.lane).is_empty() { 0 } else { fold(k, until(all, me.lane), add) })
    }),
    number("subgroupExclusiveMul", "subgroupExclusiveMul(x)", |k, all, me| {
        let unit = if k == Kind::F32 { 1.0f32.to_bits() } else { 1 };
        one(if until(all, me.lane).is_empty() { unit } else { fold(k, until(all, me.lane), multiply) })
    }),
    Function {
        name: "subgroupAnd",
        expression: "subgroupAnd(x)",
        words: ONE,
        kinds: INTEGERS,
        reference: |_, all, _| one(all.iter().fold(!0, |sum, lane| sum & lane.bits)),
    },
    Function {
        name: "subgroupOr",
        expression: "subgroupOr(x)",
        words: ONE,
        kinds: INTEGERS,
        reference: |_, all, _| one(all.iter().fold(0, |sum, lane| sum | lane.bits)),
    },
    Function {
        name: "subgroupXor",
        expression: "subgroupXor(x)",
        words: ONE,
        kinds: INTEGERS,
        reference: |_, all, _| one(all.iter().fold(0, |sum, lane| sum ^ lane.bits)),
    },
    Function {
        name: "subgroupAdd_vec3",
        expression: "subgroupAdd(vec3<TYPE>(x, x + x, x * x))",
        words: "vec4<u32>(bitcast<vec3<u32>>(r), 0u)",
        kinds: NUMBERS,
        reference: |k, all, _| {
            let part = |map: fn(Kind, u32) -> u32| {
                let lanes: Vec<Lane> = all.iter().map(|lane| Lane { bits: map(k, lane.bits), ..*lane }).collect();
                fold(k, &lanes, add)
            };
            Some([part(|_, x| x), part(|k, x| add(k, x, x)), part(|k, x| multiply(k, x, x)), 0])
        },
    },
    Function {
        name: "subgroupAll",
        expression: "subgroupAll((f & 0x700u) != 0u)",
        words: BOOL,
        kinds: WORDS,
        reference: |_, all, _| one(u32::from(all.iter().all(|lane| lane.flags & 0x700 != 0))),
    },
    Function {
        name: "subgroupAny",
        expression: "subgroupAny((f & 0x700u) == 0x700u)",
        words: BOOL,
        kinds: WORDS,
        reference: |_, all, _| one(u32::from(all.iter().any(|lane| lane.flags & 0x700 == 0x700))),
    },
    Function {
        name: "subgroupBallot",
        expression: "subgroupBallot((f & 0x10u) != 0u)",
        words: "r",
        kinds: WORDS,
        reference: |_, all, _| Some(ballot(all, |lane| lane.flags & 0x10 != 0)),
    },
    Function {
        name: "subgroupBallot_active",
        expression: "subgroupBallot()",
        words: "r",
        kinds: WORDS,
        reference: |_, all, _| Some(ballot(all, |_| true)),
    },
    Function {
        name: "subgroupElect",
        expression: "subgroupElect()",
        words: BOOL,
        kinds: WORDS,
        reference: |_, all, me| one(u32::from(all[0].lane == me.lane)),
    },
    number("subgroupBroadcastFirst", "subgroupBroadcastFirst(x)", |_, all, _| one(all[0].bits)),
    number("subgroupBroadcast", "subgroupBroadcast(x, 2u)", |_, all, _| from(all, 2)),
    number("subgroupShuffle", "subgroupShuffle(x, (f >> 16u) & 3u)", |_, all, me| from(all, (me.flags >> 16) & 3)),
    number("subgroupShuffleUp", "subgroupShuffleUp(x, 1u)", |_, all, me| from(all, me.lane.wrapping_sub(1))),
    number("subgroupShuffleDown", "subgroupShuffleDown(x, 2u)", |_, all, me| from(all, me.lane + 2)),
    number("subgroupShuffleXor", "subgroupShuffleXor(x, 3u)", |_, all, me| from(all, me.lane ^ 3)),
    number("quadBroadcast", "quadBroadcast(x, 1u)", |_, all, me| quad(all, me, (me.lane & !3) + 1)),
    number("quadSwapX", "quadSwapX(x)", |_, all, me| quad(all, me, me.lane ^ 1)),
    number("quadSwapY", "quadSwapY(x)", |_, all, me| quad(all, me, me.lane ^ 2)),
    number("quadSwapDiagonal", "quadSwapDiagonal(x)", |_, all, me| quad(all, me, me.lane ^ 3)),
];

fn one(word: u32) -> Option<[u32; 4]> {
    Some([word, 0, 0, 0])
}

/// The value of an active lane; undefined for any other lane.
fn from(all: &[Lane], lane: u32) -> Option<[u32; 4]> {
    all.iter().find(|other| other.lane == lane).and_then(|other| one(other.bits))
}

/// The value of another lane in the quad; undefined unless the whole quad is active.
fn quad(all: &[Lane], me: Lane, lane: u32) -> Option<[u32; 4]> {
    let whole = (0..4).all(|n| all.iter().any(|other| other.lane == (me.lane & !3) + n));
    if whole { from(all, lane) } else { None }
}

fn ballot(all: &[Lane], holds: fn(&Lane) -> bool) -> [u32; 4] {
    let mut mask = [0; 4];
    all.iter().filter(|lane| holds(lane)).for_each(|lane| mask[lane.lane as usize / 32] |= 1 << (lane.lane % 32));
    mask
}

/// The active lanes with lower numbers; `all` is sorted by the lane number.
fn until(all: &[Lane], lane: u32) -> &[Lane] {
    &all[..all.partition_point(|other| other.lane < lane)]
}

fn fold(kind: Kind, lanes: &[Lane], with: fn(Kind, u32, u32) -> u32) -> u32 {
    lanes.iter().map(|lane| lane.bits).reduce(|sum, bits| with(kind, sum, bits)).unwrap_or_default()
}

fn float(with: fn(f32, f32) -> f32, x: u32, y: u32) -> u32 {
    with(f32::from_bits(x), f32::from_bits(y)).to_bits()
}

fn add(kind: Kind, x: u32, y: u32) -> u32 {
    if kind == Kind::F32 { float(|x, y| x + y, x, y) } else { x.wrapping_add(y) }
}

fn multiply(kind: Kind, x: u32, y: u32) -> u32 {
    if kind == Kind::F32 { float(|x, y| x * y, x, y) } else { x.wrapping_mul(y) }
}

fn least(kind: Kind, x: u32, y: u32) -> u32 {
    match kind {
        Kind::U32 => x.min(y),
        Kind::I32 => (x as i32).min(y as i32) as u32,
        Kind::F32 => float(f32::min, x, y),
    }
}

fn greatest(kind: Kind, x: u32, y: u32) -> u32 {
    match kind {
        Kind::U32 => x.max(y),
        Kind::I32 => (x as i32).max(y as i32) as u32,
        Kind::F32 => float(f32::max, x, y),
    }
}
