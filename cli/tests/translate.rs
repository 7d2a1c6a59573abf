//! `anywarp translate`: every stage, every form of output, and the messages for missing stages.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, Outcome};

const SAXPY: &str = include_str!("../../examples/shaders/saxpy.wgsl");
const CONV3X3: &str = include_str!("../../examples/shaders/conv3x3.wgsl");

/// The line of `SAXPY` with the computation.
const LINE: &str = "y[id.x] += params.a * x[id.x];";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("saxpy.wgsl", SAXPY);
    folder.write("conv3x3.wgsl", CONV3X3);
    folder.write("broken.wgsl", "@compute @workgroup_size(1)\nfn main() {\n    let a = undefined;\n}\n");
    let two = "override N: u32; @compute @workgroup_size(1) fn a() {} @compute @workgroup_size(N) fn b() {}";
    folder.write("two.wgsl", two);
    folder
}

fn number_of(line: &str) -> usize {
    1 + SAXPY.lines().position(|candidate| candidate.trim() == line).unwrap()
}

/// Whether all of these environment variables are set, which name the tools that a stage needs.
fn has(variables: &[&str]) -> bool {
    cfg!(feature = "cuda") && variables.iter().all(|name| std::env::var_os(name).is_some())
}

/// The text of a stage that needs tools; `None` if the environment does not name them.
fn with_tools(folder: &Folder, variables: &[&str], line: &str) -> Option<String> {
    if has(variables) {
        return Some(folder.translate(line, &[]).ok());
    }
    println!("{line}: skipped, {} not set", variables.join(" or "));
    None
}

#[test]
fn stages_of_every_machine() {
    let folder = folder("stages");
    let cases: &[(&str, &[&str])] = &[
        ("source", &["@compute"]),
        ("wgsl", &["@compute", "arrayLength"]),
        ("spirv", &["OpEntryPoint GLCompute", "OpExecutionMode", "OpLine", "UMin", "; Generator: naga"]),
        ("msl", &["metal3.2", "kernel void", "[[thread_position_in_grid]]"]),
        ("hlsl", &["numthreads(", "SV_DispatchThreadID", "register(u2)"]),
        ("clif", &["function u0:0", "block0", "load.f32x"]),
        ("asm", &["block0:"]),
    ];
    for (stage, words) in cases {
        for kernel in ["saxpy", "conv3x3"] {
            let text = folder.translate(&format!("{kernel}.wgsl --to {stage}"), &[]).ok();
            assert!(text.contains(kernel), "{stage}: {kernel} is missing in\n{text}");
            // Only `saxpy` uses the length of an array.
            for word in words.iter().filter(|word| kernel == "saxpy" || **word != "arrayLength") {
                assert!(text.contains(word), "{kernel} as {stage}: {word} is missing in\n{text}");
            }
        }
    }
    if cfg!(feature = "cuda") {
        for kernel in ["saxpy", "conv3x3"] {
            for form in ["", " --looped", " --fast-math"] {
                let text = folder.translate(&format!("{kernel}.wgsl --to cuda{form}"), &[]).ok();
                for word in ["__global__", kernel, "#line"] {
                    assert!(text.contains(word), "{kernel}{form}: {word} is missing in\n{text}");
                }
            }
        }
    }
}

#[test]
fn ptx_and_machine_code_where_there_is_a_compiler() {
    let folder = folder("compiler");
    for kernel in ["saxpy", "conv3x3"] {
        for arch in ["sm_80", "sm_90"] {
            let ptx = format!("{kernel}.wgsl --to ptx --arch {arch}");
            if let Some(text) = with_tools(&folder, &["ANYWARP_NVRTC"], &ptx) {
                let target = format!(".target {arch}");
                for word in [target.as_str(), ".visible .entry", kernel, ".loc"] {
                    assert!(text.contains(word), "{ptx}: {word} is missing in\n{text}");
                }
            }
            let sass = format!("{kernel}.wgsl --to sass --arch {arch} --fast-math");
            if let Some(text) = with_tools(&folder, &["ANYWARP_NVRTC", "ANYWARP_NVDISASM"], &sass) {
                for word in [kernel, "EXIT", "FFMA"] {
                    assert!(text.contains(word), "{sass}: {word} is missing in\n{text}");
                }
            }
        }
    }
}

#[test]
fn missing_tools_say_what_to_install() {
    let folder = folder("tools");
    let nowhere = [("ANYWARP_NVRTC", "/nonexistent"), ("ANYWARP_NVDISASM", "/nonexistent")];
    let cases = [
        ("ptx", &nowhere[..], "pip install nvidia-cuda-nvrtc"),
        ("sass", &nowhere[..], "pip install nvidia-cuda-nvrtc"),
        ("sass", &nowhere[1..], "pip install nvidia-cuda-nvdisasm"),
    ];
    for (stage, variables, remedy) in cases {
        if cfg!(not(feature = "cuda")) || (variables.len() == 1 && !has(&["ANYWARP_NVRTC"])) {
            continue;
        }
        let text = folder.translate(&format!("saxpy.wgsl --to {stage}"), variables);
        assert_eq!((text.code, text.stdout.as_str()), (Some(1), ""), "{text:#?}");
        assert!(text.stderr.starts_with("error: ") && text.stderr.contains(remedy), "{text:#?}");
        let json = folder.translate(&format!("saxpy.wgsl --to {stage} --json"), variables);
        let error: Value = serde_json::from_str(&json.stderr).unwrap();
        assert_eq!((json.code, &error["class"]), (Some(1), &Value::from("translation")), "{error}");
    }

    let all = folder.translate("saxpy.wgsl --all", &nowhere).ok();
    assert!(all.contains("(ptx)\nnot made: ") && all.contains("(sass)\nnot made: "), "{all}");
    let all = folder.translate("saxpy.wgsl --all --json", &nowhere).ok();
    let all: Value = serde_json::from_str(&all).unwrap();
    let stages = all["stages"].as_array().unwrap();
    let of = |name: &str| stages.iter().find(|stage| stage["stage"] == name).unwrap();
    assert!(of("ptx")["error"].is_string() && of("spirv")["text"].is_string(), "{all:#}");
    assert_eq!(all["kernel"], "saxpy.wgsl:saxpy");
}

#[test]
fn all_stages_stand_one_below_the_other_or_two_by_two() {
    let folder = folder("all");
    for kernel in ["saxpy", "conv3x3"] {
        let text = folder.translate(&format!("{kernel}.wgsl --all"), &[]).ok();
        let mut rest = text.as_str();
        for stage in ["wgsl", "spirv", "msl", "hlsl", "cuda", "ptx", "sass", "clif", "asm"] {
            let heading = format!(" ({stage})\n");
            let at = rest.find(&heading).unwrap_or_else(|| panic!("{stage} is missing or out of order in\n{text}"));
            rest = &rest[at + heading.len()..];
        }
        let wide = folder.translate(&format!("{kernel}.wgsl --all --width 170"), &[]).ok();
        assert!(wide.contains("(wgsl)") && wide.contains("│ SPIR-V, for Vulkan (spirv)"), "{wide}");
        for line in wide.lines().filter(|line| line.contains('│')) {
            assert!(line.chars().count() <= 170, "{line}");
        }
        assert_eq!(wide, folder.translate(&format!("{kernel}.wgsl --all"), &[("COLUMNS", "170")]).ok());
    }
}

/// The right column of a page with the source on the left, in the rows that belong to the line with the computation.
fn beside_the_work(page: &str) -> String {
    let rows = page.lines().skip_while(|row| !row.contains(LINE));
    let rows = rows.enumerate().take_while(|(at, row)| *at == 0 || row.starts_with(' ')).map(|(_, row)| row);
    rows.filter_map(|row| Some(row.split_once('│')?.1)).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_find_what_became_of_them() {
    let folder = folder("lines");
    let line = number_of(LINE);
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("spirv", &[], "OpFMul", "UMin"),
        ("cuda", &[], "*", "*"),
        ("ptx", &["ANYWARP_NVRTC"], "st.global.", "ld."),
        ("sass", &["ANYWARP_NVRTC", "ANYWARP_NVDISASM"], "FFMA", "STG"),
    ];
    for (stage, variables, first, second) in cases {
        if *stage == "cuda" && cfg!(not(feature = "cuda")) {
            continue;
        }
        let asked = format!("saxpy.wgsl --to {stage} --line {line}");
        let Some(text) = with_tools(&folder, variables, &asked) else { continue };
        assert!(text.contains(first) && text.contains(second), "{stage}: {text}");
        assert!(text.lines().count() < 60 && !text.contains("EXIT") && !text.contains("OpCapability"), "{text}");
        let page = folder.translate(&format!("saxpy.wgsl --side-by-side source,{stage} --width 200"), &[]).ok();
        let beside = beside_the_work(&page);
        assert!(beside.contains(first) && beside.contains(second), "{stage}:\n{page}");
    }
    let nothing = folder.translate("saxpy.wgsl --to spirv --line 1", &[]).ok();
    assert_eq!(nothing, "no output comes from saxpy.wgsl:1\n");
}

#[test]
fn overrides_entry_points_and_files() {
    let folder = folder("choices");
    let text = folder.translate("two.wgsl --entry b --override N=7 --to hlsl", &[]).ok();
    assert!(text.contains("numthreads(7, 1, 1)"), "{text}");
    assert_eq!(folder.translate("two.wgsl --entry b --override N=7 --to hlsl --output b.hlsl", &[]).ok(), "");
    assert_eq!(String::from_utf8(folder.read("b.hlsl")).unwrap().trim_end(), text.trim_end());
}

#[test]
fn a_wrong_command_line_is_two_and_all_else_is_one() {
    let folder = folder("wrong");
    let cases: &[(&str, i32, &str, &[&str])] = &[
        ("saxpy.wgsl", 2, "usage", &["--to", "--all", "--side-by-side"]),
        ("saxpy.wgsl --to dxil", 2, "usage", &["dxil", "spirv, msl, hlsl, cuda, ptx, sass"]),
        ("saxpy.wgsl --to ptx --all", 2, "usage", &["--all"]),
        ("saxpy.wgsl --to ptx --arch sm_10", 2, "usage", &["sm_10", "sm_70"]),
        ("saxpy.wgsl --to ptx --arch abc", 2, "usage", &["abc", "sm_90"]),
        ("saxpy.wgsl --side-by-side spirv", 2, "usage", &["--side-by-side", "two stages"]),
        ("saxpy.wgsl --side-by-side spirv,msl,hlsl", 2, "usage", &["found 3"]),
        ("saxpy.wgsl --to spirv --line 0", 2, "usage", &["--line"]),
        ("saxpy.wgsl --to spirv --line 99", 2, "usage", &["--line 99", "saxpy.wgsl"]),
        ("saxpy.wgsl --to msl --line 13", 2, "usage", &["found msl", "spirv, cuda, ptx or sass"]),
        ("saxpy.wgsl --to spirv --entry main", 2, "usage", &["'main'", "saxpy"]),
        ("saxpy.wgsl --to spirv --override N=1", 2, "usage", &["'N'"]),
        ("two.wgsl --to spirv", 2, "usage", &["--entry a or --entry b"]),
        ("two.wgsl --to spirv --entry b", 2, "usage", &["N"]),
        ("absent.wgsl --to spirv", 1, "file", &["absent.wgsl"]),
        ("saxpy.wgsl --to spirv --output no/such/folder", 1, "file", &["no/such/folder"]),
        ("broken.wgsl --to spirv", 1, "programmer", &["broken.wgsl:3", "undefined"]),
        ("broken.wgsl --all", 1, "programmer", &["broken.wgsl:3", "undefined"]),
    ];
    for (line, code, class, fragments) in cases {
        let text = folder.translate(line, &[]);
        let Outcome { code: said, stdout, stderr } = &text;
        assert_eq!((*said, stdout.as_str()), (Some(*code), ""), "{line}\n{text:#?}");
        assert!(stderr.starts_with("error: "), "{line}\n{stderr}");
        assert!(fragments.iter().all(|fragment| stderr.contains(fragment)), "{line}\n{stderr}");
        let json = folder.translate(&format!("{line} --json"), &[]);
        let error: Value = serde_json::from_str(&json.stderr).unwrap_or_else(|_| panic!("{line}\n{}", json.stderr));
        assert_eq!((json.code, error["class"].as_str()), (Some(*code), Some(*class)), "{line}\n{error}");
    }
    if has(&["ANYWARP_NVRTC"]) {
        let unknown = folder.translate("saxpy.wgsl --to ptx --arch sm_999", &[]);
        assert!(unknown.code == Some(1) && unknown.stderr.contains("sm_90"), "{unknown:#?}");
    }
}
