//! Access of the translated functions to the variables of the module.
//!
//! The entry point has bindings as parameters, and private variables as local ones. Its callees access these variables
//! through a struct that is passed by reference. Every function is inlined, and the struct holds only pointers, counts
//! and references, so the compiler removes it. If the struct held the private variables themselves, an array that is
//! indexed dynamically would keep the whole struct in memory. Workgroup variables are at file scope.

use std::fmt::Write;

use naga::{AddressSpace, GlobalVariable, Handle};

use super::error::{Result, TranslateError};
use super::names::FunctionKey;
use super::types::constness;
use super::writer::{FunctionWriter, GlobalPlace, ModuleWriter};

/// The workgroup memory that a kernel can declare statically, in bytes; a larger size must be requested at launch.
const MAX_DECLARED: u32 = 48 << 10;

/// The alignment of each workgroup variable in bytes, sufficient for every load and store.
const ALIGN: u32 = 16;

/// The form in which functions receive a variable of the module.
enum Form {
    /// A pointer, with a count if the variable is or ends in an unsized array.
    Pointer { counted: bool },
    /// A constant value among the kernel's parameters.
    Value,
    /// A variable that each invocation has for itself.
    Private,
}

impl FunctionWriter<'_, '_> {
    /// Returns the expression by which this function accesses a variable of the module.
    pub(super) fn global(&self, handle: Handle<GlobalVariable>) -> GlobalPlace {
        let variable = &self.m.module.global_variables[handle];
        let name = self.m.names.global(handle);
        let form = self.m.form(handle);
        // The entry point has the variables as parameters and local variables.
        let path = if self.key == FunctionKey::Entry { "" } else { "aw." };
        let (text, count) = match form {
            Some(Form::Pointer { counted }) => {
                let is_array = matches!(self.m.module.types[variable.ty].inner, naga::TypeInner::Array { .. });
                let text = if counted && is_array { format!("{path}{name}") } else { format!("(*{path}{name})") };
                (text, counted.then(|| format!("{path}{name}_count")))
            }
            Some(Form::Value | Form::Private) => (format!("{path}{name}"), None),
            None => (name.to_owned(), None),
        };
        GlobalPlace { text, space: variable.space, count }
    }

    /// Returns the arguments for a loop's limit: the remaining iterations of the invocation, and the status record in
    /// which the end of the budget is reported.
    pub(super) fn limit_arguments(&self) -> &'static str {
        if self.key == FunctionKey::Entry { "aw_steps, aw_status" } else { "aw.aw_steps, aw.aw_status" }
    }

    /// Returns the argument that precedes the WGSL's arguments in a call, if the callee takes one.
    pub(super) fn context_argument(&self, callee: FunctionKey) -> Option<&'static str> {
        self.m.reach.takes_context(callee).then_some("aw")
    }

    /// Declares references to the workgroup variables that a function uses, if they are in dynamic memory.
    pub(super) fn dynamic_variables(&mut self) {
        for (handle, offset) in self.m.dynamic.clone() {
            if !self.info[handle].is_empty() {
                let ty = self.m.type_name(self.m.module.global_variables[handle].ty);
                let name = self.m.names.global(handle).to_owned();
                self.bare(&format!("{ty}& {name} = *reinterpret_cast<{ty}*>(aw_shared + {offset});"));
            }
        }
    }

    /// Declares the private variables, and the struct with the variables that the entry point's callees use.
    pub(super) fn private_variables(&mut self) -> Result<()> {
        let mut members = Vec::new();
        for (handle, variable) in self.m.module.global_variables.iter() {
            let form = self.m.form(handle);
            let name = self.m.names.global(handle).to_owned();
            // A function that is never called may be the only user.
            let used = !self.info[handle].is_empty() || self.m.reach.is_shared(handle);
            if matches!(form, Some(Form::Private)) && used {
                let ty = self.m.type_name(variable.ty);
                let value = match variable.init {
                    Some(init) => self.m.constant(init)?,
                    None => format!("{ty}{{}}"),
                };
                self.bare(&format!("{ty} {name} = {value};"));
            }
            if form.is_some() && self.m.reach.is_shared(handle) {
                members.push(name.clone());
                members.extend(matches!(form, Some(Form::Pointer { counted: true })).then(|| format!("{name}_count")));
            }
        }
        if self.m.reach.limited() {
            self.bare(&format!("u32 aw_steps = {}u;", self.m.options.steps));
        }
        if self.m.reach.limits_are_shared() {
            members.extend(["aw_status".to_owned(), "aw_steps".to_owned()]);
        }
        if self.m.reach.has_context() {
            self.bare(&format!("const aw_Context aw = {{{}}};", members.join(", ")));
        }
        Ok(())
    }
}

impl ModuleWriter<'_> {
    fn form(&self, handle: Handle<GlobalVariable>) -> Option<Form> {
        let variable = &self.module.global_variables[handle];
        match variable.space {
            AddressSpace::Private => Some(Form::Private),
            AddressSpace::Immediate => Some(Form::Value),
            AddressSpace::Uniform if !self.binding(handle).is_some_and(|binding| self.is_addressed(binding)) => {
                Some(Form::Value)
            }
            AddressSpace::Uniform | AddressSpace::Storage { .. } => {
                Some(Form::Pointer { counted: self.unsized_tail(variable.ty).is_some() })
            }
            _ => None,
        }
    }

    /// Returns the struct through which functions access variables; empty if no function needs it.
    pub(super) fn context(&self) -> String {
        let mut out = String::new();
        if !self.reach.has_context() {
            return out;
        }
        out.push_str("struct aw_Context {\n");
        for (handle, variable) in self.module.global_variables.iter() {
            if !self.reach.is_shared(handle) {
                continue;
            }
            let (ty, name) = (self.type_name(variable.ty), self.names.global(handle));
            let _ = match self.form(handle) {
                Some(Form::Pointer { counted }) => {
                    let count = if counted { format!("    u32 {name}_count;\n") } else { String::new() };
                    write!(out, "    {}{ty}* {name};\n{count}", constness(variable.space))
                }
                Some(Form::Value) => writeln!(out, "    const {ty}& {name};"),
                Some(Form::Private) => writeln!(out, "    {ty}& {name};"),
                None => Ok(()),
            };
        }
        if self.reach.limits_are_shared() {
            out.push_str("    const aw_Status& aw_status;\n    u32& aw_steps;\n");
        }
        out.push_str("};\n");
        out
    }

    /// Declares the workgroup variables, or assigns them offsets in dynamic memory. Returns the declarations, and the
    /// size in bytes of the dynamic memory to request.
    pub(super) fn workgroup_variables(&mut self) -> Result<(String, u32)> {
        let mut bytes = 0_u32;
        let mut places = Vec::new();
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space == AddressSpace::WorkGroup {
                places.push((handle, bytes));
                let size = self.cpp_size(variable.ty);
                let end = bytes.checked_add(size).and_then(|end| end.checked_next_multiple_of(ALIGN));
                bytes = end.ok_or_else(|| TranslateError::limit("workgroup variables of more than 4 GiB"))?;
            }
        }
        if bytes > MAX_DECLARED {
            self.dynamic = places;
            return Ok((format!("extern __shared__ __align__({ALIGN}) unsigned char aw_shared[];\n"), bytes));
        }
        let mut out = String::new();
        for (handle, _) in places {
            let ty = self.type_name(self.module.global_variables[handle].ty);
            let _ = writeln!(out, "static __shared__ __align__({ALIGN}) {ty} {};", self.names.global(handle));
        }
        Ok((out, 0))
    }
}
