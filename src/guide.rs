// Targets of links on docs.rs: the first definition of a name counts, and each document has its own definitions at its
// end.
#![doc = "[coming-from]: coming_from"]
#![doc = "[known-failures]: https://github.com/anywarp/anywarp/blob/main/docs/known-failures.md"]
#![doc = ""]
#![doc = include_str!("../docs/guide.md")]

#[doc = "[guide]: self"]
#[doc = "[specialisation]: self#specialisation"]
#[doc = "[axes]: self#arrays-and-axes"]
#[doc = "[prefix-sum]: https://github.com/anywarp/anywarp/blob/main/examples/17_prefix_sum.rs"]
#[doc = "[results]: https://github.com/anywarp/anywarp/tree/main/docs/results"]
#[doc = ""]
#[doc = include_str!("../docs/coming-from.md")]
pub mod coming_from {}

/// The programs of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
