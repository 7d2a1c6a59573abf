//! Places of the source, for errors and for the checker.

use naga::Span;

use super::kernel::Lowering;
use crate::ir::{Site, SiteId};

impl Lowering<'_> {
    /// A place of the source; `variable` is what is touched there, if anything.
    pub(super) fn site(&mut self, span: Span, variable: &str) -> SiteId {
        self.b.site(Site { span, variable: variable.to_owned() })
    }
}
