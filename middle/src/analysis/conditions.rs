//! Conditions on a launch that the host can check.
//!
//! Each condition is `0 <= sum`. The sum consists of products of numbers known on the host, and does not wrap. A value
//! that the kernel computes from such numbers only, such as `n - 1u`, counts as a number known on the host. The host
//! computes that value as the kernel does, with wrapping.

use anywarp_backend::ResourceId;
use naga::{AddressSpace, BuiltIn, Module, TypeInner};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::sums::Sum;
use super::values::{Binary, Id, Node, Part, Unary, Values, apply};
use crate::domain::{Int, Known};

/// The largest number of conditions of one kernel: each condition is one bit of a `u64`.
pub(super) const MAX_CONDITIONS: usize = 64;

/// A number of a launch that is known on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outer {
    /// The number of elements of the runtime-sized array that is this storage variable or its last member.
    Length(ResourceId),
    /// The four bytes at this offset in a uniform variable; `None` stands for `var<immediate>`.
    Word(Option<ResourceId>, u32),
    /// The number of workgroups in x, y or z, for 0, 1 or 2.
    Groups(u8),
}

#[derive(Clone, Debug, PartialEq)]
enum Made {
    Outer(Outer),
    /// The result of an operation; its operands are indices of numbers that come earlier in the list.
    Computed(Node),
}

#[derive(Clone, Debug, PartialEq)]
struct Number {
    ty: Int,
    /// The range that the analysis assumed for the number.
    known: Known,
    made: Made,
}

/// The factors of a product, as indices of numbers, and the coefficient of the product.
type Term = (SmallVec<[usize; 4]>, i64);

/// Conditions on a launch that the host can check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    numbers: Vec<Number>,
    /// The sums that must not be negative, one for each condition.
    sums: Vec<Vec<Term>>,
    texts: Vec<String>,
}

impl Conditions {
    /// Returns the conditions that `sums` are not negative. `name` returns the name of a number in the source. Returns
    /// `None` if the host cannot compute a number.
    pub(super) fn new(
        module: &Module,
        values: &Values,
        sums: &[Sum],
        name: &dyn Fn(Id) -> Option<String>,
    ) -> Option<Self> {
        let mut writer = Writer { module, values, numbers: Vec::new(), found: FxHashMap::default() };
        let (mut made, mut texts) = (Vec::new(), Vec::new());
        for sum in sums {
            let mut terms = Vec::new();
            if sum.more() != 0 {
                terms.push((SmallVec::new(), sum.more()));
            }
            for (product, by) in sum.terms() {
                let factors: Option<_> = product.factors().iter().map(|id| writer.number(*id)).collect();
                terms.push((factors?, *by));
            }
            made.push(terms);
            texts.push(written(values, sum, name));
        }
        Some(Self { numbers: writer.numbers, sums: made, texts })
    }

    /// The number of conditions. In bit masks of conditions, the first condition is the lowest bit.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sums.len()
    }

    /// The conditions whose bits are set, as WGSL such as `params.n <= arrayLength(&x)`. Conditions that follow from
    /// another of these conditions are left out.
    pub fn texts(&self, bits: u64) -> impl Iterator<Item = &str> {
        let chosen = move |at: &usize| bits >> at & 1 == 1;
        let follows = move |at: usize| {
            let (more, terms) = parts(&self.sums[at]);
            (0..self.sums.len()).filter(chosen).any(|other| {
                let (other_more, other_terms) = parts(&self.sums[other]);
                other_terms == terms && other_more < more
            })
        };
        let left = (0..self.texts.len()).filter(chosen).filter(move |at| !follows(*at));
        left.map(|at| self.texts[at].as_str())
    }

    /// The conditions that a launch meets, as one bit per condition. `know` returns the numbers of the launch. A
    /// condition on a number for which `know` returns `None` is not met.
    pub fn met(&self, mut know: impl FnMut(Outer) -> Option<u32>) -> u64 {
        let mut found: SmallVec<[Option<Known>; 16]> = SmallVec::new();
        for number in &self.numbers {
            let value = match &number.made {
                // The filter below checks the range that the analysis assumed.
                Made::Outer(outer) => know(*outer).map(|bits| Known::exactly(Int::U32, bits.into()).bitcast(number.ty)),
                Made::Computed(Node::Constant(value)) => Some(Known::exactly(number.ty, *value)),
                Made::Computed(node) => computed(node, number.ty, &found),
            };
            found.push(value.filter(|value| value.value().is_some_and(|value| number.known.contains(value))));
        }
        let met = |terms: &Vec<Term>| sum(terms, &found).is_some_and(|sum| sum >= 0);
        self.sums.iter().enumerate().filter(|(_, terms)| met(terms)).fold(0, |bits, (at, _)| bits | 1 << at)
    }
}

/// Splits a sum into its constant and its other terms. The constant, if the sum has one, is the first term, because it
/// has no factors.
fn parts(terms: &[Term]) -> (i64, &[Term]) {
    match terms {
        [(factors, more), rest @ ..] if factors.is_empty() => (*more, rest),
        all => (0, all),
    }
}

/// The value of a sum; `None` if one of its numbers is `None` or the sum overflows.
fn sum(terms: &[Term], numbers: &[Option<Known>]) -> Option<i128> {
    let mut sum = 0i128;
    for (factors, by) in terms {
        let mut product = i128::from(*by);
        for factor in factors {
            product = product.checked_mul(i128::from(numbers[*factor]?.value()?))?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

/// The result of an operation of the kernel on `numbers`; `None` if an operand is `None`.
fn computed(node: &Node, ty: Int, numbers: &[Option<Known>]) -> Option<Known> {
    let known = match *node {
        Node::Unary(_, of) => numbers[of.index()].is_some(),
        Node::Binary(_, left, right) => numbers[left.index()].and(numbers[right.index()]).is_some(),
        _ => false,
    };
    known.then(|| apply(node, ty, |id| numbers[id.index()].unwrap_or(Known::any(ty)))).flatten()
}

/// Whether a value is known on the host, because it is computed only from constants and numbers of the launch.
pub(super) fn is_outer(module: &Module, values: &Values, id: Id) -> bool {
    is_outer_within(module, values, id, MAX_NESTED)
}

/// The largest depth of nested operations that the host computes.
const MAX_NESTED: u32 = 8;

fn is_outer_within(module: &Module, values: &Values, id: Id, depth: u32) -> bool {
    let inner = |id| depth > 0 && is_outer_within(module, values, id, depth - 1);
    values.ty(id).width == 32
        && match values.node(id) {
            Node::Constant(_) => true,
            Node::Unary(_, of) => inner(*of),
            Node::Binary(_, left, right) => inner(*left) && inner(*right),
            node => outer(module, node).is_some(),
        }
}

/// The number of a launch that `node` reads; `None` if `node` reads no such number.
fn outer(module: &Module, node: &Node) -> Option<Outer> {
    let resource = |global: naga::Handle<naga::GlobalVariable>| {
        let binding = module.global_variables[global].binding?;
        Some(ResourceId { group: binding.group, binding: binding.binding })
    };
    match node {
        Node::Length(global) => Some(Outer::Length(resource(*global)?)),
        Node::Input(BuiltIn::NumWorkGroups, axis) => Some(Outer::Groups(*axis)),
        Node::Fixed(global, path) => {
            let variable = &module.global_variables[*global];
            let of = match variable.space {
                AddressSpace::Uniform => Some(resource(*global)?),
                AddressSpace::Immediate => None,
                _ => return None,
            };
            let (mut offset, mut ty) = (0u32, &module.types[variable.ty].inner);
            for part in path {
                let Part::At(index) = *part else { return None };
                let (by, next) = match ty {
                    TypeInner::Struct { members, .. } => {
                        let member = members.get(index as usize)?;
                        (member.offset, &module.types[member.ty].inner)
                    }
                    TypeInner::Array { base, stride, .. } => (index.checked_mul(*stride)?, &module.types[*base].inner),
                    TypeInner::Vector { size, scalar } if index < *size as u32 && scalar.width == 4 => {
                        return Some(Outer::Word(of, offset.checked_add(index * 4)?));
                    }
                    _ => return None,
                };
                (offset, ty) = (offset.checked_add(by)?, next);
            }
            matches!(ty, TypeInner::Scalar(scalar) if scalar.width == 4).then_some(Outer::Word(of, offset))
        }
        _ => None,
    }
}

struct Writer<'a> {
    module: &'a Module,
    values: &'a Values,
    numbers: Vec<Number>,
    found: FxHashMap<Id, usize>,
}

impl Writer<'_> {
    /// Adds a value to `numbers`, after its operands, and returns the value's index; `None` if the host cannot compute
    /// the value.
    fn number(&mut self, id: Id) -> Option<usize> {
        if let Some(at) = self.found.get(&id) {
            return Some(*at);
        }
        let made = match *self.values.node(id) {
            Node::Constant(number) => Made::Computed(Node::Constant(number)),
            Node::Unary(op, of) => Made::Computed(Node::Unary(op, Id::at(self.number(of)?))),
            Node::Binary(op, left, right) => {
                Made::Computed(Node::Binary(op, Id::at(self.number(left)?), Id::at(self.number(right)?)))
            }
            ref node => Made::Outer(outer(self.module, node)?),
        };
        self.numbers.push(Number { ty: self.values.ty(id), known: self.values.known(id), made });
        self.found.insert(id, self.numbers.len() - 1);
        Some(self.numbers.len() - 1)
    }
}

/// The condition that a sum is not negative, written as an inequality such as `a * b <= c`.
fn written(values: &Values, sum: &Sum, name: &dyn Fn(Id) -> Option<String>) -> String {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let more = sum.more();
    for (product, by) in sum.terms() {
        let mut factors: Vec<String> = product.factors().iter().map(|id| number(values, *id, name)).collect();
        if by.abs() != 1 {
            factors.insert(0, by.abs().to_string());
        }
        if *by < 0 { &mut left } else { &mut right }.push(factors.join(" * "));
    }
    // `0 <= x - 1` is written as `0 < x`.
    let compare = if more == -1 { "<" } else { "<=" };
    match more {
        ..=-2 => left.push((-more).to_string()),
        1.. => right.push(more.to_string()),
        _ => {}
    }
    let side = |terms: Vec<String>| if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
    format!("{} {compare} {}", side(left), side(right))
}

fn number(values: &Values, id: Id, name: &dyn Fn(Id) -> Option<String>) -> String {
    let inner = |id| number(values, id, name);
    match *values.node(id) {
        Node::Constant(number) => number.to_string(),
        Node::Input(BuiltIn::NumWorkGroups, axis) => format!("num_workgroups.{}", ["x", "y", "z"][usize::from(axis)]),
        Node::Unary(Unary::Cast, of) => {
            format!("{}({})", if values.ty(id).signed { "i32" } else { "u32" }, inner(of))
        }
        Node::Unary(op, of) => format!("{op:?}({})", inner(of)).to_lowercase(),
        Node::Binary(op, left, right) => {
            let (left, right) = (inner(left), inner(right));
            let sign = match op {
                Binary::Add => "+",
                Binary::Subtract => "-",
                Binary::Multiply => "*",
                Binary::Divide => "/",
                Binary::Remainder => "%",
                Binary::And => "&",
                Binary::Or => "|",
                Binary::Xor => "^",
                Binary::ShiftLeft => "<<",
                Binary::ShiftRight => ">>",
                Binary::Minimum => return format!("min({left}, {right})"),
                Binary::Maximum => return format!("max({left}, {right})"),
            };
            format!("({left} {sign} {right})")
        }
        _ => name(id).unwrap_or_else(|| "a value of the launch".to_owned()),
    }
}
