//! Errors and findings in an imported file name that file, with lines and columns.

use std::path::PathBuf;

use anywarp::{Device, KernelError, Wgsl};

const MAIN: &str = "import package::shared::part::work;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    work(id.x);
}";

/// A kernel that imports a module with this text.
fn wgsl(module: &'static str) -> Wgsl<'static> {
    Wgsl::new(MAIN).file("main.wgsl").module("shared::part", module)
}

/// Checks that `said` contains all parts.
fn says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "expected '{part}' in\n{said}");
    }
}

#[test]
fn errors_name_the_imported_file() {
    let device = Device::open("cpu").unwrap();
    let table: &[(&str, &[&str])] = &[
        ("\nfn work(at: u32) {\n    let x = ;\n}", &["shared/part.wgsl:3:13", "let x = ;"]),
        ("\nfn work(at: u32) {\n    let x = nowhere;\n}", &["shared/part.wgsl:3:13", "nowhere"]),
        ("fn other() -> u32 {\n}\nfn work(at: u32) { _ = other(); }", &["shared/part.wgsl:2:1"]),
        ("\n  @if(never) fn work(at: u32) { }", &["shared/part.wgsl:2:7", "'never' is not set"]),
        ("fn work(at: u32) {\n    let x = &texture;\n}\nvar texture: texture_2d<f32>;", &["shared/part.wgsl:"]),
    ];
    for (module, parts) in table {
        let said = device.kernel(wgsl(module)).map(|_| ()).unwrap_err().to_string();
        says(&said, parts);
        assert!(!said.contains("main.wgsl:"), "{said}");
    }
}

#[test]
fn texts_that_nest_too_deeply_are_named() {
    let device = Device::open("cpu").unwrap();
    let module = format!("\n\nfn work(at: u32) {{\n let a = {}1;\n}}", "-".repeat(5000));
    let wgsl = Wgsl::new(MAIN).file("main.wgsl").module("shared::part", module);
    let error = device.kernel(wgsl).map(|_| ()).unwrap_err();
    assert!(matches!(&error, KernelError::TooDeep { file, line: 4, .. } if file == "shared/part.wgsl"), "{error}");
}

#[test]
fn findings_name_the_imported_file() {
    let device = Device::open("cpu:checked").unwrap();
    let module = "var<workgroup> list: array<u32, 3>;\n\nfn work(at: u32) {\n    list[at] = 1u;\n}";
    let kernel = device.kernel(wgsl(module)).unwrap();
    kernel.launch().groups(1u32).unwrap();
    device.synchronize().unwrap();
    let findings = device.findings();
    let finding = findings.iter().next().expect("the index is out of range");
    let (at, said) = (&finding.at, finding.to_string());
    assert_eq!((&*at.file, at.line, at.column), ("shared/part.wgsl", 4, 5), "{said}");
    says(&said, &["shared/part.wgsl:4", "list[at] = 1u;"]);
}

#[test]
fn debug_functions_print_where_they_are_called() {
    let device = Device::open("cpu").unwrap();
    let main = MAIN.replace("::work;", "::{work, show};").replace("work(id.x);", "work(id.x); show(7u);");
    let module = "// anywarp:debug\nfn show(value: u32) {}\n\nfn work(at: u32) {\n    if at == 2u {\n        show(at);\n    }\n}";
    let wgsl = Wgsl::new(main).file("main.wgsl").module("shared::part", module);
    device.kernel(wgsl).unwrap().launch().groups(1u32).unwrap();
    let output = device.debug_output().unwrap();
    let mut places: Vec<String> = output.lines.iter().map(|line| format!("{}:{}", line.file, line.line)).collect();
    places.sort();
    places.dedup();
    assert_eq!(places, ["main.wgsl:6", "shared/part.wgsl:6"]);

    let stray = "fn work(at: u32) { }\n// anywarp:debug\nconst nothing = 1;";
    let error = device.kernel(self::wgsl(stray)).map(|_| ()).unwrap_err();
    assert!(
        matches!(&error, KernelError::DebugFunction { file, line: 2, .. } if file == "shared/part.wgsl"),
        "{error}"
    );
}

#[test]
fn files_are_read_again_for_each_kernel() {
    let folder: PathBuf = std::env::temp_dir().join(format!("anywarp-composed-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("kernels")).unwrap();
    std::fs::create_dir_all(folder.join("shared")).unwrap();
    let main = "import super::super::shared::step::step;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() { data[0] += step; }";
    std::fs::write(folder.join("kernels/add.wgsl"), main.replace("super::super", "super")).unwrap();
    let device = Device::open("cpu").unwrap();
    let open = || Wgsl::open(folder.join("kernels/add.wgsl")).unwrap();
    let error = device.kernel(open()).map(|_| ()).unwrap_err().to_string();
    says(&error, &["no module 'shared::step'", "add.wgsl:1:29"]);

    std::fs::write(folder.join("kernels/add.wgsl"), main).unwrap();
    let error = device.kernel(open()).map(|_| ()).unwrap_err().to_string();
    says(&error, &["leads out of the package"]);

    let mut data = device.buffer::<u32>(1).unwrap();
    let mut sum = 0;
    for step in [1, 10, 10, 100] {
        std::fs::write(folder.join("shared/step.wgsl"), format!("const step = {step}u;")).unwrap();
        let kernel = device.kernel(open().root(&folder)).unwrap();
        kernel.launch().bind("data", &mut data).groups(1u32).unwrap();
        sum += step;
        assert_eq!(*data.read().unwrap(), [sum]);
    }
    let elsewhere = device.kernel(open().root(folder.join("shared"))).map(|_| ()).unwrap_err();
    assert!(matches!(&elsewhere, KernelError::Unreadable { .. }), "{elsewhere}");
    let missing = Wgsl::open(folder.join("nothing.wgsl")).map(|_| ()).unwrap_err().to_string();
    says(&missing, &["nothing.wgsl cannot be read"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn element_types_are_scalars() {
    let device = Device::open("cpu").unwrap();
    let text = "alias T = f32; @compute @workgroup_size(1) fn main() { let x = T(0); }";
    for (wgsl, part) in [
        (Wgsl::new(text).element::<[f32; 2]>("T"), "is not a scalar of WGSL"),
        (Wgsl::new(text).element::<half::bf16>("T"), "is not a scalar of WGSL"),
        (Wgsl::new(text).element::<u8>("T"), "'T' cannot become u8"),
        (Wgsl::new(text).element::<u32>("U"), "no 'alias U"),
    ] {
        says(&device.kernel(wgsl).map(|_| ()).unwrap_err().to_string(), &[part]);
    }
    assert!(device.kernel(Wgsl::new(text).element::<anywarp::f16>("T")).is_ok());
}
