//! `anywarp bench device --save`: measured ceilings on disk.

use std::path::{Path, PathBuf};

use anywarp::insight::Ceilings;

use crate::failure::Failure;

/// The folder of measured ceilings.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    Ceilings::folder_of_this_user().ok_or_else(|| {
        Failure::Usage(
            "--save: expected a cache folder, found none: set ANYWARP_CACHE to a folder, or leave --save out"
                .to_owned(),
        )
    })
}

/// Keeps ceilings in a folder, and prints the file to stderr.
pub(super) fn save(ceilings: &Ceilings, folder: &Path) -> Result<(), Failure> {
    let refused =
        |error| Failure::File(format!("--save {}: {error}: set ANYWARP_CACHE to another folder", folder.display()));
    let path = ceilings.keep(folder).map_err(refused)?;
    eprintln!("kept in {}", path.display());
    Ok(())
}
