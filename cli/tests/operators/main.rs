//! `anywarp op`: operators on files.

mod arrays;
mod attention;
mod bench;
mod cases;
mod generated;
mod moves;
mod orders;
mod public;
mod refusals;
mod results;
mod rows;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/mod.rs"]
mod support;
mod windows;

use arrays::ints;
use support::{Folder, bytes_of, npy};

/// Creates a folder with arrays for all operators; returns `None` on a machine without a device.
pub(crate) fn folder(test: &str) -> Option<Folder> {
    let folder = Folder::with_device(test)?;
    folder.write("x.npy", npy("<f4", "(2, 3)", &bytes_of(&[3.0, -1.0, 2.0, 0.0, 5.0, 5.0])));
    folder.write("u.npy", npy("<u4", "(6,)", &ints(&[4, 4, 1, 0, 1, 1])));
    folder.write("lengths.npy", npy("<u4", "(6,)", &ints(&[1, 0, 2, 0, 0, 1])));
    folder.write("mask.npy", npy("|b1", "(6,)", &[1, 0, 0, 1, 1, 0]));
    folder.write("b.npy", npy("<f4", "(3, 2)", &bytes_of(&[1.0, 0.0, 0.0, 1.0, 1.0, 1.0])));
    folder.write("half.npy", npy("<f4", "(2,)", &bytes_of(&[0.0, -6.0])));
    folder.write("square.npy", npy("<f4", "(2, 2)", &bytes_of(&[10.0, 0.0, 30.0, 40.0])));
    folder.write("row.npy", npy("<f4", "(3,)", &bytes_of(&[1.0, 2.0, 3.0])));
    folder.write("double.npy", npy("<f8", "(2,)", &[0; 16]));
    Some(folder)
}

/// Runs an operator on the CPU device.
pub(crate) fn op(folder: &Folder, line: &str) -> support::Outcome {
    // Words in quotes are one argument.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_anywarp"));
    let words = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    command.current_dir(folder.path()).env("ANYWARP_LOG", "error").env("ANYWARP_DEVICE", "cpu").arg("op").args(words);
    let output = command.output().unwrap();
    support::Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
