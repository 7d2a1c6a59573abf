//! Barriers that not all invocations may reach: browsers refuse such kernels, other devices run them.

use anywarp_wgsl::filters::Severity;
use anywarp_wgsl::uniformity::{Language, failures};
use naga::Module;

use super::Text;

/// Logs a warning for each, if the text asks for warnings.
pub(super) fn warn(text: &Text<'_>, module: &Module) {
    if !text.warns || !log::log_enabled!(log::Level::Warn) {
        return;
    }
    // What subgroups reach together is fine on every device.
    for failure in failures(&text.source, module, Language::SubgroupUniformity) {
        if failure.severity >= Severity::Warning {
            log::warn!("{}: browsers refuse this kernel: {}", text.source.file(), failure.message(&text.source));
        }
    }
}
