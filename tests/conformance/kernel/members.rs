//! Members of structs in variables: arrays and matrices, whole and in parts.

use anywarp::Device;

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, same};

pub(crate) const CASES: &[Case] = cases![elements_of_arrays, columns_of_matrices];

/// Stores to elements of arrays in structs, in a loop whose number of turns is not constant.
async fn elements_of_arrays(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Cell { at: u32, times: array<u32, 3> }
         struct State { count: u32, next: array<u32, 4>, cells: array<Cell, 2> }
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         fn put(state: ptr<function, State>, n: u32) {
             (*state).next[n % 4u] += n;
             (*state).cells[n % 2u].times[n % 3u] += n;
             (*state).cells[n % 2u].at = n;
             (*state).count++;
         }
         @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var state: State;
             for (var n = 0u; n < data[id.x * 5u]; n++) { put(&state, n); }
             let at = id.x * 5u;
             data[at] = state.count;
             data[at + 1u] = state.next[0] + state.next[1] * 1000u;
             data[at + 2u] = state.next[2] + state.next[3] * 1000u;
             data[at + 3u] = state.cells[0].times[1] + state.cells[1].times[2] * 1000u;
             data[at + 4u] = state.cells[0].at + state.cells[1].at * 1000u;
         }",
    )?;
    let turns: Vec<u32> = (0..16 * 5).map(|at| at / 5).collect();
    let mut data = device.buffer_from(&turns)?;
    kernel.launch().bind("data", &mut data).threads(16)?;
    let expected: Vec<u32> = (0..16).flat_map(elements).collect();
    same(&data.read_here().await?, &expected, "the members after the loop")
}

/// The five words of an invocation with this number of turns.
fn elements(turns: u32) -> [u32; 5] {
    let sum = |wanted: &dyn Fn(u32) -> bool| (0..turns).filter(|n| wanted(*n)).sum::<u32>();
    let last = |rest: u32| (0..turns).rfind(|n| n % 2 == rest).unwrap_or(0);
    [
        turns,
        sum(&|n| n % 4 == 0) + sum(&|n| n % 4 == 1) * 1000,
        sum(&|n| n % 4 == 2) + sum(&|n| n % 4 == 3) * 1000,
        sum(&|n| n % 2 == 0 && n % 3 == 1) + sum(&|n| n % 2 == 1 && n % 3 == 2) * 1000,
        last(0) + last(1) * 1000,
    ]
}

/// Stores to matrices of two rows in structs: whole, to columns, and to single numbers.
async fn columns_of_matrices(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct State { count: u32, turn: mat3x2<f32> }
         var<workgroup> common_state: State;
         @group(0) @binding(0) var<storage, read_write> data: array<f32>;
         fn put(state: ptr<function, State>, x: f32) {
             (*state).turn = mat3x2<f32>(x, x + 1.0, x + 2.0, x + 3.0, x + 4.0, x + 5.0);
         }
         @compute @workgroup_size(3) fn main(@builtin(local_invocation_index) lane: u32) {
             var state: State;
             put(&state, data[0]);
             state.turn[lane] = vec2<f32>(10.0, 20.0);
             state.turn[(lane + 1u) % 3u].y = 30.0;
             state.turn[i32(lane + 2u) % 3][lane % 2u] = 40.0;
             common_state.turn[lane] = vec2<f32>(f32(lane), 7.0);
             workgroupBarrier();
             for (var column = 0u; column < 3u; column++) {
                 for (var row = 0u; row < 2u; row++) {
                     let at = lane * 6u + column * 2u + row;
                     data[1u + at] = state.turn[column][row];
                     data[19u + at] = common_state.turn[column][row];
                 }
             }
         }",
    )?;
    let mut data = device.buffer_from(&[100.0f32; 37])?;
    kernel.launch().bind("data", &mut data).threads(3)?;
    let mut expected = vec![100.0];
    for lane in 0..3 {
        let mut turn = [[100.0, 101.0], [102.0, 103.0], [104.0, 105.0f32]];
        turn[lane] = [10.0, 20.0];
        turn[(lane + 1) % 3][1] = 30.0;
        turn[(lane + 2) % 3][lane % 2] = 40.0;
        expected.extend(turn.as_flattened());
    }
    for _ in 0..3 {
        expected.extend([0.0, 7.0, 1.0, 7.0, 2.0, 7.0]);
    }
    same(&data.read_here().await?, &expected, "the columns")
}
