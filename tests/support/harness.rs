//! Options of the standard test harness, which `cargo test` passes to every test.

/// Options without a value.
pub(crate) const FLAGS: [&str; 8] =
    ["--nocapture", "--no-capture", "--show-output", "--quiet", "-q", "--exact", "--ignored", "--include-ignored"];
/// Options with a value.
pub(crate) const VALUES: [&str; 5] = ["--test-threads", "--format", "--color", "--skip", "--logfile"];
