//! The sources of buffers, and the forms of results: generated numbers, pictures, shapes, printed elements.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, SAXPY, bytes_of, npy};

/// A kernel that copies elements of three types.
const COPY: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<u32>;
@group(0) @binding(3) var<storage, read_write> v: array<u32>;
@group(0) @binding(4) var<storage, read> p: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> q: array<vec4<f32>>;
@compute @workgroup_size(1) fn floats(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x]; }
@compute @workgroup_size(1) fn words(@builtin(global_invocation_id) id: vec3<u32>) { v[id.x] = u[id.x]; }
@compute @workgroup_size(1) fn vectors(@builtin(global_invocation_id) id: vec3<u32>) { q[id.x] = p[id.x]; }
";

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn folder(test: &str) -> Option<Folder> {
    let folder = Folder::with_device(test)?;
    folder.write("copy.wgsl", COPY);
    folder.write("saxpy.wgsl", SAXPY);
    Some(folder)
}

/// The shape in the header of a version 1 npy file.
fn shape(file: &[u8]) -> String {
    let header = String::from_utf8_lossy(&file[10..128]).into_owned();
    let start = header.find("'shape': ").expect("a shape") + "'shape': ".len();
    header[start..=start + header[start..].find(')').expect("its end")].to_owned()
}

#[test]
fn numbers_are_made_by_their_rules() {
    let Some(folder) = folder("made") else { return };
    let ones = |count| vec![1.0; count];
    let range = |count: u16| (0..count).map(f32::from).collect::<Vec<f32>>();
    for (source, expected) in [
        ("ones:f32:64", ones(64)),
        ("ones:float32:0x40", ones(64)),
        ("range:f32:1Ki", range(1024)),
        ("zeros:f32:64", vec![0.0; 64]),
        ("zeros:256", vec![0.0; 64]),
    ] {
        let count = expected.len();
        let line =
            format!("copy.wgsl --entry floats --threads {count} --bind x={source} --bind y={source} --out y=y.bin");
        folder.run(&line).ok();
        assert_eq!(floats(&folder.read("y.bin")), expected, "{source}");
    }
    let line = "copy.wgsl --entry words --threads 1Ki --bind u=range:uint32:1Ki --bind v=zeros:u32:1Ki --out v=v.bin";
    folder.run(line).ok();
    let words: Vec<u8> = (0..1024_u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(folder.read("v.bin"), words);
}

#[test]
fn outputs_have_the_shape_that_is_asked_for_or_that_of_the_input() {
    let Some(folder) = folder("shapes") else { return };
    folder.write("m.npy", npy("<f4", "(2, 3)", &bytes_of(&[0.0; 6])));
    let run = |bind: &str, rest: &str| {
        folder.run(&format!("copy.wgsl --entry floats --threads 6 --bind x=range:f32:6 --bind y={bind} {rest}")).ok();
        let file = folder.read("y.npy");
        assert_eq!(floats(&file[128..]), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        shape(&file)
    };
    assert_eq!(run("zeros:f32:6", "--out y=y.npy"), "(6,)");
    assert_eq!(run("m.npy", "--out y=y.npy"), "(2, 3)");
    assert_eq!(run("m.npy", "--out y=y.npy:3x2"), "(3, 2)");
    assert_eq!(run("zeros:f32:6", "--out y=y.npy --shape y=1,2,3"), "(1, 2, 3)");
    assert_eq!(run("zeros:f32:6", "--out 0.1=y.npy --shape 3x2"), "(3, 2)");
    let json =
        folder.run("--json copy.wgsl --entry floats --threads 6 --bind x=range:f32:6 --bind y=m.npy --out y=y.npy");
    let report: Value = serde_json::from_str(&json.ok()).unwrap();
    assert_eq!(report["outputs"][0]["shape"], serde_json::json!([2, 3]));
}

/// The pixels of a picture with two rows and three columns; all pixels differ.
fn picture() -> Vec<u8> {
    (0..24).map(|at| if at % 4 == 3 { 255 } else { at * 10 }).collect()
}

fn write_png(folder: &Folder, name: &str, size: [u32; 2], bytes: &[u8], color: image::ExtendedColorType) {
    image::save_buffer(folder.path().join(name), bytes, size[0], size[1], color).unwrap();
}

#[test]
fn pictures_go_in_and_out_by_the_type_of_the_binding() {
    let Some(folder) = folder("pictures") else { return };
    write_png(&folder, "in.png", [3, 2], &picture(), image::ExtendedColorType::Rgba8);
    let words = "copy.wgsl --entry words --threads 6 --bind u=in.png --bind v=zeros:u32:6";
    let vectors = "copy.wgsl --entry vectors --threads 6 --bind p=in.png --bind q=zeros:f32:24";
    for (line, key) in [(words, "v"), (vectors, "q")] {
        folder.run(&format!("{line} --out {key}=out.png --out {key}=out.bin")).ok();
        let out = image::open(folder.path().join("out.png")).unwrap();
        assert_eq!((out.width(), out.height()), (3, 2), "the size of the bound picture");
        assert_eq!(out.to_rgba8().into_raw(), picture(), "{line}");
    }
    folder.run(&format!("{words} --out v=v.bin")).ok();
    assert_eq!(folder.read("v.bin"), picture(), "red is in the lowest byte");
    folder.run(&format!("{vectors} --out q=q.bin")).ok();
    let levels: Vec<f32> = picture().iter().map(|level| f32::from(*level) / 255.0).collect();
    assert_eq!(floats(&folder.read("q.bin")), levels);

    // A buffer whose input was a picture is written as an array of the picture's shape.
    folder
        .run("copy.wgsl --entry vectors --threads 1 --bind p=in.png --bind q=in.png --out q=q.npy --out p=p.npy")
        .ok();
    assert_eq!((shape(&folder.read("q.npy")), shape(&folder.read("p.npy"))), ("(2, 3, 4)".into(), "(2, 3, 4)".into()));
}

#[test]
fn scalar_floats_are_gray_levels() {
    let Some(folder) = folder("gray") else { return };
    let levels = [0, 50, 100, 150, 200, 255];
    write_png(&folder, "gray.png", [2, 3], &levels, image::ExtendedColorType::L8);
    let line = "copy.wgsl --entry floats --threads 6 --bind x=gray.png --bind y=zeros:f32:6 --out y=out.png";
    folder.run(line).ok();
    let out = image::open(folder.path().join("out.png")).unwrap();
    assert_eq!((out.width(), out.height(), out.color()), (2, 3, image::ColorType::L8));
    assert_eq!(out.to_luma8().into_raw(), levels);

    // Without a picture among the inputs, the size is required; values outside the range of the picture are counted.
    let line =
        "copy.wgsl --entry floats --threads 6 --bind x=range:f32:6 --bind y=zeros:f32:6 --out y=out.png --shape 3x2";
    let table = folder.run(line).ok();
    assert!(table.contains("4 numbers outside of 0 to 1 were clamped"), "{table}");
    let out = image::open(folder.path().join("out.png")).unwrap();
    assert_eq!((out.width(), out.height()), (3, 2));
    assert_eq!(out.to_luma8().into_raw(), [0, 255, 255, 255, 255, 255]);
    folder.run(&line.replace(" --shape 3x2", ":6x1")).ok();
    assert_eq!(image::open(folder.path().join("out.png")).unwrap().width(), 6);
}

#[test]
fn as_many_elements_are_printed_as_are_asked_for() {
    let Some(folder) = folder("print") else { return };
    let line = "copy.wgsl --entry floats --threads 64 --bind x=range:f32:64 --bind y=zeros:f32:64";
    let printed = |rest: &str| folder.run(&format!("{line} {rest}")).ok();
    assert!(printed("").contains("[0, 1, 2, 3, 4, 5, 6, 7, …]"));
    assert!(printed("--print 2").contains("[0, 1, …]"));
    assert!(printed("--print 12 --out y=y.npy").contains("9, 10, 11, …]"));
    assert!(printed("--print 100").contains("62, 63]"));
    assert!(!printed("--print 0").contains('['));
    assert!(!printed("--out y=y.npy").contains('['));
    let report: Value = serde_json::from_str(&printed("--print 2 --json")).unwrap();
    assert_eq!(report["bindings"][1]["preview"], "[0, 1, …]");
}

/// The file is a pipe with a slow writer.
#[cfg(unix)]
#[test]
fn the_time_of_reading_a_file_is_not_that_of_uploading_it() {
    use std::time::Duration;
    let Some(folder) = folder("load") else { return };
    let pipe = folder.path().join("slow.bin");
    if !std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return println!("skipped: there is no mkfifo here");
    }
    const SLOW: Duration = Duration::from_millis(1500);
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        let mut pipe = std::fs::OpenOptions::new().write(true).open(pipe).unwrap();
        std::thread::sleep(SLOW);
        pipe.write_all(&bytes_of(&[1.0; 64])).unwrap();
    });
    let line = "--json copy.wgsl --entry floats --threads 64 --bind x=slow.bin --bind y=zeros:f32:64";
    let report: Value = serde_json::from_str(&folder.run(line).ok()).unwrap();
    writer.join().unwrap();
    let seconds = |field: &str| report["timings_us"][field].as_f64().unwrap() / 1e6;
    assert!(seconds("load") >= 0.9 * SLOW.as_secs_f64(), "{report:#}");
    assert!(seconds("upload") < 0.5 * SLOW.as_secs_f64(), "{report:#}");
}
