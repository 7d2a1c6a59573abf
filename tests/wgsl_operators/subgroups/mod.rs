//! Subgroup functions, with all lanes active and with some lanes active.
//!
//! The device chooses the mapping of invocations to lanes: each kernel reports its lanes, and the reference uses the
//! reported mapping.

mod functions;

use anywarp::Device;

use anywarp_testing::random::Random;
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, fail, skip};

use crate::operator_suite::program::Program;
use crate::operator_suite::table::Case;

use functions::{FUNCTIONS, Function, Kind, Lane};

/// Control flow that selects the active lanes.
struct Flow {
    name: &'static str,
    /// Statements around `WORK`, which sets `ran` to 1.
    body: &'static str,
    /// The last step in which a lane with these flags does the work, together with all lanes that have later last
    /// steps; `None` for a lane that does no work.
    last_step: fn(u32) -> Option<u32>,
    /// Lanes for which this function differs need not do the work together, except on `cpu` and `cuda`: WGSL allows
    /// subgroup functions in uniform control flow only (its diagnostic `subgroup_uniformity` is an error), and Vulkan
    /// promises no more. Other drivers may still converge such lanes.
    apart: fn(u32) -> u32,
}

const FLOWS: &[Flow] = &[
    Flow { name: "all", body: "WORK", last_step: |_| Some(0), apart: |_| 0 },
    Flow {
        name: "in_an_if",
        body: "if (f & 1u) == 1u { WORK }",
        last_step: |f| (f & 1 == 1).then_some(0),
        apart: |_| 0,
    },
    Flow {
        name: "in_an_else",
        body: "if (f & 1u) == 1u { ran = 0u; } else { WORK }",
        last_step: |f| (f & 1 == 0).then_some(0),
        apart: |_| 0,
    },
    Flow {
        name: "in_nested_ifs",
        body: "if (f & 1u) == 1u { if (f & 2u) == 0u { WORK } }",
        last_step: |f| (f & 3 == 1).then_some(0),
        apart: |_| 0,
    },
    Flow {
        name: "after_an_early_return",
        body: "if (f & 3u) == 2u { return; } WORK",
        last_step: |f| (f & 3 != 2).then_some(0),
        apart: |_| 0,
    },
    Flow {
        name: "in_a_divergent_loop",
        body: "for (var n = 0u; n < (f & 3u); n++) { WORK }",
        last_step: |f| (f & 3).checked_sub(1),
        apart: |_| 0,
    },
    Flow {
        name: "in_a_switch",
        body: "switch f & 3u { case 1u, 2u { WORK } default { ran = 0u; } }",
        last_step: |f| matches!(f & 3, 1 | 2).then_some(0),
        apart: |f| f & 3,
    },
    Flow {
        name: "after_divergence",
        body: "var sum = 0u; for (var n = 0u; n < (f & 7u); n++) { sum += n * f; } ran = sum; WORK",
        last_step: |_| Some(0),
        apart: |_| 0,
    },
];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for function in FUNCTIONS {
        for kind in function.kinds.iter().copied() {
            let name = format!("subgroups::{}::{}", kind.name(), function.name);
            cases.push(Case::new(name, move |device| run(device, function, kind, &FLOWS[0], 64)));
        }
        for flow in &FLOWS[1..] {
            let name = format!("subgroups::{}::{}", flow.name, function.name);
            cases.push(Case::new(name, move |device| run(device, function, function.kinds[0], flow, 64)));
        }
    }
    // naga supports lane and subgroup numbers in workgroups of one dimension only.
    for size in [1, 3, 7, 33, 100, 256] {
        cases.push(Case::new(format!("subgroups::workgroup_{size}::subgroupInclusiveAdd"), move |device| {
            run(device, &FUNCTIONS[4], Kind::U32, &FLOWS[0], size)
        }));
    }
    cases.push(Case::new("subgroups::num_subgroups", num_subgroups));
    cases.push(Case::new("subgroups::barrier", barrier));
    cases
}

fn needs(device: &Device, feature: &str) -> TestResult {
    if device.caps().feature_names().contains(&feature) { Ok(()) } else { skip(format!("the device has no {feature}")) }
}

const GROUPS: usize = 5;

fn run(device: &Device, function: &Function, kind: Kind, flow: &Flow, size: usize) -> TestResult {
    needs(device, "subgroups")?;
    let strict = ["cpu", "cuda"].contains(&device.caps().backend.name());
    let per_group = size;
    let work = format!("let r = {}; out = {}; ran = 1u;", function.expression, function.words);
    let source = format!(
        "struct Lane {{ out: vec4<u32>, lane: u32, subgroup: u32, size: u32, ran: u32 }}
         @group(0) @binding(0) var<storage, read> values: array<u32>;
         @group(0) @binding(1) var<storage, read> flags: array<u32>;
         @group(0) @binding(2) var<storage, read_write> result: array<Lane>;
         @compute @workgroup_size({size})
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32,
                 @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) subgroup: u32,
                 @builtin(subgroup_size) size: u32) {{
             let i = group.x * {per_group}u + local;
             result[i].lane = lane;
             result[i].subgroup = subgroup;
             result[i].size = size;
             work(i, lane);
         }}
         fn work(i: u32, lane: u32) {{
             let x = bitcast<TYPE>(values[i]);
             let f = flags[i];
             var ran = 0u;
             var out = vec4<u32>();
             {}
             result[i].out = out;
             result[i].ran = ran;
         }}",
        flow.body.replace("WORK", &work)
    );
    let source = source.replace("TYPE", kind.name());
    let (values, flags) = (values(function, kind, GROUPS * per_group), flags(GROUPS * per_group));
    let program = Program::new(source).input("values", &values).input("flags", &flags);
    let got = program.run(device, 8 * values.len(), GROUPS)?;
    let cells: Vec<&[u32]> = got.chunks(8).collect();
    for (at, cell) in cells.iter().enumerate() {
        let [lane, subgroup, lanes, ran] = [cell[4], cell[5], cell[6], cell[7]];
        ensure(lane < lanes, || format!("invocation {at}: lane {lane} of {lanes}"))?;
        let Some(step) = (flow.last_step)(flags[at]) else {
            ensure(ran != 1, || format!("invocation {at} of flags {:#x} ran", flags[at]))?;
            continue;
        };
        equal(ran, 1, &format!("invocation {at}, flags {:#x}: whether it ran", flags[at]))?;
        let group = at / per_group * per_group;
        let beside = (group..group + per_group).filter(|other| cells[*other][5] == subgroup);
        let taking = beside.filter(|other| (flow.last_step)(flags[*other]).is_some_and(|last| last >= step));
        let of = |at: usize| Lane { lane: cells[at][4], bits: values[at], flags: flags[at] };
        let mut all: Vec<Lane> = taking.map(of).collect();
        all.sort_by_key(|lane| lane.lane);
        if all.windows(2).any(|pair| pair[0].lane == pair[1].lane) {
            return fail(format!("subgroup {subgroup} has one lane twice: {all:?}"));
        }
        let right = |lanes: &[Lane]| (function.reference)(kind, lanes, of(at)).is_none_or(|wanted| wanted == cell[..4]);
        let beside_it = |lane: &&Lane| (flow.apart)(lane.flags) == (flow.apart)(flags[at]);
        let some = || all.iter().filter(beside_it).copied().collect::<Vec<_>>();
        let wanted = (function.reference)(kind, &all, of(at));
        ensure(right(&all) || (!strict && right(&some())), || {
            format!(
                "{} in invocation {at}, lane {lane} of subgroup {subgroup}, of {all:x?}:\n    expected {wanted:x?}\n    got      {:x?}",
                function.expression,
                &cell[..4]
            )
        })?;
    }
    Ok(())
}

/// Arbitrary integers, or floats whose sums and products are exact.
fn values(function: &Function, kind: Kind, count: usize) -> Vec<u32> {
    let mut random = Random::from_state(21);
    let product = function.name.ends_with("Mul");
    let value = |_| {
        let bits = random.bits();
        match kind {
            Kind::F32 if product => [1.0f32, -1.0, 2.0, 0.5][bits as usize % 4].to_bits(),
            Kind::F32 => ((bits % 2001) as f32 - 1000.0).to_bits(),
            _ => (bits >> 7) as u32,
        }
    };
    (0..count).map(value).collect()
}

fn flags(count: usize) -> Vec<u32> {
    let mut random = Random::from_state(22);
    (0..count).map(|_| (random.bits() >> 11) as u32).collect()
}

fn num_subgroups(device: &Device) -> TestResult {
    needs(device, "subgroups")?;
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read_write> result: array<vec4<u32>>;
         @compute @workgroup_size(100)
         fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_subgroups) count: u32,
                 @builtin(subgroup_id) subgroup: u32, @builtin(subgroup_size) size: u32,
                 @builtin(subgroup_invocation_id) lane: u32) {
             result[id.x] = vec4<u32>(count, subgroup, size, lane);
         }",
    );
    let got = program.run(device, 400, 1)?;
    let (count, size) = (got[0], got[2]);
    ensure(count * size >= 100 && size.is_power_of_two(), || format!("{count} subgroups of {size} lanes"))?;
    let mut places: Vec<(u32, u32)> = got.chunks(4).map(|cell| (cell[1], cell[3])).collect();
    places.sort_unstable();
    places.dedup();
    equal(places.len(), 100, "places of 100 invocations")?;
    ensure(got.chunks(4).all(|c| c[0] == count && c[1] < count && c[2] == size && c[3] < size), || {
        format!("wrong number or index of subgroups: {got:?}")
    })
}

/// After a subgroup barrier, lanes read the earlier writes of other lanes in the subgroup.
fn barrier(device: &Device) -> TestResult {
    needs(device, "subgroups")?;
    needs(device, "subgroup_barrier")?;
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<workgroup> cells: array<u32, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) at: u32, @builtin(subgroup_invocation_id) lane: u32,
                 @builtin(subgroup_id) subgroup: u32, @builtin(subgroup_size) size: u32) {
             for (var n = 0u; n < 3u; n++) {
                 cells[subgroup * size + lane] = at * 10u + n;
                 subgroupBarrier();
                 result[at * 3u + n] = cells[subgroup * size + (lane ^ 1u)] - subgroupShuffleXor(at, 1u) * 10u;
                 subgroupBarrier();
             }
         }",
    );
    let wanted: Vec<u32> = (0..192).map(|at| at % 3).collect();
    equal(program.run(device, 192, 1)?, wanted, "the words that the neighbour wrote")
}
