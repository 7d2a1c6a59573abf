//! What the macro makes of a text, without compiling it.
