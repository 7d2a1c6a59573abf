//! Kernels are read from the cache as they were stored.

use anywarp_host::cache::DiskCache;

use super::{compiled, image};
use crate::nvrtc::{Compiled, Output, Source, library};
use crate::resources::Usage;

#[test]
fn a_kernel_comes_back_as_it_was() {
    let usage =
        Usage { registers: 1, stack_bytes: 2, spill_stores: 3, spill_loads: 4, shared_bytes: 5, constant_bytes: 6 };
    for (output, usage) in [(Output::Cubin, Some(usage)), (Output::Ptx, None)] {
        let compiled = Compiled { image: vec![1, 2, 3], output, usage, log: String::new(), cached: false };
        let found = image::kernel(&image::of_kernel(&compiled)).unwrap();
        assert_eq!(found, Compiled { cached: true, ..compiled });
    }
    for length in 0..26 {
        assert_eq!(image::kernel(&vec![0; length]), None, "{length}");
    }
    assert_eq!(image::kernel(&[9; 40]), None);
}

#[test]
fn a_kernel_is_compiled_once() {
    let Ok(nvrtc) = library() else { return };
    let folder = std::env::temp_dir().join(format!("anywarp-cuda-cache-{}", std::process::id()));
    let cache = DiskCache::open(&folder, 1 << 30);
    let text = "extern \"C\" __global__ void k(int* a) { a[threadIdx.x] = 1; }";
    let source = Source { name: "k", text, architecture: 80, fast_math: false, defines: &[] };
    let first = compiled(nvrtc, Some(&cache), &source, Output::Cubin).unwrap();
    let second = compiled(nvrtc, Some(&cache), &source, Output::Cubin).unwrap();
    assert!(!first.cached && second.cached && second.usage.is_some());
    assert_eq!((&first.image, first.usage), (&second.image, second.usage));
    assert!(!compiled(nvrtc, Some(&cache), &source, Output::Ptx).unwrap().cached);
    assert!(!compiled(nvrtc, Some(&cache), &Source { fast_math: true, ..source }, Output::Cubin).unwrap().cached);
    assert!(!compiled(nvrtc, None, &source, Output::Cubin).unwrap().cached);
    assert_eq!(cache.clear(Some("cuda")).files, 3);
    std::fs::remove_dir_all(&folder).unwrap();
}
