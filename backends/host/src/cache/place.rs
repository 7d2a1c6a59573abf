//! The choice of the cache's folder.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::environment::CACHE;

/// The cache's folder: the one that an environment variable names, or the system's usual folder for caches. `None` for
/// no cache.
pub(super) fn folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if cfg!(target_arch = "wasm32") {
        return None;
    }
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(value) = set(CACHE) {
        return (value != "off").then(|| value.into());
    }
    // The XDG Base Directory Specification requires relative paths to be ignored.
    let absolute = |name: &str| set(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    Some(caches?.join("anywarp"))
}

#[cfg(test)]
mod tests {
    use super::folder;
    use std::path::Path;

    fn with(variables: &[(&str, &str)]) -> Option<std::path::PathBuf> {
        folder(&|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_variable_decides() {
        assert_eq!(with(&[("ANYWARP_CACHE", "some/where"), ("HOME", "/h")]).as_deref(), Some(Path::new("some/where")));
        assert_eq!(with(&[("ANYWARP_CACHE", "off"), ("HOME", "/h")]), None);
        assert_eq!(with(&[]), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn without_it_the_systems_folder() {
        assert_eq!(with(&[("ANYWARP_CACHE", ""), ("HOME", "/h")]).as_deref(), Some(Path::new("/h/.cache/anywarp")));
        assert_eq!(with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]).as_deref(), Some(Path::new("/x/anywarp")));
        assert_eq!(with(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]).as_deref(), Some(Path::new("/h/.cache/anywarp")));
    }

    #[test]
    #[cfg(windows)]
    fn without_it_the_systems_folder() {
        let folder = with(&[("LOCALAPPDATA", r"C:\Users\a b\AppData\Local"), ("HOME", r"C:\h")]);
        assert_eq!(folder.as_deref(), Some(Path::new(r"C:\Users\a b\AppData\Local\anywarp")));
        // A folder without a drive is relative.
        assert_eq!(with(&[("LOCALAPPDATA", r"\Users"), ("HOME", r"C:\h")]), None);
    }
}
