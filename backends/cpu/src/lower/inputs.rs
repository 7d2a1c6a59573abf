//! The arguments of an entry point, which are built-in values.

use naga::{Binding, BuiltIn, TypeInner};

use super::error::{LowerError, Result};
use super::kernel::Lowering;
use super::value::Data;
use crate::abi::LANES;
use crate::ir::{BinaryOp, Input, Value};

impl Lowering<'_> {
    /// Returns the values of an entry point's arguments.
    pub(super) fn inputs(&mut self, function: &naga::Function) -> Result<Vec<Data>> {
        let mut arguments = Vec::with_capacity(function.arguments.len());
        for argument in &function.arguments {
            let mut values = Vec::new();
            match (&argument.binding, &self.module.types[argument.ty].inner) {
                (Some(Binding::BuiltIn(builtin)), _) => values = self.builtin(*builtin)?,
                (None, TypeInner::Struct { members, .. }) => {
                    for member in members {
                        let Some(Binding::BuiltIn(builtin)) = &member.binding else {
                            return Err(LowerError::unsupported("an argument with a @location"));
                        };
                        values.extend(self.builtin(*builtin)?);
                    }
                }
                _ => return Err(LowerError::unsupported("an argument with a @location")),
            }
            arguments.push(values.into());
        }
        Ok(arguments)
    }

    fn builtin(&mut self, builtin: BuiltIn) -> Result<Vec<Value>> {
        let size = self.program.workgroup_size;
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => (0..3).map(|d| self.global_id(d)).collect(),
            BuiltIn::LocalInvocationId => (0..3).map(|d| self.local_id(d)).collect(),
            BuiltIn::LocalInvocationIndex => vec![self.b.input(Input::LocalIndex)],
            BuiltIn::WorkGroupId => (0..3).map(|d| self.b.input(Input::WorkgroupId(d))).collect(),
            BuiltIn::WorkGroupSize => size.into_iter().map(|extent| self.b.u32(extent)).collect(),
            BuiltIn::NumWorkGroups => (0..3).map(|d| self.b.input(Input::NumWorkgroups(d))).collect(),
            BuiltIn::NumSubgroups => {
                let invocations = self.b.function().invocations();
                vec![self.b.u32(invocations.div_ceil(LANES as u32))]
            }
            BuiltIn::SubgroupId => vec![self.b.input(Input::SubgroupId)],
            BuiltIn::SubgroupSize => vec![self.b.u32(LANES as u32)],
            BuiltIn::SubgroupInvocationId => vec![self.b.input(Input::Lane)],
            other => return Err(LowerError::unsupported(&format!("the built-in value {other:?}"))),
        })
    }

    fn local_id(&mut self, dimension: u8) -> Value {
        if self.program.workgroup_size[usize::from(dimension)] == 1 {
            return self.b.u32(0);
        }
        self.b.input(Input::LocalId(dimension))
    }

    fn global_id(&mut self, dimension: u8) -> Value {
        let group = self.b.input(Input::WorkgroupId(dimension));
        let extent = self.b.u32(self.program.workgroup_size[usize::from(dimension)]);
        let first = self.b.binary(BinaryOp::Mul, group, extent);
        let local = self.local_id(dimension);
        self.b.binary(BinaryOp::Add, first, local)
    }
}
