//! Successful runs of the tool.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use anywarp_testing::random::Random;
use serde_json::Value;
use support::{Folder, SAXPY, bytes_of, npy};

/// The data of a version 1 npy file, after a check of its header.
fn data_of(file: &[u8], descr: &str, shape: &str) -> Vec<u8> {
    assert!(file.starts_with(b"\x93NUMPY\x01\x00"), "{file:?}");
    let start = 10 + usize::from(file[8]) + 256 * usize::from(file[9]);
    assert_eq!(start % 64, 0);
    let header = std::str::from_utf8(&file[10..start]).unwrap();
    let expected = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    assert_eq!(header.trim_end(), expected);
    file[start..].to_vec()
}

fn floats_of(data: &[u8]) -> Vec<f32> {
    data.chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn words_of(data: &[u8]) -> Vec<u32> {
    data.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

/// Creates a folder with the kernel saxpy and `n` elements of x and y; returns it with the expected y for a = 3.
fn saxpy(test: &str, n: usize) -> Option<(Folder, Vec<f32>)> {
    let folder = Folder::with_device(test)?;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
    let y: Vec<f32> = (0..n).map(|i| 100.0 - i as f32).collect();
    folder.write("saxpy.wgsl", SAXPY);
    folder.write("x.npy", npy("<f4", &format!("({n},)"), &bytes_of(&x)));
    folder.write("y.npy", npy("<f4", &format!("({n}, 1)"), &bytes_of(&y)));
    folder.write("params.bin", [3.0_f32.to_le_bytes(), (n as u32).to_le_bytes()].concat());
    Some((folder, x.iter().zip(&y).map(|(x, y)| 3.0 * x + y).collect()))
}

#[test]
fn saxpy_goes_through_npy_files() {
    let Some((folder, expected)) = saxpy("saxpy", 1000) else { return };
    let line = "saxpy.wgsl --threads 1000 --set params.a=3 --set params.n=1000 --bind x=x.npy --bind y=y.npy \
                --out y=out.npy --out y=out.bin --out x=copy.npy";
    let table = folder.run(line).ok();
    for word in ["saxpy", "16 workgroups of 64", "for 1000 threads", "out.npy", "out.bin"] {
        assert!(table.contains(word), "{word} is missing in\n{table}");
    }
    // The output has the shape of the file that was bound.
    assert_eq!(floats_of(&data_of(&folder.read("out.npy"), "<f4", "(1000, 1)")), expected);
    assert_eq!(floats_of(&folder.read("out.bin")), expected);
    assert_eq!(folder.read("copy.npy"), folder.read("x.npy"));
}

#[test]
fn keys_may_be_group_and_binding_and_uniforms_may_be_files() {
    let Some((folder, expected)) = saxpy("keys", 77) else { return };
    let line = "saxpy.wgsl --groups 2 --bind 0.0=x.npy --bind 0.1=y.npy --bind 0.2=params.bin --out 0.1=out.npy";
    folder.run(line).ok();
    assert_eq!(floats_of(&data_of(&folder.read("out.npy"), "<f4", "(77, 1)")), expected);

    let line = "saxpy.wgsl --groups 2 --bind x=x.npy --bind y=y.npy --set params=3,77 --out y=out.bin";
    folder.run(line).ok();
    assert_eq!(floats_of(&folder.read("out.bin")), expected);
}

#[test]
fn json_tells_device_grid_times_and_bytes() {
    let Some((folder, _)) = saxpy("json", 1000) else { return };
    let line = "--json saxpy.wgsl --threads 1000 --bind x=x.npy --bind y=y.npy --bind params=params.bin \
                --repeat 5 --out y=out.npy";
    let report: Value = serde_json::from_str(&folder.run(line).ok()).unwrap();
    assert_eq!(report["grid"]["groups"], serde_json::json!([16, 1, 1]));
    assert_eq!(report["grid"]["threads"], serde_json::json!([1000, 1, 1]));
    assert_eq!(report["kernel"]["entry_point"], "saxpy");
    assert_eq!(report["kernel"]["workgroup_size"], serde_json::json!([64, 1, 1]));
    assert_eq!(report["repeat"], 5);
    assert!(report["clock"] == "device" || report["clock"] == "host", "{report:#}");
    for field in ["selector", "name", "backend", "kind"] {
        assert!(report["device"][field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {report:#}");
    }
    let time = |field: &str| report["timings_us"][field].as_f64().unwrap();
    for field in ["compile", "load", "upload", "kernel", "kernel_min", "download"] {
        assert!(time(field) >= 0.0, "{field}");
    }
    assert!(time("compile") > 0.0 && time("kernel_min") <= time("kernel"));
    let moved = report["device"]["unified"] == false;
    assert_eq!(report["bytes"]["uploaded"].as_u64().unwrap() > 0, moved);
    assert_eq!(report["bytes"]["downloaded"].as_u64().unwrap() > 0, moved);
    assert_eq!(report["outputs"][0]["file"], "out.npy");
    assert_eq!(report["bindings"][1]["type"], "array<f32>");
    assert_eq!(report["bindings"][1]["written"], true);
    assert_eq!(report["bindings"][1]["bytes"], 4000);
}

const COUNTER: &str = "
override START: u32 = 1;
override SCALE: f32 = 1.0;
override DOUBLE: bool = false;
@group(0) @binding(0) var<storage, read_write> counter: array<u32>;
@compute @workgroup_size(1) fn main() {
    let step = START * u32(SCALE);
    counter[0] += step;
    if DOUBLE { counter[0] += step; }
}
";

#[test]
fn overrides_come_from_the_command_line_and_the_kernel_from_stdin() {
    let Some(folder) = Folder::with_device("overrides") else { return };
    for (overrides, expected) in [
        ("", 1),
        ("--override START=7", 7),
        ("--constant START=7", 7),
        ("--override START=0x10 --override SCALE=3", 48),
        ("--override START=5 --override DOUBLE=true", 10),
    ] {
        let line = format!("- --groups 1 --bind counter=zeros:4 --out counter=out.bin {overrides}");
        folder.run_with_stdin(&line, COUNTER).ok();
        assert_eq!(words_of(&folder.read("out.bin")), [expected], "{overrides}");
    }
}

#[test]
fn repeated_runs_go_on_with_the_same_buffers() {
    let Some(folder) = Folder::with_device("repeat") else { return };
    folder.write("counter.wgsl", COUNTER);
    let line = "counter.wgsl --groups 1 --bind counter=zeros:4 --repeat 150 --out counter=out.bin";
    let table = folder.run(line).ok();
    assert_eq!(words_of(&folder.read("out.bin")), [150]);
    assert!(table.contains("150 runs"), "{table}");
}

#[test]
fn one_of_several_entry_points_is_chosen() {
    let Some(folder) = Folder::with_device("entry") else { return };
    let source = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(1) fn one() { a[0] = 1; }
        @compute @workgroup_size(1) fn two() { b[0] = 2; }
    ";
    folder.write("two.wgsl", source);
    // Only the variables that the entry point uses need to be bound.
    folder.run("two.wgsl --entry two --groups 1 --bind b=zeros:4 --out b=out.bin").ok();
    assert_eq!(words_of(&folder.read("out.bin")), [2]);
}

#[test]
fn random_numbers_are_the_documented_ones() {
    let Some(folder) = Folder::with_device("random") else { return };
    let source = "
        @group(0) @binding(0) var<storage, read_write> a: array<f32>;
        @group(0) @binding(1) var<storage, read_write> b: array<f32>;
        @group(0) @binding(2) var<storage, read> u: array<u32>;
        @compute @workgroup_size(1) fn main() { a[0] = 2.0; b[1] = f32(u[0] & 0); }
    ";
    folder.write("random.wgsl", source);
    let line = "random.wgsl --groups 1 --bind a=rand:42:f32:100 --bind b=rand:42:f32:100 --bind u=rand:42:u32:100 \
                --out a=a.npy --out b=b.npy --out u=u.npy";
    folder.run(line).ok();

    let mut random = Random::from_state(42);
    let outputs: Vec<u64> = (0..100).map(|_| random.bits()).collect();
    let floats: Vec<f32> = outputs.iter().map(|z| (z >> 40) as f32 / 16_777_216.0).collect();
    let words: Vec<u32> = outputs.iter().map(|z| (z >> 32) as u32).collect();
    let a = floats_of(&data_of(&folder.read("a.npy"), "<f4", "(100,)"));
    let b = floats_of(&data_of(&folder.read("b.npy"), "<f4", "(100,)"));
    assert_eq!(words_of(&data_of(&folder.read("u.npy"), "<u4", "(100,)")), words);
    // Both buffers come from the same source, but each write of the kernel changes only one of them.
    assert_eq!((a[0], &a[1..]), (2.0, &floats[1..]));
    assert_eq!((b[0], b[1], &b[2..]), (floats[0], 0.0, &floats[2..]));
}

#[test]
fn structs_leave_as_bytes_and_vectors_as_their_scalars() {
    let Some(folder) = Folder::with_device("structs") else { return };
    let source = "
        struct Cell { count: u32, mean: f32 }
        struct Setup { offset: vec3<f32>, scale: f32, weights: array<vec4<f32>, 2> }
        @group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
        @group(0) @binding(1) var<storage, read_write> points: array<vec4<f32>>;
        @group(1) @binding(7) var<uniform> setup: Setup;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
            cells[id.x] = Cell(id.x, 0.5);
            points[id.x] = vec4(setup.offset, setup.scale) + setup.weights[1];
        }
    ";
    folder.write("structs.wgsl", source);
    let line = "structs.wgsl --groups 2 --bind cells=zeros:16 --bind points=zeros:32 --out cells=c.npy \
                --out points=p.npy --set setup.offset=1,2,3 --set setup.scale=0x4 \
                --set setup.weights=0,0,0,0,10,20,30,40";
    folder.run(line).ok();
    let cells = [0, 0.5_f32.to_bits(), 1, 0.5_f32.to_bits()];
    assert_eq!(words_of(&data_of(&folder.read("c.npy"), "|u1", "(16,)")), cells);
    let point = [11.0, 22.0, 33.0, 44.0];
    assert_eq!(floats_of(&data_of(&folder.read("p.npy"), "<f4", "(8,)")), [point, point].concat());

    // Bytes that were written to a file are read back unchanged.
    let line = "structs.wgsl --groups 1 --bind cells=c.npy --bind points=p.npy --bind 1.7=zeros:48 --out cells=d.npy";
    folder.run(line).ok();
    assert_eq!(folder.read("c.npy"), folder.read("d.npy"));

    let line = "structs.wgsl --groups 2 --bind cells=zeros:16 --bind points=zeros:32 --bind setup=zeros:48";
    let table = folder.run(line).ok();
    assert!(table.contains("[{ count: 0, mean: 0.5 }, { count: 1, mean: 0.5 }]"), "{table}");
    assert!(table.contains("[(0, 0, 0, 0), (0, 0, 0, 0)]"), "{table}");
}

#[test]
fn without_outputs_the_first_elements_are_shown() {
    let Some((folder, _)) = saxpy("preview", 1000) else { return };
    let table = folder.run("saxpy.wgsl --threads 1000 --bind x=x.npy --bind y=y.npy --bind params=params.bin").ok();
    assert!(table.contains("[100, 100.5, 101, 101.5, 102, 102.5, 103, 103.5, …]"), "{table}");
}
