//! Atomic functions of one invocation on its own cell: results and final contents.

use anywarp::Device;

use super::needs;
use crate::operator_suite::edges::combinations;
use crate::operator_suite::scalar::{Scalar, Value};
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, ensure};

/// A function from the contents `x` of a cell and the operand `y` to the new contents.
type Applied = fn(Scalar, Value, Value) -> Value;

const FUNCTIONS: &[(&str, Applied)] = &[
    ("atomicAdd", |s, x, y| if s.is_float() { Value::float(s, x.f() + y.f()) } else { Value::int(s, x.i() + y.i()) }),
    ("atomicSub", |s, x, y| if s.is_float() { Value::float(s, x.f() - y.f()) } else { Value::int(s, x.i() - y.i()) }),
    ("atomicMin", |s, x, y| Value::int(s, x.i().min(y.i()))),
    ("atomicMax", |s, x, y| Value::int(s, x.i().max(y.i()))),
    ("atomicAnd", |s, x, y| Value::new(s, x.bits & y.bits)),
    ("atomicOr", |s, x, y| Value::new(s, x.bits | y.bits)),
    ("atomicXor", |s, x, y| Value::new(s, x.bits ^ y.bits)),
    ("atomicExchange", |_, _, y| y),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for scalar in [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F32] {
        for (function, applied) in FUNCTIONS {
            if scalar == Scalar::F32 && !["atomicAdd", "atomicSub", "atomicExchange"].contains(function) {
                continue;
            }
            let name = |space: &str| format!("atomics::{}::{function}_{space}", scalar.name());
            cases.push(Case::new(name("storage"), move |device| alone(device, scalar, function, *applied, STORAGE)));
            // naga supports float and 64-bit atomics in storage memory only.
            if scalar.size() == 4 && scalar != Scalar::F32 {
                cases.push(Case::new(name("workgroup"), move |device| {
                    alone(device, scalar, function, *applied, WORKGROUP)
                }));
            }
        }
        if scalar != Scalar::F32 {
            cases.extend(exchanges(scalar));
        }
    }
    cases
}

const STORAGE: &str = "@group(0) @binding(8) var<storage, read_write> cells: array<atomic<TYPE>>;";
const WORKGROUP: &str = "var<workgroup> cells: array<atomic<TYPE>, 64>;";

/// Checks the result and the final contents of each invocation's cell.
fn alone(device: &Device, scalar: Scalar, function: &str, applied: Applied, memory: &str) -> TestResult {
    needs(device, scalar, function)?;
    let name = scalar.name();
    let mut rows = combinations(&[scalar; 2]);
    if scalar.is_float() {
        rows.retain(|row| row.iter().flatten().all(|value| !value.is_special() && !value.is_subnormal()));
        rows.retain(|row| !applied(scalar, row[0][0], row[1][0]).is_subnormal());
    }
    rows.truncate(rows.len() / 64 * 64);
    let cell = if memory == STORAGE { "id.x" } else { "local" };
    let source = format!(
        "{}
         @group(0) @binding(0) var<storage, read> x: array<{name}>;
         @group(0) @binding(1) var<storage, read> y: array<{name}>;
         @group(0) @binding(2) var<storage, read_write> result: array<{name}>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
             let at = {cell};
             atomicStore(&cells[at], x[id.x]);
             result[2u * id.x] = {function}(&cells[at], y[id.x]);
             result[2u * id.x + 1u] = atomicLoad(&cells[at]);
         }}",
        memory.replace("TYPE", name)
    );
    let bytes = |argument: usize| rows.iter().flat_map(|row| row[argument][0].to_bytes()).collect::<Vec<u8>>();
    let (x, y) = (device.buffer_from(&bytes(0))?, device.buffer_from(&bytes(1))?);
    let mut cells = device.buffer::<u8>(rows.len() * scalar.size())?;
    let mut result = device.buffer::<u8>(2 * rows.len() * scalar.size())?;
    let kernel = device.kernel(&*source)?;
    let launch = kernel.launch().bind("x", &x).bind("y", &y).bind("result", &mut result);
    let launch = if memory == STORAGE { launch.bind("cells", &mut cells) } else { launch };
    launch.threads(rows.len())?;
    let got = result.read()?;
    for (row, got) in rows.iter().zip(got.chunks(2 * scalar.size())) {
        let (old, left) = got.split_at(scalar.size());
        let got = [Value::from_bytes(scalar, old), Value::from_bytes(scalar, left)];
        let wanted = [row[0][0], applied(scalar, row[0][0], row[1][0])];
        let right = got == wanted || (scalar.is_float() && got[0].f() == wanted[0].f() && got[1].f() == wanted[1].f());
        ensure(right, || format!("{function} of {row:?}: expected old and new {wanted:?}, got {got:?}"))?;
    }
    Ok(())
}

/// Compare-exchange is right for equal and unequal values, on the same rows as other functions.
fn exchanges(scalar: Scalar) -> Vec<Case> {
    let parts = [("old_value", scalar), ("exchanged", Scalar::Bool), ("left", scalar)];
    let case = |(part, result): (&'static str, Scalar)| {
        let name = format!("atomics::{}::atomicCompareExchangeWeak_{part}", scalar.name());
        Case::new(name, move |device| exchange(device, scalar, part, result))
    };
    parts.into_iter().map(case).collect()
}

fn exchange(device: &Device, scalar: Scalar, part: &str, result: Scalar) -> TestResult {
    needs(device, scalar, "atomicCompareExchangeWeak")?;
    let name = scalar.name();
    let mut rows = combinations(&[scalar; 3]);
    rows.truncate(rows.len() / 64 * 64);
    let chosen = match part {
        "left" => "atomicLoad(&cells[id.x])".to_owned(),
        "exchanged" => "select(0u, 1u, outcome.exchanged)".to_owned(),
        _ => "outcome.old_value".to_owned(),
    };
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> cells: array<atomic<{name}>>;
         @group(0) @binding(1) var<storage, read> y: array<{name}>;
         @group(0) @binding(2) var<storage, read> z: array<{name}>;
         @group(0) @binding(3) var<storage, read_write> result: array<{}>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             // It may fail spuriously, but only with the value that the cell holds.
             var outcome = atomicCompareExchangeWeak(&cells[id.x], y[id.x], z[id.x]);
             for (var n = 0; n < 100 && !outcome.exchanged && outcome.old_value == y[id.x]; n++) {{
                 outcome = atomicCompareExchangeWeak(&cells[id.x], y[id.x], z[id.x]);
             }}
             result[id.x] = {chosen};
         }}",
        result.stored()
    );
    let bytes = |argument: usize| rows.iter().flat_map(|row| row[argument][0].to_bytes()).collect::<Vec<u8>>();
    let mut cells = device.buffer_from(&bytes(0))?;
    let (y, z) = (device.buffer_from(&bytes(1))?, device.buffer_from(&bytes(2))?);
    let mut got = device.buffer::<u8>(rows.len() * result.size())?;
    let kernel = device.kernel(&*source)?;
    kernel
        .launch()
        .bind("cells", &mut cells)
        .bind("y", &y)
        .bind("z", &z)
        .bind("result", &mut got)
        .threads(rows.len())?;
    for (row, got) in rows.iter().zip(got.read()?.chunks(result.size())) {
        let [found, comparand, new] = [row[0][0], row[1][0], row[2][0]];
        let wanted = match part {
            "left" if found == comparand => new,
            "exchanged" => Value::bool(found == comparand),
            _ => found,
        };
        let got = Value::from_bytes(result, got);
        ensure(got == wanted, || format!("{part} of {row:?}: expected {wanted:?}, got {got:?}"))?;
    }
    Ok(())
}
