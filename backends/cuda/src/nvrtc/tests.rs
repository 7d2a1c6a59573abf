//! Tests with an NVRTC library, if there is one; `ANYWARP_REQUIRE=nvrtc` makes its absence a failure.

#[cfg(target_os = "linux")]
use std::path::Path;

use super::{Nvrtc, NvrtcError, Output, Source, library};

const SQUARES: &str = r#"
template <class T> T square(T a) { return a * a; }
#line 7 "squares.wgsl"
extern "C" __global__ void __launch_bounds__(64) squares(float* y, unsigned int count) {
    int unused = 3;
    __shared__ float tile[64];
    unsigned int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = square((float)i) * FACTOR;
    __syncthreads();
    if (i < count) y[i] = tile[63 - threadIdx.x];
}
"#;

fn source(text: &str) -> Source<'_> {
    Source { name: "squares.wgsl:squares", text, architecture: 80, fast_math: false, defines: &[("FACTOR", "2.0f")] }
}

fn nvrtc() -> Option<&'static Nvrtc> {
    match library() {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|name| name == "nvrtc"), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

#[test]
fn machine_code_with_its_usage() {
    let Some(nvrtc) = nvrtc() else { return };
    for fast_math in [false, true] {
        let compiled = nvrtc.compile(&Source { fast_math, ..source(SQUARES) }, Output::Cubin).unwrap();
        assert!(compiled.image.starts_with(b"\x7fELF"));
        assert_eq!((compiled.output, compiled.log.as_str(), compiled.cached), (Output::Cubin, "", false));
        let usage = compiled.usage.unwrap();
        assert!(usage.registers > 0 && usage.shared_bytes == 256 && usage.spill_stores == 0, "{usage:?}");
    }
}

#[test]
fn every_architecture_that_it_names() {
    let Some(nvrtc) = nvrtc() else { return };
    assert!(nvrtc.version().0 >= 11, "{nvrtc:?}");
    for &architecture in nvrtc.architectures() {
        let compiled = nvrtc.compile(&Source { architecture, ..source(SQUARES) }, Output::Cubin);
        assert_eq!(compiled.unwrap().output, Output::Cubin, "sm_{architecture}");
    }
}

#[test]
fn text_for_the_driver() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(&source(SQUARES), Output::Ptx).unwrap();
    let text = String::from_utf8(compiled.image).unwrap();
    assert!(text.contains(".target sm_80") && text.ends_with('\0'), "{text}");
    assert_eq!((compiled.output, compiled.usage), (Output::Ptx, None));
}

#[test]
fn a_card_that_is_newer_gets_text() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(&Source { architecture: 999, ..source(SQUARES) }, Output::Cubin).unwrap();
    let newest = nvrtc.architectures().last().unwrap();
    let text = String::from_utf8(compiled.image).unwrap();
    assert!(compiled.output == Output::Ptx && text.contains(&format!(".target sm_{newest}")), "{text}");
}

#[test]
fn a_card_that_is_older_is_an_error_that_says_what_to_install() {
    let Some(nvrtc) = nvrtc() else { return };
    for (architecture, remedy) in [(30, "no supported NVRTC"), (37, "nvrtc-cu11"), (61, "nvrtc-cu12")] {
        match nvrtc.compile(&Source { architecture, ..source(SQUARES) }, Output::Cubin) {
            Err(error @ NvrtcError::TooOld { .. }) => assert!(error.to_string().contains(remedy), "{error}"),
            Ok(_) if nvrtc.architectures().contains(&architecture) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_error_names_kernel_and_line() {
    let Some(nvrtc) = nvrtc() else { return };
    let text = SQUARES.replace("= square(", "= cube(");
    let error = nvrtc.compile(&source(&text), Output::Cubin).unwrap_err();
    let NvrtcError::Compilation { place: Some(place), message, .. } = &error else { panic!("{error:?}") };
    assert_eq!(place.to_string(), "squares.wgsl:11");
    assert!(message.contains("cube"), "{message}");
    assert!(error.to_string().contains("'squares.wgsl:squares' for sm_80 at squares.wgsl:11"), "{error}");
}

#[test]
fn an_error_of_the_assembler_is_reported() {
    let Some(nvrtc) = nvrtc() else { return };
    let text = SQUARES.replace("tile[64]", "tile[65536]");
    let error = nvrtc.compile(&source(&text), Output::Cubin).unwrap_err();
    let NvrtcError::Compilation { message, .. } = &error else { panic!("{error:?}") };
    assert!(message.contains("shared data"), "{error}");
}

#[test]
fn deep_texts_do_not_end_the_process() {
    let Some(nvrtc) = nvrtc() else { return };
    for (open, close) in [("(", ")"), ("square(", ")"), ("-(", ")")] {
        let deep = format!("= {}1.0f{} +", open.repeat(4000), close.repeat(4000));
        let text = SQUARES.replace("= square((float)i) *", &deep);
        assert_ne!(text, SQUARES);
        // Both outcomes are allowed: NVRTC may compile the text or refuse it.
        if let Err(error) = nvrtc.compile(&source(&text), Output::Cubin) {
            assert!(matches!(error, NvrtcError::Compilation { .. }), "{error}");
        }
    }
}

#[test]
fn zero_bytes_are_errors() {
    let Some(nvrtc) = nvrtc() else { return };
    let error = nvrtc.compile(&source("int\0"), Output::Cubin).unwrap_err();
    assert!(matches!(error, NvrtcError::ZeroByte { what: "the text", .. }), "{error:?}");
    let error = nvrtc.compile(&Source { name: "a\0", ..source(SQUARES) }, Output::Cubin).unwrap_err();
    assert!(matches!(error, NvrtcError::ZeroByte { what: "the name", .. }), "{error:?}");
}

#[test]
fn threads_compile_at_once() {
    let Some(nvrtc) = nvrtc() else { return };
    let alone = nvrtc.compile(&source(SQUARES), Output::Cubin).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let alone = &alone;
            scope.spawn(move || {
                for _ in 0..3 {
                    if thread % 4 == 3 {
                        let broken = SQUARES.replace("= square(", &format!("= f{thread}("));
                        nvrtc.compile(&source(&broken), Output::Cubin).unwrap_err();
                    } else {
                        let compiled = nvrtc.compile(&source(SQUARES), Output::Cubin).unwrap();
                        assert_eq!(compiled.usage, alone.usage);
                        assert_eq!(compiled.image.len(), alone.image.len());
                    }
                }
            });
        }
    });
}

#[test]
fn no_library_is_an_error_that_says_where_it_was_looked_for() {
    let folder = std::env::temp_dir();
    let error = Nvrtc::find(&|name| (name == "ANYWARP_NVRTC").then(|| folder.join("none").into())).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("ANYWARP_NVRTC=") && text.contains("pip install"), "{text}");

    let file = folder.join(format!("libnvrtc.so.{}", std::process::id()));
    std::fs::write(&file, "this is no library").unwrap();
    let error = Nvrtc::find(&|name| (name == "ANYWARP_NVRTC").then(|| file.clone().into())).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(&error, NvrtcError::NotFound { tried } if tried.len() == 1), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn another_library_is_refused_by_name_of_what_it_lacks() {
    let Some(libc) =
        ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"].into_iter().find(|file| Path::new(file).exists())
    else {
        return;
    };
    let error = Nvrtc::find(&|name| (name == "ANYWARP_NVRTC").then(|| libc.into())).unwrap_err();
    assert!(error.to_string().contains("lacks nvrtcGetErrorString"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn without_its_second_library_it_says_so() {
    let Some(nvrtc) = nvrtc() else { return };
    if !Path::new(nvrtc.file()).is_absolute() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("anywarp-nvrtc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("libnvrtc.so.13");
    std::fs::copy(nvrtc.file(), &file).unwrap();
    // The copy has the name of the loaded library, but is another file, so the system loads it again.
    let lonely = Nvrtc::find(&|name| (name == "ANYWARP_NVRTC").then(|| file.clone().into())).unwrap();
    let compiled = lonely.compile(&source(SQUARES), Output::Cubin);
    std::fs::remove_dir_all(&folder).unwrap();
    // If the first library has loaded its built-in functions, the copy may find them too.
    if let Err(error) = compiled {
        assert!(matches!(error, NvrtcError::Builtins { .. }), "{error}");
        assert!(error.to_string().contains("libnvrtc-builtins"), "{error}");
    }
}
