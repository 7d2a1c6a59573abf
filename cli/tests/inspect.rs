//! `anywarp inspect`: its report, its JSON, and the conditions that fail it.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, Outcome};

const TRANSPOSE: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
override WIDTH: u32 = 32;
var<workgroup> tile: array<f32, 32 * 33>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    tile[at.x * WIDTH + at.y] = x[id.y * 256u + id.x];
    workgroupBarrier();
    y[id.x * 64u + id.y] = tile[at.x * WIDTH + at.y];
}
";

const LINE: &str = "transpose.wgsl --threads 256,64 --bind x=rand:1:f32:16Ki --bind y=zeros:f32:16Ki";

fn inspect(folder: &Folder, line: &str) -> Outcome {
    folder.start("inspect", line, "", &[])
}

fn json(outcome: Outcome) -> Value {
    let text = outcome.ok();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn the_report_has_sites_and_findings() {
    let Some(folder) = Folder::with_device("inspect") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    let text = inspect(&folder, LINE).ok();
    for part in [
        "transpose.wgsl:main: 64 workgroups of 32 x 8 x 1, 32 of them observed",
        "on h100 (warps of 32), bound by",
        "scattered-access: each request to 'y' touches 32.0 sectors of 32 bytes where 4.0 would do",
        "bank-conflict: each request to 'tile' takes 32.0 passes over the banks where 1.0 would do",
        "transpose.wgsl:11:5 in transpose.wgsl:main",
        "neighbouring invocations are 256 bytes apart",
        "make the rows of the array one word longer",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let fixed = inspect(&folder, &format!("{LINE} --override WIDTH=33")).ok();
    assert!(!fixed.contains("bank-conflict"), "{fixed}");
}

#[test]
fn json_has_the_counts_of_the_models_warps() {
    let Some(folder) = Folder::with_device("inspect-json") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    for (model, warp, sectors) in [("h100", 32, 32), ("mi210", 64, 64), ("arc-a770", 16, 16), ("iris-xe", 8, 8)] {
        let report = json(inspect(&folder, &format!("{LINE} --model {model} --json")));
        assert_eq!((&report["model"]["name"], &report["model"]["warp"]), (&model.into(), &warp.into()));
        let accesses = report["kernels"][0]["accesses"].as_array().unwrap();
        let write = accesses.iter().find(|access| access["variable"] == "y").unwrap();
        let (touched, requests) = (write["sectors"].as_u64().unwrap(), write["requests"].as_u64().unwrap());
        // Rows of 32 invocations: a warp of 64 covers two, whose columns are neighbours.
        let expected = if warp == 64 { 32 } else { sectors };
        assert_eq!(touched, requests * expected, "{model}: {write}");
        assert_eq!(write["at"]["line"], 11);
        assert_eq!(report["kernels"][0]["active"], 1.0);
    }
}

#[test]
fn conditions_end_with_status_3() {
    let Some(folder) = Folder::with_device("inspect-conditions") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    let outcome = inspect(&folder, &format!("{LINE} --fail-on=sectors/request>8"));
    assert_eq!(outcome.code, Some(3), "{outcome:#?}");
    assert!(outcome.stderr.contains("transpose.wgsl:11:5: sectors/request>8 holds, with 32.00"), "{outcome:#?}");
    assert!(outcome.stdout.contains("scattered-access"), "{outcome:#?}");
    inspect(&folder, &format!("{LINE} --fail-on=sectors/request>32 --fail-on=active<99")).ok();
}

#[test]
fn pages_comparisons_and_occupancies() {
    let Some(folder) = Folder::with_device("inspect-page") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    let base = inspect(&folder, &format!("{LINE} --json")).ok();
    folder.write("base.json", &base);
    let line =
        format!("{LINE} --override WIDTH=33 --html page.html --compare base.json --registers 64 --model rtx-4090");
    let outcome = inspect(&folder, &line);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    for part in
        ["compared with base.json:\n  the model was h100", "gone: bank-conflict of 'tile' in transpose.wgsl:main"]
    {
        assert!(outcome.stderr.contains(part), "{part}: {outcome:#?}");
    }
    let occupancy = "sm_89: 64 registers, 4224 bytes of workgroup memory; 4 workgroups in a multiprocessor, 67 % of its \
                     warps, limited by registers; with 48 registers, 5 workgroups and 83 %";
    assert!(outcome.stdout.contains(occupancy), "{outcome:#?}");
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(page.contains("<h1>Inspection for rtx-4090 (warps of 32)</h1>"), "{page}");
    assert!(page.contains("y[id.x * 64u + id.y] = tile[at.x * WIDTH + at.y];"), "{page}");
    assert!(!page.contains(">Timeline</h2>"), "{page}");
    inspect(&folder, &format!("{LINE} --html page.html --timeline cpu")).ok();
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    for part in ["<p>The timeline is that of one run on cpu", ">Timeline</h2>", "<b>bank-conflict</b>", "compile"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn mistakes_name_the_argument() {
    let Some(folder) = Folder::with_device("inspect-mistakes") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    for (line, code, said) in [
        (format!("{LINE} --model abacus"), 2, "expected one of h100,"),
        (format!("{LINE} --fail-on=speed>8"), 2, "expected a measure, found 'speed>8'"),
        (LINE.replace("--bind y=zeros:f32:16Ki", ""), 2, "--bind y="),
        (LINE.replace("--threads 256,64", ""), 2, "--threads"),
        (LINE.replace("transpose.wgsl", "missing.wgsl"), 1, "missing.wgsl"),
        (format!("{LINE} --compare transpose.wgsl"), 1, "--compare transpose.wgsl: "),
        (format!("{LINE} --html missing/page.html"), 1, "--html missing/page.html: "),
        (format!("{LINE} --html page.html --timeline abacus"), 1, "--timeline abacus: "),
        (format!("{LINE} --timeline cpu"), 2, "--html"),
        (format!("{LINE} --registers 256"), 2, "--registers"),
        (format!("{LINE} --model missing.txt"), 1, "--model missing.txt: "),
        (format!("{LINE} --model transpose.wgsl"), 1, "line 1: expected 'anywarp-ceilings 1'"),
        (format!("{LINE} --registers 25 --arch sm_90"), 2, "expected one of the two, found both: leave one out"),
        (format!("{LINE} --arch ninety"), 2, "expected sm_ and a number, found 'ninety'"),
    ] {
        let outcome = inspect(&folder, &line);
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:#?}");
        assert!(outcome.stderr.contains(said), "{line}: {outcome:#?}");
    }
}

#[test]
fn the_compiler_tells_registers_and_spills() {
    let Some(folder) = Folder::with_device("inspect-compiled") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    folder.write("values.wgsl", many_values());
    let missing = folder.start("inspect", &format!("{LINE} --arch sm_90"), "", &[("ANYWARP_NVRTC", "/nonexistent")]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""), "{missing:#?}");
    let remedy = if cfg!(feature = "cuda") { "pip install nvidia-cuda-nvrtc" } else { "build it with the feature" };
    assert!(missing.stderr.contains("--arch sm_90: ") && missing.stderr.contains(remedy), "{missing:#?}");
    if cfg!(not(feature = "cuda")) || std::env::var_os("ANYWARP_NVRTC").is_none() {
        let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
        assert!(!required.contains("nvrtc"), "ANYWARP_REQUIRE has nvrtc, but ANYWARP_NVRTC is not set");
        println!("not compiled: ANYWARP_NVRTC is not set");
        return;
    }

    let text = inspect(&folder, &format!("{LINE} --arch sm_90")).ok();
    let line = text.lines().find(|line| line.starts_with("  sm_90: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("4224 bytes of workgroup memory; 8 workgroups in a multiprocessor, 100 %"), "{line}");
    assert!(!text.contains("spilled"), "{text}");

    let spilling = "values.wgsl --groups 64 --bind x=rand:1:f32:64Ki --bind y=zeros:f32:64Ki --arch sm_80";
    let report = json(inspect(&folder, &format!("{spilling} --json")));
    let compiled = &report["compiled"][0];
    assert_eq!((&compiled["architecture"], &compiled["limiter"]), (&"sm_80".into(), &"registers".into()), "{compiled}");
    assert!(compiled["registers"].as_u64() == Some(64) && compiled["spilled_bytes"].as_u64() > Some(0), "{compiled}");
    let findings = report["findings"].as_array().unwrap();
    let spilled = findings.iter().find(|finding| finding["problem"] == "spilled-registers").unwrap();
    assert_eq!(spilled["kernel"], "values.wgsl:main");
    assert_eq!(spilled["value"].as_f64(), compiled["spilled_bytes"].as_f64());
}

#[test]
fn measured_ceilings_replace_a_data_sheet() {
    let Some(folder) = Folder::with_device("inspect-ceilings") else { return };
    folder.write("transpose.wgsl", TRANSPOSE);
    let cache = folder.path().join("cache");
    let cache = [("ANYWARP_CACHE", cache.to_str().unwrap())];
    let measured = format!("{LINE} --model measured");
    let none = folder.start("inspect", &measured, "", &cache);
    assert_eq!(none.code, Some(2), "{none:#?}");
    assert!(none.stderr.contains("found none in") && none.stderr.contains("bench device --save"), "{none:#?}");

    let bench = folder.start("bench", "device --device cpu --quick --budget 1 --save", "", &cache);
    assert_eq!(bench.code, Some(0), "{bench:#?}");
    let kept = bench.stderr.trim().strip_prefix("kept in ").unwrap_or_else(|| panic!("{bench:#?}")).to_owned();
    let text = std::fs::read_to_string(&kept).unwrap();
    assert!(text.starts_with("anywarp-ceilings 1\ndevice\tcpu, "), "{text}");
    std::fs::write(std::path::Path::new(&kept).with_file_name("old.ceilings.txt"), "anywarp-ceilings 0\n").unwrap();

    let outcome = folder.start("inspect", &measured, "", &cache);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert!(outcome.stderr.contains("ignored: ") && outcome.stderr.contains("old.ceilings.txt"), "{outcome:#?}");
    assert!(outcome.stdout.contains("ceilings: measured on cpu, "), "{outcome:#?}");
    let of_file = inspect(&folder, &format!("{LINE} --model {kept}")).ok();
    assert_eq!(of_file, outcome.stdout);
    let sheet = inspect(&folder, LINE).ok();
    assert!(sheet.contains("ceilings: the data sheet of h100: device memory 3352.0 GB/s, "), "{sheet}");

    // A launch of one hour and a rate of three times the data sheet's: both are used as they are.
    let card = "anywarp-ceilings 1\ndevice\tcuda, NVIDIA H100\ndriver\t1\nlaunch\t3600\ncopy\t10056e9\nend\n";
    folder.write("card.ceilings.txt", card);
    let report = json(inspect(&folder, &format!("{LINE} --model card.ceilings.txt --json")));
    assert!(report["kernels"][0]["seconds"].as_f64() > Some(3600.0), "{report}");
    let said = report["model"]["ceilings"].as_str().unwrap();
    assert!(said.contains("device memory 10056.0 GB/s (300 % of the data sheet)"), "{said}");
}

#[test]
fn the_report_has_the_checks_that_remain() {
    let Some(folder) = Folder::with_device("inspect-checks") else { return };
    let chain = "
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&y)) { return; }
    var at = id.x;
    for (var k = 0u; k < 12u; k++) {
        at = x[at];
    }
    y[id.x] = at;
}
";
    folder.write("chain.wgsl", chain);
    let line = "chain.wgsl --threads 4096 --bind x=zeros:u32:4096 --bind y=zeros:u32:4096";
    let text = inspect(&folder, line).ok();
    for part in [
        "checks: 1 of 2 accesses and 1 of 1 loops need none; 1 remain, about ",
        "    line 9: x[at], 12.0 times an invocation",
        "% of the kernel's instructions check whether 'x[at]' is in range",
        "help: put the access into 'if (at < arrayLength(&x))': then no check is needed",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = json(inspect(&folder, &format!("{line} --json")));
    let checks = &report["checks"][0];
    assert_eq!((&checks["kept"][0]["at"]["line"], &checks["accesses"]["checked"]), (&9.into(), &1.into()), "{checks}");
    folder.write("chain.wgsl", chain.replace("at = x[at];", "if (at < arrayLength(&x)) { at = x[at]; }"));
    let fixed = inspect(&folder, line).ok();
    assert!(fixed.contains("checks: 2 of 2 accesses") && !fixed.contains("checked-index"), "{fixed}");
}

/// A kernel of 1024 invocations, which may have 64 registers each, with 120 values that live at the same time.
fn many_values() -> String {
    let names = || (0..120).map(|at| format!("v{at}"));
    let reads: String =
        names().enumerate().map(|(at, name)| format!("    var {name} = x[i * 64u % {}u];\n", at + 64)).collect();
    let turns: String = names()
        .zip(names().cycle().skip(1))
        .map(|(name, next)| format!("        {name} = fma({name}, {next}, f32(k));\n"))
        .collect();
    let sum = names().collect::<Vec<_>>().join(" + ");
    format!(
        "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1024)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = id.x;
{reads}    for (var k = 0u; k < 16u; k++) {{
{turns}    }}
    y[i] = {sum};
}}
"
    )
}
