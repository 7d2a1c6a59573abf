//! Reading of the WGSL that the macro's input names: one file, or several files that are composed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anywarp_backend::{Scalar, Source, SourceFile};
use anywarp_wgsl::TextError;
use anywarp_wgsl::compose::{Folder, Modules, Options, compose};
use proc_macro2::Ident;

use crate::input::{Input, Text};
use crate::refusal::Refusal;

/// A text, with the files from which it was composed.
pub(crate) struct Reading {
    pub(crate) source: Source,
    /// The module path of the text itself, to which `super` in its imports refers.
    pub(crate) at: Vec<String>,
    /// The imported files.
    pub(crate) imported: Vec<Imported>,
}

/// An imported file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Imported {
    /// The module path, such as `shared::reduce`.
    pub(crate) path: String,
    /// The path of the file, relative to the crate's folder.
    pub(crate) file: String,
}

/// Reads the text that `input` names, with all imports; `folder` is the folder of the crate.
///
/// # Errors
/// A file that is missing, outside the crate, not text, or empty; an import that fails.
pub(crate) fn read(input: &Input, folder: &Path) -> Result<Reading, Refusal> {
    let (root, file) = match &input.text {
        Text::File(path) => {
            let path = path.value();
            let text = read_file(folder, &path)?;
            (parent(&path).to_owned(), SourceFile { name: path, text })
        }
        Text::Inline(text) => (String::new(), SourceFile { name: input.name.to_string(), text: text.value() }),
    };
    if file.text.trim().is_empty() {
        return Err(Refusal::new(format!("{} is empty: it needs a compute entry point", file.name)));
    }
    let root = match &input.options.root {
        Some(given) => {
            let given = given.value().trim_end_matches('/').to_owned();
            resolve(folder, &given)?;
            given
        }
        None => root,
    };
    let at = match &input.text {
        Text::File(path) => module_path(&path.value(), &root)?,
        Text::Inline(_) => Vec::new(),
    };
    let options = Options { features: input.options.features.clone(), elements: elements(&input.options.elements)? };
    let modules = Tracked { crate_folder: folder, folder: Folder::new(&folder.join(&root)), read: Mutex::default() };
    let source = compose(file, &at, &modules, &options)?;
    let imported = modules.read.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Reading { source, at, imported })
}

/// Modules in the files below a folder. Each file that is read is recorded.
struct Tracked<'a> {
    crate_folder: &'a Path,
    folder: Folder,
    read: Mutex<Vec<Imported>>,
}

impl Modules for Tracked<'_> {
    fn load(&self, path: &[String]) -> Result<Option<SourceFile>, TextError> {
        let Some(SourceFile { name, text }) = self.folder.load(path)? else { return Ok(None) };
        let below = Path::new(&name).strip_prefix(self.crate_folder).map(with_slashes);
        let imported = Imported { path: path.join("::"), file: below.unwrap_or(name) };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if !read.contains(&imported) {
            read.push(imported.clone());
        }
        Ok(Some(SourceFile { name: imported.file, text }))
    }
}

fn with_slashes(path: &Path) -> String {
    let segments: Vec<_> = path.components().map(|segment| segment.as_os_str().to_string_lossy()).collect();
    segments.join("/")
}

/// The folder of a path that is written with slashes.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of a file as a module: `shaders/shared/reduce.wgsl` below `shaders` is `shared`, `reduce`.
fn module_path(path: &str, root: &str) -> Result<Vec<String>, Refusal> {
    let below = Path::new(path).strip_prefix(root).map_err(|_| {
        Refusal::new(format!("'{path}' is not in '{root}', the root folder of its imports: set another `root`"))
    })?;
    Ok(below.with_extension("").components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect())
}

/// The names of element types, each with the scalar type that replaces the aliased one.
fn elements(given: &[(String, Ident)]) -> Result<Vec<(String, Scalar)>, Refusal> {
    let known = "f16, f32, f64, i16, i32, i64, u16, u32, u64";
    let chosen = given.iter().map(|(name, ty)| {
        let scalar = Scalar::named(&ty.to_string());
        let unknown = || Refusal::new(format!("the element '{name}' cannot be '{ty}': expected one of {known}"));
        Ok((name.clone(), scalar.ok_or_else(unknown)?))
    });
    chosen.collect()
}

/// Reads the text of a file within `folder`.
fn read_file(folder: &Path, path: &str) -> Result<String, Refusal> {
    std::fs::read_to_string(resolve(folder, path)?).map_err(|error| unreadable(folder, path, &error))
}

/// Resolves links in a path, which must be within `folder`.
fn resolve(folder: &Path, path: &str) -> Result<PathBuf, Refusal> {
    let real = |path: &Path| path.canonicalize();
    let within = || {
        let (folder, path) = (real(folder)?, real(&folder.join(path))?);
        Ok(path.starts_with(folder).then_some(path))
    };
    match within().map_err(|error| unreadable(folder, path, &error))? {
        Some(real) if !Path::new(path).is_absolute() => Ok(real),
        _ => Err(Refusal::new(format!(
            "'{path}' is not within the crate: expected a path below the crate's folder, {}, and relative to it",
            folder.display()
        ))),
    }
}

fn unreadable(folder: &Path, path: &str, error: &std::io::Error) -> Refusal {
    Refusal::new(format!("'{path}' cannot be read: {error}; expected it at {}", folder.join(path).display()))
}
