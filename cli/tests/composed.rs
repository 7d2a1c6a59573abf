//! `run` and `translate` with kernels that import files.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use support::Folder;

const MAIN: &str = "import package::shared::part::{T, work};
@group(0) @binding(0) var<storage, read_write> data: array<T>;
@compute @workgroup_size(1) fn main() { data[0] = work(data[0]); }
";
const PART: &str = "alias T = f32;\n\nfn work(value: T) -> T {\n    @if(twice) return value + T(3) * T(2);\n    @else return value + T(3);\n}\n";

fn write(folder: &Folder) {
    folder.write("main.wgsl", MAIN);
    folder.make("shared");
    folder.write("shared/part.wgsl", PART);
}

#[test]
fn translations_name_the_imported_file() {
    let folder = Folder::new("composed-translate");
    write(&folder);
    let spirv = folder.translate("main.wgsl --to spirv --feature twice=false --element T=f16", &[]).ok();
    assert!(spirv.contains("Float16"), "{spirv}");
    if cfg!(feature = "cuda") {
        let cuda = folder.translate("main.wgsl --to cuda --feature twice", &[]).ok();
        for line in ["#line 4 \"shared/part.wgsl\"", "#line 3 \"main.wgsl\""] {
            assert!(cuda.contains(line), "{line} is missing in\n{cuda}");
        }
    }
    let refused = folder.translate("main.wgsl --to wgsl", &[]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("shared/part.wgsl:4:9"), "{}", refused.stderr);
}

#[test]
fn runs_take_features_elements_and_a_root() {
    let Some(folder) = Folder::with_device("composed-run") else { return };
    write(&folder);
    folder.make("kernels");
    folder.write("kernels/inner.wgsl", MAIN);
    let bind = "--groups 1 --bind data=zeros:16 --out data=data.bin";
    let first = || u32::from_le_bytes(folder.read("data.bin")[..4].try_into().unwrap());
    for (line, wanted) in [
        ("main.wgsl --feature twice", 6f32.to_bits()),
        ("main.wgsl --feature twice=false --element T=u32", 3),
        ("kernels/inner.wgsl --root . --feature twice --element T=i32", 6),
    ] {
        folder.run(&format!("{line} {bind}")).ok();
        assert_eq!(first(), wanted, "{line}");
    }
    let outcome = folder.run_with_stdin(&format!("- --feature twice {bind}"), MAIN);
    assert!(outcome.stderr.contains("no module 'shared::part'"), "{outcome:?}");
    let outcome = folder.run_with_stdin(&format!("- --root . --feature twice {bind}"), MAIN);
    assert_eq!((outcome.code, first()), (Some(0), 6f32.to_bits()), "{outcome:?}");
    for wrong in ["--feature =1", "--element T", "--element T=f8"] {
        assert_eq!(folder.run(&format!("main.wgsl {wrong} {bind}")).code, Some(2), "{wrong}");
    }
}
