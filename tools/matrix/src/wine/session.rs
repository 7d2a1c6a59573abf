//! Wine itself: a folder of its own, a virtual screen, and Windows programs in them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::requirements::{SETTING_UP, WINE, WINE_SERVER};
use crate::limited::{Ended, run};

/// Wine with a new folder of its own, so that no state of an earlier run remains. Its processes end when it is dropped.
pub(super) struct Wine {
    screen: Screen,
    /// The folder of the place's programs and logs, in which the programs run.
    pub(super) folder: PathBuf,
    variables: Vec<(String, PathBuf)>,
}

impl Wine {
    /// # Errors
    /// One line with the reason why Wine does not start.
    pub(super) fn start(folder: &Path, variables: &[(&str, &Path)]) -> Result<Self, String> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), value.to_path_buf())).collect();
        let wine = Self { screen: Screen::start()?, folder: folder.to_path_buf(), variables };
        let _ = std::fs::remove_dir_all(wine.prefix());
        let log = folder.join("wineboot.log");
        match run(wine.command(Path::new("wineboot")).arg("-i"), SETTING_UP, &log) {
            Ended::Status { code: Some(0), .. } => Ok(wine),
            other => Err(format!("wineboot: {other:?}; log: {}", log.display())),
        }
    }

    fn prefix(&self) -> PathBuf {
        self.folder.join("prefix")
    }

    /// A Windows program.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = self.with_variables(WINE);
        command.arg(program);
        command
    }

    fn with_variables(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("WINEPREFIX", self.prefix()).env("WINEDEBUG", "-all").env("DISPLAY", &self.screen.display);
        command.env("WINEDLLOVERRIDES", "d3dcompiler_47=n;mscoree,mshtml=");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // Without an encoding, Wine cannot use file names with letters beyond ASCII.
        command.env("LC_ALL", "C.UTF-8");
        // Otherwise Wine's user folders and Vulkan's loader would use the caller's.
        command.env("XDG_RUNTIME_DIR", &self.folder).current_dir(&self.folder);
        command
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        // Ends the processes of this Wine folder, and no others.
        let mut command = self.with_variables(WINE_SERVER);
        let _ = run(command.arg("-k"), SETTING_UP, &self.folder.join("wineserver.log"));
    }
}

/// A virtual screen, which Wine's windows need; it ends when dropped.
struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    fn start() -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("Xvfb cannot be started: {error}");
        let mut command = Command::new("Xvfb");
        // Xvfb chooses a free number and prints it when it is ready.
        command.args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().map_err(|error| failed(&error))?;
        let mut number = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).read_line(&mut number).map_err(|error| failed(&error))?;
        }
        let number = number.trim();
        if number.is_empty() {
            let _ = server.wait();
            return Err(failed(&"it ended immediately"));
        }
        Ok(Self { display: format!(":{number}"), server })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
