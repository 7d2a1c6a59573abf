//! Atomic functions of many invocations and workgroups on one word.

use anywarp::Device;

use super::needs;
use crate::operator_suite::program::Program;
use crate::operator_suite::scalar::{Scalar, Value};
use crate::operator_suite::table::{Case, Named};
use anywarp_testing_devices::outcome::{TestResult, equal, same};

pub(super) fn cases() -> Vec<Case> {
    let of_type = |scalar: Scalar| {
        let name = format!("atomics::{}::contended_storage", scalar.name());
        Case::new(name, move |device| contended(device, scalar))
    };
    let mut cases: Vec<Case> = [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64].map(of_type).into();
    let named: [Named; 6] = [
        ("f32::contended_storage", contended_floats),
        ("u32::contended_workgroup", contended_workgroup),
        ("u32::compare_exchange_loop", compare_exchange_loop),
        ("u32::every_ticket_is_taken_once", every_ticket_is_taken_once),
        ("u32::in_structs_and_arrays", in_structs_and_arrays),
        ("u32::through_pointers", through_pointers),
    ];
    cases.extend(named.map(|(name, run)| Case::new(format!("atomics::{name}"), run)));
    cases
}

const GROUPS: u32 = 40;

/// Each function is right when all invocations of all workgroups use one word.
fn contended(device: &Device, scalar: Scalar) -> TestResult {
    needs(device, scalar, "atomicAdd")?;
    needs(device, scalar, "atomicMin")?;
    let name = scalar.name();
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> result: array<atomic<{name}>>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let value = {name}(id.x);
             for (var n = 0; n < 3; n++) {{ atomicAdd(&result[0], value); }}
             atomicSub(&result[1], value);
             atomicMax(&result[2], value);
             atomicMin(&result[3], value + {name}(7));
             atomicXor(&result[4], value);
             atomicOr(&result[5], value);
             atomicAnd(&result[6], ~(value & {name}(0x00f0)));
         }}"
    );
    let start = [0, 0, 0, 1 << 20, 0, 0, -1].map(|value| Value::int(scalar, value));
    let bytes: Vec<u8> = start.iter().flat_map(|value| value.to_bytes()).collect();
    let mut cells = device.buffer_from(&bytes)?;
    device.kernel(&*source)?.launch().bind("result", &mut cells).groups(GROUPS)?;
    let count = i128::from(GROUPS * 64);
    let sum = count * (count - 1) / 2;
    let fold = |with: fn(i128, i128) -> i128| (0..count).fold(0, with);
    let wanted = [3 * sum, -sum, count - 1, 7, fold(|a, b| a ^ b), fold(|a, b| a | b), !0xf0];
    let wanted: Vec<Value> = wanted.iter().map(|value| Value::int(scalar, *value)).collect();
    let got: Vec<Value> = cells.read()?.chunks(scalar.size()).map(|bytes| Value::from_bytes(scalar, bytes)).collect();
    equal(got, wanted, "sum, difference, greatest, least, xor, or, and")
}

/// Sums of floats are right; the floats are small whole numbers, whose sum is exact in every order.
fn contended_floats(device: &Device) -> TestResult {
    needs(device, Scalar::F32, "atomicAdd")?;
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read_write> result: array<atomic<f32>>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             atomicAdd(&result[0], f32(id.x));
             atomicAdd(&result[1], -1.5);
         }",
    );
    let got = program.run(device, 2, GROUPS)?;
    let count = GROUPS * 64;
    let wanted = [(count * (count - 1) / 2) as f32, -1.5 * count as f32].map(f32::to_bits);
    same(&got, &wanted, "sums")
}

fn contended_workgroup(device: &Device) -> TestResult {
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<workgroup> sum: atomic<u32>;
         var<workgroup> bins: array<atomic<u32>, 5>;
         @compute @workgroup_size(96)
         fn main(@builtin(local_invocation_index) at: u32, @builtin(workgroup_id) group: vec3<u32>) {
             atomicAdd(&sum, at + group.x);
             atomicAdd(&bins[at % 5u], 1u);
             workgroupBarrier();
             if at == 0u { result[group.x * 6u] = atomicLoad(&sum); }
             if at < 5u { result[group.x * 6u + 1u + at] = atomicLoad(&bins[at]); }
         }",
    );
    let got = program.run(device, 6 * GROUPS as usize, GROUPS)?;
    let wanted: Vec<u32> = (0..GROUPS).flat_map(|group| [96 * 95 / 2 + 96 * group, 20, 19, 19, 19, 19]).collect();
    same(&got, &wanted, "a sum and five bins a workgroup")
}

fn compare_exchange_loop(device: &Device) -> TestResult {
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read_write> result: array<atomic<u32>>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             // A sum in the upper half, a count in the lower half.
             var old = atomicLoad(&result[id.x & 1u]);
             loop {
                 let next = old + 0x10001u + (id.x & 3u) * 0x10000u;
                 let outcome = atomicCompareExchangeWeak(&result[id.x & 1u], old, next);
                 if outcome.exchanged { break; }
                 old = outcome.old_value;
             }
         }",
    );
    let got = program.run(device, 2, GROUPS)?;
    let mut wanted = [0u32; 2];
    for id in 0..GROUPS * 64 {
        let cell = &mut wanted[(id & 1) as usize];
        *cell = cell.wrapping_add(0x10001 + (id & 3) * 0x10000);
    }
    same(&got, &wanted, "sums by compare and exchange")
}

/// Each result of `atomicAdd` is different, so that each element of `taken` is written once.
fn every_ticket_is_taken_once(device: &Device) -> TestResult {
    let program = Program::new(
        "struct Tickets { next: atomic<u32>, taken: array<u32> }
         @group(0) @binding(0) var<storage, read_write> result: Tickets;
         @compute @workgroup_size(33) fn main() {
             let ticket = atomicAdd(&result.next, 1u);
             result.taken[ticket] += ticket + 1u;
         }",
    );
    let count = 33 * GROUPS;
    let got = program.run(device, 1 + count as usize, GROUPS)?;
    let wanted: Vec<u32> = [count].into_iter().chain(1..=count).collect();
    same(&got, &wanted, "the next ticket and those taken")
}

fn in_structs_and_arrays(device: &Device) -> TestResult {
    let program = Program::new(
        "struct Cell { plain: u32, counts: array<atomic<u32>, 3> }
         @group(0) @binding(0) var<storage, read_write> result: array<Cell, 5>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             atomicAdd(&result[id.x % 5u].counts[id.x % 3u], id.x);
         }",
    );
    let got = program.run(device, 20, 4)?;
    let mut wanted = vec![0u32; 20];
    (0..256).for_each(|id| wanted[id % 5 * 4 + 1 + id % 3] += id as u32);
    same(&got, &wanted, "counts in cells")
}

fn through_pointers(device: &Device) -> TestResult {
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read_write> result: array<atomic<u32>, 4>;
         var<workgroup> local: array<atomic<u32>, 4>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) at: u32) {
             let near = &local[at % 4u];
             atomicMax(near, at);
             workgroupBarrier();
             if at < 4u {
                 let cell = &result[at];
                 let old = atomicAdd(cell, 1u);
                 atomicAdd(cell, old + atomicLoad(&local[at]));
             }
         }",
    );
    same(
        &program.starting(&[5, 0, 0, 0]).run(device, 4, 1)?,
        &[5 + 1 + 5 + 60, 1 + 61, 1 + 62, 1 + 63],
        "cells by pointer",
    )
}
