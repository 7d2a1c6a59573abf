//! `anywarp translate`: prints the stages of a kernel's translation to machine code.

use std::path::Path;

use anywarp::backend::Capabilities;
use anywarp::{Checks, Wgsl};
use anywarp_backend::{BackendKind, Caps, Limits, Program};
use serde_json::json;

use crate::args::TranslateArgs;
use crate::columns::{Column, beside, picked};
use crate::composition::display_name;
use crate::failure::Failure;
use crate::origin::origins;
use crate::stage::{Cuda, Stage};
use crate::terminal;

/// The width from which `--all` prints two columns.
const WIDE: usize = 160;

/// The stack of the translating thread in bytes: translators recurse over a text's nesting, which the front end limits.
const STACK: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 32 << 20 };

/// Prints the requested stages. With `--all`, a stage that cannot be made is not an error.
pub(crate) fn translate(arguments: &TranslateArgs, json: bool) -> Result<(), Failure> {
    let pair = arguments.stages.side_by_side.as_slice();
    if !matches!(pair, [] | [_, _]) {
        let names: Vec<String> = pair.iter().map(|stage| stage.name()).collect();
        return Err(Failure::Usage(format!(
            "--side-by-side {}: expected two stages with a comma between, found {}: write --side-by-side source,spirv",
            names.join(","),
            pair.len()
        )));
    }
    let file = display_name(&arguments.file);
    let wgsl = arguments.composition.read(&arguments.file)?;
    let output = on_a_large_stack(|| {
        let kernel = Translated { programs: Programs::new(&wgsl, arguments)?, file: &file, arguments };
        check_line(&kernel.programs.plain, &file, arguments)?;
        if json { kernel.as_json() } else { kernel.as_text() }
    })?;
    match &arguments.output {
        Some(path) => write(path, &output),
        None => terminal::print(output.trim_end()),
    }
}

/// Does work that recurses over a text's nesting.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    std::thread::scope(|scope| {
        let failed = |reason: String| Err(Failure::Translation(reason));
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|_| failed("the translation ended in a panic".to_owned())),
            Err(error) => failed(format!(
                "expected a thread with {} of stack, which the system refuses: {error}: free memory",
                terminal::bytes(STACK as u64)
            )),
        }
    })
}

/// One kernel, as the program for each kind of device.
struct Programs {
    /// The program without bounds checks, for browsers, which insert all checks themselves.
    written: Program,
    /// The program for graphics drivers, which unroll loops themselves.
    driven: Program,
    /// The program for all other devices.
    plain: Program,
}

impl Programs {
    fn new(wgsl: &Wgsl<'_>, arguments: &TranslateArgs) -> Result<Self, Failure> {
        let mut wgsl = wgsl.clone();
        if let Some(entry) = &arguments.entry {
            wgsl = wgsl.entry(entry);
        }
        for (name, value) in &arguments.overrides {
            wgsl = wgsl.set_override(name, *value);
        }
        if arguments.fast_math {
            wgsl = wgsl.fast_math();
        }
        Ok(Self {
            plain: wgsl.program(&everything(BackendKind::Null))?,
            driven: wgsl.program(&everything(BackendKind::Vulkan))?,
            written: wgsl.checks(Checks::Driver).program(&everything(BackendKind::Null))?,
        })
    }

    fn of(&self, stage: Stage) -> &Program {
        match stage {
            Stage::Wgsl => &self.written,
            Stage::Spirv | Stage::Msl | Stage::Hlsl => &self.driven,
            _ => &self.plain,
        }
    }
}

/// Checks that the line is in the file; imported files do not count.
fn check_line(program: &Program, file: &str, arguments: &TranslateArgs) -> Result<(), Failure> {
    let own = program.source.as_ref().and_then(|source| source.files().first());
    let lines = own.map_or(0, |own| own.text.lines().count());
    match arguments.line.filter(|line| *line as usize > lines) {
        Some(line) => Err(Failure::Usage(format!(
            "--line {line}: expected a line of {file}, which has {lines}, found {line}: choose one from 1 to {lines}"
        ))),
        None => Ok(()),
    }
}

/// A device with every feature and no limits: each translator checks its own.
fn everything(backend: BackendKind) -> Caps {
    let mut caps = Caps::new(backend, "no device");
    caps.shader = Caps::known_features().iter().fold(Capabilities::empty(), |all, (flag, _)| all | *flag);
    caps.subgroup_size = Some((4, 128));
    caps.aliased_bindings = true;
    caps.limits = Limits::unlimited();
    caps
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| {
        let path = path.display();
        Failure::File(format!(
            "--output {path}: expected a file that can be written, found one that cannot: {error}: choose another path"
        ))
    })
}

/// A kernel, the stages to print, and the options.
struct Translated<'a> {
    programs: Programs,
    file: &'a str,
    arguments: &'a TranslateArgs,
}

impl Translated<'_> {
    fn cuda(&self) -> Cuda {
        Cuda { architecture: self.arguments.arch, looped: self.arguments.looped }
    }

    /// The stages to print, in order.
    fn stages(&self) -> Vec<Stage> {
        let asked = &self.arguments.stages;
        match asked.to {
            Some(to) => vec![to],
            None if asked.all => self.all().collect(),
            None => asked.side_by_side.clone(),
        }
    }

    /// All stages; with `--line`, only those with line information.
    fn all(&self) -> impl Iterator<Item = Stage> {
        let every = self.arguments.line.is_none();
        Stage::ALL.into_iter().filter(move |stage| every || stage.has_lines())
    }

    fn as_json(&self) -> Result<String, Failure> {
        let mut stages = Vec::new();
        for stage in self.stages() {
            let (name, title) = (stage.name(), stage.title(self.cuda()));
            stages.push(match self.text(stage) {
                Ok(text) => json!({ "stage": name, "title": title, "text": text }),
                Err(failure) if self.arguments.stages.all => {
                    json!({ "stage": name, "title": title, "error": failure.to_string() })
                }
                Err(failure) => return Err(failure),
            });
        }
        Ok(format!("{:#}", json!({ "kernel": &*self.programs.plain.name, "stages": stages })))
    }

    fn as_text(&self) -> Result<String, Failure> {
        let asked = &self.arguments.stages;
        if let Some(to) = asked.to {
            return self.text(to);
        }
        if let [left, right] = *asked.side_by_side {
            let (of_left, of_right) = (self.text(left)?, self.text(right)?);
            return Ok(self.pair((left, &of_left), (right, &of_right), self.width().unwrap_or(WIDE)));
        }
        let columns = self.width().filter(|width| *width >= WIDE && self.arguments.line.is_none());
        Ok(columns.map_or_else(|| self.one_below_the_other(), |width| self.two_by_two(width)))
    }

    /// The stage's text or, with `--line`, the part that comes from that line.
    fn text(&self, stage: Stage) -> Result<String, Failure> {
        let text = stage.text(self.programs.of(stage), self.cuda()).map_err(Failure::Translation)?;
        let Some(line) = self.arguments.line else { return Ok(text) };
        let Some(origins) = origins(stage, &text, self.file) else {
            let name = stage.name();
            return Err(Failure::Usage(format!(
                "--line {line}: expected a stage with line information, found {name}: choose spirv, cuda, ptx \
                 or sass, or leave --line out"
            )));
        };
        let lines = picked(&text, &origins, Some(line));
        if lines.is_empty() { Ok(format!("no output comes from {}:{line}", self.file)) } else { Ok(lines.join("\n")) }
    }

    fn one_below_the_other(&self) -> String {
        self.all().map(|stage| self.section(stage)).collect::<Vec<_>>().join("\n")
    }

    /// Related stages side by side; a stage that cannot be made is printed alone.
    fn two_by_two(&self, width: usize) -> String {
        let pairs = [
            (Stage::Wgsl, Stage::Spirv),
            (Stage::Msl, Stage::Hlsl),
            (Stage::Cuda, Stage::Ptx),
            (Stage::Source, Stage::Sass),
            (Stage::Clif, Stage::Asm),
        ];
        let page = |(left, right): (Stage, Stage)| match (self.text(left), self.text(right)) {
            (Ok(of_left), Ok(of_right)) => self.pair((left, &of_left), (right, &of_right), width),
            _ if left == Stage::Source => self.section(right),
            _ => format!("{}\n{}", self.section(left), self.section(right)),
        };
        pairs.into_iter().map(page).collect::<Vec<_>>().join("\n")
    }

    /// A heading, and the text or the reason why there is none.
    fn section(&self, stage: Stage) -> String {
        let text = self.text(stage).unwrap_or_else(|failure| format!("not made: {failure}"));
        format!("== {} ({})\n{}\n", stage.title(self.cuda()), stage.name(), text.trim_end())
    }

    fn pair(&self, (left, of_left): (Stage, &str), (right, of_right): (Stage, &str), width: usize) -> String {
        let titles = [left, right].map(|stage| format!("{} ({})", stage.title(self.cuda()), stage.name()));
        // With `--line`, both texts come from one line of the file, so they need no alignment.
        let origins = |stage, text| self.arguments.line.is_none().then(|| origins(stage, text, self.file)).flatten();
        let column = |title, stage, text| Column { title, text, origins: origins(stage, text) };
        let source = self.programs.plain.source.as_ref().map_or("", |source| source.text());
        let (left, right) = (column(titles[0].as_str(), left, of_left), column(titles[1].as_str(), right, of_right));
        beside(&left, &right, &source.lines().collect::<Vec<_>>(), self.file, width)
    }

    fn width(&self) -> Option<usize> {
        let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
        self.arguments.width.or_else(said).map(usize::from)
    }
}
