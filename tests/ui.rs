//! What Rust's own borrow check must refuse: two views of one buffer while one of them writes, and
//! views that outlive their buffer. The texts in `ui/*.stderr` are the compiler's.

#[test]
fn aliasing_and_lifetimes() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
