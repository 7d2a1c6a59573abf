//! Maps keys of the command line to the kernel's bindings, without a device.

use std::fmt::Write;

use anywarp::backend::{Access, BindingClass, BindingInfo, Layout};

use crate::assign;
use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::made::{Made, Rule};
use crate::random;
use crate::source::Bind;

/// The interface of an entry point.
pub(crate) struct Interface<'k> {
    /// The kernel's name for messages.
    pub(crate) name: &'k str,
    pub(crate) bindings: &'k [BindingInfo],
    pub(crate) immediate: Option<&'k (String, Layout)>,
    /// The number of threads of the run, for suggested sizes.
    pub(crate) threads: u64,
}

/// A part of a uniform or immediate, with its new bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl<'k> Interface<'k> {
    /// Finds a binding by its variable's name or by `GROUP.BINDING`.
    ///
    /// # Errors
    /// A key that is neither a variable's name nor `GROUP.BINDING` of one, with a list of the valid keys.
    pub(crate) fn find(&self, option: &str, key: &str) -> Result<&'k BindingInfo, Failure> {
        let number = |text: &str| text.parse::<u32>().ok();
        let id = key.split_once('.').and_then(|(group, binding)| Some((number(group)?, number(binding)?)));
        let fits = |binding: &&BindingInfo| {
            binding.name == key || id == Some((binding.resource.group, binding.resource.binding))
        };
        self.bindings.iter().find(fits).ok_or_else(|| {
            let known: Vec<String> = self.bindings.iter().map(label).collect();
            let known = if known.is_empty() { "none".to_owned() } else { format!("one of {}", known.join(", ")) };
            Failure::Usage(format!(
                "{option} {key}: expected a variable that kernel '{}' uses, found '{key}': choose {known}",
                self.name
            ))
        })
    }

    /// Pairs each `--bind` with its binding, in binding order.
    ///
    /// # Errors
    /// An unknown key, or two keys for one binding.
    pub(crate) fn bind<'s>(&self, binds: &'s [Bind]) -> Result<Vec<(&'k BindingInfo, &'s Bind)>, Failure> {
        let mut bound: Vec<(&BindingInfo, &Bind)> = Vec::with_capacity(binds.len());
        for bind in binds {
            let binding = self.find("--bind", &bind.key)?;
            if let Some((_, first)) = bound.iter().find(|(other, _)| other.resource == binding.resource) {
                return Err(Failure::Usage(format!(
                    "{}: expected one source for {}, it has {} as well: keep one of the two",
                    bind.argument(),
                    label(binding),
                    first.argument()
                )));
            }
            bound.push((binding, bind));
        }
        bound.sort_by_key(|(binding, _)| binding.resource);
        Ok(bound)
    }

    /// Converts each `--set` to bytes. `layout_of` returns the type of a path in the kernel.
    ///
    /// # Errors
    /// An unknown path, a variable that is bound, a value that does not have the path's type.
    pub(crate) fn assign(
        &self,
        sets: &[(String, String)],
        bound: &[(&BindingInfo, &Bind)],
        layout_of: impl Fn(&str) -> Option<Layout>,
    ) -> Result<Vec<Assignment>, Failure> {
        let one = |(index, (path, value)): (usize, &(String, String))| {
            let wrong = |message: &str| Failure::Usage(format!("--set {path}={value}: {message}"));
            let root = root(path);
            if bound.iter().any(|(binding, _)| binding.name == root) {
                return Err(wrong(&format!(
                    "expected a variable without a --bind, '{root}' has one, which gives all of it: keep one of the two"
                )));
            }
            if let Some((_, first)) = sets[..index].iter().find(|(other, _)| other == path) {
                return Err(wrong(&format!(
                    "expected one value for {path}, it has {first} by another --set: keep one of the two"
                )));
            }
            let layout = layout_of(path).ok_or_else(|| wrong(&self.why_not_settable(path, root)))?;
            let remedy = |message: String| wrong(&format!("{message}: write --set {path}={}", zeros(&layout)));
            let bytes = assign::encode(&layout, value).map_err(remedy)?;
            Ok(Assignment { path: path.clone(), bytes })
        };
        sets.iter().enumerate().map(one).collect()
    }

    fn why_not_settable(&self, path: &str, root: &str) -> String {
        let storage = self.bindings.iter().find(|binding| binding.name == root && !is_uniform(binding));
        if let Some(binding) = storage {
            let (label, source) = (label(binding), self.suggest_source(binding));
            return format!(
                "expected a uniform or an immediate, {label} is a storage variable: give it a buffer, --bind {root}={source}"
            );
        }
        let uniforms = self.bindings.iter().filter(|binding| is_uniform(binding));
        let mut variables = uniforms.map(|binding| (&binding.name, &binding.layout)).collect::<Vec<_>>();
        variables.extend(self.immediate.iter().map(|(name, layout)| (name, layout)));
        let paths: Vec<String> = variables
            .into_iter()
            .flat_map(|(name, layout)| assign::uncovered(layout, name, &[]))
            .map(|(path, layout)| format!("{path} ({})", layout.name))
            .collect();
        match paths.as_slice() {
            [] => format!(
                "expected a part of a uniform or an immediate, of which kernel '{}' has none, found '{path}': leave --set \
                 out",
                self.name
            ),
            paths => format!(
                "expected a part of a uniform or an immediate of kernel '{}', found '{path}': choose one of {}",
                self.name,
                paths.join(", ")
            ),
        }
    }

    /// Checks that every binding has a buffer or, for uniforms and immediates, is covered by
    /// assignments.
    ///
    /// # Errors
    /// The variables without a value, each with its type and the missing argument.
    pub(crate) fn check_complete(
        &self,
        bound: &[(&BindingInfo, &Bind)],
        assigned: &[Assignment],
    ) -> Result<(), Failure> {
        let paths: Vec<&str> = assigned.iter().map(|assignment| assignment.path.as_str()).collect();
        let mut missing = Vec::new();
        for binding in self.bindings {
            if bound.iter().any(|(other, _)| other.resource == binding.resource) {
                continue;
            }
            let what = format!("{}, {} {}", label(binding), variable(binding), binding.layout.name);
            if is_uniform(binding) {
                let open = assign::uncovered(&binding.layout, &binding.name, &paths);
                let touched = paths.iter().any(|path| root(path) == binding.name);
                if !open.is_empty() {
                    let bind = format!("--bind {}={}", binding.name, self.suggest_source(binding));
                    missing.push(format!("{what}: {}", suggest_set(&open, (!touched).then_some(bind))));
                }
            } else {
                missing.push(format!("{what}: --bind {}={}", binding.name, self.suggest_source(binding)));
            }
        }
        if let Some((name, layout)) = self.immediate {
            let open = assign::uncovered(layout, name, &paths);
            if !open.is_empty() {
                missing.push(format!("{name}, var<immediate> {}: {}", layout.name, suggest_set(&open, None)));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let mut message = format!("kernel '{}' needs values that were not given: add, for each of", self.name);
        for line in missing {
            let _ = write!(message, "\n  {line}");
        }
        Err(Failure::Usage(message))
    }

    /// Suggests a source of the right size for one element per thread: random numbers for floats that the kernel only
    /// reads, otherwise zeros.
    pub(crate) fn suggest_source(&self, binding: &BindingInfo) -> String {
        let layout = &binding.layout;
        let bytes = match layout.unsized_tail() {
            // Devices bind multiples of 4 bytes.
            Some((offset, stride)) => {
                let elements = u64::from(stride).saturating_mul(self.threads.max(1));
                elements.saturating_add(offset.into()).checked_next_multiple_of(4).unwrap_or(u64::MAX)
            }
            None => u64::from(layout.size),
        };
        let Some(dtype) = Dtype::of(layout) else { return format!("zeros:{bytes}") };
        let count = bytes / dtype.width() as u64;
        let random = random::DTYPES.iter().any(|(_, known)| *known == dtype) && matches!(dtype, Dtype::F4 | Dtype::F2);
        let rule = if random && binding.access == Access::Read && !is_uniform(binding) {
            Rule::Random { seed: 1 }
        } else {
            Rule::Zeros
        };
        Made { rule, dtype, count }.with(dtype)
    }
}

/// The largest number of paths to suggest one by one.
const MAX_PATHS: usize = 8;

/// Suggests `--set` for each path without a value, or `bind`; only `bind` if there are more than [`MAX_PATHS`] paths,
/// or paths of large types.
fn suggest_set(open: &[(String, &Layout)], bind: Option<String>) -> String {
    let counts: Vec<usize> = open.iter().map(|(_, layout)| assign::scalar_count(layout)).collect();
    let typeable = open.len() <= MAX_PATHS && counts.iter().all(|count| *count <= 4);
    match bind {
        Some(bind) if !typeable => bind,
        Some(bind) => format!("{}, or {bind}", suggest_paths(open)),
        None => suggest_paths(open),
    }
}

fn suggest_paths(open: &[(String, &Layout)]) -> String {
    let one = |(path, layout): &(String, &Layout)| format!("--set {path}={}", zeros(layout));
    let mut sets: Vec<String> = open.iter().take(MAX_PATHS).map(one).collect();
    if open.len() > MAX_PATHS {
        sets.push(format!("and {} more", open.len() - MAX_PATHS));
    }
    sets.join(" ")
}

/// An example value for `--set`: a zero for each scalar of the type, or the number of scalars if there are many.
fn zeros(layout: &Layout) -> String {
    match assign::scalar_count(layout) {
        count @ 0..=16 => vec!["0"; count].join(","),
        count => format!("({count} numbers)"),
    }
}

/// Name and number of a binding: `x (0.1)`.
fn label(binding: &BindingInfo) -> String {
    format!("{} ({}.{})", binding.name, binding.resource.group, binding.resource.binding)
}

/// The variable at the start of a path.
fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

fn is_uniform(binding: &BindingInfo) -> bool {
    binding.class == BindingClass::Uniform
}

/// The declaration's address space, in WGSL.
fn variable(binding: &BindingInfo) -> &'static str {
    match binding.class {
        BindingClass::Uniform => "var<uniform>",
        BindingClass::ReadOnlyStorage => "var<storage, read>",
        BindingClass::Storage => "var<storage, read_write>",
    }
}

#[cfg(test)]
mod tests;
