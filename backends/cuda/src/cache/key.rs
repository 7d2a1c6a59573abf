//! Cache keys: all inputs that a compiled image depends on.

use anywarp_host::cache::Key;

use crate::nvrtc::{Job, Source};

/// The version of the stored form, incremented with every change of that form.
const FORMAT: u32 = 1;

/// Returns the key of a source, compiled as `job` by an NVRTC of this version.
pub(super) fn key(source: &Source<'_>, job: &Job, (major, minor): (u32, u32)) -> Key {
    let first = format!("{FORMAT} {major}.{minor} {:?}", job.output);
    let parts = [first.as_str(), source.name].into_iter();
    Key::new("cuda", parts.chain(job.options.iter().map(String::as_str)).chain([source.text]))
}

#[cfg(test)]
mod tests {
    use super::key;
    use crate::nvrtc::{Job, Output, Source};

    #[test]
    fn every_dependency_changes_the_key() {
        let source =
            Source { name: "a.wgsl:main", text: "text", architecture: 90, fast_math: false, defines: &[("N", "1")] };
        let options = vec!["--gpu-architecture=sm_90".to_owned(), "--fmad=true".to_owned()];
        let job = Job { output: Output::Cubin, architecture: "sm_90".to_owned(), options };
        let other = |options: &[&str]| {
            let options = options.iter().map(|option| (*option).to_owned()).collect();
            Job { options, ..job.clone() }
        };
        let keys = [
            key(&source, &job, (13, 5)),
            key(&source, &job, (13, 0)),
            key(&source, &job, (1, 35)),
            key(&Source { text: "text ", ..source }, &job, (13, 5)),
            key(&Source { name: "b.wgsl:main", ..source }, &job, (13, 5)),
            key(&source, &Job { output: Output::Ptx, ..job.clone() }, (13, 5)),
            key(&source, &other(&["--gpu-architecture=sm_80", "--fmad=true"]), (13, 5)),
            key(&source, &other(&["--gpu-architecture=sm_90", "--use_fast_math"]), (13, 5)),
            key(&source, &other(&["--gpu-architecture=sm_90"]), (13, 5)),
            key(&source, &other(&["--gpu-architecture=sm_90", "--fmad=", "true"]), (13, 5)),
        ];
        for (i, key) in keys.iter().enumerate() {
            for other in &keys[i + 1..] {
                assert_ne!(key, other);
            }
        }
        assert_eq!(keys[0], key(&source, &job, (13, 5)));
    }
}
