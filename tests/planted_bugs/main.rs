//! The checked mode of the CPU backend finds every planted bug at its line, and nothing else.
//!
//! Each file is one kernel. An expected finding is marked at its line by `//~ KIND VARIABLE` (several times for several
//! findings). Lines that start with `//!` describe the launch:
//!
//! ```text
//! //! groups 2,1,1        workgroups (one where absent)
//! //! buffer NAME N       N words for a storage variable (64 where absent), all zero,
//! //! buffer NAME N iota  or 0, 1, 2, …
//! //! set PATH 3          a uniform or a part of one, as a u32
//! //! stops               the kernel cannot run to its end
//! ```

mod kernel;
mod modes;

use std::path::Path;
use std::process::ExitCode;

use anywarp_testing::files;
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if modes::is_child() {
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let mut trials = modes::trials();
    for folder in ["tests/planted_bugs/planted", "tests/planted_bugs/clean"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = files::with_endings(&root, &["wgsl"]);
        let group = folder.rsplit('/').next().unwrap_or(folder);
        trials.extend(files.into_iter().map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Trial::test(format!("{group}::{name}"), move || kernel::run(&path).map_err(Into::into))
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
