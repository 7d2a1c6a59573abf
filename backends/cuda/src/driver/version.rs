//! The version of the driver, as text.

use super::Driver;

impl Driver {
    /// Describes the driver as "580.95.05, CUDA 13.0"; the first part only where the system provides it.
    pub(crate) fn describe(&self) -> String {
        let cuda = format!("CUDA {}.{}", self.version / 1000, self.version % 1000 / 10);
        kernel_module().map_or(cuda.clone(), |version| format!("{version}, {cuda}"))
    }
}

/// Returns the version of the driver's Linux kernel module.
pub(super) fn kernel_module() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    version_in(&std::fs::read_to_string("/proc/driver/nvidia/version").ok()?)
}

/// Returns the first word of the first line that is a version: digits and at least one dot.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn the_version_is_found_among_words() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs)\nGCC 12.3";
        assert_eq!(version_in(text).as_deref(), Some("580.95.05"));
        assert_eq!(version_in("nothing here"), None);
    }
}
