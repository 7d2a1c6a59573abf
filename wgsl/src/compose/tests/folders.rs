//! Modules from files in a folder.

use std::path::{Path, PathBuf};

use anywarp_backend::{Source, SourceFile};

use super::super::{Folder, Options, compose};
use crate::TextError;

/// Creates a separate folder for a test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = std::env::temp_dir().join(format!("anywarp-compose-{}-{name}", std::process::id()));
    for (file, text) in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

fn composed(text: &str, folder: &Folder) -> Result<Source, TextError> {
    compose(
        SourceFile { name: "main.wgsl".to_owned(), text: text.to_owned() },
        &["main".to_owned()],
        folder,
        &Options::default(),
    )
}

#[test]
fn only_imported_files_are_read() {
    let files = [
        ("shared/reduce.wgsl", "fn sum() { }"),
        ("scan.wesl", "import super::shared::reduce::sum; fn scan() { sum(); }"),
        ("broken.wgsl", "((("),
    ];
    let root = folder("read", &files);
    let modules = Folder::new(&root);
    let source = composed("import package::scan; fn f() { scan::scan(); }", &modules).unwrap();
    let names: Vec<&str> = source.files().iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names[1..],
        [root.join("shared/reduce.wgsl").display().to_string(), root.join("scan.wesl").display().to_string()]
    );
    let real = root.canonicalize().unwrap();
    let mut loaded = modules.loaded();
    loaded.sort();
    assert_eq!(loaded, [real.join("scan.wesl"), real.join("shared/reduce.wgsl")]);
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn files_outside_the_folder_are_not_read() {
    let root = folder("outside", &[("inner/a.wgsl", "fn f() { }"), ("secret.wgsl", "fn g() { }")]);
    let modules = Folder::new(&root.join("inner"));
    let error = composed("import super::super::secret::g;", &modules).unwrap_err().to_string();
    assert!(error.contains("leads out of the package"), "{error}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("secret.wgsl"), root.join("inner/link.wgsl")).unwrap();
        std::os::unix::fs::symlink(root.join("nowhere"), root.join("inner/gone.wgsl")).unwrap();
        std::os::unix::fs::symlink(root.join("inner/a.wgsl"), root.join("inner/b.wgsl")).unwrap();
        let error = composed("import package::link::g;", &modules).unwrap_err();
        assert!(matches!(&error, TextError::Unreadable { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.contains("link.wgsl") && said.contains("is outside the folder"), "{said}");
        assert!(matches!(composed("import package::gone::g;", &modules), Err(TextError::Unreadable { .. })));
        assert!(composed("import package::b::f; fn g() { f(); }", &modules).is_ok());
    }
    std::fs::write(root.join("inner/text.wgsl"), [0xff, 0xfe]).unwrap();
    assert!(matches!(composed("import package::text::g;", &modules), Err(TextError::Unreadable { .. })));
    let missing = Folder::new(Path::new("no such folder"));
    assert!(composed("import package::a::f;", &missing).unwrap_err().to_string().contains("no module 'a::f'"));
    std::fs::remove_dir_all(root).unwrap();
}
