//! The messages of one actor that wait for a reply, in the order of the replies.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cell::Cell;
use super::clock::Instant;

/// A message that has no reply yet.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) sent: Instant,
    /// The place of the reply; `None` for a message without one.
    pub(super) cell: Option<Arc<Cell>>,
    /// Whether the message is for the handler, not for the ring's own purposes.
    pub(super) counts: bool,
}

impl Entry {
    /// Whether nothing tells two messages apart.
    fn is_like(&self, other: &Self) -> bool {
        let without_cells = self.cell.is_none() && other.cell.is_none();
        without_cells && self.sent == other.sent && self.counts == other.counts
    }
}

/// A queue of entries. Messages of one call, which wait for no reply of their own, are one row of it.
#[derive(Default)]
pub(super) struct Waiting {
    rows: VecDeque<Row>,
}

/// Messages in a row that nothing tells apart; at least one.
struct Row {
    entry: Entry,
    count: u32,
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds messages that nothing tells apart; at least one.
    pub(super) fn push(&mut self, entry: Entry, count: u32) {
        match self.rows.back_mut() {
            Some(last) if last.entry.is_like(&entry) => last.count += count,
            _ => self.rows.push_back(Row { entry, count }),
        }
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let first = self.rows.front_mut()?;
        if first.count == 1 {
            return self.rows.pop_front().map(|row| row.entry);
        }
        first.count -= 1;
        Some(first.entry.clone())
    }

    /// The entry of the first row, with the number of its messages.
    pub(super) fn first(&self) -> Option<(&Entry, u32)> {
        self.rows.front().map(|row| (&row.entry, row.count))
    }

    /// Removes messages of the first row, at most as many as it has.
    pub(super) fn shorten(&mut self, count: u32) {
        if let Some(first) = self.rows.front_mut() {
            first.count = first.count.saturating_sub(count);
            if first.count == 0 {
                self.rows.pop_front();
            }
        }
    }

    /// An entry for each message.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.rows.iter().flat_map(|row| std::iter::repeat_n(&row.entry, row.count as usize))
    }

    /// Removes all messages; returns an entry for each.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        let entries = self.iter().cloned().collect();
        self.rows.clear();
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_where_messages_differ() {
        let now = Instant::now();
        let (plain, own) =
            (Entry { sent: now, cell: None, counts: true }, Entry { sent: now, cell: None, counts: false });
        let asked = Entry { cell: Some(Arc::default()), ..plain.clone() };
        let mut waiting = Waiting::default();
        for entry in [&plain, &plain, &plain, &asked, &asked, &own, &plain] {
            waiting.push(entry.clone(), 1);
        }
        assert_eq!(waiting.rows.iter().map(|row| row.count).collect::<Vec<_>>(), [3, 1, 1, 1, 1]);
        assert_eq!(waiting.iter().filter(|entry| entry.counts).count(), 6);
        assert!(waiting.pop().is_some_and(|entry| entry.is_like(&plain)));
        assert_eq!(waiting.first().map(|(_, count)| count), Some(2));
        waiting.shorten(1);
        assert_eq!(waiting.first().map(|(_, count)| count), Some(1));
        waiting.shorten(1);
        assert!(waiting.first().is_some_and(|(entry, count)| entry.cell.is_some() && count == 1));
        assert_eq!(waiting.take().len(), 4);
        assert!(waiting.is_empty() && waiting.pop().is_none());
    }
}
