//! Options of the standard test harness, which `cargo test` hands to every test.

/// Those that stand alone.
pub(crate) const FLAGS: [&str; 8] =
    ["--nocapture", "--no-capture", "--show-output", "--quiet", "-q", "--exact", "--ignored", "--include-ignored"];
/// Those with a value.
pub(crate) const VALUES: [&str; 5] = ["--test-threads", "--format", "--color", "--skip", "--logfile"];
