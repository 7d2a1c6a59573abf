//! Pages of HTML. The pages are kept in `target/tmp/pages`, where `tools/browser/insight.mjs` opens them in a browser.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anywarp::Device;
use anywarp::insight::{Model, Page, Profile, Report, Span, SpanKind, inspect, profile};

/// A profile of spans from 0 to `end` microseconds.
fn made(spans: Vec<Span>, end: u64) -> Profile {
    Profile {
        spans,
        events: Vec::new(),
        range: (Duration::from_secs(1), Duration::from_secs(1) + Duration::from_micros(end)),
        uncertainty: Duration::from_nanos(350),
        dropped: 0,
        thread: 0,
        unified: false,
        multiprocessors: None,
    }
}

/// A span from `start` to `end` microseconds after the start of the work, on a stream or a thread.
fn span(kind: SpanKind, label: &str, track: u32, start: u64, end: u64) -> Span {
    let at = |time: u64| Duration::from_secs(1) + Duration::from_micros(time);
    Span {
        kind,
        label: label.into(),
        stream: track,
        submission: 7,
        bytes: 4096,
        workgroups: Some(96),
        thread: track,
        start: at(start),
        end: at(end),
    }
}

/// A loop of steps with two streams and a thread that reads inputs.
fn steps() -> Profile {
    use SpanKind::{Compile, Copy, CopyIn, CopyOut, Fill, Kernel, Scope, Submission, Wait};
    let mut spans = vec![span(Compile, "softmax.wgsl:main", 0, 30, 410), span(Compile, "blur.wgsl:rows", 0, 430, 640)];
    for step in 0..8 {
        let at = 700 + step * 400;
        spans.extend([
            span(Scope, "step", 0, at, at + 390),
            span(Scope, "launching", 0, at + 5, at + 90),
            span(CopyIn, "copy-in", 0, at + 10, at + 40),
            span(Submission, "submission", 0, at + 60, at + 85),
            span(Wait, "wait", 0, at + 100, at + 360),
            span(CopyOut, "copy-out", 0, at + 365, at + 385),
            span(Copy, "copy", 0, at + 70, at + 110),
            span(Kernel, "softmax.wgsl:main", 0, at + 112, at + 240 + step * 6),
            span(Kernel, "layer_norm.wgsl:main", 0, at + 300, at + 340),
            span(Fill, "fill", 1, at + 80, at + 90),
            span(Kernel, "blur.wgsl:rows", 1, at + 120, at + 200),
            span(Kernel, "blur.wgsl:columns", 1, at + 205, at + 310),
            span(Scope, "read the next input", 3, at + 20, at + 260),
        ]);
    }
    made(spans, 3950)
}

/// A transposition whose accesses are scattered and conflict.
const TRANSPOSE: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 1024>;

@compute @workgroup_size(32, 8)
fn transpose(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    tile[at.x * 32u + at.y] = x[id.y * 64u + id.x] * 0.5;
    workgroupBarrier();
    y[id.x * 64u + id.y] = tile[at.x * 32u + at.y];
}
";

/// Runs the transposition on the device that counts.
fn transposed() -> (Profile, Report) {
    let device = Device::open("cpu:observed").unwrap();
    let (kernel, profile) = profile(&device, || {
        let kernel = device.kernel(TRANSPOSE).unwrap();
        let x = device.buffer_from(&vec![1.0f32; 4096]).unwrap();
        let mut y = device.buffer::<f32>(4096).unwrap();
        kernel.launch().bind("x", &x).bind("y", &mut y).threads([64, 64]).unwrap();
        kernel
    })
    .unwrap();
    assert_eq!(kernel.entry_point(), "transpose");
    (profile, inspect(&device.observations(), &Model::default()))
}

/// Keeps a page for the test in a browser, and checks what holds for each.
fn keep(name: &str, page: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.html")), page).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{name}");
    for tag in ["table", "section", "svg", "div", "script", "p", "pre", "tr", "td", "ul", "style", "main"] {
        let starts = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(starts, page.matches(&format!("</{tag}>")).count(), "{name}: {tag}");
    }
    for address in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(address), "{name} needs the network: {address}");
    }
}

#[test]
fn a_profile_has_timeline_kernels_and_idle_time() {
    let profile = steps();
    let page = profile.html();
    keep("timeline", &page);
    for part in [
        "<h1>Profile</h1>",
        "<p>106 spans in 3.95 ms on the clock of the host; times of kernels are accurate to 0.35 us.",
        "<div class=\"lane\"><p>host</p>",
        "<div class=\"lane\"><p>stream 0</p>",
        "<div class=\"lane\"><p>stream 1</p>",
        "<div class=\"lane\"><p>thread 3</p>",
        "aria-label=\"stream 1: 24 spans\"",
        "<title>layer_norm.wgsl:main, 40.00 us</title>",
        "<code>blur.wgsl:columns</code></td><td>8</td><td>840.00 us</td><td>105.00 us</td>",
        "no kernel: the host was late",
        "no kernel: data was copied or filled",
        "<h2 id=\"advice\">Advice</h2>\n<p>No pitfalls.</p>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("class=\"lane\"").count(), 4);
    // The data for the script has the same spans, with workgroups and submissions.
    assert!(page.contains("[0,812000,128000,"), "{page}");
    assert!(page.contains(",96,7]") && page.contains("[\"kernel\",\"k0\",\"softmax.wgsl:main\"]"), "{page}");
    assert!(!page.contains("one bar.</p>") && !page.contains("left out"), "nothing is joined or left out: {page}");
}

#[test]
fn a_page_may_have_profile_and_report() {
    let (profile, report) = transposed();
    keep("inspection", &report.html());
    let page = Page::new("Transposition").note("on cpu:observed").profile(&profile).report(&report).html();
    keep("both", &page);
    let order = [
        "<h1>Transposition",
        ">Timeline<",
        ">Busy and idle<",
        ">Kernels by time<",
        ">Advice<",
        ">Roofline<",
        ">Findings<",
    ];
    let places: Vec<Option<usize>> = order.iter().map(|part| page.find(part)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    for part in [
        "<p>on cpu:observed</p>",
        "<title>kernel:transpose, ",
        "<b>bank-conflict</b>: each request to",
        "10 |     y[id.x * 64u + id.y] = tile[at.x * 32u + at.y];",
        "<td class=\"l name\"><code>tile</code></td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Only a timeline needs a script.
    assert!(page.contains("<script>") && !report.html().contains("<script"));
}

#[test]
fn no_name_can_break_a_page() {
    let names =
        ["<script>alert(1)</script>", "</script><b>", "\"><img src=x onerror=alert(1)>", "<!--", "a\u{2028}\\\n\0'&"];
    let spans = names.iter().zip(0..).flat_map(|(name, k)| {
        [span(SpanKind::Kernel, name, 0, k * 100, k * 100 + 90), span(SpanKind::Scope, name, 0, k * 100, k * 100 + 50)]
    });
    let profile = made(spans.collect(), 600);
    let page = Page::new(names[0]).note(names[2]).profile(&profile).html();
    keep("hostile", &page.replace("src=x", ""));
    for forbidden in ["<script>alert", "</script><b>", "<img", "<!--", "\0"] {
        assert!(!page.contains(forbidden), "{forbidden}: {page}");
    }
    assert!(
        page.contains("\\u003cscript>alert(1)\\u003c/script>") && page.contains("&lt;script&gt;alert(1)"),
        "{page}"
    );
    assert_eq!(page.matches("</script>").count(), 2, "{page}");
}

#[test]
fn a_page_of_any_number_of_spans_has_a_limited_size() {
    let launches = (0..50_000).flat_map(|k| {
        let label = ["matmul.wgsl:main", "softmax.wgsl:main", "gelu.wgsl:main"][k as usize % 3];
        let at = k * 20;
        [
            span(SpanKind::Submission, "submission", 0, at, at + 3),
            span(SpanKind::Kernel, label, 0, at + 4, at + 9 + k % 9),
        ]
    });
    let page = Profile { dropped: 12, ..made(launches.collect(), 1_000_000) }.html();
    keep("large", &page);
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
    for part in [
        "<p>100000 spans in 1.00 s",
        "There are too many for a page: neighbours within ",
        "12 events were lost",
        "<b>tiny-kernels</b>",
        "<code>Device::recording</code>",
    ] {
        assert!(page.contains(part), "{part}");
    }

    // As many names as spans, which are long, and more threads than lanes.
    let name = |k: u64| format!("{}_{k}.wgsl:main", "long<".repeat(50));
    let kernels = (0..4000).map(|k| span(SpanKind::Kernel, &name(k), 0, k * 10, k * 10 + 9));
    let threads = (0..100).map(|k| span(SpanKind::Scope, "work", k, 0, 1000));
    let page = made(kernels.chain(threads).collect(), 40_000).html();
    keep("names", &page);
    assert!(page.len() < 3 << 20, "{} bytes", page.len());
    for part in [
        "The first 64 lanes are shown; 37 more with 37 spans are left out.",
        "(one of too many names)",
        "<p>3800 more kernels took 34.20 ms, 95.0 % of the time of all.</p>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("class=\"lane\"").count(), 64);
}

#[test]
fn a_profile_without_spans_has_a_page() {
    let page = made(Vec::new(), 0).html();
    keep("empty", &page);
    assert!(page.contains("<p>0 spans in 0.00 us") && page.contains("<p>No kernel ran.</p>"), "{page}");
}
