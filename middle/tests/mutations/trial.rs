//! The tests of the copy, with one mistake.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::list::Mutation;
use super::tree;

/// Memory that the tests may take, in KiB. They need a tenth of it.
const MOST_MEMORY: &str = "6000000";

/// What no other module is part of, and whose tests go through all values of small types.
const DOMAIN: &str = "domain";

/// Tests of `domain` that take longer than all others together: they run last.
const SLOW: [&str; 4] =
    ["domain::tests::exhaustive", "domain::tests::fields", "domain::tests::relations", "domain::tests::random"];

/// What came of a mistake.
pub(crate) enum Outcome {
    /// A test failed, or how all of them ended.
    Caught(String),
    Survived,
    /// An error of the list: what the compiler said.
    DoesNotCompile(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught(by) => write!(formatter, "caught: {by}"),
            Self::Survived => formatter.write_str("SURVIVED"),
            Self::DoesNotCompile(said) => write!(formatter, "DOES NOT COMPILE\n{said}"),
        }
    }
}

/// Tries one mistake after the other.
pub(crate) struct Trials {
    tree: PathBuf,
    /// How long the tests may take.
    patience: Duration,
}

impl Trials {
    /// Makes the copy and looks whether its tests pass.
    pub(crate) fn prepare(folder: Option<&Path>) -> Result<Self, String> {
        let tree = tree::copy(folder)?;
        let mut trials = Self { tree, patience: Duration::from_secs(1_200) };
        // A compiler that was stopped may have left parts that do not fit each other.
        let anew = |_| {
            let _ = std::fs::remove_dir_all(trials.tree.join("target/mutations/incremental"));
            trials.build(DOMAIN)
        };
        let programs = trials.build(DOMAIN).or_else(anew).and_then(|_| trials.build("other"));
        let programs = programs.map_err(|said| format!("the copy does not compile:\n{said}"))?;
        let start = Instant::now();
        if let Some(how) = programs.iter().find_map(|program| trials.run(program, &[])) {
            return Err(format!("the tests do not pass without a mistake: {how}"));
        }
        trials.patience = start.elapsed() * 5 + Duration::from_secs(60);
        Ok(trials)
    }

    /// Makes a mistake, runs the tests, and takes it back.
    pub(crate) fn attempt(&self, mutation: &Mutation) -> Result<Outcome, String> {
        let path = self.tree.join("middle").join(&mutation.file);
        let text = tree::read(&path)?;
        tree::put(&path, &mutation.apply(&text))?;
        let outcome = match self.build(&mutation.area) {
            Err(said) => Outcome::DoesNotCompile(said),
            Ok(programs) => self.test(&programs, &mutation.area),
        };
        tree::put(&path, &text)?;
        Ok(outcome)
    }

    /// Runs the tests of the module first that the mistake is in, as those most likely fail.
    fn test(&self, programs: &[PathBuf], area: &str) -> Outcome {
        let near = format!("{area}::");
        let quick = SLOW.iter().flat_map(|slow| ["--skip", slow]);
        let others: Vec<&str> = quick.clone().chain(["--skip", &near]).collect();
        let near: Vec<&str> = quick.chain([near.as_str()]).collect();
        let mut parts = vec![near.as_slice(), &others];
        if area == DOMAIN {
            // Nothing else is used there, so that no other mistake could fail them.
            parts.push(&SLOW);
        }
        let caught = parts.into_iter().find_map(|arguments| self.run(&programs[0], arguments));
        let caught = caught.or_else(|| programs[1..].iter().find_map(|program| self.run(program, &[])));
        caught.map_or(Outcome::Survived, Outcome::Caught)
    }

    /// Builds the tests, those of the crate itself first; what the compiler said if that fails. Only those of `domain`
    /// compute for longer than it takes to optimise them, and find what is wrong there by themselves.
    fn build(&self, area: &str) -> Result<Vec<PathBuf>, String> {
        let level = u8::from(area == DOMAIN);
        let level = format!("profile.mutations.package.anywarp-middle.opt-level={level}");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["test", "--profile", "mutations", "--offline", "--package", "anywarp-middle", "--lib", "--no-run"])
            .args(if area == DOMAIN { &[][..] } else { &["--test", "meaning"] })
            .args(["--quiet", "--message-format", "json-render-diagnostics", "--config", &level])
            .env("CARGO_TARGET_DIR", self.tree.join("target"))
            .env_remove("RUSTFLAGS")
            .current_dir(&self.tree)
            .output()
            .map_err(|error| format!("cargo cannot be run: {error}"))?;
        let said = String::from_utf8_lossy(&built.stdout);
        let program = |line: &str| {
            let (_, after) = line.split_once("\"executable\":\"")?;
            Some(PathBuf::from(after.split_once('"')?.0))
        };
        let mut programs: Vec<PathBuf> = said.lines().filter_map(program).collect();
        let is_other =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("meaning"));
        programs.sort_by_key(is_other);
        match programs.is_empty() {
            false if built.status.success() => Ok(programs),
            _ => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
        }
    }

    /// Runs tests; how they failed, unless they passed.
    fn run(&self, program: &Path, arguments: &[&str]) -> Option<String> {
        let mut command = if cfg!(unix) {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -v {MOST_MEMORY}; exec \"$@\""), "sh"]).arg(program);
            shell
        } else {
            Command::new(program)
        };
        command.args(arguments).env("RUST_BACKTRACE", "0").current_dir(self.tree.join("middle"));
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) => return Some(format!("the tests cannot be run: {error}")),
        };
        let (send, lines) = mpsc::channel();
        let output = child.stdout.take();
        let reader = thread::spawn(move || {
            for line in BufReader::new(output?).lines().map_while(Result::ok) {
                send.send(line).ok()?;
            }
            Some(())
        });
        let end = Instant::now() + self.patience;
        let early = loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
                        break Some(name.to_owned());
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => break Some(format!("no end in {:?}", self.patience)),
                Err(mpsc::RecvTimeoutError::Disconnected) => break None,
            }
        };
        if early.is_some() {
            let _ = child.kill();
        }
        let status = child.wait();
        let _ = reader.join();
        match (early, status) {
            (Some(early), _) => Some(early),
            (None, Ok(status)) if status.success() => None,
            (None, Ok(status)) => Some(format!("ended with {status}")),
            (None, Err(error)) => Some(format!("ended: {error}")),
        }
    }
}
