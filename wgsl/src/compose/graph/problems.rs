//! Errors of imports: missing modules and items, and cycles.

use super::super::failure::list;
use super::Graph;
use crate::TextError;

impl Graph<'_> {
    /// The error for a missing module; `paths` are the paths that were tried.
    pub(super) fn no_module(&self, index: usize, at: usize, paths: &[&[String]]) -> TextError {
        let modules: Vec<String> = paths.iter().map(|path| format!("no module '{}'", path.join("::"))).collect();
        let files: Vec<String> = paths.iter().map(|path| format!("{}.wgsl", path.join("/"))).collect();
        let note = format!(
            "looked for {} (or .wesl) below the package's folder, and in the modules given in memory",
            files.join(" and ")
        );
        self.files[index].tokens.fail(at, &format!("there is {}", modules.join(", and ")), "not found", &[note])
    }

    pub(super) fn no_item(&self, index: usize, at: usize, module: usize) -> TextError {
        let (file, module) = (&self.files[index], &self.files[module]);
        let message = format!("{} declares no '{}'", module.name(), file.tokens.text(at));
        let note = format!("it declares: {}", list(module.outline.declared.keys()));
        file.tokens.fail(at, &message, "not found", &[note])
    }

    pub(super) fn cycle(&self, index: usize, from: usize, token: usize) -> TextError {
        let start = self.active.iter().position(|active| *active == index).unwrap_or(0);
        let names = self.active[start..].iter().chain([&index]).map(|file| self.files[*file].name());
        let message = format!("import cycle: {}", names.collect::<Vec<_>>().join(" -> "));
        let notes = ["move the shared declarations to a file that imports neither".to_owned()];
        self.files[from].tokens.fail(token, &message, "closes the cycle", &notes)
    }
}
