//! The files of a composition, their imports, and the declarations that their paths name.

mod clashes;
mod problems;

use std::collections::HashMap;
use std::ops::Range;

use anywarp_backend::SourceFile;

use super::conditions;
use super::imports::Import;
use super::modules::Modules;
use super::options::{Features, Options, SCALARS};
use super::outline::{Declaration, Outline};
use super::tokens::Tokens;
use crate::TextError;

/// The maximum length of a chain of imports, in files.
const MAX_DEPTH: usize = 64;

/// A declaration, by the index of its file and its index among the declarations of that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Item {
    pub(super) file: usize,
    pub(super) declaration: usize,
}

/// The declaration or module that an import names.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Item(Item),
    Module(Vec<String>),
}

/// The state of a file while imports are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The file is read; its imports are not resolved yet.
    Open,
    /// The file's imports are being resolved.
    Active,
    Done,
}

/// One file of a composition, with its declarations and resolved imports.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: Vec<String>,
    pub(super) tokens: Tokens,
    pub(super) outline: Outline,
    /// The ranges of the file, in bytes, that become blanks.
    pub(super) blanks: Vec<Range<usize>>,
    /// The declaration or module that each imported name stands for.
    pub(super) imports: HashMap<String, Target>,
    /// The declarations that the file's paths name, in the order of the paths.
    pub(super) references: Vec<Item>,
    state: State,
}

impl File {
    /// The file's name for messages.
    pub(super) fn name(&self) -> &str {
        &self.tokens.file.name
    }

    /// The name of a declaration.
    pub(super) fn name_of(&self, declaration: usize) -> &str {
        self.outline.declarations.get(declaration).map_or("", |declaration| self.tokens.text(declaration.name))
    }

    /// The items that the file imports, or names by a path.
    fn items(&self) -> impl Iterator<Item = Item> {
        let imported = self.imports.values().filter_map(|target| match target {
            Target::Item(item) => Some(*item),
            Target::Module(_) => None,
        });
        imported.chain(self.references.iter().copied())
    }
}

/// All files of a composition. The first one is the author's own file.
pub(super) struct Graph<'a> {
    pub(super) files: Vec<File>,
    modules: &'a dyn Modules,
    options: &'a Options,
    by_path: HashMap<Vec<String>, usize>,
    /// The aliases of scalar types in the author's own file, each with the scalar as written.
    written: Vec<(String, String)>,
    /// The files whose imports are being resolved, each imported by the one before.
    active: Vec<usize>,
    order: Vec<usize>,
}

impl<'a> Graph<'a> {
    /// Reads all files that `root` imports, directly or indirectly.
    ///
    /// # Errors
    /// A file that is unreadable, missing, or part of an import cycle.
    pub(super) fn of(
        root: SourceFile,
        at: &[String],
        modules: &'a dyn Modules,
        options: &'a Options,
    ) -> Result<Self, TextError> {
        let mut graph = Self {
            files: Vec::new(),
            modules,
            options,
            by_path: HashMap::new(),
            written: Vec::new(),
            active: Vec::new(),
            order: Vec::new(),
        };
        // A file that is not a module gets a path that no import can name.
        let path = if at.is_empty() { vec![String::new()] } else { at.to_vec() };
        let root = graph.add(path, root)?;
        graph.enter(root, root, 0)?;
        graph.drop_entry_points();
        Ok(graph)
    }

    /// The files in order: the author's own, then each imported file after the files that it imports.
    pub(super) fn order(&self) -> Vec<usize> {
        let imported = self.order.iter().copied().filter(|index| *index != 0);
        std::iter::once(0).chain(imported).collect()
    }

    /// The options of the composition.
    pub(super) fn options(&self) -> &Options {
        self.options
    }

    /// The file and declaration of an item.
    pub(super) fn declaration(&self, item: Item) -> Option<(&File, &Declaration)> {
        let file = self.files.get(item.file)?;
        Some((file, file.outline.declarations.get(item.declaration)?))
    }

    fn add(&mut self, path: Vec<String>, file: SourceFile) -> Result<usize, TextError> {
        let mut tokens = Tokens::of(file)?;
        let own = written(&tokens);
        let all: Vec<_> = own.iter().chain(&self.written).cloned().collect();
        let blanks = conditions::apply(&mut tokens, &Features { options: self.options, written: &all })?;
        if self.files.is_empty() {
            self.written = own;
        }
        let outline = Outline::of(&tokens)?;
        let (imports, references) = (HashMap::new(), Vec::new());
        let index = self.files.len();
        self.by_path.insert(path.clone(), index);
        self.files.push(File { path, tokens, outline, blanks, imports, references, state: State::Open });
        Ok(index)
    }

    /// The index of the module at a path. The module is read at its first use.
    fn open(&mut self, path: &[String]) -> Result<Option<usize>, TextError> {
        if let Some(index) = self.by_path.get(path) {
            return Ok(Some(*index));
        }
        self.modules.load(path)?.map_or(Ok(None), |file| self.add(path.to_vec(), file).map(Some))
    }

    /// Resolves the imports of a file. The file `from` imports that file at the token `token`.
    fn enter(&mut self, index: usize, from: usize, token: usize) -> Result<(), TextError> {
        match self.files[index].state {
            State::Done => return Ok(()),
            State::Active => return Err(self.cycle(index, from, token)),
            State::Open => self.files[index].state = State::Active,
        }
        if self.active.len() > MAX_DEPTH {
            let message = format!("the chain of imports is longer than {MAX_DEPTH} files");
            return Err(self.files[from].tokens.fail(token, &message, "the last import", &[]));
        }
        self.active.push(index);
        let imports = std::mem::take(&mut self.files[index].outline.imports);
        for import in &imports {
            let target = self.target(index, import)?;
            self.files[index].imports.insert(import.name.clone(), target);
        }
        for path in self.files[index].outline.paths.clone() {
            let item = self.reference(index, path)?;
            self.files[index].references.push(item);
        }
        self.files[index].outline.imports = imports;
        self.files[index].state = State::Done;
        self.active.pop();
        self.order.push(index);
        Ok(())
    }

    fn target(&mut self, index: usize, import: &Import) -> Result<Target, TextError> {
        let file = &self.files[index];
        let name = import.name.as_str();
        if file.imports.contains_key(name) {
            let message = format!("'{name}' is imported twice");
            let notes = ["give one of them another name: import .. as ..".to_owned()];
            return Err(file.tokens.fail(import.named_at, &message, "imported again here", &notes));
        }
        if let Some(own) = file.outline.declared.get(name) {
            let declaration = file.outline.declarations[*own].name;
            let line = 1 + file.tokens.file.text[..file.tokens.bytes(declaration..declaration + 1).start]
                .matches('\n')
                .count();
            let message = format!("'{name}' is imported, but is also declared in line {line}");
            let notes = ["give it another name: import .. as ..".to_owned()];
            return Err(file.tokens.fail(import.named_at, &message, "imported here", &notes));
        }
        let words: Vec<&str> = import.path.iter().map(String::as_str).collect();
        let path = self.absolute(index, &words, import.at)?;
        let mut looked_in = None;
        if let Some((last, module)) = path.split_last()
            && !module.is_empty()
        {
            looked_in = self.open(module)?;
            if let Some(item) = looked_in.and_then(|file| self.item(file, last)) {
                self.enter(item.file, index, import.at)?;
                return Ok(Target::Item(item));
            }
        }
        match (self.open(&path)?, looked_in) {
            (Some(file), _) => {
                self.enter(file, index, import.at)?;
                Ok(Target::Module(path))
            }
            (None, Some(module)) => Err(self.no_item(index, import.at, module)),
            (None, None) => {
                let parent = path.split_last().map(|(_, module)| module).filter(|module| !module.is_empty());
                let paths: Vec<&[String]> = parent.into_iter().chain([path.as_slice()]).collect();
                Err(self.no_module(index, import.at, &paths))
            }
        }
    }

    /// The declaration that a path outside import statements names.
    fn reference(&mut self, index: usize, range: Range<usize>) -> Result<Item, TextError> {
        let file = &self.files[index];
        let words: Vec<&str> = range.clone().step_by(2).map(|at| file.tokens.text(at)).collect();
        let (first, last) = (range.start, range.end - 1);
        let path = match (words[0], file.imports.get(words[0])) {
            (_, Some(Target::Module(module))) => {
                module.iter().cloned().chain(words[1..].iter().map(|word| (*word).to_owned())).collect()
            }
            (name, Some(Target::Item(_))) => {
                let message = format!("'{name}' is not a module: the import names an item of a module");
                return Err(file.tokens.fail(first, &message, "used as a module", &[]));
            }
            _ => self.absolute(index, &words, first)?,
        };
        let Some((name, module)) = path.split_last().filter(|(_, module)| !module.is_empty()) else {
            let message = format!("'{}' names no declaration of a module", words.join("::"));
            return Err(self.files[index].tokens.fail(last, &message, "expected a module and a name in it", &[]));
        };
        let found = self.open(module)?.ok_or_else(|| self.no_module(index, last.saturating_sub(2), &[module]))?;
        let item = self.item(found, name).ok_or_else(|| self.no_item(index, last, found))?;
        self.enter(found, index, first)?;
        Ok(item)
    }

    fn item(&self, file: usize, name: &str) -> Option<Item> {
        let declaration = *self.files.get(file)?.outline.declared.get(name)?;
        Some(Item { file, declaration })
    }

    /// Converts the words of a path to the path from the package root. Errors are reported at the token `at`, one of
    /// the words.
    fn absolute(&self, index: usize, words: &[&str], at: usize) -> Result<Vec<String>, TextError> {
        let file = &self.files[index];
        let (base, rest) = match words {
            ["package", rest @ ..] => (&[][..], rest),
            ["super", ..] => {
                let up = words.iter().take_while(|word| **word == "super").count();
                let Some(left) = file.path.len().checked_sub(up) else {
                    let notes = [format!(
                        "{} is within {} folders, including the root folder of the package",
                        file.name(),
                        file.path.len()
                    )];
                    return Err(file.tokens.fail(at, "the path leads out of the package", "too many 'super'", &notes));
                };
                // In the root folder, `super` refers to the package.
                (&file.path[..left], &words[up..])
            }
            _ => {
                let name = words.first().copied().unwrap_or_default();
                let message = format!("no package is called '{name}', and no module is imported under this name");
                let notes = ["paths begin with 'package', with 'super', or with an imported module".to_owned()];
                return Err(file.tokens.fail(at, &message, "here", &notes));
            }
        };
        let path: Vec<String> = base.iter().cloned().chain(rest.iter().map(|word| (*word).to_owned())).collect();
        match path.iter().any(|word| matches!(word.as_str(), "super" | "package")) || rest.is_empty() {
            true => Err(file.tokens.fail(
                at,
                "the path does not name a module",
                "'package' and 'super' are only allowed at the start of a path",
                &[],
            )),
            false => Ok(path),
        }
    }
}

/// The scalars of `alias NAME = f32;`, for names that exactly one alias declares.
fn written(tokens: &Tokens) -> Vec<(String, String)> {
    let mut found: HashMap<&str, Option<&str>> = HashMap::new();
    for at in (0..tokens.len()).filter(|at| tokens.word(*at) == Some("alias")) {
        let scalar = Some(tokens.text(at + 3)).filter(|scalar| SCALARS.contains(scalar) && tokens.is(at + 4, b';'));
        found.entry(tokens.text(at + 1)).and_modify(|before| *before = None).or_insert(scalar);
    }
    found.into_iter().filter_map(|(name, scalar)| Some((name.to_owned(), scalar?.to_owned()))).collect()
}
