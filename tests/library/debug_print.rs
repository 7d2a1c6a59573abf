//! Debug printing on every device of the machine: the host receives the printed values.

use anywarp::{DebugLine, DebugOutput, DebugValue, Device, KernelError, Result, Wgsl, f16};

/// Runs `test` on each device, and on the CPU backend with access checks.
fn on_every_device(test: impl Fn(&Device) -> Result<()>) {
    let selectors = Device::enumerate().into_iter().map(|candidate| candidate.selector);
    let mut tested = 0;
    for selector in selectors.chain(["cpu:checked".to_owned()]) {
        match Device::open(&selector) {
            Ok(device) => {
                test(&device).unwrap_or_else(|error| panic!("on {selector}: {error}"));
                // The code for debug printing causes no findings.
                assert_eq!(device.findings().to_string(), "", "on {selector}");
            }
            Err(error) if selector == "cpu:checked" => println!("without checks: {error}"),
            Err(error) => panic!("{error}"),
        }
        tested += 1;
    }
    println!("{tested} devices");
}

fn kernel(device: &Device, text: &str) -> Result<anywarp::Kernel> {
    Ok(device.kernel(Wgsl::new(text).file("k.wgsl"))?)
}

/// Runs a kernel without bindings and returns what it prints.
fn print(device: &Device, text: &str, groups: [u32; 3]) -> Result<DebugOutput> {
    kernel(device, text)?.launch().groups(groups)?;
    device.debug_output()
}

/// The lines as text, sorted because invocations print in any order.
fn sorted(output: &DebugOutput) -> Vec<String> {
    assert_eq!(output.dropped, 0);
    let mut lines: Vec<String> = output.lines.iter().map(ToString::to_string).collect();
    lines.sort_unstable();
    lines
}

fn value(line: &DebugLine, index: usize) -> &DebugValue {
    &line.arguments[index].value
}

#[test]
fn every_invocation_prints_its_ids() {
    on_every_device(|device| {
        let text = "// anywarp:debug
            fn debug(index: u32, id: vec3<u32>) {}
            @compute @workgroup_size(4, 2, 1)
            fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) index: u32) {
                debug(index, id);
            }";
        let output = print(device, text, [3, 2, 2])?;
        assert_eq!((output.lines.len(), output.dropped), (96, 0));
        let mut seen: Vec<[u32; 3]> = output.lines.iter().map(|line| line.invocation).collect();
        for line in &output.lines {
            let id = line.invocation.map(DebugValue::U32);
            assert_eq!(*value(line, 1), DebugValue::Vector(id.to_vec()));
            assert_eq!(*value(line, 0), DebugValue::U32(line.invocation[0] % 4 + line.invocation[1] % 2 * 4));
            assert_eq!((&*line.kernel, &*line.file, line.line), ("k.wgsl:main", "k.wgsl", 5));
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 96);
        assert_eq!(device.debug_output()?, DebugOutput::default(), "collected output is removed");
        Ok(())
    });
}

#[test]
fn values_of_every_type_keep_their_bits() {
    on_every_device(|device| {
        let text = "// anywarp:debug
            fn debug(a: bool, b: i32, c: u32, d: f32, e: vec2<bool>, f: vec3<f32>, g: vec4<i32>) {}
            @compute @workgroup_size(1) fn main(@builtin(num_workgroups) one: vec3<u32>) {
                let x = f32(one.x);
                debug(x > 0, -7 * i32(one.x), 4294967295u * one.x, -0.1 * x, vec2(x > 1, x < 2),
                      vec3(1.5, -2.5, 1e-30) * x, vec4(1, -2, 2147483647, -2147483648) * i32(one.x));
            }";
        let expected = "k.wgsl:5: debug(a = true, b = -7, c = 4294967295, d = -0.1, e = vec2(false, true), \
             f = vec3(1.5, -2.5, 1e-30), g = vec4(1, -2, 2147483647, -2147483648)) at [0, 0, 0]";
        assert_eq!(sorted(&print(device, text, [1, 1, 1])?), [expected]);
        Ok(())
    });
}

#[test]
fn values_of_types_that_devices_may_lack() {
    on_every_device(|device| {
        let features = device.caps().feature_names();
        let has = |name: &str| features.contains(&name);
        let of = |enable: &str, scalar: &str, expression: &str| {
            format!(
                "{enable}
                 // anywarp:debug
                 fn debug(value: {scalar}, pair: vec2<{scalar}>) {{}}
                 @compute @workgroup_size(1) fn main(@builtin(num_workgroups) one: vec3<u32>) {{
                     let value = {expression};
                     debug(value, vec2<{scalar}>({scalar}(0), value));
                 }}"
            )
        };
        println!("{}: {features:?}", device.selector());
        for (feature, enable, scalar, expression, expected, zero) in [
            (
                "f16",
                "enable f16;",
                "f16",
                "f16(one.x) * -0.333h",
                DebugValue::F16(f16::from_f32(-0.333)),
                DebugValue::F16(f16::ZERO),
            ),
            (
                "i16",
                "enable wgpu_int16;",
                "i16",
                "i16(one.x) * i16(-12345)",
                DebugValue::I16(-12345),
                DebugValue::I16(0),
            ),
            ("i16", "enable wgpu_int16;", "u16", "u16(one.x) * u16(54321)", DebugValue::U16(54321), DebugValue::U16(0)),
            (
                "i64",
                "",
                "i64",
                "i64(one.x) * -81985529216486895li",
                DebugValue::I64(-0x0123_4567_89ab_cdef),
                DebugValue::I64(0),
            ),
            (
                "i64",
                "",
                "u64",
                "u64(one.x) * 18364758544493064720lu",
                DebugValue::U64(0xfedc_ba98_7654_3210),
                DebugValue::U64(0),
            ),
            ("f64", "", "f64", "f64(one.x) * 0.1lf", DebugValue::F64(0.1), DebugValue::F64(0.0)),
        ] {
            if !has(feature) {
                println!("{}: without {feature}", device.selector());
                continue;
            }
            let output = print(device, &of(enable, scalar, expression), [1, 1, 1])?;
            assert_eq!(*value(&output.lines[0], 0), expected, "{scalar}");
            assert_eq!(*value(&output.lines[0], 1), DebugValue::Vector(vec![zero, expected]), "{scalar}");
        }
        Ok(())
    });
}

/// A kernel with debug calls in branches, loops and functions.
const FLOW: &str = "
// anywarp:debug
fn note(what: u32) {}
fn inner(x: u32) { if x % 2 == 1 { note(100 + x); } }
fn outer(x: u32) -> u32 { inner(x); inner(x + 1); return x * 2; }
/* anywarp:debug */ fn none() {}
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) x: u32) {
    for (var i = 0u; i < 3; i++) { if i == 1 { continue; } note(i); }
    switch x { case 0: { none(); } default: { note(outer(x)); } }
}";

#[test]
fn calls_name_their_line() {
    on_every_device(|device| {
        let at = |line: u32, call: &str, x: u32| format!("k.wgsl:{line}: {call} at [{x}, 0, 0]");
        let mut expected = vec![at(4, "note(what = 101)", 1), at(10, "none()", 0), at(10, "note(what = 2)", 1)];
        for x in 0..2 {
            expected.extend([at(9, "note(what = 0)", x), at(9, "note(what = 2)", x)]);
        }
        expected.sort_unstable();
        let output = print(device, FLOW, [1, 1, 1])?;
        assert_eq!(sorted(&output), expected);
        // The calls of one invocation are printed in order.
        let of_one: Vec<u32> =
            output.lines.iter().filter(|line| line.invocation == [1, 0, 0]).map(|line| line.line).collect();
        assert_eq!(of_one, [9, 9, 4, 10]);
        Ok(())
    });
}

#[test]
fn folded_grids_print_logical_ids() {
    on_every_device(|device| {
        let limit = device.caps().limits.workgroups_per_dimension;
        if limit > 1 << 20 {
            println!("{}: grids are not folded", device.selector());
            return Ok(());
        }
        let text = "// anywarp:debug
            fn debug(group: u32) {}
            @compute @workgroup_size(2)
            fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
                if index == 1 && group.x % 10000 == 7 { debug(group.x); }
            }";
        let mut got: Vec<_> = Vec::new();
        for line in print(device, text, [limit + 5000, 1, 1])?.lines {
            let DebugValue::U32(group) = *value(&line, 0) else { panic!("{line}") };
            assert_eq!(line.invocation, [group * 2 + 1, 0, 0]);
            got.push(group);
        }
        got.sort_unstable();
        assert!(got.iter().copied().eq((7..limit + 5000).step_by(10000)), "{got:?}");
        Ok(())
    });
}

#[test]
fn the_bindings_of_the_kernel_are_unchanged() {
    on_every_device(|device| {
        let text = "struct Params { a: u32 }
            @group(0) @binding(1) var<uniform> params: Params;
            @group(1) @binding(2) var<storage, read_write> y: array<u32>;
            // anywarp:debug
            fn debug(value: u32) {}
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                if id.x < arrayLength(&y) { y[id.x] += params.a; debug(y[id.x]); }
            }";
        let kernel = kernel(device, text)?;
        assert_eq!(kernel.bindings().len(), 2);
        let mut y = device.buffer_from(&[1u32, 2, 3])?;
        kernel.launch().set("params.a", 10u32).bind("y", &mut y).threads(3)?;
        assert_eq!(*y.read()?, [11, 12, 13]);
        let line = |x| format!("k.wgsl:7: debug(value = {}) at [{x}, 0, 0]", x + 11);
        assert_eq!(sorted(&device.debug_output()?), [line(0), line(1), line(2)]);
        Ok(())
    });
}

#[test]
fn launches_print_one_after_the_other_also_when_replayed() {
    on_every_device(|device| {
        let text = |constant: u32| {
            format!(
                "// anywarp:debug
                 fn debug(value: u32) {{}}
                 @compute @workgroup_size(64) fn main() {{ debug({constant}u); }}"
            )
        };
        let (one, two) = (kernel(device, &text(1))?, kernel(device, &text(2))?);
        let values = |output: &DebugOutput| -> Vec<u32> {
            let values = output.lines.iter().map(|line| match value(line, 0) {
                DebugValue::U32(value) => *value,
                other => panic!("{other}"),
            });
            let mut values: Vec<u32> = values.collect();
            assert!(values.chunks(64).all(|launch| launch.iter().all(|value| *value == launch[0])), "{output}");
            values.dedup();
            values
        };
        one.launch().groups(1)?;
        two.launch().groups(1)?;
        one.launch().groups(1)?;
        assert_eq!(values(&device.debug_output()?), [1, 2, 1]);

        let mut recording = device.recording();
        one.launch().record(&mut recording).groups(1)?;
        two.launch().record(&mut recording).groups(1)?;
        // The kernels can be dropped, because the recording keeps them.
        drop((one, two));
        for _ in 0..3 {
            recording.submit()?;
        }
        assert_eq!(values(&device.debug_output()?), [1, 2, 1, 2, 1, 2]);
        recording.submit()?;
        assert_eq!(values(&pollster::block_on(device.debug_output_async())?), [1, 2]);
        Ok(())
    });
}

#[test]
fn dropped_calls_are_counted() {
    on_every_device(|device| {
        let text = "// anywarp:debug
            fn wide(x: vec4<u32>, y: vec4<u32>) {}
            // anywarp:debug
            fn narrow() {}
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                wide(id.xxxx, id.yyyy);
                narrow();
            }";
        let kernel = kernel(device, text)?;
        // Each of 65,536 invocations prints 16 words: four times the size of the memory.
        kernel.launch().groups([512, 2, 1])?;
        let output = device.debug_output()?;
        let printed = output.lines.len() as u64;
        assert_eq!(printed + output.dropped, 2 * 65_536);
        assert!(output.lines.iter().all(|line| line.invocation[0] < 512 * 64 && line.invocation[1] < 2));
        let words: u64 = output.lines.iter().map(|line| if line.function == "wide" { 12 } else { 4 }).sum();
        // The memory of 1 MiB is full, except for the counters and less than the widest record.
        assert!((262_144 - 2 - 11..=262_144 - 2).contains(&words), "{words} words");
        let text = output.to_string();
        assert!(text.ends_with(&format!(
            "{} calls were dropped: the debug memory is full (increase ANYWARP_DEBUG_BYTES)\n",
            output.dropped
        )));
        // Reading the output frees the memory.
        kernel.launch().groups(1)?;
        let output = device.debug_output()?;
        assert_eq!((output.lines.len(), output.dropped), (128, 0));
        Ok(())
    });
}

#[cfg(feature = "cpu")]
#[test]
fn a_kernel_that_was_stopped_has_printed() -> Result<()> {
    let options = anywarp_cpu::Options { steps: Some(1000), ..Default::default() };
    let device = Device::from_backend(anywarp_cpu::open(options)?);
    let text = |condition: &str| {
        format!(
            "// anywarp:debug
             fn debug(value: u32) {{}}
             @compute @workgroup_size(1) fn main(@builtin(num_workgroups) one: vec3<u32>) {{
                 debug(7);
                 for (var i = 1u; {condition}; i = i * 3) {{ if i == 9 {{ debug(i); }} }}
             }}"
        )
    };
    kernel(&device, &text("i != 0"))?.launch().groups(1)?;
    let line = |line, value| format!("k.wgsl:{line}: debug(value = {value}) at [0, 0, 0]");
    assert_eq!(sorted(&device.debug_output()?), [line(4, 7), line(5, 9)]);
    assert!(device.synchronize().is_err_and(|error| error.to_string().contains("was stopped")));
    // The kernel that fails does not affect later kernels.
    kernel(&device, &text("i < 3"))?.launch().groups(1)?;
    assert_eq!(sorted(&device.debug_output()?), [line(4, 7)]);
    device.synchronize()
}

#[test]
fn the_memory_is_bound_after_the_kernel_bindings_and_cleared_when_collected() -> Result<()> {
    let null = anywarp_null::NullBackend::with(&anywarp_null::NullOptions::staged());
    let device = Device::from_backend(std::sync::Arc::clone(&null) as _);
    let text = "@group(0) @binding(3) var<storage, read_write> y: array<u32, 4>;
        // anywarp:debug
        fn debug(value: u32) {}
        @compute @workgroup_size(1) fn main() { y[0] = 1; debug(y[1]); }";
    let mut y = device.buffer::<u32>(4)?;
    kernel(&device, text)?.launch().bind("y", &mut y).groups(100_000)?;
    assert_eq!(device.debug_output()?, DebugOutput::default());
    let submitted: String = null.submissions().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(submitted, @r"
    dispatch k.wgsl:main [50000, 2, 1] write memory 1[0..16] write memory 2[0..1048576] value [a0, 86, 01, 00, 01, 00, 00, 00, 01, 00, 00, 00, 00, 00, 00, 00]
    copy memory 2[0..4] -> memory 3[0..4]
    copy memory 2[0..1048576] -> memory 3[0..1048576]
    fill memory 2[0..1048576] with 0x00000000
    ");
    assert_eq!(null.misuse(), [""; 0]);
    Ok(())
}

#[test]
fn kernels_without_calls_have_no_cost() {
    on_every_device(|device| {
        let text = "// anywarp:debug
            fn debug(value: u32) {}
            @compute @workgroup_size(64) fn silent() {}
            @compute @workgroup_size(64) fn loud() { debug(1); }";
        let silent = device.kernel(Wgsl::new(text).entry("silent"))?;
        silent.launch().groups(1)?;
        assert_eq!(device.debug_output()?, DebugOutput::default());
        device.kernel(Wgsl::new(text).entry("loud"))?.launch().groups(1)?;
        assert_eq!(device.debug_output()?.lines.len(), 64);
        Ok(())
    });
}

#[test]
fn errors_of_debug_functions_name_the_line() {
    on_every_device(|device| {
        for (line, function, message) in [
            (3, "fn debug(a: u32) { other(); }", "the debug function 'debug' has a body, which must be empty"),
            (
                3,
                "fn debug(a: u32) -> u32 { return a; }",
                "the debug function 'debug' has a result, which a debug function cannot have",
            ),
            (
                4,
                "\nfn debug(a: ptr<function, u32>) {}",
                "the debug function 'debug' has the parameter 'a', which is neither a scalar nor a vector",
            ),
            (
                3,
                "fn debug(a: vec4f, b: vec4f, c: vec4f, d: vec4f, e: f32) {}",
                "the debug function 'debug' takes 17 words (of 4 bytes) of arguments, but at most 16 can be printed; split \
                 the call",
            ),
            (
                2,
                "const x = 1;",
                "the mark 'anywarp:debug' must directly precede the 'fn' of a function that is not an entry point",
            ),
        ] {
            let text =
                format!("fn other() {{}}\n// anywarp:debug\n{function}\n@compute @workgroup_size(1) fn main() {{}}");
            let error = kernel(device, &text).expect_err(function);
            assert_eq!(error.to_string(), format!("k.wgsl:{line}: {message}"));
            assert!(matches!(error, anywarp::Error::Kernel(KernelError::DebugFunction { .. })));
        }
        Ok(())
    });
}
