//! A folder for each test, in which the tool runs.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// A kernel that computes `y = a * x + y`, with every kind of binding.
pub(crate) const SAXPY: &str = "
struct Params { a: f32, n: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.n {
        y[id.x] = params.a * x[id.x] + y[id.x];
    }
}
";

/// The result of a run of the tool.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Returns the stdout of a run that must succeed and print no messages.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert_eq!(self.stderr, "", "{self:#?}");
        self.stdout
    }
}

/// A folder that is removed with its test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates an empty folder; returns `None`, and prints the reason, on a machine without a device.
    pub(crate) fn with_device(test: &str) -> Option<Self> {
        if let Err(reason) = device() {
            assert!(std::env::var_os("ANYWARP_REQUIRE").is_none(), "ANYWARP_REQUIRE is set, but {reason}");
            println!("{test}: skipped, {reason}");
            return None;
        }
        Some(Self::new(test))
    }

    /// Creates an empty folder, for tests without a device.
    pub(crate) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("anywarp-cli-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        path.parent().into_iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        std::fs::write(path, contents).unwrap();
    }

    /// Creates a folder inside this folder.
    pub(crate) fn make(&self, name: &str) {
        std::fs::create_dir_all(self.0.join(name)).unwrap();
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.0
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `anywarp run` in this folder, with the words of `line` as its arguments.
    pub(crate) fn run(&self, line: &str) -> Outcome {
        self.run_with_stdin(line, "")
    }

    pub(crate) fn run_with_stdin(&self, line: &str, stdin: &str) -> Outcome {
        self.start("run", line, stdin, &[])
    }

    /// Runs `anywarp translate` in this folder, with the words of `line` as its arguments and some environment
    /// variables set.
    pub(crate) fn translate(&self, line: &str, variables: &[(&str, &str)]) -> Outcome {
        self.start("translate", line, "", variables)
    }

    /// Runs `anywarp` in this folder, with the words of `line` as its arguments, including the subcommand.
    pub(crate) fn anywarp(&self, line: &str) -> Outcome {
        let (verb, arguments) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        self.start(verb, arguments, "", &[])
    }

    /// Runs `anywarp` in this folder, with this subcommand.
    pub(crate) fn start(&self, verb: &str, line: &str, stdin: &str, variables: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
        // Drivers may warn; the tests check the tool's own messages only.
        command.current_dir(&self.0).env("ANYWARP_LOG", "error").arg(verb).args(line.split_whitespace());
        // Mesa warns on stderr if this variable is not set, as in containers.
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
        command.env_remove("COLUMNS").envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A run that fails early closes its end of the pipe, which is not an error of the test.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether `anywarp devices` lists any device, determined once.
fn device() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    let ask = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
        let output = command.args(["devices", "--json"]).env("XDG_RUNTIME_DIR", std::env::temp_dir()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).expect("`devices --json` prints JSON");
        let devices = &report["devices"];
        assert_eq!(output.status.success(), devices.as_array().is_some_and(|list| !list.is_empty()));
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    };
    FOUND.get_or_init(ask).clone()
}

/// A version 1 file in the form that `numpy.save` writes.
pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = vec![0x93, b'N', b'U', b'M', b'P', b'Y', 1, 0];
    file.extend([(header.len() % 256) as u8, (header.len() / 256) as u8]);
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

pub(crate) fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
