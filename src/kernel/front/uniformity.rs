//! Barriers that not all invocations may reach: browsers refuse such kernels, other devices run them.

use anywarp_wgsl::filters::Severity;
use anywarp_wgsl::uniformity::{Language, failures};
use naga::Module;

use super::Text;

/// Logs a warning for each barrier that not all invocations of a workgroup may reach, if `text` asks for warnings.
pub(super) fn warn(text: &Text<'_>, module: &Module) {
    if !text.warns || !log::log_enabled!(log::Level::Warn) {
        return;
    }
    // Subgroup operations that all invocations of a subgroup reach work on every device, so they cause no warning.
    for failure in failures(&text.source, module, Language::SubgroupUniformity) {
        let does = match failure.severity {
            Severity::Error => "refuse",
            Severity::Warning => "warn of",
            Severity::Info => continue,
        };
        let message = failure.message(&text.source);
        log::warn!("{}: browsers {does} this kernel: {}", text.source.file(), message.trim_end());
    }
}
