//! The values that exist when a kernel begins: built-in inputs, and the lengths of buffers.

use naga::{ArraySize, Binding, BuiltIn, EntryPoint, GlobalVariable, Handle, TypeInner};

use super::state::Value;
use super::types;
use super::values::{Binary, Id, Node};
use super::walk::Walker;
use crate::domain::{Int, Known};

impl<'a> Walker<'a> {
    /// The number of elements of a variable's runtime-sized array.
    pub(super) fn length(&mut self, global: Handle<GlobalVariable>) -> Option<Id> {
        let variable = &self.module.global_variables[global];
        let types = &self.module.types;
        let (array, before) = match &types[variable.ty].inner {
            TypeInner::Struct { members, .. } => {
                let last = members.last()?;
                (&types[last.ty].inner, last.offset)
            }
            array => (array, 0),
        };
        let TypeInner::Array { size: ArraySize::Dynamic, stride, .. } = *array else { return None };
        let known = variable.binding.and_then(|binding| {
            let same = |(resource, _): &&(anywarp_backend::ResourceId, u32)| {
                (resource.group, resource.binding) == (binding.group, binding.binding)
            };
            self.circumstances.lengths.iter().find(same).map(|(_, length)| i64::from(*length))
        });
        if let Some(length) = known.filter(|length| *length >= 1) {
            return Some(self.values.constant(Int::U32, length));
        }
        let bytes = self.circumstances.binding_bytes.saturating_sub(u64::from(before));
        let most = i64::try_from(bytes / u64::from(stride.max(1))).unwrap_or(i64::MAX).clamp(1, Int::U32.most());
        Some(self.values.outer(Node::Length(global), Known::between(Int::U32, 1, most)))
    }

    /// The values of an entry point's arguments.
    pub(super) fn inputs(&mut self, entry: &'a EntryPoint) -> Vec<Value> {
        let size = entry.workgroup_size;
        let one = |this: &mut Self, binding: &Option<Binding>, ty| {
            let inner = &this.module.types[ty].inner;
            match binding {
                Some(Binding::BuiltIn(built_in)) => this.input(*built_in, size),
                _ => types::unknown(this.module, &mut this.values, inner),
            }
        };
        let arguments = entry.function.arguments.iter();
        arguments
            .map(|argument| match &self.module.types[argument.ty].inner {
                TypeInner::Struct { members, .. } => {
                    Value::Parts(members.iter().map(|member| one(self, &member.binding, member.ty)).collect())
                }
                _ => one(self, &argument.binding, argument.ty),
            })
            .collect()
    }

    fn input(&mut self, built_in: BuiltIn, size: [u32; 3]) -> Value {
        let size = size.map(|size| i64::from(size.max(1)));
        let invocations: i64 = size.iter().product();
        let groups = self.circumstances.workgroups.map(i64::from);
        let mut within = |low: i64, high: i64| {
            let high = high.min(Int::U32.most());
            Value::Scalar(self.values.outer(Node::Input(built_in, 0), Known::between(Int::U32, low, high.max(low))))
        };
        match built_in {
            BuiltIn::LocalInvocationIndex => return within(0, invocations - 1),
            BuiltIn::SubgroupSize | BuiltIn::SubgroupInvocationId => {
                let (least, most) = self.circumstances.subgroup_size;
                let (least, most) = (i64::from(least), i64::from(most.max(least)));
                let mut outer = |built_in, low, high| {
                    self.values.outer(Node::Input(built_in, 0), Known::between(Int::U32, low, high))
                };
                let (size, lane) =
                    (outer(BuiltIn::SubgroupSize, least, most), outer(BuiltIn::SubgroupInvocationId, 0, most - 1));
                self.facts.ordered(&self.values, lane, size, -1);
                return Value::Scalar(if built_in == BuiltIn::SubgroupSize { size } else { lane });
            }
            BuiltIn::NumSubgroups => return within(1, invocations),
            BuiltIn::SubgroupId => return within(0, invocations - 1),
            _ => {}
        }
        let parts = (0..3).map(|at| {
            let mut outer = |built_in: BuiltIn, low: i64, high: i64| {
                self.values.outer(Node::Input(built_in, at), Known::between(Int::U32, low, high.min(Int::U32.most())))
            };
            let (size, groups) = (size[usize::from(at)], groups[usize::from(at)]);
            let id = match built_in {
                BuiltIn::LocalInvocationId => outer(built_in, 0, size - 1),
                BuiltIn::WorkGroupId => {
                    let (id, count) = (outer(built_in, 0, groups - 1), outer(BuiltIn::NumWorkGroups, 1, groups));
                    self.facts.ordered(&self.values, id, count, -1);
                    id
                }
                BuiltIn::NumWorkGroups => outer(built_in, 1, groups),
                BuiltIn::WorkGroupSize => outer(built_in, size, size),
                BuiltIn::GlobalInvocationId => {
                    let (group, local) =
                        (outer(BuiltIn::WorkGroupId, 0, groups - 1), outer(BuiltIn::LocalInvocationId, 0, size - 1));
                    let size = self.values.constant(Int::U32, size);
                    let first = self.values.binary(Binary::Multiply, group, size);
                    self.values.binary(Binary::Add, first, local)
                }
                _ => self.values.unknown(Known::any(Int::U32)),
            };
            Value::Scalar(id)
        });
        Value::Parts(parts.collect::<Vec<_>>().into())
    }
}
