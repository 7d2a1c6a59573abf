//! Actors, settings and types that are refused, with what the errors say.

use anywarp::ring::{AskError, Overflow, RingError, SendError};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{Context, TestResult, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![actors, settings, types,];

async fn actors(place: Place<'_>) -> TestResult {
    let cases: &[(&str, &[&str])] = &[
        ("fn f() {}", &["expected at least one function", "// anywarp:actor", "found 0"]),
        (
            "// anywarp:actor\nfn f(a: ptr<function, u32>, b: u32, lane: u32) {}\n// anywarp:actor\nfn g() {}",
            &[":4:", "'g'"],
        ),
        ("// anywarp:actor\nconst a = 1;", &[":1:", "must directly precede"]),
        ("// anywarp:actor\nfn f() {}", &[":2:", "'f'", "0 parameters", "ptr<function, State>"]),
        ("// anywarp:actor\nfn f(a: u32, b: u32, lane: u32) {}", &["first parameter"]),
        ("// anywarp:actor\nfn f(a: ptr<function, u32>, b: u32, lane: i32) {}", &["third parameter"]),
        ("// anywarp:actor\nfn f(a: ptr<function, u32>, b: bool, lane: u32) {}", &["message", "booleans"]),
        ("// anywarp:actor\nfn f(a: ptr<function, bool>, b: u32, lane: u32) {}", &["state", "booleans"]),
        (
            "// anywarp:actor\nfn f(a: ptr<function, u32>, b: array<u32, 1025>, lane: u32) {}",
            &["4100 bytes", "4096 bytes"],
        ),
        (
            "// anywarp:actor\nfn f(a: ptr<function, u32>, b: u32, lane: u32) -> array<f32, 2000> { return array<f32, 2000>(); }",
            &["reply of 8000 bytes"],
        ),
        (
            "// anywarp:actor\nfn f(a: ptr<function, array<u32, 16385>>, b: u32, lane: u32) {}",
            &["state of 65540 bytes"],
        ),
        (
            "@group(0) @binding(0) var<storage> x: array<u32>;
            // anywarp:actor
            fn f(a: ptr<function, u32>, b: u32, lane: u32) { *a = x[0]; }",
            &["no bindings", "'x'"],
        ),
    ];
    for (text, words) in cases {
        let ring = place.device.ring(*text);
        refused(ring.map(|_| ()), |error| matches!(error, RingError::Actor { .. }), words)
            .context(|| (*text).to_owned())?;
    }
    let broken = place.device.ring("// anywarp:actor\nfn f(a: ptr<function, u32>, b: u32, lane: u32) { *a = 1.5; }");
    refused(broken.map(|_| ()), |error| matches!(error, RingError::Kernel(_)), &["refusals.rs"])
}

async fn settings(place: Place<'_>) -> TestResult {
    let setting = |error: &RingError| matches!(error, RingError::Setting { .. });
    refused(place.ring(ECHO)?.actors(0).start(), setting, &["actors", "got 0"])?;
    refused(place.ring(ECHO)?.inbox(0).start(), setting, &["inbox", "got 0"])?;
    refused(place.ring(ECHO)?.lanes(1 << 20).start(), setting, &["lanes", "1048576"])?;
    refused(place.ring(ECHO)?.actors(1 << 20).inbox(1 << 20).start(), setting, &["actors x inbox"])?;
    let large = "// anywarp:actor\nfn f(a: ptr<function, array<u32, 2000>>, b: u32, lane: u32) {}";
    let lanes = |error: &RingError| matches!(error, RingError::Lanes { lanes: 4, .. });
    refused(place.ring(large)?.lanes(4).start(), lanes, &["'f'", "8000 bytes", "one lane"])
}

async fn types(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.overflow(Overflow::Reject).start()?;
    let layout = |what: &'static str| move |error: &SendError| matches!(error, SendError::Layout { what: of, .. } if *of == what);
    refused(ring.actor(0).tell(&1.0f32), layout("message"), &["'echo'", "message", "f32", "u32"])?;
    refused(ring.actor(0).ask::<u32, [u32; 2]>(&1).map(|_| ()), layout("reply"), &["reply", "[u32; 2]"])?;
    let state = |error: &AskError| matches!(error, AskError::Send(SendError::Layout { what: "state", .. }));
    refused(ring.state_here::<i32>(0).await, state, &["state", "i32"])?;
    let missing = |error: &SendError| matches!(error, SendError::NoSuchActor { actor: 1, actors: 1 });
    refused(ring.actor(1).tell(&1u32), missing, &["actor 1", "1 actors"])?;
    let missing = |error: &AskError| matches!(error, AskError::Send(SendError::NoSuchActor { .. }));
    refused(ring.state_here::<u32>(7).await, missing, &["actor 7"])?;
    let silent = "// anywarp:actor\nfn f(a: ptr<function, u32>, b: u32, lane: u32) {}";
    let reply = |error: &SendError| matches!(error, SendError::NoReply { .. });
    refused(place.start(silent)?.actor(0).ask::<u32, u32>(&1).map(|_| ()), reply, &["'f'", "tell"])
}
