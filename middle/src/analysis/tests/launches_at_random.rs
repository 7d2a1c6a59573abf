//! Whether the conditions of a launch are enough: of random kernels, every index that any invocation computes.

use anywarp_backend::ResourceId;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::Circumstances;
use crate::analysis::{Outer, prove};

/// A random number, by SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut state = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((state ^ (state >> 31)) % u64::from(most)) as u32
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}

#[derive(Clone, Copy, Debug)]
enum Leaf {
    X,
    Y,
    Thread,
    Turn,
    Value(usize),
    Length,
    Number(u32),
}

#[derive(Clone, Debug)]
enum Tree {
    Leaf(Leaf),
    Of(&'static str, Box<Tree>, Box<Tree>),
}

const VALUES: usize = 3;
const SIZE: [u32; 2] = [4, 2];

/// What an invocation has.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    id: [u32; 2],
    thread: u32,
    turn: u32,
    values: [u32; VALUES],
    length: u32,
}

impl Tree {
    fn random(random: &mut Random, depth: u32) -> Self {
        if depth == 0 || random.below(5) == 0 {
            let value = Leaf::Value(random.below(VALUES as u32) as usize);
            let number = Leaf::Number(random.of(&[1, 1, 2, 3, 4, 8, 63]));
            return Self::Leaf(random.of(&[
                Leaf::X,
                Leaf::X,
                Leaf::Y,
                Leaf::Y,
                Leaf::Thread,
                Leaf::Turn,
                value,
                value,
                number,
            ]));
        }
        let op = random.of(&["+", "+", "+", "*", "*", "-", "/", "%", "min", "max", "<<", ">>", "&"]);
        let left = Self::random(random, depth - 1);
        let right = match op {
            "<<" | ">>" => Self::Leaf(Leaf::Number(random.below(5))),
            _ => Self::random(random, depth - 1),
        };
        Self::Of(op, left.into(), right.into())
    }

    /// A tree of what the host knows.
    fn bound(random: &mut Random) -> Self {
        let value = |random: &mut Random| Self::Leaf(Leaf::Value(random.below(VALUES as u32) as usize));
        match random.below(7) {
            0 => Self::Leaf(Leaf::Length),
            1 => Self::Of("-", value(random).into(), Self::Leaf(Leaf::Number(1)).into()),
            2 => Self::Of("*", value(random).into(), value(random).into()),
            3 => Self::Of("+", value(random).into(), Self::Leaf(Leaf::Number(random.below(4))).into()),
            4 => Self::Leaf(Leaf::Number(random.of(&[1, 2, 5, 16]))),
            _ => value(random),
        }
    }

    /// One of its parts.
    fn part(&self, random: &mut Random) -> Self {
        match self {
            Self::Of(_, left, right) => match random.below(4) {
                0 => self.clone(),
                1 | 2 => left.part(random),
                _ => right.part(random),
            },
            leaf => leaf.clone(),
        }
    }

    fn text(&self, signed: bool) -> String {
        let cast = |text: String| if signed { format!("i32({text})") } else { text };
        match self {
            Self::Leaf(leaf) => match leaf {
                Leaf::X => cast("id.x".to_owned()),
                Leaf::Y => cast("id.y".to_owned()),
                Leaf::Thread => cast("thread".to_owned()),
                Leaf::Turn => "turn".to_owned(),
                Leaf::Value(at) => format!("params.{}{at}", if signed { "i" } else { "u" }),
                Leaf::Length => cast("arrayLength(&x)".to_owned()),
                Leaf::Number(number) => format!("{number}{}", if signed { "i" } else { "u" }),
            },
            Self::Of(op @ ("min" | "max"), left, right) => {
                format!("{op}({}, {})", left.text(signed), right.text(signed))
            }
            Self::Of(op @ ("<<" | ">>"), left, right) => format!("({} {op} {})", left.text(signed), right.text(false)),
            Self::Of(op, left, right) => format!("({} {op} {})", left.text(signed), right.text(signed)),
        }
    }

    /// As WGSL has it.
    fn value(&self, here: &Here, signed: bool) -> u32 {
        match self {
            Self::Leaf(leaf) => match leaf {
                Leaf::X => here.id[0],
                Leaf::Y => here.id[1],
                Leaf::Thread => here.thread,
                Leaf::Turn => here.turn,
                Leaf::Value(at) => here.values[*at],
                Leaf::Length => here.length,
                Leaf::Number(number) => *number,
            },
            Self::Of(op, left, right) => {
                let (left, right) = (left.value(here, signed), right.value(here, signed));
                let (one, two) = (left as i32, right as i32);
                match *op {
                    "+" => left.wrapping_add(right),
                    "-" => left.wrapping_sub(right),
                    "*" => left.wrapping_mul(right),
                    "/" if right == 0 => left,
                    "/" if signed => one.wrapping_div(two) as u32,
                    "/" => left / right,
                    "%" if right == 0 => 0,
                    "%" if signed => one.wrapping_rem(two) as u32,
                    "%" => left % right,
                    "min" if signed => one.min(two) as u32,
                    "min" => left.min(right),
                    "max" if signed => one.max(two) as u32,
                    "max" => left.max(right),
                    "<<" => left << right,
                    ">>" if signed => (one >> right) as u32,
                    ">>" => left >> right,
                    _ => left & right,
                }
            }
        }
    }
}

/// A kernel with one access.
struct Kernel {
    signed: bool,
    index: Tree,
    /// `left op right`
    guards: Vec<(Tree, &'static str, Tree)>,
    turns: Tree,
}

fn holds(op: &str, left: u32, right: u32, signed: bool) -> bool {
    let order = if signed { (left as i32).cmp(&(right as i32)) } else { left.cmp(&right) };
    match op {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        ">" => order.is_gt(),
        "==" => order.is_eq(),
        _ => order.is_ne(),
    }
}

impl Kernel {
    fn random(random: &mut Random) -> Self {
        let index = Tree::random(random, 3);
        let guards = (0..random.below(4)).map(|_| {
            let op = random.of(&["<", "<", "<", "<=", ">=", ">", "==", "!="]);
            (index.part(random), op, Tree::bound(random))
        });
        Self { guards: guards.collect(), index, signed: random.below(3) == 0, turns: Tree::bound(random) }
    }

    fn text(&self) -> String {
        let guards = self.guards.iter();
        let guards =
            guards.map(|(left, op, right)| format!("{} {op} {}", left.text(self.signed), right.text(self.signed)));
        let ty = if self.signed { "i32" } else { "u32" };
        format!(
            "struct Params {{ u0: u32, u1: u32, u2: u32, i0: i32, i1: i32, i2: i32 }}
             @group(0) @binding(0) var<storage, read_write> x: array<u32>;
             @group(0) @binding(1) var<uniform> params: Params;
             @compute @workgroup_size({}, {}) fn main(
                 @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32,
             ) {{
                 for (var turn = {ty}(0); turn < {}; turn++) {{
                     if ({}) {{ x[{}] = 1u; }}
                 }}
             }}",
            SIZE[0],
            SIZE[1],
            self.turns.text(self.signed),
            guards.chain(["true".to_owned()]).collect::<Vec<_>>().join(" && "),
            self.index.text(self.signed),
        )
    }

    /// The indices that a launch comes by: `None` if there are none.
    fn indices(&self, groups: [u32; 2], first: Here) -> Vec<(u32, Here)> {
        let mut found = Vec::new();
        for at in 0..groups[0] * groups[1] * SIZE[0] * SIZE[1] {
            let id = [at % (groups[0] * SIZE[0]), at / (groups[0] * SIZE[0])];
            let thread = id[1] % SIZE[1] * SIZE[0] + id[0] % SIZE[0];
            let mut here = Here { id, thread, ..first };
            while here.turn < 24 && holds("<", here.turn, self.turns.value(&here, self.signed), self.signed) {
                let guarded = self.guards.iter().all(|(left, op, right)| {
                    holds(op, left.value(&here, self.signed), right.value(&here, self.signed), self.signed)
                });
                if guarded {
                    found.push((self.index.value(&here, self.signed), here));
                }
                here.turn += 1;
            }
        }
        found
    }
}

#[test]
fn conditions_that_are_met_are_enough() {
    let random = &mut Random(11);
    let (mut conditional, mut launches, mut accesses) = (0, 0, 0u64);
    for _ in 0..4000 {
        let kernel = Kernel::random(random);
        let limits = Circumstances { binding_bytes: 1 << 27, workgroups: [65_535; 3], ..Circumstances::default() };
        // Of numbers alone, some would be divided by zero.
        let Ok(module) = naga::front::wgsl::parse_str(&kernel.text()) else { continue };
        let validated = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
        let Ok(info) = validated else { continue };
        let analysis = prove(&module, &info, &limits);
        let Some(bits) = analysis.accesses.first().and_then(|access| access.needs) else { continue };
        conditional += u32::from(bits != 0);
        for _ in 0..24 {
            let values = [(); VALUES].map(|()| match random.below(8) {
                0 => random.of(&[0x7fff_ffff, 0x8000_0000, u32::MAX, u32::MAX - 3, 65_536, 0x4000_0000]),
                _ => random.below(12),
            });
            let groups = [1 + random.below(3), 1 + random.below(3)];
            let length = if random.below(8) == 0 { 1 << 24 } else { 1 + random.below(120) };
            let met = analysis.of_launches.conditions.met(|outer| match outer {
                Outer::Length(of) if of == (ResourceId { group: 0, binding: 0 }) => Some(length),
                Outer::Word(Some(of), offset) if of == (ResourceId { group: 0, binding: 1 }) => {
                    values.get(offset as usize / 4 % VALUES).copied()
                }
                Outer::Groups(axis) => groups.get(usize::from(axis)).copied(),
                _ => None,
            });
            if met & bits != bits {
                continue;
            }
            launches += u32::from(bits != 0);
            for (index, here) in kernel.indices(groups, Here { values, length, ..Here::default() }) {
                accesses += u64::from(bits != 0);
                assert!(
                    index < length,
                    "index {index} of {length}, {here:?}, groups {groups:?}:\n{}\nneeds {:?}",
                    kernel.text(),
                    analysis.of_launches.conditions.texts(bits).collect::<Vec<_>>(),
                );
            }
        }
    }
    assert!(conditional > 800 && launches > 3000 && accesses > 100_000, "{conditional}, {launches}, {accesses}");
}
