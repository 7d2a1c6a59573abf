//! Sources of imported files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anywarp_backend::SourceFile;

use crate::TextError;

/// A source of imported files.
pub trait Modules {
    /// Returns the file of the module at `path` below the package, such as `["shared", "reduce"]`; `None` if there is
    /// no such module.
    ///
    /// # Errors
    /// A file that exists but cannot be read.
    fn load(&self, path: &[String]) -> Result<Option<SourceFile>, TextError>;
}

/// Modules in the files below one folder: `shared::reduce` is `shared/reduce.wgsl`, or
/// `shared/reduce.wesl`.
///
/// Files outside the folder are never read, even through symbolic links.
///
/// ```no_run
/// use anywarp_wgsl::compose::{Folder, Options, compose};
/// use anywarp_backend::SourceFile;
///
/// let text = "import package::shared::reduce::sum;\nfn f() -> f32 { return sum(1.0, 2.0); }";
/// let root = SourceFile { name: "shaders/scan.wgsl".to_owned(), text: text.to_owned() };
/// let folder = Folder::new("shaders".as_ref());
/// let source = compose(root, &["scan".to_owned()], &folder, &Options::default())?;
/// println!("{} from {:?}", source.text(), folder.loaded());
/// # Ok::<(), anywarp_wgsl::TextError>(())
/// ```
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    loaded: Mutex<Vec<PathBuf>>,
}

impl Folder {
    /// Returns the modules in the files below `root`.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), loaded: Mutex::default() }
    }

    /// Returns the files read so far, as absolute paths.
    #[must_use]
    pub fn loaded(&self) -> Vec<PathBuf> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        let said = |error: std::io::Error| error.to_string();
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root };
        let root = root.canonicalize().map_err(said)?;
        let real = path.canonicalize().map_err(said)?;
        if !real.starts_with(&root) {
            return Err(format!("it is a link to {}, which is outside the folder {}", real.display(), root.display()));
        }
        let text = std::fs::read_to_string(&real).map_err(said)?;
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if !loaded.contains(&real) {
            loaded.push(real);
        }
        Ok(text)
    }
}

impl Modules for Folder {
    fn load(&self, path: &[String]) -> Result<Option<SourceFile>, TextError> {
        let name = |segment: &String| !segment.is_empty() && segment.chars().all(|c| c == '_' || c.is_alphanumeric());
        if path.is_empty() || !path.iter().all(name) {
            return Ok(None);
        }
        for extension in ["wgsl", "wesl"] {
            let file = path.iter().fold(self.root.clone(), |folder, segment| folder.join(segment));
            let file = file.with_extension(extension);
            // A broken link counts as a file, so that reading it reports an error.
            if std::fs::symlink_metadata(&file).is_ok_and(|data| !data.is_dir()) {
                let name = file.display().to_string();
                return match self.read(&file) {
                    Ok(text) => Ok(Some(SourceFile { name, text })),
                    Err(message) => Err(TextError::Unreadable { file: name, message }),
                };
            }
        }
        Ok(None)
    }
}

/// Modules from memory.
///
/// ```
/// use anywarp_backend::SourceFile;
/// use anywarp_wgsl::compose::{Given, Options, compose};
///
/// let mut modules = Given::default();
/// modules.add("shared::math", "shared/math.wgsl", "fn double(x: f32) -> f32 { return 2.0 * x; }");
/// let text = "import package::shared::math::double;\nfn f() -> f32 { return double(1.0); }";
/// let root = SourceFile { name: "main.wgsl".to_owned(), text: text.to_owned() };
/// let source = compose(root, &["main".to_owned()], &modules, &Options::default())?;
/// assert!(source.text().contains("fn double"));
/// # Ok::<(), anywarp_wgsl::TextError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Given {
    files: HashMap<Vec<String>, SourceFile>,
}

impl Given {
    /// Adds a module with a path such as `shared::reduce`; `file` is the file's name in messages. An earlier module
    /// with the same path is replaced.
    pub fn add(&mut self, path: &str, file: impl Into<String>, text: impl Into<String>) {
        let path = path.split("::").map(|segment| segment.trim().to_owned()).collect();
        self.files.insert(path, SourceFile { name: file.into(), text: text.into() });
    }
}

impl Modules for Given {
    fn load(&self, path: &[String]) -> Result<Option<SourceFile>, TextError> {
        Ok(self.files.get(path).cloned())
    }
}
