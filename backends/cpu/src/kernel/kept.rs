//! Machine code that is kept on disk, so that a program compiles its long kernels once and not each time it runs.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;
use anywarp_host::cache::{DiskCache, Fingerprint, Key};

use super::compile::refused;
use crate::codegen::{self, Code, Object};
use crate::ir::Function;
use crate::math::Functions;

/// The kernels that are kept.
#[derive(Clone, Copy)]
struct Kept {
    /// The least number of instructions: the disk is not looked at for shorter kernels, which compile in some milliseconds.
    long: usize,
    /// The least time of a compilation.
    slow: Duration,
}

const KEPT: Kept = Kept { long: 1500, slow: Duration::from_millis(50) };

/// Machine code for a function, from the cache of this user or compiled.
///
/// # Errors
/// [`BackendError::Rejected`] with Cranelift's error.
pub(super) fn code(function: &Function, functions: Functions) -> Result<Code, BackendError> {
    code_in(anywarp_host::cache::cache(), KEPT, function, functions)
}

fn code_in(
    cache: Option<&DiskCache>,
    kept: Kept,
    function: &Function,
    functions: Functions,
) -> Result<Code, BackendError> {
    let compile = || codegen::compile(function, functions).map_err(refused);
    let Some(cache) = cache.filter(|_| length(function) >= kept.long) else {
        return compile()?.link().map_err(refused);
    };
    let key = key(function, functions).map_err(refused)?;
    if let Some(code) = cache.get(&key).and_then(|bytes| Object::of_bytes(&bytes)?.link().ok()) {
        return Ok(code);
    }
    let start = Instant::now();
    let object = compile()?;
    if start.elapsed() >= kept.slow
        && let Some(bytes) = object.to_bytes()
        && let Err(error) = cache.put(&key, &bytes)
    {
        log::warn!("{error}");
    }
    object.link().map_err(refused)
}

fn length(function: &Function) -> usize {
    function.callees.iter().map(length).sum::<usize>() + function.insts.len()
}

/// The source code of this crate, the machine and the function are all that machine code depends on.
fn key(function: &Function, functions: Functions) -> Result<Key, String> {
    let mut text = Fingerprint::default();
    write!(text, "{function:?}").map_err(|error| error.to_string())?;
    let parts = [env!("SOURCE_FINGERPRINT"), &codegen::origin()?, &format!("{functions:?}"), &text.to_string()];
    Ok(Key::new("cpu", parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    fn kernel(workgroup: u32) -> Function {
        let text =
            format!("kernel 1 x 1 x 1 workgroup {workgroup} write {{\n  store I32 binding 0 + 0 = LocalIndex\n}}\n");
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn machine_code_comes_from_the_disk_where_it_is_valid() {
        let folder = std::env::temp_dir().join(format!("anywarp-cpu-kept-{}", std::process::id()));
        let cache = DiskCache::open(&folder, 1 << 20);
        let (small, large) = (kernel(16), kernel(64));
        let bytes_of = |kept: Kept| code_in(Some(&cache), kept, &small, Functions::Fast).unwrap().workgroup_bytes;
        let key = key(&small, Functions::Fast).unwrap();
        // Short kernels and fast compilations leave no file.
        for kept in [Kept { long: 1000, slow: Duration::ZERO }, Kept { long: 0, slow: Duration::MAX }] {
            assert_eq!(bytes_of(kept), 16);
            assert!(cache.get(&key).is_none());
        }
        let all = Kept { long: 0, slow: Duration::ZERO };
        assert_eq!(bytes_of(all), 16);
        assert_eq!(cache.get(&key), codegen::compile(&small, Functions::Fast).unwrap().to_bytes());
        // The file is used: another kernel's in its place shows.
        cache.put(&key, &codegen::compile(&large, Functions::Fast).unwrap().to_bytes().unwrap()).unwrap();
        assert_eq!(bytes_of(all), 64);
        // A file of another form is not.
        cache.put(&key, b"no machine code").unwrap();
        assert_eq!(bytes_of(all), 16);
        assert_ne!(self::key(&large, Functions::Fast).unwrap(), key);
        assert_ne!(self::key(&small, Functions::Precise).unwrap(), key);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
