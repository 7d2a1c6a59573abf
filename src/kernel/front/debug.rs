//! Debug functions of a kernel: found in its text, checked, and made to print.

use std::sync::Arc;

use anywarp_backend::{Caps, Program, Source};
use anywarp_wgsl::marks::{DEBUG, Stray, marked_functions};
use naga::valid::Capabilities;
use naga::{Module, ResourceBinding, Scalar, Span};

use super::reflect::{next_binding, with_module};
use super::validate::validate;
use super::{Text, limits};
use crate::debug::{Site, Sites};
use crate::error::KernelError;
use crate::kernel::passes::debug_print::{Printing, debug_print, signature};

/// A function that reserves the given number of numbers for the debug calls of a kernel, and returns the first one.
pub(crate) type Number<'a> = &'a (dyn Fn(u32) -> u32 + Sync);

/// A debug function, with the span of its name.
pub(super) struct Marked {
    name: String,
    span: Span,
}

/// Returns the functions that the text marks as debug functions; an error if one of them cannot print.
pub(super) fn marked(source: &Source, module: &Module) -> Result<Vec<Marked>, KernelError> {
    let span = |range: std::ops::Range<usize>| Span::new(range.start as u32, range.end as u32);
    let names = marked_functions(source.text(), DEBUG).map_err(|Stray(range)| {
        let message =
            "the mark 'anywarp:debug' must directly precede the 'fn' of a function that is not an entry point";
        error(source, span(range), message.to_owned())
    })?;
    let marked = names.into_iter().map(|(name, range)| {
        let marked = Marked { name: name.to_owned(), span: span(range) };
        let function = module.functions.iter().find(|(_, function)| function.name.as_deref() == Some(name));
        let (_, function) = function.ok_or_else(|| {
            refused(source, &marked, &"is an entry point, but a debug function must be called by the kernel")
        })?;
        signature(module, function).map_err(|misfit| refused(source, &marked, &misfit))?;
        Ok(marked)
    });
    marked.collect()
}

/// Makes the debug functions print, if any is called. Returns the program and its calls that print.
pub(super) fn print(
    text: &Text<'_>,
    program: Program,
    marked: &[Marked],
    caps: &Caps,
) -> Result<(Program, Option<Arc<Sites>>), KernelError> {
    let at = next_binding(&program.bindings, caps);
    let Some((module, sites)) = printing(text, &program, marked, at, caps)? else { return Ok((program, None)) };
    let program = with_module(&program, validate(text, module, caps)?);
    limits::check_printing(&program, caps)?;
    Ok((program, Some(sites)))
}

/// Returns the module with debug functions that print, and their calls; `None` if none is called. The module of
/// `program` contains only what its entry point uses.
fn printing(
    text: &Text<'_>,
    program: &Program,
    marked: &[Marked],
    at: ResourceBinding,
    caps: &Caps,
) -> Result<Option<(Module, Arc<Sites>)>, KernelError> {
    if marked.is_empty() {
        return Ok(None);
    }
    let source = &*text.source;
    let names: Vec<String> = marked.iter().map(|marked| marked.name.clone()).collect();
    let mut first = 0;
    let printing = debug_print(&program.module, &names, at, |count| {
        first = (text.number)(count);
        first
    });
    let internal = |message| KernelError::Internal { file: source.file().to_owned(), message };
    let Some(printing) = printing.map_err(|misfit| internal(misfit.to_string()))? else { return Ok(None) };
    check_doubles(source, marked, &printing, caps)?;
    let Printing { module, sites, functions } = printing;
    let sites = sites.into_iter().map(|site| {
        // A call without a span has the location of the debug function.
        let own = || marked.iter().find(|marked| marked.name == functions[site.function].name);
        let span = if site.span.is_defined() { site.span } else { own().map_or(Span::UNDEFINED, |own| own.span) };
        let (file, line) = place(source, span);
        Site { file: file.into(), line, function: site.function }
    });
    let (kernel, sites) = (Arc::clone(&program.name), sites.collect());
    Ok(Some((module, Arc::new(Sites { first, kernel, sites, functions }))))
}

/// Refuses debug functions with `f64` parameters on devices without 64-bit integers: the bits of an `f64` are printed
/// as such an integer.
fn check_doubles(source: &Source, marked: &[Marked], printing: &Printing, caps: &Caps) -> Result<(), KernelError> {
    if caps.shader.contains(Capabilities::SHADER_INT64) {
        return Ok(());
    }
    let doubles = |name: &str| {
        let function = printing.functions.iter().find(|function| function.name == name);
        function.is_some_and(|function| function.parameters.iter().any(|parameter| parameter.scalar == Scalar::F64))
    };
    marked.iter().find(|marked| doubles(&marked.name)).map_or(Ok(()), |marked| {
        let reason = format!("takes f64, which {} cannot print, as it has no 64-bit integers", caps.name);
        Err(refused(source, marked, &reason))
    })
}

fn refused(source: &Source, marked: &Marked, reason: &dyn std::fmt::Display) -> KernelError {
    error(source, marked.span, format!("the debug function '{}' {reason}", marked.name))
}

fn error(source: &Source, span: Span, message: String) -> KernelError {
    let (file, line) = place(source, span);
    KernelError::DebugFunction { file: file.to_owned(), line, message }
}

/// The file and the line of `span`; line 1 if the span is unknown.
fn place(source: &Source, span: Span) -> (&str, u32) {
    let place = span.to_range().and_then(|range| source.position(range.start));
    place.map_or((source.file(), 1), |place| (place.file, place.line))
}
