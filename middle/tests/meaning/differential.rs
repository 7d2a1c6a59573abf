//! Random kernels and what they come to, as the differential tests of the whole framework make them.

#[path = "../../../tests/differential/ast.rs"]
pub(crate) mod ast;
#[path = "../../../tests/differential/evaluate/mod.rs"]
pub(crate) mod evaluate;
#[path = "../../../tests/differential/generate/mod.rs"]
pub(crate) mod generate;
#[path = "../../../tests/differential/hostile/mod.rs"]
pub(crate) mod hostile;
#[path = "../../../tests/differential/layout.rs"]
mod layout;
#[path = "../../../tests/differential/print.rs"]
pub(crate) mod print;
#[path = "../../../tests/differential/random.rs"]
mod random;
