//! Kernels in the Metal Shading Language (MSL), as snapshots.
//!
//! These tests neither compile nor run MSL, because only macOS has a compiler for it. They check that naga, with the
//! options that wgpu sets on a Mac, writes every kernel of the suite `conformance`, of `shaders/` and
//! `examples/shaders/`, and of the operations, unless the kernel needs a feature that Metal lacks; and that the text
//! does not change. `cargo test` on a Mac runs the kernels themselves: see `docs/platforms.md`.
//!
//! | case | contents |
//! |---|---|
//! | `shown::NAME` | the whole text of a kernel, in `snapshots/` |
//! | `all` | a line for every kernel in `snapshots/all.snap`: the length of its text and a hash, or the missing feature |
//!
//! After an intended change, `INSTA_UPDATE=always cargo test --test kernel_texts` updates the snapshots.

mod all;
mod gather;
mod shown;

use libtest_mimic::Trial;

/// One trial for each snapshot.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = shown::trials();
    trials.push(Trial::test("msl::all", all::all));
    trials
}
