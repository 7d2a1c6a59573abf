//! Debug output of kernels, as the tool prints it.

#[allow(dead_code)] // the other tests use the rest of it
mod support;

use support::Folder;

const KERNEL: &str = "// anywarp:debug
fn debug(label: u32, value: f32) {}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x == 5 { debug(id.x, f32(id.x) / 2); }
}
";

#[test]
fn lines_go_to_stderr_once_for_each_run() {
    let Some(folder) = Folder::with_device("debug") else { return };
    folder.write("print.wgsl", KERNEL);
    let outcome = folder.run("print.wgsl --threads 8 --repeat 3 --json");
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let line = "print.wgsl:6: debug(label = 5, value = 2.5) at [5, 0, 0]\n";
    assert_eq!(outcome.stderr, line.repeat(3));
    serde_json::from_str::<serde_json::Value>(&outcome.stdout).expect("stdout holds the report alone");
}

#[test]
fn an_unprintable_parameter_is_an_error_with_its_line() {
    let Some(folder) = Folder::with_device("debug-error") else { return };
    folder
        .write("print.wgsl", KERNEL.replace("value: f32", "value: mat2x2<f32>").replace("f32(id.x) / 2", "mat2x2f()"));
    let outcome = folder.run("print.wgsl --threads 8");
    assert_ne!(outcome.code, Some(0), "{outcome:#?}");
    let expected = "print.wgsl:2: the debug function 'debug' has the parameter 'value'";
    assert!(outcome.stderr.contains(expected), "{outcome:#?}");
}
