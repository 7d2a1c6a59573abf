//! Pure passes from naga IR to naga IR. They do not depend on a device and are tested alone.

pub(crate) mod debug_print;
pub(crate) mod fold_grid;
pub(crate) mod reads;
pub(crate) mod unused;
