//! Tests that the conditions on a launch suffice: in launches that meet them, every index that the invocations of
//! random kernels compute is in range.

use anywarp_backend::ResourceId;
use anywarp_testing::random;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::Circumstances;
use crate::analysis::{Outer, prove};

/// A generator of random numbers.
struct Random(random::Random);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0.below(most as usize) as u32
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
    Group,
    Groups,
    Value(usize),
    Length,
    Number(u32),
}

#[derive(Clone, Debug)]
enum Tree {
    Leaf(Leaf),
    /// A prefix operator or a function of one value.
    One(&'static str, Box<Tree>),
    Of(&'static str, Box<Tree>, Box<Tree>),
    /// A cast of a value of the other signedness, which keeps the bits of the value.
    Cast(Box<Tree>),
    /// The first value if a comparison of two leaves holds, otherwise the second; chosen by `select` or by branches.
    Choice(&'static str, Box<[Tree; 2]>, (Leaf, &'static str, Leaf)),
}

const VALUES: usize = 3;
const SIZE: [u32; 2] = [4, 2];

/// The values that the inputs and the loop counter have in one invocation of a launch.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    id: [u32; 2],
    thread: u32,
    turn: u32,
    group: u32,
    groups: u32,
    values: [u32; VALUES],
    length: u32,
}

impl Leaf {
    fn random(random: &mut Random) -> Self {
        let value = Self::Value(random.below(VALUES as u32) as usize);
        let number = Self::Number(random.of(&[1, 1, 2, 3, 4, 8, 63]));
        let rare = random.of(&[Self::Group, Self::Groups, Self::Length]);
        random.of(&[Self::X, Self::X, Self::Y, Self::Y, Self::Thread, Self::Turn, value, value, number, rare])
    }

    fn text(self, signed: bool) -> String {
        let ty = if signed { "i32" } else { "u32" };
        match self {
            Self::X => format!("{ty}(id.x)"),
            Self::Y => format!("{ty}(id.y)"),
            Self::Thread => format!("{ty}(thread)"),
            Self::Turn => format!("{ty}(turn)"),
            Self::Group => format!("{ty}(group.x)"),
            Self::Groups => format!("{ty}(groups.x)"),
            Self::Value(at) => format!("params.{}{at}", if signed { "i" } else { "u" }),
            Self::Length => format!("{ty}(arrayLength(&x))"),
            Self::Number(number) => format!("{number}{}", if signed { "i" } else { "u" }),
        }
    }

    fn value(self, here: &Here) -> u32 {
        match self {
            Self::X => here.id[0],
            Self::Y => here.id[1],
            Self::Thread => here.thread,
            Self::Turn => here.turn,
            Self::Group => here.group,
            Self::Groups => here.groups,
            Self::Value(at) => here.values[at],
            Self::Length => here.length,
            Self::Number(number) => number,
        }
    }
}

impl Tree {
    fn random(random: &mut Random, depth: u32) -> Self {
        if depth == 0 || random.below(5) == 0 {
            return Self::Leaf(Leaf::random(random));
        }
        match random.below(16) {
            0 => return Self::One(random.of(&["abs", "-", "~"]), Self::random(random, depth - 1).into()),
            1 | 2 => return Self::Cast(Self::random(random, depth - 1).into()),
            3 | 4 => {
                let (one, two) = (Leaf::random(random), Leaf::random(random));
                let both = [Self::random(random, depth - 1), Self::random(random, depth - 1)];
                let compared = (one, random.of(&["<", "<=", ">", "==", "!="]), two);
                return Self::Choice(random.of(&["select", "branches"]), both.into(), compared);
            }
            _ => {}
        }
        let op = random.of(&["+", "+", "+", "*", "*", "-", "/", "%", "min", "max", "<<", ">>", "&"]);
        let left = Self::random(random, depth - 1);
        let right = match op {
            "<<" | ">>" => Self::Leaf(Leaf::Number(random.below(5))),
            _ => Self::random(random, depth - 1),
        };
        Self::Of(op, left.into(), right.into())
    }

    /// A random bound that is computed from numbers known on the host.
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

    /// A random subtree.
    fn part(&self, random: &mut Random) -> Self {
        match self {
            Self::Of(_, left, right) => match random.below(4) {
                0 => self.clone(),
                1 | 2 => left.part(random),
                _ => right.part(random),
            },
            Self::One(_, of) | Self::Cast(of) => {
                if random.below(2) == 0 {
                    self.clone()
                } else {
                    of.part(random)
                }
            }
            Self::Choice(_, both, _) => match random.below(4) {
                0 | 1 => self.clone(),
                at => both[at as usize - 2].part(random),
            },
            leaf @ Self::Leaf(_) => leaf.clone(),
        }
    }

    fn text(&self, signed: bool) -> String {
        match self {
            Self::Leaf(leaf) => leaf.text(signed),
            Self::One("abs", of) => format!("abs({})", of.text(signed)),
            Self::One("-", of) if !signed => format!("~{}", of.text(signed)),
            Self::One(op, of) => format!("({op}({}))", of.text(signed)),
            Self::Cast(of) => format!("{}({})", if signed { "i32" } else { "u32" }, of.text(!signed)),
            Self::Choice(how, both, (one, op, two)) => {
                let [accept, reject] = [both[0].text(signed), both[1].text(signed)];
                let compared = format!("{} {op} {}", one.text(signed), two.text(signed));
                match *how {
                    "select" => format!("select({reject}, {accept}, {compared})"),
                    _ => format!("pick_{}({accept}, {reject}, {compared})", if signed { "i32" } else { "u32" }),
                }
            }
            Self::Of(op @ ("min" | "max"), left, right) => {
                format!("{op}({}, {})", left.text(signed), right.text(signed))
            }
            Self::Of(op @ ("<<" | ">>"), left, right) => format!("({} {op} {})", left.text(signed), right.text(false)),
            Self::Of(op, left, right) => format!("({} {op} {})", left.text(signed), right.text(signed)),
        }
    }

    /// The value of the expression by the rules of WGSL.
    fn value(&self, here: &Here, signed: bool) -> u32 {
        match self {
            Self::Leaf(leaf) => leaf.value(here),
            Self::One(op, of) => {
                let of = of.value(here, signed);
                match *op {
                    "abs" if signed => (of as i32).wrapping_abs() as u32,
                    "abs" => of,
                    "-" if signed => (of as i32).wrapping_neg() as u32,
                    _ => !of,
                }
            }
            Self::Cast(of) => of.value(here, !signed),
            Self::Choice(_, both, (one, op, two)) => {
                let accept = holds(op, one.value(here), two.value(here), signed);
                both[usize::from(!accept)].value(here, signed)
            }
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

/// A random kernel with one access.
struct Kernel {
    signed: bool,
    index: Tree,
    /// The conditions `left op right` around the access.
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
             fn pick_u32(accept: u32, reject: u32, condition: bool) -> u32 {{
                 var picked = accept;
                 if (!condition) {{ picked = reject; }}
                 return picked;
             }}
             fn pick_i32(accept: i32, reject: i32, condition: bool) -> i32 {{
                 if (condition) {{ return accept; }}
                 return reject;
             }}
             @compute @workgroup_size({}, {}) fn main(
                 @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32,
                 @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
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

    /// The indices that the invocations of a launch access.
    fn indices(&self, groups: [u32; 2], first: Here) -> Vec<(u32, Here)> {
        let mut found = Vec::new();
        // In large grids only the first and the last invocations are tried.
        let some = |axis: usize| {
            let all = groups[axis] * SIZE[axis];
            (0..all.min(12)).chain(all.saturating_sub(8).max(12)..all)
        };
        for id in some(1).flat_map(|y| some(0).map(move |x| [x, y])) {
            let thread = id[1] % SIZE[1] * SIZE[0] + id[0] % SIZE[0];
            let mut here = Here { id, thread, group: id[0] / SIZE[0], groups: groups[0], ..first };
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
fn met_conditions_suffice() {
    let (conditional, launches, accesses) = tried(11, 4000);
    assert!(conditional > 800 && launches > 3000 && accesses > 100_000, "{conditional}, {launches}, {accesses}");
}

#[test]
#[ignore = "takes minutes; `SEED` chooses the kernels"]
fn met_conditions_suffice_in_many_kernels() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1000);
    println!("{:?}", tried(seed, 200_000));
}

/// Tries `count` random kernels. Returns the number of kernels with conditions, the number of launches that meet these
/// conditions, and the number of accesses of these launches.
fn tried(seed: u64, count: u32) -> (u32, u32, u64) {
    let random = &mut Random(random::Random::from_state(seed));
    let (mut conditional, mut launches, mut accesses) = (0, 0, 0u64);
    for _ in 0..count {
        let kernel = Kernel::random(random);
        let limits = Circumstances { binding_bytes: 1 << 27, workgroups: [65_535; 3], ..Circumstances::default() };
        // The front end rejects constant divisions by zero.
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
            let groups = [(); 2].map(|()| match random.below(16) {
                0 => random.of(&[65_535, 46_341, 16_384, 1_000]),
                _ => 1 + random.below(3),
            });
            let length = if random.below(8) == 0 { 1 << 24 } else { 1 + random.below(120) };
            let met = analysis.of_launches.conditions.met(|outer| match outer {
                Outer::Length(ResourceId { group: 0, binding: 0 }) => Some(length),
                Outer::Word(Some(ResourceId { group: 0, binding: 1 }), offset) => {
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
    (conditional, launches, accesses)
}
