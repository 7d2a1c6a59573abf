//! Kernels as WGSL for browsers: the written text has the same meaning as its source.
//!
//! | case | contents |
//! |---|---|
//! | `layouts` | every kernel of the suite `conformance`, of `shaders/` and `examples/shaders/`, and of the operations is read again with the same layouts, workgroup size and memory; once unchanged, once after the middle end |
//! | `results::NAME` | the CPU backend passes the kernel cases of `conformance` with each kernel as read again |

mod again;
mod layouts;
mod results;

use libtest_mimic::Trial;

/// All trials.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = results::trials();
    trials.push(Trial::test("wgsl::layouts", layouts::layouts));
    trials
}
