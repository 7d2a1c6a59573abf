//! Functions that read WGSL: the front end, composition, the middle end and machine code for the processor.

use anywarp::{KernelError, Wgsl};
use anywarp_backend::{BackendError, Caps, Mode, Source, SourceFile};
use anywarp_wgsl::compose::{Given, Options};
use anywarp_wgsl::uniformity::{Language, failures};
use anywarp_wgsl::{TextError, module, rules};

/// The length in bytes of the longest text that is tried: longer texts take long and show no new fault.
const MAX_BYTES: usize = 1 << 14;

/// Parses and validates a text, and analyses its uniformity.
pub fn front_end(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let source = Source::new("fuzz.wgsl", text);
    let Ok(guard) = anywarp_wgsl::guard::Room::of_source(&source) else { return };
    let checked = guard.run(|| {
        let module = module::parse(&source)?;
        let breaches = rules::breaches(&source, &module);
        for failure in failures(&source, &module, Language::Common) {
            assert!(!failure.message(&source).is_empty());
        }
        drop((breaches, module::validate(module)));
        Ok::<(), TextError>(())
    });
    no_internal(checked);
}

/// Composes a file with two modules. Lines of dashes separate the three texts.
pub fn compose(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let mut parts = text.split("\n---\n");
    let root = SourceFile { name: "main.wgsl".to_owned(), text: parts.next().unwrap_or_default().to_owned() };
    let mut modules = Given::default();
    for (path, text) in ["shared::one", "shared::two"].into_iter().zip(parts) {
        modules.add(path, format!("{path}.wgsl"), text);
    }
    let options = Options { features: vec![("wide".to_owned(), true)], ..Options::default() };
    no_internal(anywarp_wgsl::compose::compose(root, &["main".to_owned()], &modules, &options));
}

/// Compiles each entry point of a text for the processor.
///
/// # Panics
/// On an error with the message that a pass or the compiler has failed.
pub fn compile(bytes: &[u8]) {
    let (Some(text), Some(caps)) = (text(bytes), anywarp_cpu::caps()) else { return };
    let wgsl = Wgsl::new(text).file("fuzz.wgsl");
    match wgsl.program(&caps) {
        Err(KernelError::WhichEntryPoint { candidates, .. }) => {
            for entry in candidates {
                compile_entry(wgsl.clone().entry(entry), &caps);
            }
        }
        _ => compile_entry(wgsl, &caps),
    }
}

fn compile_entry(wgsl: Wgsl<'_>, caps: &Caps) {
    match wgsl.program(caps) {
        Ok(program) => match anywarp_cpu::check(&program, Mode::Plain) {
            Err(BackendError::Rejected { message, .. }) if message.contains("internal check") => panic!("{message}"),
            _ => {}
        },
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains("internal"), "{message}");
        }
    }
}

/// Fails on internal errors. For users, a panic or a failed check of naga becomes an internal error; a fuzzer must
/// report that error.
fn no_internal<T>(result: Result<T, TextError>) {
    if let Err(error) = result {
        let message = error.to_string();
        assert!(!matches!(error, TextError::Internal { .. }) && !message.contains("internal"), "{message}");
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES)
}
