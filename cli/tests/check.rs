//! `anywarp check`: files that pass, files that do not pass, and the output.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, Outcome, SAXPY};

const BROKEN: &str = "@compute @workgroup_size(1)\nfn main() {\n    let a = undefined;\n}\n";
const HALF: &str = "enable f16;
@group(0) @binding(0) var<storage, read_write> y: array<f16>;
@compute @workgroup_size(1)
fn main() { y[0] = 2.0h; }
";
const LIMITS: &str = "override N: u32 = 4;
var<workgroup> tile: array<vec4<f32>, 2000>;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<uniform> table: array<vec4<f32>, 5000>;
@compute @workgroup_size(N) fn fits() { y[0] = 1.0; }
@compute @workgroup_size(512)
fn wide() { y[0] = 1.0; }
@compute @workgroup_size(1) fn shared_memory() { y[0] = tile[0].x; }
@compute @workgroup_size(1) fn uniform_memory() { y[0] = table[0].x; }
";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (name, text) in [
        ("saxpy.wgsl", SAXPY),
        ("broken.wgsl", BROKEN),
        ("half.wgsl", HALF),
        ("limits.wgsl", LIMITS),
        ("library.wgsl", "fn twice(x: f32) -> f32 { return 2.0 * x; }"),
        ("unset.wgsl", "override N: u32;\n@compute @workgroup_size(N) fn main() {}"),
        (
            "texture.wgsl",
            "@group(0) @binding(0) var t: texture_2d<f32>;\n@compute @workgroup_size(1) fn main() { _ = textureDimensions(t); }",
        ),
        ("enables.wgsl", "enable f16;\n@compute @workgroup_size(1) fn main() {}"),
        ("dead.wgsl", "fn dead() -> f64 { return 1.0lf; }\n@compute @workgroup_size(1) fn main() {}"),
        (
            "subgroups.wgsl",
            "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(1) fn main() {\n    y[0] = subgroupAdd(y[0]);\n}",
        ),
        (
            "barrier.wgsl",
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n@compute @workgroup_size(64) fn main() {\n    let n = y[0];\n    if n > 3u {\n        workgroupBarrier();\n    }\n}",
        ),
        (
            "unused_barrier.wgsl",
            "var<private> own: u32;\nfn unused() {\n    if own > 3u { storageBarrier(); }\n}\n@compute @workgroup_size(64) fn main() {}",
        ),
        ("endless.wgsl", "@compute @workgroup_size(1) fn main() {\n    loop { }\n}"),
        (
            "clamp.wgsl",
            "fn f(x: u32) -> u32 {\n    return clamp(x, 5u, 3u);\n}\n@compute @workgroup_size(1) fn main() {}",
        ),
        (
            "filtered.wgsl",
            "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n@compute @workgroup_size(64) fn main() {\n    if y[0] > 3u @diagnostic(warning, subgroup_uniformity) {\n        y[1] = subgroupAdd(1u);\n    }\n}",
        ),
    ] {
        folder.write(name, text);
    }
    folder
}

fn check(folder: &Folder, line: &str) -> Outcome {
    folder.start("check", line, "", &[])
}

/// The findings of a run with `--json`, as `(file, entry, line, column, severity, class, against)`.
fn findings(outcome: &Outcome) -> Vec<Value> {
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:#?}"));
    object["findings"].as_array().unwrap().clone()
}

#[test]
fn a_file_for_every_browser_passes() {
    let folder = folder("check-pass");
    assert_eq!(check(&folder, "saxpy.wgsl").ok(), "saxpy.wgsl: passes (saxpy)\n");
    assert_eq!(check(&folder, "half.wgsl saxpy.wgsl --allow f16,subgroups").ok().lines().count(), 2);
    assert_eq!(check(&folder, "limits.wgsl --entry fits --override N=256").ok(), "limits.wgsl: passes (fits)\n");
    assert_eq!(check(&folder, "unset.wgsl --override N=2").ok(), "unset.wgsl: passes (main)\n");
    assert_eq!(folder.start("check", "-", SAXPY, &[]).ok(), "stdin.wgsl: passes (saxpy)\n");
    let object: Value = serde_json::from_str(&check(&folder, "saxpy.wgsl --json").ok()).unwrap();
    let expected = serde_json::json!({
        "against": ["webgpu"],
        "files": [{ "file": "saxpy.wgsl", "entries": ["saxpy"], "errors": 0, "warnings": 0 }],
        "findings": [],
    });
    assert_eq!(object, expected);
}

#[test]
fn each_finding_names_its_place_and_its_target() {
    let folder = folder("check-findings");
    type Case = (&'static str, Option<&'static str>, (u32, u32), &'static str, Option<&'static str>, &'static str);
    let cases: &[Case] = &[
        ("broken.wgsl", None, (3, 13), "programmer", None, "undefined"),
        ("half.wgsl", Some("main"), (4, 1), "programmer", Some("webgpu"), "--allow f16"),
        ("limits.wgsl --entry wide", Some("wide"), (7, 1), "resource", Some("webgpu"), "allows 256"),
        ("limits.wgsl --entry shared_memory", Some("shared_memory"), (8, 29), "resource", Some("webgpu"), "32000"),
        ("limits.wgsl --entry uniform_memory", Some("uniform_memory"), (9, 29), "resource", Some("webgpu"), "'table'"),
        ("limits.wgsl --entry fits --override N=257", Some("fits"), (5, 29), "resource", Some("webgpu"), "257"),
        ("unset.wgsl", Some("main"), (2, 29), "programmer", None, "--override"),
        ("texture.wgsl", Some("main"), (1, 23), "programmer", None, "'t', a texture"),
        ("enables.wgsl", None, (1, 8), "programmer", Some("webgpu"), "f16"),
        ("dead.wgsl", None, (0, 0), "programmer", Some("webgpu"), "dead.wgsl' needs f64"),
        ("subgroups.wgsl", Some("main"), (3, 12), "programmer", Some("webgpu"), "subgroups"),
        ("subgroups.wgsl --allow subgroups", None, (3, 12), "programmer", Some("webgpu"), "enable subgroups;"),
        ("barrier.wgsl", None, (5, 9), "programmer", None, "`n` is read from the read_write buffer `y`"),
        ("unused_barrier.wgsl", None, (3, 19), "programmer", None, "`storageBarrier` must be reached by all"),
        ("endless.wgsl", None, (2, 5), "programmer", None, "this loop never ends"),
        ("clamp.wgsl", None, (2, 12), "programmer", None, "low = 5 and high = 3"),
    ];
    for (line, entry, (row, column), class, against, fragment) in cases {
        let text = check(&folder, line);
        assert_eq!((text.code, text.stderr.as_str()), (Some(1), "error: 1 file does not pass\n"), "{line}\n{text:#?}");
        assert!(text.stdout.starts_with("error: ") && text.stdout.ends_with(": 1 error\n"), "{line}\n{}", text.stdout);
        assert!(text.stdout.contains(fragment), "{line}\n{}", text.stdout);

        let json = check(&folder, &format!("{line} --json"));
        let error: Value = serde_json::from_str(&json.stderr).unwrap_or_else(|_| panic!("{line}\n{json:#?}"));
        assert_eq!((json.code, &error["class"]), (Some(1), &Value::from("check")), "{line}");
        let [finding] = &findings(&json)[..] else { panic!("{line}\n{json:#?}") };
        let file = line.split(' ').next().unwrap();
        assert_eq!((&finding["file"], &finding["severity"]), (&file.into(), &"error".into()), "{line}\n{finding}");
        assert_eq!((&finding["class"], finding["entry"].as_str()), (&(*class).into(), *entry), "{line}\n{finding}");
        assert_eq!(finding["against"].as_str(), *against, "{line}\n{finding}");
        if *row > 0 {
            assert_eq!(
                (&finding["line"], &finding["column"]),
                (&(*row).into(), &(*column).into()),
                "{line}\n{finding}"
            );
        }
        assert!(finding["message"].as_str().unwrap().contains(fragment), "{line}\n{finding}");
    }
}

#[test]
fn a_refusal_of_browsers_is_a_warning_for_devices() {
    let folder = folder("check-warnings");
    for line in ["barrier.wgsl --device cpu", "filtered.wgsl --allow subgroups"] {
        let outcome = check(&folder, line);
        assert_eq!(outcome.code, Some(0), "{line}: {outcome:#?}");
        assert!(outcome.stdout.starts_with("warning: `"), "{line}: {}", outcome.stdout);
        assert!(outcome.stdout.contains("some invocations may not get here"), "{line}: {}", outcome.stdout);
    }
}

#[test]
fn folders_are_walked_and_every_file_gets_its_line() {
    let folder = folder("check-folder");
    std::fs::create_dir_all(folder.path().join("tree/deep")).unwrap();
    std::fs::create_dir_all(folder.path().join("tree/.hidden")).unwrap();
    std::fs::create_dir_all(folder.path().join("empty")).unwrap();
    for name in ["tree/a.wgsl", "tree/deep/b.wgsl", "tree/.hidden/c.wgsl", "tree/notes.txt"] {
        folder.write(name, SAXPY);
    }
    folder.write("tree/deep/broken.wgsl", BROKEN);
    let outcome = check(&folder, "tree library.wgsl absent.wgsl empty");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), "error: 3 of 6 files do not pass\n"), "{outcome:#?}");
    let summaries: Vec<&str> = outcome.stdout.lines().filter(|line| line.contains("wgsl: ")).collect();
    for (at, expected) in [
        "tree/a.wgsl: passes (saxpy)",
        "tree/deep/b.wgsl: passes (saxpy)",
        "tree/deep/broken.wgsl: 1 error",
        "library.wgsl: 1 warning",
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(summaries.get(at).map(|line| line.replace('\\', "/")).as_deref(), Some(*expected), "{outcome:#?}");
    }
    assert!(
        outcome.stdout.contains("absent.wgsl: 1 error") && outcome.stdout.contains("empty: 1 error"),
        "{outcome:#?}"
    );
    assert_eq!(check(&folder, "library.wgsl").code, Some(0), "a warning is not a failure");
}

#[test]
fn annotations_are_githubs() {
    let folder = folder("check-github");
    let outcome = check(&folder, "broken.wgsl library.wgsl --format github");
    assert_eq!(outcome.code, Some(1));
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{outcome:#?}");
    assert!(
        lines[0].starts_with("::error file=broken.wgsl,line=3,col=13::broken.wgsl is not valid WGSL%0A"),
        "{}",
        lines[0]
    );
    assert!(lines[2].starts_with("::warning file=library.wgsl::"), "{}", lines[2]);
}

#[test]
fn devices_of_this_machine() {
    let Some(folder) = Folder::with_device("check-devices") else { return };
    folder.write("half.wgsl", HALF);
    folder.write("saxpy.wgsl", SAXPY);
    if folder.start("check", "saxpy.wgsl --device cpu", "", &[]).code != Some(0) {
        return println!("skipped: the tool has no device cpu");
    }
    // The CPU backend supports f16, but the baseline does not.
    folder.start("check", "half.wgsl --device cpu", "", &[]).ok();
    let both = check(&folder, "half.wgsl --device cpu --against webgpu --json");
    let found = findings(&both);
    assert_eq!((both.code, found.len(), &found[0]["against"]), (Some(1), 1, &"webgpu".into()), "{both:#?}");

    // A kernel passes if and only if it compiles for the device.
    let doubling = |leaf: &str| {
        let levels = (1..20).map(|level| format!("fn f{level}() {{ f{0}(); f{0}(); }}\n", level - 1));
        let head = "@group(0) @binding(0) var<storage, read_write> x: atomic<u32>;\n";
        let main = "@compute @workgroup_size(1) fn main() { f19(); }\n";
        format!("{head}fn f0() {{ {leaf} }}\n{}{main}", levels.collect::<String>())
    };
    folder.write("calls.wgsl", doubling("atomicAdd(&x, 1u);"));
    folder.write("barriers.wgsl", doubling("atomicAdd(&x, 1u); workgroupBarrier();"));
    folder.start("check", "calls.wgsl --device cpu", "", &[]).ok();
    folder.run("calls.wgsl --device cpu --groups 1 --bind x=zeros:4").ok();
    let refused = check(&folder, "barriers.wgsl --device cpu --json");
    let found = findings(&refused);
    assert!(
        refused.code == Some(1) && found[0]["message"].as_str().is_some_and(|m| m.contains("instructions")),
        "{refused:#?}"
    );
    assert_eq!(folder.run("barriers.wgsl --device cpu --groups 1 --bind x=zeros:4").code, Some(1));
    assert_eq!(check(&folder, "barriers.wgsl").code, Some(0));
}

#[test]
fn a_wrong_command_line_is_two() {
    let folder = folder("check-usage");
    let cases: &[(&str, &[&str])] = &[
        ("", &["FILE"]),
        ("saxpy.wgsl --allow float16", &["float16", "f16"]),
        ("saxpy.wgsl --against vulkan", &["vulkan", "webgpu"]),
        ("saxpy.wgsl --device cpu --allow f16", &["--allow", "--against webgpu"]),
        ("saxpy.wgsl --entry main", &["--entry main", "saxpy.wgsl"]),
        ("saxpy.wgsl limits.wgsl --entry main", &["--entry main", "none of the files"]),
        ("saxpy.wgsl --override M=1", &["--override M", "saxpy.wgsl"]),
        ("saxpy.wgsl limits.wgsl --override M=1", &["--override M", "none of the files"]),
        ("saxpy.wgsl --override N", &["NAME=VALUE"]),
        ("saxpy.wgsl --format json", &["json", "github"]),
        ("saxpy.wgsl --format github --json", &["--format"]),
    ];
    for (line, fragments) in cases {
        let outcome = check(&folder, line);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{line}\n{outcome:#?}");
        assert!(fragments.iter().all(|fragment| outcome.stderr.contains(fragment)), "{line}\n{}", outcome.stderr);
    }
    // Only one of the two files has the entry point and the override.
    check(&folder, "saxpy.wgsl limits.wgsl --entry fits --override N=2").ok();
}

#[test]
fn imports_conditions_and_elements_are_resolved() {
    let folder = folder("check-imports");
    folder.make("tree/kernels");
    folder.make("tree/shared");
    folder.write("tree/shared/scale.wgsl", "alias T = f32;\nfn scale(x: T) -> T { return 2 * x; }");
    let kernel = "import package::shared::scale::{scale, T};
@group(0) @binding(0) var<storage, read_write> y: array<T>;
@if(wide) @compute @workgroup_size(512) fn main() { y[0] = scale(y[0]); }
@else @compute @workgroup_size(64) fn main() { y[0] = scale(y[0]); }
";
    folder.write("tree/kernels/main.wgsl", kernel);
    let passes = check(&folder, "tree --feature wide=false").ok();
    assert!(passes.replace('\\', "/").contains("tree/kernels/main.wgsl: passes (main)"), "{passes}");
    check(&folder, "tree/kernels/main.wgsl --root tree --feature wide=false").ok();

    let wide = check(&folder, "tree --feature wide --json");
    let [_, finding] = &findings(&wide)[..] else { panic!("{wide:#?}") };
    assert!(finding["severity"] == "warning" && wide.stdout.contains("allows 256"), "{wide:#?}");

    let halves = "tree/kernels/main.wgsl --root tree --feature wide=false --element T=f16";
    assert!(check(&folder, halves).stdout.contains("--allow f16"));
    check(&folder, &format!("{halves} --allow f16")).ok();

    folder.write("tree/shared/scale.wgsl", "alias T = f32;\nfn scale(x: T) -> T {\n    return x * true;\n}");
    let broken = check(&folder, "tree/kernels/main.wgsl --root tree --feature wide=false --json");
    let [finding] = &findings(&broken)[..] else { panic!("{broken:#?}") };
    assert!(finding["file"].as_str().unwrap().ends_with("scale.wgsl"), "{finding}");
    assert_eq!((&finding["line"], &finding["column"]), (&3.into(), &12.into()), "{finding}");
}

#[test]
fn each_access_and_loop_is_explained() {
    let folder = folder("explained");
    let said = check(&folder, "saxpy.wgsl --explain").stdout;
    assert!(said.contains("accesses"), "{said}");
    // The kernel compares its index only with a uniform.
    assert!(said.contains("y[id.x]: at launch: ") && said.contains("with params.n <= arrayLength(&y)"), "{said}");
    let object: Value = serde_json::from_str(&check(&folder, "saxpy.wgsl --explain --json").stdout).unwrap();
    let explained = &object["files"][0]["explained"][0];
    let accesses = explained["accesses"].as_array().unwrap();
    assert!(!accesses.is_empty() && accesses.iter().all(|access| access["proven"].is_boolean()), "{object}");
    assert!(accesses[0]["verdict"] == "at launch" && accesses[0]["conditions"][0] == "params.n <= arrayLength(&y)");
    assert_eq!(explained["counts"]["at_launch"], 3, "{object}");
    assert!(!check(&folder, "saxpy.wgsl").stdout.contains("proven"));
}
