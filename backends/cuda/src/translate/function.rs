//! Functions other than the entry point.

use std::fmt::Write;

use naga::{Function, Handle, TypeInner};

use super::error::Result;
use super::names::FunctionKey;
use super::writer::{FunctionWriter, ModuleWriter};

impl<'a> ModuleWriter<'a> {
    /// Returns the C++ of a function.
    pub(super) fn function(&mut self, handle: Handle<Function>) -> Result<String> {
        let (module, info) = (self.module, self.info);
        let function = &module.functions[handle];
        let key = FunctionKey::Function(handle);
        let head = self.head(handle);
        let mut writer = FunctionWriter::new(self, key, function, &info[handle]);
        writer.dynamic_variables();
        writer.local_variables()?;
        writer.body(&function.body)?;
        Ok(format!("{head} {{\n{}}}\n", writer.out))
    }

    fn head(&self, handle: Handle<Function>) -> String {
        let function = &self.module.functions[handle];
        let key = FunctionKey::Function(handle);
        let result = function.result.as_ref().map_or_else(|| "void".to_owned(), |result| self.type_name(result.ty));
        let mut arguments = Vec::new();
        if self.reach.takes_context(key) {
            arguments.push("const aw_Context& aw".to_owned());
        }
        for (index, argument) in function.arguments.iter().enumerate() {
            let name = self.names.argument(key, index as u32);
            arguments.push(format!("{} {name}", self.type_name(argument.ty)));
            if let TypeInner::Pointer { base, .. } = self.module.types[argument.ty].inner
                && self.unsized_tail(base).is_some()
            {
                arguments.push(format!("u32 {name}_count"));
            }
        }
        let mut head = String::from("static __device__ __forceinline__ ");
        let _ = write!(head, "{result} {}({})", self.names.function(handle), arguments.join(", "));
        head
    }
}

impl FunctionWriter<'_, '_> {
    /// Declares the function's variables; a variable without an initial value is initialised to zero.
    pub(super) fn local_variables(&mut self) -> Result<()> {
        let function = self.function;
        for (handle, local) in function.local_variables.iter() {
            let ty = self.m.type_name(local.ty);
            let name = self.local(handle);
            let value = match local.init {
                Some(init) => self.value(init)?,
                None => format!("{ty}{{}}"),
            };
            self.bare(&format!("{ty} {name} = {value};"));
        }
        Ok(())
    }

    /// Writes a call of a function.
    pub(super) fn call(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Handle<naga::Expression>],
        result: Option<Handle<naga::Expression>>,
    ) -> Result<()> {
        let module = self.m.module;
        let mut texts: Vec<String> = Vec::with_capacity(arguments.len() + 1);
        texts.extend(self.context_argument(FunctionKey::Function(callee)).map(str::to_owned));
        for (argument, declared) in arguments.iter().zip(&module.functions[callee].arguments) {
            let is_pointer = module.types[declared.ty].inner.pointer_space().is_some();
            texts.push(if is_pointer { self.pointer_argument(*argument)? } else { self.value(*argument)? });
        }
        let text = format!("{}({})", self.m.names.function(callee), texts.join(", "));
        match result {
            Some(result) => self.declare(result, &text),
            None => self.line(&format!("{text};")),
        }
        Ok(())
    }
}
