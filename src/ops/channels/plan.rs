//! The parts of a channel, and the invocations that compute a part.

use std::fmt;

use super::super::rows::plan::Target;

/// The sizes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) examples: u64,
    pub(crate) channels: u64,
    pub(crate) inner: u64,
}

/// The invocations that compute a part of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A workgroup, whose invocations read neighbouring elements of the channel.
    Groups,
    /// One invocation; neighbours compute neighbouring channels.
    Columns,
}

/// The form of the sums, and the parts into which a channel is divided at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) form: Form,
    pub(crate) parts: u64,
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.form == Form::Groups { "groups" } else { "columns" };
        write!(f, "{form} parts={}", self.parts)
    }
}

impl Choice {
    /// The choice without tuning.
    pub(crate) fn default_for(sizes: Sizes, target: Target) -> Self {
        // A workgroup of 64 would leave invocations without work, or read single elements far from each other.
        let form = if sizes.inner < 32 { Form::Columns } else { Form::Groups };
        // Workgroups, or invocations, that fill a device.
        let wanted = match (target.software, form) {
            (true, Form::Groups) => 64,
            (true, Form::Columns) => 4096,
            (false, Form::Groups) => 2048,
            (false, Form::Columns) => 1 << 16,
        };
        // The last pass adds up the parts of a channel in one invocation.
        Self { form, parts: (wanted / sizes.channels.max(1)).clamp(1, 256) }
    }
}

/// The parts of a channel: its examples are divided, and the elements of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) form: Form,
    pub(crate) of_examples: u64,
    pub(crate) of_inner: u64,
    pub(crate) chunk_of_examples: u64,
    pub(crate) chunk_of_inner: u64,
}

/// The greatest number of examples, and of elements for each invocation, in a part.
const LONGEST: u64 = 1 << 15;

impl Parts {
    pub(crate) fn of(sizes: Sizes, Choice { form, parts }: Choice, target: Target) -> Self {
        let Sizes { examples, inner, .. } = sizes;
        // Examples without elements need no parts, however many there are.
        let examples = if inner == 0 { 0 } else { examples };
        let (lanes, fewest) = match form {
            Form::Groups => (64, 1024),
            Form::Columns => (1, LONGEST),
        };
        let divided = |size: u64, parts: u64, longest: u64| {
            let chunk = size.div_ceil(parts.max(1)).clamp(1, longest);
            (size.div_ceil(chunk).max(1), chunk)
        };
        let (of_examples, chunk_of_examples) = divided(examples, parts, LONGEST);
        // Elements are divided only if examples are too few, and into parts that are worth a workgroup.
        let parts_of_inner = (parts / of_examples).min(inner / fewest);
        let (of_inner, chunk_of_inner) = divided(inner, parts_of_inner, LONGEST * lanes);
        // An example takes one iteration, and those of its elements.
        let chunk_of_examples = chunk_of_examples.min(target.max_iterations() / (chunk_of_inner.div_ceil(lanes) + 2));
        let of_examples = examples.div_ceil(chunk_of_examples).max(1);
        Self { form, of_examples, of_inner, chunk_of_examples, chunk_of_inner }
    }

    /// The number of all parts of a channel.
    pub(crate) fn count(self) -> u64 {
        self.of_examples * self.of_inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_elements() {
        for (software, strips) in [(false, false), (true, false), (true, true)] {
            for examples in [0, 1, 3, 100, 70_000, 1 << 24] {
                for channels in [1, 64, 5000] {
                    for inner in [0, 1, 31, 32, 3000, 50_176, 1 << 24] {
                        let sizes = Sizes { examples, channels, inner };
                        let target = Target { software, strips };
                        let parts = Parts::of(sizes, Choice::default_for(sizes, target), target);
                        let lanes = if parts.form == Form::Groups { 64 } else { 1 };
                        let turns = parts.chunk_of_examples * (parts.chunk_of_inner.div_ceil(lanes) + 2);
                        assert!(turns <= target.max_iterations(), "{sizes:?}");
                        let covers = |count: u64, chunk: u64, size: u64| {
                            count * chunk >= size && (count - 1) * chunk < size.max(1)
                        };
                        let examples = if inner == 0 { 0 } else { examples };
                        assert!(covers(parts.of_examples, parts.chunk_of_examples, examples), "{sizes:?}");
                        assert!(covers(parts.of_inner, parts.chunk_of_inner, inner), "{sizes:?}");
                        assert!(
                            parts.chunk_of_examples <= LONGEST && parts.chunk_of_inner <= LONGEST * 64,
                            "{sizes:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn forms_by_the_elements_of_a_channel() {
        let card = Target { software: false, strips: false };
        let parts = |examples, channels, inner| {
            let sizes = Sizes { examples, channels, inner };
            Parts::of(sizes, Choice::default_for(sizes, card), card)
        };
        let columns =
            Parts { form: Form::Columns, of_examples: 256, of_inner: 1, chunk_of_examples: 32, chunk_of_inner: 1 };
        assert_eq!(parts(8192, 64, 1), columns);
        let groups =
            Parts { form: Form::Groups, of_examples: 2, of_inner: 4, chunk_of_examples: 1, chunk_of_inner: 1024 };
        assert_eq!(parts(2, 256, 4096), groups);
    }
}
