//! Decides for each access whether its index is less than the number of elements.

use naga::{ArraySize, BuiltIn, Expression, GlobalVariable, Handle, TypeInner};

use super::bounds::Bounds;
use super::conditions;
use super::order::Orders;
use super::state::{Root, Value};
use super::sums::Sum;
use super::values::{Id, Node, Part, Unary};
use super::verdicts::{Advice, Count, Seen};
use super::walk::{Frame, Walker};
use crate::domain::Int;

/// The number of elements of an array, a vector or a matrix.
enum Elements {
    Fixed(u32),
    Length(Handle<GlobalVariable>, Id),
}

impl<'a> Walker<'a> {
    /// Records whether the index of an access is in range.
    pub(super) fn access(
        &mut self,
        frame: &Frame<'a>,
        access: Handle<Expression>,
        base: Handle<Expression>,
        of: &Value,
        index: Option<Id>,
    ) {
        if !self.recording {
            return;
        }
        let elements = self.elements(frame, base, of);
        let count = elements.as_ref().map(|elements| match elements {
            Elements::Fixed(count) => Count::Fixed(*count),
            Elements::Length(global, _) => Count::Length(self.name_of_array(*global)),
        });
        let seen = match (index, &elements) {
            (Some(index), Some(elements)) => {
                let below = match elements {
                    Elements::Fixed(count) => {
                        self.values.constant(self.values.ty(index), i64::from(*count).min(i64::from(i32::MAX)))
                    }
                    Elements::Length(_, length) => *length,
                };
                let range = self.facts.range(&self.values, index);
                let zero = self.values.constant(Int::I32, 0);
                let mut orders = Orders { values: &self.values, facts: &mut self.facts };
                let positive = range.low() >= 0 || orders.at_most(zero, index, 0);
                let proven = positive && orders.at_most(index, below, -1);
                let advice = if proven { None } else { self.advice(index, elements, positive) };
                let needs = if proven { Some(0) } else { self.needs(index, below) };
                Seen { needs, low: range.low(), high: range.high(), count, advice }
            }
            (Some(index), None) => {
                let range = self.facts.range(&self.values, index);
                Seen { needs: None, low: range.low(), high: range.high(), count, advice: None }
            }
            (None, _) => Seen { needs: None, low: i64::from(i32::MIN), high: i64::from(u32::MAX), count, advice: None },
        };
        self.verdicts.record(frame.number, access, seen);
    }

    /// The conditions on a launch under which an index is less than `count`, as one bit per condition; `None` if no
    /// conditions were found.
    fn needs(&mut self, index: Id, count: Id) -> Option<u64> {
        if self.condition_effort == 0 {
            return None;
        }
        // The search for conditions has its own limit of effort, so that the search does not use up the effort that the
        // rest of the analysis may spend.
        let (work, groups, most) = (self.facts.work, self.circumstances.workgroups, self.condition_effort);
        let mut bounds = Bounds::new(self.module, &mut self.values, &mut self.facts, &mut self.found, groups, most);
        let before = bounds.left();
        let sums = bounds.in_range(index, count);
        // The facts that the search looks up also count as effort of the search.
        let looked = u64::from(before - bounds.left()) + (self.facts.work - work) / 4;
        self.condition_effort = self.condition_effort.saturating_sub(u32::try_from(looked).unwrap_or(u32::MAX));
        self.facts.work = work;
        let sums = sums?;
        let new: Vec<&Sum> = sums.iter().filter(|sum| !self.conditions.contains(sum)).collect();
        if self.conditions.len() + new.len() > conditions::MAX_CONDITIONS {
            return None;
        }
        let new: Vec<Sum> = new.into_iter().cloned().collect();
        self.conditions.extend(new);
        let bit = |sum: &Sum| self.conditions.iter().position(|other| other == sum).map_or(0, |at| 1 << at);
        Some(sums.iter().map(bit).fold(0, |bits, bit| bits | bit))
    }

    /// The number of elements of the array, vector or matrix that an access indexes.
    fn elements(&mut self, frame: &Frame<'a>, base: Handle<Expression>, of: &Value) -> Option<Elements> {
        let types = &self.module.types;
        let mut ty = frame.info[base].ty.inner_with(types);
        match *ty {
            TypeInner::Pointer { base, .. } => ty = &types[base].inner,
            TypeInner::ValuePointer { size, .. } => return Some(Elements::Fixed(size? as u32)),
            _ => {}
        }
        match *ty {
            TypeInner::Vector { size, .. } => Some(Elements::Fixed(size as u32)),
            TypeInner::Matrix { columns, .. } => Some(Elements::Fixed(columns as u32)),
            TypeInner::Array { size: ArraySize::Constant(count), .. } => Some(Elements::Fixed(count.get())),
            TypeInner::Array { size: ArraySize::Dynamic, .. } => match of {
                Value::Pointer(place) => match place.root {
                    Root::Global(global) => Some(Elements::Length(global, self.length(global)?)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// A change of the kernel that would let the analysis prove that the index is in range.
    fn advice(&self, index: Id, elements: &Elements, positive: bool) -> Option<Advice> {
        let mut at = index;
        while let Node::Unary(Unary::Cast, of) = self.values.node(at) {
            at = *of;
        }
        if let (Elements::Fixed(count), Node::Input(built_in, _)) = (elements, self.values.node(at))
            && matches!(built_in, BuiltIn::LocalInvocationIndex | BuiltIn::LocalInvocationId)
        {
            return Some(Advice::WorkgroupSize(*count));
        }
        // Looks at comparisons of the index, or of the value that is cast to the index.
        let bounds = self.facts.orders().iter().rev().filter(|order| order.left == index || order.left == at);
        for order in bounds {
            let same = matches!(elements, Elements::Length(_, length) if *length == order.right);
            if same && !positive {
                return Some(Advice::Negative);
            }
            if let Some(name) = self.name_of_bound(order.right) {
                let outer = conditions::is_outer(self.module, &self.values, order.right);
                return Some(if outer { Advice::OtherBound(name) } else { Advice::MemoryBound(name) });
            }
        }
        Some(Advice::Guard)
    }

    /// The name of a bound in the source: a length of an array, or a variable that nothing writes.
    pub(super) fn name_of_bound(&self, id: Id) -> Option<String> {
        match self.values.node(id) {
            Node::Length(global) => Some(format!("arrayLength(&{})", self.name_of_array(*global))),
            Node::Fixed(global, path) => {
                let variable = &self.module.global_variables[*global];
                let mut name = variable.name.clone()?;
                let mut ty = variable.ty;
                for part in path {
                    match (&self.module.types[ty].inner, part) {
                        (TypeInner::Struct { members, .. }, Part::At(index)) => {
                            let member = members.get(*index as usize)?;
                            name = format!("{name}.{}", member.name.as_deref()?);
                            ty = member.ty;
                        }
                        (TypeInner::Vector { .. }, Part::At(index)) => {
                            return Some(format!("{name}.{}", ["x", "y", "z", "w"].get(*index as usize)?));
                        }
                        (TypeInner::Array { base, .. }, Part::At(index)) => {
                            name = format!("{name}[{index}]");
                            ty = *base;
                        }
                        (TypeInner::Array { base, .. }, Part::Index(_)) => {
                            name = format!("{name}[..]");
                            ty = *base;
                        }
                        _ => return Some(name),
                    }
                }
                Some(name)
            }
            _ => None,
        }
    }

    /// The name of a variable's runtime-sized array in the source.
    fn name_of_array(&self, global: Handle<GlobalVariable>) -> String {
        let variable = &self.module.global_variables[global];
        let name = variable.name.clone().unwrap_or_default();
        match &self.module.types[variable.ty].inner {
            TypeInner::Struct { members, .. } => match members.last().and_then(|member| member.name.as_deref()) {
                Some(member) => format!("{name}.{member}"),
                None => name,
            },
            _ => name,
        }
    }
}
