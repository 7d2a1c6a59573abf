//! Programs that must not compile, with the compiler's messages: two views of one buffer while one of them writes,
//! views that outlive their buffer, launches whose arguments do not fit.
//!
//! A package of its own, so that the cases are checked against the library without its backends.

#[test]
fn programs_that_must_not_compile() {
    trybuild::TestCases::new().compile_fail("*.rs");
}
