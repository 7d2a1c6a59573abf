//! The cases in a browser's page, in batches, which is the only mode there.

use std::time::Duration;

use anywarp::ring::Mode;
use anywarp_testing_devices::page::run_all;
use anywarp_testing_devices::verdict::verdict;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::{CASES, Place};

/// Starts the cases, and returns while they run.
pub(crate) fn run() {
    let cases = CASES.iter().copied().flatten().map(|(name, case)| (format!("batched::{name}"), case));
    spawn_local(run_all(
        cases,
        |caps| format!("webgpu: {}", caps.name),
        async |device, case| verdict(case(Place { device, mode: Mode::Batched }).await),
    ));
}

/// Waits for a time, by the page's timers.
pub(crate) async fn sleep(time: Duration) {
    let over = Promise::new(&mut |resolve, _| {
        let set_timeout = Reflect::get(&js_sys::global(), &"setTimeout".into()).expect("a page has timers");
        let milliseconds = (time.as_secs_f64() * 1000.0).into();
        let set_timeout: Function = set_timeout.unchecked_into();
        set_timeout.call2(&wasm_bindgen::JsValue::UNDEFINED, &resolve, &milliseconds).expect("a page has timers");
    });
    JsFuture::from(over).await.expect("a timer never fails");
}
