//! The composed text, and the source position of each byte.

use std::collections::HashSet;
use std::ops::Range;

use anywarp_backend::{Piece, Source, SourceFile};

use super::elements::{self, Element};
use super::graph::{File, Graph, Target};
use super::modules::Modules;
use super::names::Names;
use super::options::Options;
use super::tokens::Tokens;
use crate::TextError;

/// Composes one text from a file and its imports. `at` is the path of the file itself as a module, to which `super`
/// refers: `["shared", "reduce"]`, or empty for a file that is not a module.
///
/// A text without imports, conditions and element types is returned unchanged.
///
/// ```
/// use anywarp_backend::SourceFile;
/// use anywarp_wgsl::compose::{Given, Options, compose};
///
/// let text = "@if(wide) const lanes = 8;\n@else const lanes = 4;";
/// let root = SourceFile { name: "lanes.wgsl".to_owned(), text: text.to_owned() };
/// let options = Options { features: vec![("wide".to_owned(), false)], ..Options::default() };
/// let source = compose(root, &[], &Given::default(), &options)?;
/// assert_eq!(source.text().trim(), "const lanes = 4;");
/// # Ok::<(), anywarp_wgsl::TextError>(())
/// ```
///
/// # Errors
/// [`TextError::Compose`] with the line; [`TextError::Unreadable`] for a file that cannot be read.
pub fn compose(root: SourceFile, at: &[String], modules: &dyn Modules, options: &Options) -> Result<Source, TextError> {
    if options.elements.is_empty() && is_plain(&root.text) {
        return Ok(Source::new(root.name, root.text));
    }
    let graph = Graph::of(root, at, modules, options)?;
    graph.check_bindings()?;
    let elements = elements::find(&graph)?;
    let own = &graph.files[0];
    if own.blanks.is_empty() && own.outline.statements.is_empty() && own.outline.paths.is_empty() && elements.is_empty()
    {
        let SourceFile { name, text } = &own.tokens.file;
        return Ok(Source::new(name.as_str(), text.as_str()));
    }
    let names = Names::of(&graph)?;
    Ok(Linker::of(&graph, elements).link(&names))
}

/// Returns whether a text needs no composition: it contains no text that could be an import, a condition or a path.
fn is_plain(text: &str) -> bool {
    let condition = |rest: &str| ["if", "elif", "else"].iter().any(|word| rest.trim_start().starts_with(word));
    !text.contains("::") && !text.contains("import") && !text.split('@').skip(1).any(condition)
}

/// A replacement of a range of a file by another text or by blanks.
struct Edit {
    bytes: Range<usize>,
    /// The text that replaces the range; `None` for blanks.
    text: Option<String>,
}

/// A directive that is inserted at the top of the text, with the file that contains it and its offset in that file.
struct Directive {
    text: String,
    file: usize,
    offset: usize,
}

struct Linker<'a> {
    graph: &'a Graph<'a>,
    elements: Vec<Element>,
    text: String,
    pieces: Vec<Piece>,
}

impl<'a> Linker<'a> {
    fn of(graph: &'a Graph<'a>, elements: Vec<Element>) -> Self {
        Self { graph, elements, text: String::new(), pieces: Vec::new() }
    }

    fn link(mut self, names: &Names) -> Source {
        let order = self.graph.order();
        let directives = self.directives(&order);
        for (place, index) in order.iter().enumerate() {
            let mut edits = self.edits(*index, names);
            edits.sort_by_key(|edit| edit.bytes.start);
            let file = &self.graph.files[*index];
            let top = if place == 0 { Some((top(file), &directives)) } else { None };
            self.append(place, file, &edits, top, &order);
            if !self.text.ends_with('\n') {
                self.text.push('\n');
            }
        }
        let files = order.iter().map(|index| self.graph.files[*index].tokens.file.clone()).collect();
        Source::composed(files, self.text, self.pieces)
    }

    /// The directives that imported files and elements need, and that the author's own file does not have.
    fn directives(&self, order: &[usize]) -> Vec<Directive> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for index in order {
            let tokens = &self.graph.files[*index].tokens;
            for range in &self.graph.files[*index].outline.directives {
                for (text, at) in parts(tokens, range.clone()) {
                    let offset = tokens.bytes(at..at + 1).start;
                    if seen.insert(text.clone()) && *index != 0 {
                        found.push(Directive { text, file: *index, offset });
                    }
                }
            }
        }
        for element in &self.elements {
            let Some(text) = element.extension().map(|name| format!("enable {name};")) else { continue };
            if seen.insert(text.clone()) {
                let offset = self.graph.files[element.file].tokens.bytes(element.at..element.at + 1).start;
                found.push(Directive { text, file: element.file, offset });
            }
        }
        found
    }

    fn edits(&self, index: usize, names: &Names) -> Vec<Edit> {
        let file = &self.graph.files[index];
        let tokens = &file.tokens;
        let blank = |bytes: Range<usize>| Edit { bytes, text: None };
        let mut edits: Vec<Edit> = file.blanks.iter().cloned().map(blank).collect();
        edits.extend(file.outline.statements.iter().map(|range| blank(tokens.bytes(range.clone()))));
        if index != 0 {
            edits.extend(file.outline.directives.iter().map(|range| blank(tokens.bytes(range.clone()))));
            edits.extend(tokens.module_documentation().into_iter().map(blank));
        }
        let mut rename = |range: Range<usize>, new: &str| {
            if tokens.text(range.start) != new || range.len() > 1 {
                edits.push(Edit { bytes: tokens.bytes(range), text: Some(new.to_owned()) });
            }
        };
        for word in &file.outline.words {
            let text = tokens.text(*word);
            if file.outline.declared.contains_key(text) {
                rename(*word..*word + 1, names.get(index, text));
            } else if let Some(Target::Item(item)) = file.imports.get(text) {
                rename(*word..*word + 1, names.get(item.file, self.graph.files[item.file].name_of(item.declaration)));
            }
        }
        for (path, item) in file.outline.paths.iter().zip(&file.references) {
            rename(path.clone(), names.get(item.file, self.graph.files[item.file].name_of(item.declaration)));
        }
        for element in self.elements.iter().filter(|element| element.file == index) {
            rename(element.at..element.at + 1, &element.scalar);
        }
        edits
    }

    /// Appends a file with its changes. `top` holds the directives to insert, and the offset in the file at which they
    /// are inserted.
    fn append(
        &mut self,
        place: usize,
        file: &File,
        edits: &[Edit],
        top: Option<(usize, &Vec<Directive>)>,
        order: &[usize],
    ) {
        let text = &file.tokens.file.text;
        let mut top = top.filter(|(_, directives)| !directives.is_empty());
        self.pieces.push(Piece { at: self.text.len(), file: place, offset: 0, copied: true });
        let mut at = 0;
        for edit in edits {
            if let Some((offset, directives)) = top.take_if(|(offset, _)| *offset <= edit.bytes.start) {
                self.text.push_str(&text[at..offset]);
                at = offset;
                self.insert(place, offset, directives, order);
            }
            // An edit within bytes that are already blanked is skipped.
            let Some(before) = text.get(at..edit.bytes.start) else { continue };
            self.text.push_str(before);
            at = edit.bytes.end;
            match &edit.text {
                None => {
                    let left_out = text[edit.bytes.clone()].bytes();
                    self.text.extend(
                        left_out.map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' }),
                    );
                }
                Some(new) => {
                    self.pieces.push(Piece {
                        at: self.text.len(),
                        file: place,
                        offset: edit.bytes.start,
                        copied: false,
                    });
                    self.text.push_str(new);
                    self.pieces.push(Piece { at: self.text.len(), file: place, offset: at, copied: true });
                }
            }
        }
        if let Some((offset, directives)) = top {
            self.text.push_str(&text[at..offset.max(at)]);
            at = offset.max(at);
            self.insert(place, at, directives, order);
        }
        self.text.push_str(&text[at..]);
    }

    /// Inserts directives, all in one line, so that the author's line numbers do not change.
    fn insert(&mut self, place: usize, offset: usize, directives: &[Directive], order: &[usize]) {
        for directive in directives {
            let file = order.iter().position(|index| *index == directive.file).unwrap_or(place);
            self.pieces.push(Piece { at: self.text.len(), file, offset: directive.offset, copied: false });
            self.text.push_str(&directive.text);
            self.text.push(' ');
        }
        self.pieces.push(Piece { at: self.text.len(), file: place, offset, copied: true });
    }
}

/// The offset at which directives are inserted: the start of the first import, or else of the text.
fn top(file: &File) -> usize {
    let first = file.outline.statements.first().map_or(0, |range| range.start);
    file.tokens.bytes(first..first + 1).start
}

/// A directive as separate directives, one for each name that it lists, each with the token of that name.
fn parts(tokens: &Tokens, range: Range<usize>) -> Vec<(String, usize)> {
    // Attributes before the directive's keyword are skipped.
    let Some(word) = range.clone().find(|at| tokens.word(*at).is_some()) else { return Vec::new() };
    let rest = word + 1..range.end;
    match tokens.text(word) {
        "diagnostic" => {
            let arguments: String = rest.map(|at| tokens.text(at)).collect();
            vec![(format!("diagnostic{arguments}"), word)]
        }
        keyword => {
            let names = rest.filter(|at| tokens.word(*at).is_some());
            names.map(|at| (format!("{keyword} {};", tokens.text(at)), at)).collect()
        }
    }
}
