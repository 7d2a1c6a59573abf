//! The composed text of a source, and the files that it is read from.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::Path;

use anywarp_backend::{Source, SourceFile};
use anywarp_wgsl::TextError;
use anywarp_wgsl::compose::{Folder, Given, Modules, Options, compose};

use super::{Module, Wgsl};
use crate::error::KernelError;

impl Wgsl<'_> {
    /// Returns an owned copy of the source, if the text is from a file.
    pub(in crate::kernel) fn opened(&self) -> Option<Wgsl<'static>> {
        let owned = |text: &Cow<'_, str>| Cow::Owned(text.to_string());
        self.path.as_ref().map(|path| Wgsl {
            text: owned(&self.text),
            file: owned(&self.file),
            entry: self.entry.as_ref().map(owned),
            overrides: self.overrides.iter().map(|(name, value)| (owned(name), *value)).collect(),
            leave: self.leave,
            modules: self.modules.iter().map(Module::owned).collect(),
            at: self.at.iter().map(owned).collect(),
            features: self.features.iter().map(|(name, on)| (owned(name), *on)).collect(),
            elements: self.elements.iter().map(|(name, scalar)| (owned(name), *scalar)).collect(),
            folder: self.folder.clone(),
            path: Some(path.clone()),
            prepared: self.prepared.clone(),
            name: self.name,
        })
    }

    /// A copy with the current text of its file.
    pub(in crate::kernel) fn read_again(&self) -> Result<Self, KernelError> {
        let text = self.path.as_deref().map(file).transpose()?;
        Ok(Self { text: text.map_or_else(|| self.text.clone(), Cow::Owned), ..self.clone() })
    }

    /// Composes the text with its imports into a single source.
    pub(crate) fn source(&self) -> Result<Source, KernelError> {
        if let Some(prepared) = &self.prepared {
            return Ok(prepared.clone());
        }
        let mut given = Given::default();
        for Module { path, file, text } in &self.modules {
            given.add(path, file.as_ref(), text.as_ref());
        }
        let elements = self.elements.iter().map(|(name, scalar)| match scalar {
            Ok(scalar) => Ok((name.to_string(), *scalar)),
            Err(element) => Err(self.no_scalar(name, element)),
        });
        let options = Options {
            features: self.features.iter().map(|(name, on)| (name.to_string(), *on)).collect(),
            elements: elements.collect::<Result<_, _>>()?,
        };
        let modules = Library { given, folder: self.folder.as_deref().map(Folder::new) };
        let root = SourceFile { name: self.file.to_string(), text: self.text.to_string() };
        Ok(compose(root, &self.module_path()?, &modules, &options)?)
    }

    /// The path of the file below the root folder, as other files import it.
    fn module_path(&self) -> Result<Vec<String>, KernelError> {
        let (Some(path), Some(folder)) = (&self.path, &self.folder) else {
            return Ok(self.at.iter().map(ToString::to_string).collect());
        };
        let real = |path: &Path| if path.as_os_str().is_empty() { Path::new(".") } else { path }.canonicalize().ok();
        let below = path.strip_prefix(folder).map(Path::to_owned).ok();
        let below = below.or_else(|| Some(real(path)?.strip_prefix(real(folder)?).ok()?.to_owned()));
        let Some(below) = below else {
            let message = format!(
                "expected a file in the root folder of its imports, {}, but it is elsewhere; set the root to a folder that contains it",
                folder.display()
            );
            return Err(KernelError::Unreadable { file: path.display().to_string(), message });
        };
        let segments = below.with_extension("");
        Ok(segments.components().map(|segment| segment.as_os_str().to_string_lossy().into_owned()).collect())
    }

    fn no_scalar(&self, name: &str, element: &str) -> KernelError {
        let diagnostic =
            format!("error: the element type '{name}' cannot become {element}, which is not a scalar of WGSL");
        KernelError::Compose { file: self.file.to_string(), line: 1, diagnostic }
    }
}

pub(super) fn file(path: &Path) -> Result<String, KernelError> {
    std::fs::read_to_string(path).map_err(|error| {
        let message = match error.kind() {
            _ if path.is_dir() => "expected a WGSL file, found a folder; name a file in it".to_owned(),
            ErrorKind::NotFound => "expected a WGSL file, but it does not exist; check the path".to_owned(),
            ErrorKind::InvalidData => "expected WGSL in UTF-8, found other bytes; save the file as UTF-8".to_owned(),
            _ => format!("{error}; check the path and its permissions"),
        };
        KernelError::Unreadable { file: path.display().to_string(), message }
    })
}

/// The modules that can be imported: those from memory, which take precedence, and the files of a folder.
struct Library {
    given: Given,
    folder: Option<Folder>,
}

impl Modules for Library {
    fn load(&self, path: &[String]) -> Result<Option<SourceFile>, TextError> {
        match (self.given.load(path)?, &self.folder) {
            (None, Some(folder)) => folder.load(path),
            (found, _) => Ok(found),
        }
    }
}
