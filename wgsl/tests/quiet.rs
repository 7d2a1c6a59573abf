//! Panics within `quiet::caught` print nothing; all other panics print as before.

use std::panic::{catch_unwind, set_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anywarp_wgsl::quiet;

#[test]
fn only_caught_panics_are_silent() {
    let printed = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&printed);
    set_hook(Box::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    }));
    let printed = || printed.load(Ordering::Relaxed);

    let said = quiet::caught(|| -> u32 { panic!("seven") }).unwrap_err();
    assert!(said.starts_with("seven, at ") && said.contains("quiet.rs:"), "{said}");
    assert_eq!((quiet::caught(|| 7), printed()), (Ok(7), 0));

    // A panic on another thread prints, even while this thread is within `caught`.
    let other = quiet::caught(|| thread::spawn(|| -> u32 { panic!("eight") }).join().is_err());
    assert_eq!((other, printed()), (Ok(true), 1));

    // Calls of `caught` may nest, and a panic may follow the inner call.
    let outer = quiet::caught(|| {
        let inner = quiet::caught(|| -> u32 { panic!("nine") });
        assert!(inner.is_err());
        panic!("ten")
    });
    let outer: Result<u32, String> = outer;
    assert!(outer.unwrap_err().starts_with("ten"));
    assert_eq!(printed(), 1);
    assert!(catch_unwind(|| panic!("eleven")).is_err());
    assert_eq!(printed(), 2);
}
