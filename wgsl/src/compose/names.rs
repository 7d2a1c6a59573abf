//! Renaming, so that each name of the composed text has one meaning.
//!
//! Names of the author's own file stay. A name of an imported file stays unless another file declares the same name, or
//! uses that name with another meaning: as a predeclared name, or as a local variable that would hide the declaration.

use std::collections::{HashMap, HashSet};

use super::graph::{File, Graph, Target};
use super::predeclared::is_predeclared;
use super::tokens::Kind;
use crate::TextError;

/// The names that change in a composition, so that each name has one meaning.
pub(super) struct Names {
    /// For each file: its names that change, each with the new name.
    changed: Vec<HashMap<String, String>>,
}

impl Names {
    /// Chooses the new names.
    ///
    /// # Errors
    /// A file that uses a name which only another file declares; or a binding, override or entry point of the author's
    /// own file that hides a predeclared name from another file.
    pub(super) fn of(graph: &Graph<'_>) -> Result<Self, TextError> {
        let order = graph.order();
        let uses: HashMap<usize, Uses<'_>> = order.iter().map(|index| (*index, Uses::of(graph, *index))).collect();
        let mut owners: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut free_in: HashMap<&str, Vec<usize>> = HashMap::new();
        for index in &order {
            for name in graph.files[*index].outline.declared.keys() {
                owners.entry(name).or_default().push(*index);
            }
            for name in uses[index].free.keys() {
                free_in.entry(name).or_default().push(*index);
            }
        }
        let mut names = Self { changed: vec![HashMap::new(); graph.files.len()] };
        let mut taken: Option<HashSet<String>> = None;
        for index in &order {
            let file = &graph.files[*index];
            for declaration in &file.outline.declarations {
                let name = file.tokens.text(declaration.name);
                if !file.outline.declared.contains_key(name) || names.changed[*index].contains_key(name) {
                    continue;
                }
                let mut clash = *index != 0 && owners.get(name).is_some_and(|owners| owners.len() > 1);
                for other in free_in.get(name).into_iter().flatten() {
                    let (user, used) = (&graph.files[*other], &uses[other]);
                    let local = user.outline.local.contains(name);
                    let outside = declaration.kind.is_known_outside();
                    if !is_predeclared(name) && !local {
                        return Err(not_imported(user, used.free[name], file, *index == 0));
                    }
                    // A name that may be a local variable or a predeclared name stays only if users of the kernel refer
                    // to it. Such a name is neither a function nor a type, so naga reports a wrong use.
                    clash |= is_predeclared(name) && !(local && outside);
                    clash |= used.renamed.contains(&(*index, name));
                    if clash && *index == 0 && outside {
                        return Err(hidden(user, used.free[name], file));
                    }
                }
                if clash {
                    let taken = taken.get_or_insert_with(|| all_words(graph, &order));
                    let new = unused(file, name, taken);
                    names.changed[*index].insert(name.to_owned(), new);
                }
            }
        }
        Ok(names)
    }

    /// The name in the composed text of a declaration of `file`.
    pub(super) fn get<'a>(&'a self, file: usize, name: &'a str) -> &'a str {
        self.changed.get(file).and_then(|changed| changed.get(name)).map_or(name, String::as_str)
    }
}

/// The names that one file uses and does not declare itself.
struct Uses<'a> {
    /// Words that the file neither declares outside functions nor imports, with the first token of each.
    free: HashMap<&'a str, usize>,
    /// Items that the file imports under another name, or names by a path.
    renamed: HashSet<(usize, &'a str)>,
}

impl<'a> Uses<'a> {
    fn of(graph: &'a Graph<'_>, index: usize) -> Self {
        let file = &graph.files[index];
        let mut free = HashMap::new();
        for word in &file.outline.words {
            let text = file.tokens.text(*word);
            if !file.outline.declared.contains_key(text) && !file.imports.contains_key(text) {
                free.entry(text).or_insert(*word);
            }
        }
        let imported = file.imports.iter().filter_map(|(name, target)| match target {
            Target::Item(item) => {
                Some((item.file, graph.files[item.file].name_of(item.declaration))).filter(|(_, own)| own != name)
            }
            Target::Module(_) => None,
        });
        let by_path = file.references.iter().map(|item| (item.file, graph.files[item.file].name_of(item.declaration)));
        Self { free, renamed: imported.chain(by_path).collect() }
    }
}

/// Every word of every file. A new name must differ from all of them.
fn all_words(graph: &Graph<'_>, order: &[usize]) -> HashSet<String> {
    let tokens = order.iter().map(|index| &graph.files[*index].tokens);
    let words = tokens.flat_map(|tokens| {
        tokens.list.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word).map(|(at, _)| tokens.text(at))
    });
    words.map(str::to_owned).collect()
}

/// A new name such as `reduce_sum`, with a number if that name is taken.
fn unused(file: &File, name: &str, taken: &mut HashSet<String>) -> String {
    let module = file.path.last().filter(|module| !module.is_empty()).map_or("main", String::as_str);
    let first = format!("{module}_{name}");
    let numbered = (2u32..).map(|number| format!("{first}_{number}"));
    let free = std::iter::once(first.clone()).chain(numbered).find(|new| !taken.contains(new) && !is_predeclared(new));
    let new = free.unwrap_or(first);
    taken.insert(new.clone());
    new
}

fn not_imported(user: &File, at: usize, owner: &File, own: bool) -> TextError {
    let name = user.tokens.text(at);
    let message = format!("'{name}' is neither declared nor imported here");
    let note = if own {
        format!(
            "{} declares it, but it is the file that imports all others: pass the value as a parameter, or move the declaration to a module",
            owner.name()
        )
    } else {
        format!("{} declares it: import package::{}::{name};", owner.name(), owner.path.join("::"))
    };
    user.tokens.fail(at, &message, "used here", &[note])
}

fn hidden(user: &File, at: usize, owner: &File) -> TextError {
    let name = user.tokens.text(at);
    let message =
        format!("{} declares a '{name}' that hides the predeclared one, which {} uses", owner.name(), user.name());
    let notes = [format!(
        "rename the one of {}: users of the kernel refer to it by its name, so it is not renamed automatically",
        owner.name()
    )];
    user.tokens.fail(at, &message, "used here", &notes)
}
