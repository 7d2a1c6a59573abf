//! The errors of wrong calls of the library, in full: `messages.txt` has the calls, their errors and a judgement of
//! each: four parts of the text, separated by bars, which name the argument, what was expected, what was passed, and
//! what to do. `ANYWARP_UPDATE=1` updates the errors in the file and keeps the judgements.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anywarp::backend::Caps;
use anywarp::ops::{ElementwiseKernel, ReductionKernel, matmul};
use anywarp::{Device, Error, Kernel, Wgsl};

use super::devices;

const SCALE: &str = "
struct Params { factor: f32, count: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.count { y[id.x] = vec4(params.factor * x[id.x]); }
}";

const TWO: &str = "
override TILE: u32 = 4;
override N: u32;
@compute @workgroup_size(TILE) fn a() {}
@compute @workgroup_size(N) fn b() {}";

const FILL: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3<u32>) { a[id.x] = b[id.x]; }";

/// The error of a call, without its result.
fn done<T, E: Into<Error>>(attempt: Result<T, E>) -> Result<(), Error> {
    attempt.map(drop).map_err(Into::into)
}

/// The objects that the calls need.
struct Bench {
    device: Device,
    other: Device,
    scale: Kernel,
    folder: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let [device, other] = devices();
        let scale = device.kernel(Wgsl::new(SCALE).file("scale.wgsl")).expect("a kernel");
        let folder = std::env::temp_dir().join(format!("anywarp-messages-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder")).expect("a folder");
        fs::write(folder.join("latin.wgsl"), b"// gr\xfcn").expect("a file");
        Self { device, other, scale, folder }
    }

    fn make(&self, text: &str) -> Result<(), Error> {
        done(self.device.kernel(Wgsl::new(text).file("a.wgsl")))
    }

    /// Compiles a module with two entry points; `said` changes the request.
    fn two(&self, said: impl FnOnce(Wgsl<'static>) -> Wgsl<'static>) -> Result<(), Error> {
        done(self.device.kernel(said(Wgsl::new(TWO).file("two.wgsl"))))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

type Call = fn(&Bench) -> Result<(), Error>;

/// The calls as text, each with a function that makes the call.
const CALLS: &[(&str, Call)] = &[
    ("Device::open(\"nowhere\")", |_| done(Device::open("nowhere"))),
    ("Device::open(\"cpu:9\")", |_| done(Device::open("cpu:9"))),
    ("device.kernel(\"\")", |bench| bench.make("")),
    ("device.kernel(\"fn main( {}\")", |bench| bench.make("fn main( {}")),
    ("device.kernel(\"@vertex fn v() ..\")", |bench| {
        bench.make("@vertex fn v() -> @builtin(position) vec4<f32> { return vec4<f32>(); }")
    }),
    ("device.kernel(\".. let a = missing; ..\")", |bench| {
        bench.make("@compute @workgroup_size(1) fn main() { let a = missing; }")
    }),
    ("device.kernel(\"@compute @workgroup_size(4096) ..\")", |bench| {
        bench.make("@compute @workgroup_size(4096) fn main() {}")
    }),
    ("device.kernel(\".. var picture: texture_2d<f32>; ..\")", |bench| {
        bench.make(
            "@group(0) @binding(0) var picture: texture_2d<f32>;
             @compute @workgroup_size(1) fn main() { let a = textureLoad(picture, vec2(0, 0), 0); }",
        )
    }),
    ("device.kernel(\"import package::parts::part; ..\")", |bench| {
        bench.make("import package::parts::part;\n@compute @workgroup_size(1) fn main() { part(); }")
    }),
    ("Wgsl::new(two).entry(\"c\")", |bench| bench.two(|wgsl| wgsl.entry("c"))),
    ("device.kernel(two)", |bench| bench.two(|wgsl| wgsl)),
    ("Wgsl::new(two).entry(\"b\")", |bench| bench.two(|wgsl| wgsl.entry("b"))),
    ("Wgsl::new(two).entry(\"a\").set_override(\"TIL\", 4.0)", |bench| {
        bench.two(|wgsl| wgsl.entry("a").set_override("TIL", 4.0))
    }),
    ("Wgsl::new(two).entry(\"a\").set_override(\"TILE\", 1.5)", |bench| {
        bench.two(|wgsl| wgsl.entry("a").set_override("TILE", 1.5))
    }),
    ("Wgsl::new(two).entry(\"a\").set_override(\"TILE\", f64::NAN)", |bench| {
        bench.two(|wgsl| wgsl.entry("a").set_override("TILE", f64::NAN))
    }),
    ("Wgsl::new(two).entry(\"a\").set_override(\"TILE\", 0.0)", |bench| {
        bench.two(|wgsl| wgsl.entry("a").set_override("TILE", 0.0))
    }),
    ("Wgsl::new(scale).program(&Caps::webgpu_baseline()), with enable f16", |_| {
        let text = "enable f16; @compute @workgroup_size(1) fn main() { let a = f16(1); }";
        done(Wgsl::new(text).file("a.wgsl").program(&Caps::webgpu_baseline()))
    }),
    ("Wgsl::open(\"absent.wgsl\")", |bench| done(Wgsl::open(bench.file("absent.wgsl")))),
    ("Wgsl::open(\"folder\")", |bench| done(Wgsl::open(bench.file("folder")))),
    ("Wgsl::open(\"latin.wgsl\")", |bench| done(Wgsl::open(bench.file("latin.wgsl")))),
    ("scale.launch().bind(\"z\", &x)", |bench| {
        let x = bench.device.buffer::<f32>(64)?;
        done(bench.scale.launch().bind("z", &x).threads(64))
    }),
    ("scale.launch().set(\"params.scale\", 2.0)", |bench| {
        done(bench.scale.launch().set("params.scale", 2.0f32).threads(64))
    }),
    ("scale.launch().set(\"params.factor\", 2u32)", |bench| {
        done(bench.scale.launch().set("params.factor", 2u32).threads(64))
    }),
    ("scale.launch().threads(64)", |bench| done(bench.scale.launch().threads(64))),
    ("scale.launch().bind(\"x\", &x).bind(\"x\", &x)", |bench| {
        let x = bench.device.buffer::<f32>(64)?;
        done(bench.scale.launch().bind("x", &x).bind("x", &x).threads(64))
    }),
    ("scale.launch().bind(\"y\", &y)", |bench| {
        let y = bench.device.buffer::<[f32; 4]>(64)?;
        let x = bench.device.buffer::<f32>(64)?;
        let launch = bench.scale.launch().bind("x", &x).bind("y", &y).set("params.factor", 2.0f32);
        done(launch.set("params.count", 64u32).threads(64))
    }),
    ("scale.launch().bind(\"x\", &words)", |bench| {
        let words = bench.device.buffer::<u32>(64)?;
        let mut y = bench.device.buffer::<[f32; 4]>(64)?;
        let launch = bench.scale.launch().bind("x", &words).bind("y", &mut y).set("params.factor", 2.0f32);
        done(launch.set("params.count", 64u32).threads(64))
    }),
    ("scale.launch().bind(\"x\", &empty)", |bench| {
        let empty = bench.device.buffer::<f32>(0)?;
        let mut y = bench.device.buffer::<[f32; 4]>(64)?;
        let launch = bench.scale.launch().bind("x", &empty).bind("y", &mut y).set("params.factor", 2.0f32);
        done(launch.set("params.count", 64u32).threads(64))
    }),
    ("scale.launch().bind(\"x\", &of_another_device)", |bench| {
        let x = bench.other.buffer::<f32>(64)?;
        let mut y = bench.device.buffer::<[f32; 4]>(64)?;
        let launch = bench.scale.launch().bind("x", &x).bind("y", &mut y).set("params.factor", 2.0f32);
        done(launch.set("params.count", 64u32).threads(64))
    }),
    ("kernel.launch().threads(-1)", |bench| {
        let kernel = bench.device.kernel(Wgsl::new(TWO).file("two.wgsl").entry("a"))?;
        done(kernel.launch().threads(-1))
    }),
    ("kernel.launch().groups([1 << 20, 1 << 20, 1 << 20])", |bench| {
        let kernel = bench.device.kernel(Wgsl::new(TWO).file("two.wgsl").entry("a"))?;
        done(kernel.launch().groups([1 << 20, 1 << 20, 1 << 20]))
    }),
    ("device.buffer::<u32>(1 << 40)", |bench| done(bench.device.buffer::<u32>(1 << 40))),
    ("device.buffer::<u32>(usize::MAX)", |bench| done(bench.device.buffer::<u32>(usize::MAX))),
    ("buffer.slice(60..70).read(), of 64 elements", |bench| done(bench.device.buffer::<u32>(64)?.slice(60..70).read())),
    ("bytes.slice(1..3).read()", |bench| done(bench.device.buffer::<u8>(64)?.slice(1..3).read())),
    ("buffer.copy_from_slice(&[0; 63]), of 64 elements", |bench| {
        Ok(bench.device.buffer::<u32>(64)?.copy_from_slice(&[0; 63])?)
    }),
    ("buffer.copy_from(&of_another_device)", |bench| {
        let source = bench.other.buffer::<u32>(64)?;
        Ok(bench.device.buffer::<u32>(64)?.copy_from(&source)?)
    }),
    ("recording.submit(), while a buffer of it is read", |bench| {
        let kernel = bench.device.kernel(Wgsl::new(FILL).file("fill.wgsl"))?;
        let (mut a, b) = (bench.device.buffer::<u32>(64)?, bench.device.buffer::<u32>(64)?);
        let mut recording = bench.device.recording();
        kernel.launch().bind("a", &mut a).bind("b", &b).record(&mut recording).threads(64)?;
        let _guard = a.read()?;
        done(recording.submit())
    }),
    ("matmul(&a, &b, &mut c, [2, 2, 3]), where c has 5 elements", |bench| {
        let (a, b) = (bench.device.buffer::<f32>(6)?, bench.device.buffer::<f32>(6)?);
        let mut c = bench.device.buffer::<f32>(5)?;
        done(matmul(&a, &b, &mut c, [2, 2, 3]))
    }),
    ("ElementwiseKernel::new(\"x T\", \"y: T\", \"y = x\")", |_| done(ElementwiseKernel::new("x T", "y: T", "y = x"))),
    ("ElementwiseKernel::new(\"x: f32\", \"y: f32\", \"y = z\")", |bench| {
        let x = bench.device.buffer::<f32>(4)?;
        done(ElementwiseKernel::new("x: f32", "y: f32", "y = z")?.name("copy").apply::<f32>(&bench.device, &x))
    }),
    ("ElementwiseKernel::new(\"p: vec3<f32>\", \"y: f32\", \"y = length(p)\")", |_| {
        done(ElementwiseKernel::new("p: vec3<f32>", "y: f32", "y = length(p)"))
    }),
    ("ElementwiseKernel::new(\"y: f32\", \"y: f32\", \"y *= 2\"), with `y` as input, too", |bench| {
        let (x, mut y) = (bench.device.buffer::<f32>(4)?, bench.device.buffer::<f32>(4)?);
        let double = ElementwiseKernel::new("y: f32", "y: f32", "y *= 2")?.name("double");
        done(double.run(&bench.device, &x, &mut y))
    }),
    ("ReductionKernel::new(..).axis(1), of an array without a shape", |bench| {
        let x = bench.device.buffer::<f32>(6)?;
        let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
        done(sum.call(&bench.device).axis(1).apply::<f32>(&x))
    }),
];

#[test]
fn every_wrong_call_is_answered_in_full() {
    let bench = Bench::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/invalid_input/messages.txt");
    let written = format!("\n{}", fs::read_to_string(&file).unwrap_or_default());
    let cases: Vec<(&str, &str)> = written.split("\n> ").skip(1).filter_map(|case| case.split_once('\n')).collect();
    let (mut found, mut wrong) = (String::new(), Vec::new());
    for (name, call) in CALLS {
        let said = match call(&bench) {
            Ok(()) => "accepted".to_owned(),
            Err(error) => of_any_machine(&error.to_string(), &bench),
        };
        let case = cases.iter().find(|(known, _)| known == name).map_or("", |(_, rest)| *rest);
        let (expected, judged) = case.rsplit_once("\njudged: ").unwrap_or((case, ""));
        let _ = writeln!(found, "> {name}\n{said}\njudged: {}\n", judged.trim());
        if expected.trim() != said {
            wrong.push(format!("{name}\nexpected\n{}\nfound\n{said}", expected.trim()));
        }
        let parts: Vec<&str> = judged.trim().split(" | ").collect();
        if parts.len() != 4 || parts.iter().any(|part| part.is_empty() || !said.contains(part)) {
            wrong.push(format!("{name}\n{said}\nlacks a part of the judgement: {}", judged.trim()));
        }
    }
    if std::env::var_os("ANYWARP_UPDATE").is_some() {
        fs::write(&file, found).expect("the file is written");
    }
    assert!(CALLS.len() >= 30 && cases.len() == CALLS.len(), "{} calls, {} cases", CALLS.len(), cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A line of text with `FILE:LINE` in place of a line number in this file, which every change of the file moves.
fn without_line(text: &str) -> String {
    match text.split_once(concat!(file!(), ":")) {
        Some((before, rest)) => {
            format!("{before}FILE:LINE{}", rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        None => text.to_owned(),
    }
}

/// The text with placeholders for the parts that depend on the machine.
fn of_any_machine(text: &str, bench: &Bench) -> String {
    let others = ["  vulkan", "  metal", "  dx12", "  cuda"];
    let folder = format!("{}{}", bench.folder.display(), std::path::MAIN_SEPARATOR);
    let listed = "a part of a device's name; choose one of";
    let lines = text.lines().filter(|line| !others.iter().any(|other| line.starts_with(other)));
    let lines = lines.map(|line| match line.split_once(listed) {
        Some((before, _)) => format!("{before}{listed} DEVICES"),
        None => without_line(line).replace(&bench.device.caps().name, "PROCESSOR").replace(&folder, ""),
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
