//! The parameters of a kernel.

use anywarp_backend::BindingClass;
use naga::{AddressSpace, GlobalVariable, Handle};

use super::Parameter;
use super::error::{Result, TranslateError};
use super::types::constness;
use super::writer::ModuleWriter;

/// The parameters of a kernel, as data and as text.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    /// The arguments that the host passes, in order.
    pub(super) given: Vec<Parameter>,
    /// The declarations of the kernel's parameters.
    pub(super) kernel: Vec<String>,
    /// The declarations of the parameters of a function to which the kernel passes all its parameters.
    pub(super) function: Vec<String>,
    /// The names of the parameters.
    pub(super) names: Vec<String>,
}

impl Parameters {
    fn add(&mut self, given: Parameter, ty: &str, name: &str) {
        self.given.push(given);
        match given {
            Parameter::Address { .. } => {
                self.kernel.push(format!("{ty}* const {name}"));
                self.function.push(format!("{ty}* const {name}"));
            }
            Parameter::Count { .. } => {
                self.kernel.push(format!("const {ty} {name}"));
                self.function.push(format!("const {ty} {name}"));
            }
            // A parameter that is never written is read from constant memory, without a copy.
            _ => {
                self.kernel.push(format!("const __grid_constant__ {ty} {name}"));
                self.function.push(format!("const {ty}& {name}"));
            }
        }
        self.names.push(name.to_owned());
    }
}

impl ModuleWriter<'_> {
    /// Returns the kernel's parameters.
    pub(super) fn parameters(&self) -> Result<Parameters> {
        let mut parameters = Parameters::default();
        for (binding, info) in self.program.bindings.iter().enumerate() {
            let id = info.resource;
            let variable = self.module.global_variables.iter().find(|(_, variable)| {
                variable.binding.is_some_and(|at| at.group == id.group && at.binding == id.binding)
            });
            let Some((handle, variable)) = variable else {
                return Err(TranslateError::invalid(format!("there is no variable for the binding {}", info.name)));
            };
            let name = self.names.global(handle);
            let ty = self.type_name(variable.ty);
            if info.class == BindingClass::Uniform && !self.is_addressed(binding) {
                let bytes = self.cpp_size(variable.ty);
                parameters.add(Parameter::Value { binding, bytes }, &ty, name);
                continue;
            }
            let ty = format!("{}{ty}", constness(variable.space));
            parameters.add(Parameter::Address { binding }, &ty, name);
            if self.unsized_tail(variable.ty).is_some() {
                parameters.add(Parameter::Count { binding }, "u32", &format!("{name}_count"));
            }
        }
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space == AddressSpace::Immediate {
                let bytes = self.cpp_size(variable.ty);
                let ty = self.type_name(variable.ty);
                parameters.add(Parameter::Immediate { bytes }, &ty, self.names.global(handle));
            }
        }
        if self.options.form.looped {
            parameters.add(Parameter::Groups, "aw_Groups", "aw_groups");
        }
        if self.reach.limited() {
            parameters.add(Parameter::Status, "aw_Status", "aw_status");
        }
        Ok(parameters)
    }

    /// Returns the index of a variable among the program's bindings.
    pub(super) fn binding(&self, handle: Handle<GlobalVariable>) -> Option<usize> {
        let at = self.module.global_variables[handle].binding?;
        self.program
            .bindings
            .iter()
            .position(|info| info.resource.group == at.group && info.resource.binding == at.binding)
    }

    /// Returns whether a uniform is passed as an address.
    pub(super) fn is_addressed(&self, binding: usize) -> bool {
        binding < 64 && self.options.form.addressed >> binding & 1 == 1
    }
}
