//! WGSL that naga does not accept yet. naga must still refuse each piece; when a piece is accepted, this test fails,
//! and a case is to take its place.

use anywarp::{Device, KernelError};

use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, fail, skip};

/// The pieces: a name, declarations and statements.
const PIECES: &[(&str, &str, &str)] = &[
    ("bitcast_of_vec2_f16_to_u32", "", "result[0] = bitcast<u32>(vec2<f16>(1.0h, 2.0h));"),
    ("bitcast_of_u32_to_vec2_f16", "", "result[0] = u32(bitcast<vec2<f16>>(result[1]).x);"),
    ("bitcast_of_vec4_f16_to_vec2_u32", "", "result[0] = bitcast<vec2<u32>>(vec4<f16>()).x;"),
    ("inverse", "", "result[0] = u32(inverse(mat2x2<f32>(f32(result[1]), 0.0, 0.0, 1.0))[0].x);"),
    ("pointer_to_workgroup_memory", "var<workgroup> a: u32; fn f(p: ptr<workgroup, u32>) { *p = 1u; }", "f(&a);"),
    ("pointer_to_storage_memory", "fn f(p: ptr<storage, array<u32>, read_write>) { (*p)[0] = 1u; }", "f(&result);"),
    ("frexp_of_f16_with_an_i32", "", "let e: i32 = frexp(f16(result[1])).exp; result[0] = u32(e);"),
];

pub(crate) fn cases() -> Vec<Case> {
    let case = |(name, declarations, body): &(&'static str, &'static str, &'static str)| {
        let (declarations, body) = (*declarations, *body);
        Case::new(format!("unparsed::{name}"), move |device| refused(device, declarations, body))
    };
    PIECES.iter().map(case).collect()
}

fn refused(device: &Device, declarations: &str, body: &str) -> TestResult {
    let source = format!(
        "enable f16;
         @group(0) @binding(0) var<storage, read_write> result: array<u32>;
         {declarations}
         @compute @workgroup_size(1) fn main() {{ {body} }}"
    );
    match device.kernel(&*source) {
        Err(KernelError::Invalid { .. }) => skip("naga does not accept this WGSL yet"),
        Err(error) => Err(error.into()),
        Ok(_) => fail("naga accepts this WGSL now: replace this piece by a case"),
    }
}
