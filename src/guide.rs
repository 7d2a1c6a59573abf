//! The programs of the documents, as tests.

#[doc = include_str!("../docs/guide.md")]
struct Guide;

#[doc = include_str!("../docs/coming-from.md")]
struct ComingFrom;
