//! Protection against stack overflow and panics: naga recurses over nested constructs, and checks its own state with
//! panics. Texts that nest too deeply are refused before they are parsed, deep texts are parsed on a separate stack,
//! and a panic becomes an error.

mod measure;

use anywarp_backend::Source;

use crate::TextError;
use crate::quiet;
use measure::{Extent, measure};

/// The maximum nesting depth of a text: the number of brackets, operators and `else` branches, each `else` counted as
/// 8, in which one byte is nested.
pub const MAX_DEPTH: u32 = 2000;
/// The maximum number of declarations outside functions: naga recurses over declarations that use each other.
pub const MAX_DECLARATIONS: u32 = 50_000;
/// The maximum nesting depth of types, as WGSL defines it.
pub const MAX_TYPE_DEPTH: u32 = 255;

/// The maximum extent of a text that is parsed on the caller's stack. A build without optimisation needs some kilobytes
/// of stack for each level.
const SHALLOW: Extent = Extent { depth: 32, declarations: 200, line: 0 };

/// The size of the separate stack, in bytes. The system commits only the part that is used.
const STACK: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 32 << 20 };

/// A context in which one text is parsed and compiled, with enough stack and with panics turned into errors.
pub struct Room<'a> {
    file: &'a str,
    own_stack: bool,
}

/// Returns whether a text can be parsed on the caller's stack, which is the only stack in a browser.
#[must_use]
pub fn is_shallow(text: &str) -> bool {
    measure(text).fits(SHALLOW)
}

impl<'a> Room<'a> {
    /// Returns a context for a text.
    ///
    /// # Errors
    /// [`TextError::TooDeep`].
    pub fn of(file: &'a str, text: &str) -> Result<Self, TextError> {
        let extent = measure(text);
        let too_deep =
            |what, line, depth, limit| Err(TextError::TooDeep { file: file.to_owned(), line, what, depth, limit });
        if extent.depth > MAX_DEPTH {
            return too_deep("operators, brackets and 'else if'", extent.line, extent.depth, MAX_DEPTH);
        }
        if extent.declarations > MAX_DECLARATIONS {
            return too_deep(
                "declarations, if each uses the one before,",
                extent.line,
                extent.declarations,
                MAX_DECLARATIONS,
            );
        }
        let own_stack = !extent.fits(SHALLOW);
        if own_stack && cfg!(target_arch = "wasm32") {
            // There are no threads that could provide another stack.
            return too_deep("operators, brackets and 'else if'", extent.line, extent.depth, SHALLOW.depth);
        }
        Ok(Self { file, own_stack })
    }

    /// Returns a context for a text that may be composed. An error names the author's own file and line.
    ///
    /// # Errors
    /// [`TextError::TooDeep`].
    pub fn of_source(source: &'a Source) -> Result<Self, TextError> {
        Self::of(source.file(), source.text()).map_err(|error| match (error, source.is_plain()) {
            (TextError::TooDeep { file, line, what, depth, limit }, false) => {
                let place = source.position_of_line(line).map(|place| (place.file.to_owned(), place.line));
                let (file, line) = place.unwrap_or((file, line));
                TextError::TooDeep { file, line, what, depth, limit }
            }
            (error, _) => error,
        })
    }

    /// Calls `work` with enough stack, and turns a panic in it into an error.
    ///
    /// # Errors
    /// The errors of `work`; [`TextError::Internal`] for a panic.
    pub fn run<T: Send, E: Send + From<TextError>>(&self, work: impl FnOnce() -> Result<T, E> + Send) -> Result<T, E> {
        let guarded = || {
            // A panic drops all values that `work` owns, so no partly changed state remains.
            quiet::caught(work).unwrap_or_else(|said| Err(self.failed(said).into()))
        };
        if !self.own_stack {
            return guarded();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("anywarp-compile".to_owned()).stack_size(STACK);
            match thread.spawn_scoped(scope, guarded) {
                Ok(thread) => thread.join().unwrap_or_else(|_| Err(self.failed("its thread ended".to_owned()).into())),
                Err(error) => Err(self.failed(format!("no thread with {STACK} bytes of stack: {error}")).into()),
            }
        })
    }

    fn failed(&self, message: String) -> TextError {
        TextError::Internal { file: self.file.to_owned(), message }
    }
}

/// Checks that types do not nest deeper than WGSL allows; naga accepts such types.
///
/// # Errors
/// [`TextError::TooDeep`].
pub fn check_types(source: &Source, module: &naga::Module) -> Result<(), TextError> {
    let mut depths: Vec<u32> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        // naga lists a type after the types that it consists of.
        let of = |inner: naga::Handle<naga::Type>| depths.get(inner.index()).copied().unwrap_or_default() + 1;
        let depth = match &ty.inner {
            naga::TypeInner::Array { base, .. } | naga::TypeInner::BindingArray { base, .. } => of(*base),
            naga::TypeInner::Pointer { base, .. } => of(*base),
            naga::TypeInner::Struct { members, .. } => members.iter().map(|member| of(member.ty)).max().unwrap_or(1),
            _ => 0,
        };
        if depth > MAX_TYPE_DEPTH {
            let span = module.types.get_span(handle);
            let place = span.to_range().and_then(|range| source.position(range.start));
            let (file, line) = place.map_or((source.file(), 1), |place| (place.file, place.line));
            let (what, limit) = ("types", MAX_TYPE_DEPTH);
            return Err(TextError::TooDeep { file: file.to_owned(), line, what, depth, limit });
        }
        depths.push(depth);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
