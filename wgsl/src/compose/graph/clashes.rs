//! Declarations that only one file of a kernel may have: entry points and bindings.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::failure;
use super::super::outline::{Declaration, Declared, Outline};
use super::{File, Graph, Item};
use crate::TextError;

impl Graph<'_> {
    /// Replaces by blanks the entry points of imported files that no file imports by name, because a kernel has entry
    /// points of its own.
    pub(super) fn drop_entry_points(&mut self) {
        let wanted: HashSet<Item> = self.files.iter().flat_map(File::items).collect();
        for (index, file) in self.files.iter_mut().enumerate().skip(1) {
            let entry = |(number, declaration): &(usize, &Declaration)| {
                let item = Item { file: index, declaration: *number };
                declaration.kind == Declared::EntryPoint && !wanted.contains(&item)
            };
            let all = file.outline.declarations.iter().enumerate();
            let dropped: Vec<Range<usize>> =
                all.filter(entry).map(|(_, declaration)| declaration.all.clone()).collect();
            if dropped.is_empty() {
                continue;
            }
            let within = |at: usize| {
                let next = dropped.partition_point(|range| range.end <= at);
                dropped.get(next).is_some_and(|range| range.start <= at)
            };
            file.blanks.extend(dropped.iter().flat_map(|range| file.tokens.bytes_with_comments(range.clone())));
            let Outline { declared, declarations, words, paths, .. } = &mut file.outline;
            declared.retain(|_, number| !within(declarations[*number].name));
            words.retain(|word| !within(*word));
            let mut kept = paths.iter().map(|path| !within(path.start));
            file.references.retain(|_| kept.next().unwrap_or(true));
            paths.retain(|path| !within(path.start));
        }
    }

    /// Checks that no two files declare a variable with the same group and binding.
    ///
    /// # Errors
    /// [`TextError::Compose`] with both declarations.
    pub(in super::super) fn check_bindings(&self) -> Result<(), TextError> {
        let mut seen: HashMap<(u32, u32), Item> = HashMap::new();
        for index in self.order() {
            for (number, declaration) in self.files[index].outline.declarations.iter().enumerate() {
                let Declared::Binding(Some(place)) = declaration.kind else { continue };
                let item = Item { file: index, declaration: number };
                let first = *seen.entry(place).or_insert(item);
                if first.file == index {
                    continue;
                }
                let Some((other, before)) = self.declaration(first) else { continue };
                let file = &self.files[index];
                let (group, binding) = place;
                let message = format!(
                    "'{}' and '{}' both have @group({group}) @binding({binding})",
                    other.tokens.text(before.name),
                    file.tokens.text(declaration.name)
                );
                let here = file.tokens.bytes(declaration.name..declaration.name + 1);
                let there = other.tokens.bytes(before.name..before.name + 1);
                let places = [(&file.tokens.file, here, "declared here"), (&other.tokens.file, there, "and here")];
                return Err(failure::between(&places, &message, &["give one of them another number".to_owned()]));
            }
        }
        Ok(())
    }
}
