//! `anywarp run --watch`: a process that runs a kernel again when its files change.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::Folder;

/// The time that a busy machine may take to notice a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// A child process that watches files, and is ended with its test.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(folder: &Folder, line: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
        command
            .current_dir(folder.path())
            .env("ANYWARP_LOG", "error")
            .env("XDG_RUNTIME_DIR", std::env::temp_dir())
            .args(line.split_whitespace());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let out: Box<dyn std::io::Read + Send> = Box::new(child.stdout.take().unwrap());
        let err: Box<dyn std::io::Read + Send> = Box::new(child.stderr.take().unwrap());
        for stream in [out, err] {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Self { child, lines }
    }

    /// Waits for a line that contains `text`, and returns it.
    fn wait_for(&self, text: &str) -> String {
        let mut before = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => before.push(line),
                Err(error) => panic!("'{text}' was not printed ({error}); the output: {before:#?}"),
            }
        }
    }

    /// The lines that are printed within a moment.
    fn soon(&self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(700)) {
            lines.push(line);
        }
        lines
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const MAIN: &str = "\
import package::parts::number::NUMBER;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1)
fn main() { data[0] = NUMBER; }
";

#[test]
fn a_change_of_the_file_or_an_imported_one_runs_it_again() {
    let Some(folder) = Folder::with_device("watch") else { return };
    folder.make("parts");
    folder.write("parts/number.wgsl", "const NUMBER = 4711u;");
    folder.write("main.wgsl", MAIN);
    let watching = Watching::start(&folder, "run main.wgsl --watch --threads 1 --bind data=zeros:4");
    watching.wait_for("4711");
    assert_eq!(watching.soon().iter().filter(|line| line.contains("4711")).count(), 0, "nothing has changed");

    folder.write("parts/number.wgsl", "const NUMBER = 4712u;");
    watching.wait_for("4712");
    watching.soon();

    // A mistake is reported once, with its position in the imported file, and the tool continues to watch.
    folder.write("parts/number.wgsl", "\nconst NUMBER = ;");
    watching.wait_for("parts/number.wgsl:2:");
    let after = watching.soon();
    assert!(!after.iter().any(|line| line.contains("number.wgsl:2:")), "reported twice: {after:#?}");

    folder.write("parts/number.wgsl", "const NUMBER = 4713u;");
    watching.wait_for("4713");
}

#[test]
fn it_waits_for_a_file_that_is_wrong_at_first() {
    let Some(folder) = Folder::with_device("watch-wrong") else { return };
    folder.write("main.wgsl", "@compute @workgroup_size(1) fn main() { oh }");
    let watching = Watching::start(&folder, "run main.wgsl --watch --threads 1 --bind data=zeros:4");
    watching.wait_for("main.wgsl:1:");
    folder.write("main.wgsl", MAIN.replace("NUMBER;\n@group", "NUMBER; const OTHER = 1;\n@group"));
    watching.wait_for("package::parts::number");
    folder.make("parts");
    folder.write("parts/number.wgsl", "const NUMBER = 99u;");
    watching.wait_for("99");
}

#[test]
fn stdin_cannot_be_watched() {
    let Some(folder) = Folder::with_device("watch-stdin") else { return };
    let outcome = folder.anywarp("run - --watch --threads 1");
    assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    assert!(outcome.stderr.contains("--watch: expected FILE, found"), "{outcome:#?}");
}

const NUMBER: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1)
fn main() { data[0] = 4711u; }
";

#[test]
fn a_file_may_go_away_and_come_back() {
    let Some(folder) = Folder::with_device("watch-away") else { return };
    folder.write("main.wgsl", NUMBER);
    let watching = Watching::start(&folder, "run main.wgsl --watch --threads 1 --bind data=zeros:4");
    watching.wait_for("4711");

    std::fs::remove_file(folder.path().join("main.wgsl")).unwrap();
    watching.wait_for("main.wgsl is missing; the kernel runs again when it is back");
    assert_eq!(watching.soon(), [""; 0], "reported twice, or ended");
    folder.write("main.wgsl", NUMBER);
    watching.wait_for("main.wgsl is back");
    watching.wait_for("4711");
}

#[test]
fn a_file_that_is_replaced_by_renaming_runs_without_a_word() {
    let Some(folder) = Folder::with_device("watch-rename") else { return };
    folder.write("main.wgsl", NUMBER);
    let watching = Watching::start(&folder, "run main.wgsl --watch --threads 1 --bind data=zeros:4");
    watching.wait_for("4711");
    watching.soon();

    // Editors do the same: the old file is renamed, and a new one gets its name.
    for number in [4712, 4713] {
        let (old, new) = (folder.path().join("main.wgsl"), folder.path().join("new.wgsl"));
        folder.write("new.wgsl", NUMBER.replace("4711", &number.to_string()));
        std::fs::rename(&old, folder.path().join("main.wgsl~")).unwrap();
        // The pause is longer than the interval between two checks.
        std::thread::sleep(Duration::from_millis(170));
        std::fs::rename(new, old).unwrap();
        let mut lines = Vec::new();
        while !lines.iter().any(|line: &String| line.contains(&number.to_string())) {
            lines.push(watching.lines.recv_timeout(PATIENCE).expect("a run"));
        }
        assert!(!lines.iter().any(|line| line.contains("error") || line.contains("watch:")), "{lines:#?}");
    }
}
