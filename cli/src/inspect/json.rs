//! A report as JSON.

use anywarp::backend::{ObservedKernel, Spot};
use anywarp::insight::{Compiled, Estimate, KeptChecks, Report, Resource, Suspicion};
use serde_json::{Value, json};

/// Returns the report as one object.
pub(super) fn report(report: &Report) -> String {
    let column = super::column(report);
    let kernels: Vec<Value> =
        report.kernels.iter().map(|(kernel, estimate)| self::kernel(kernel, estimate, column)).collect();
    let compiled: Vec<Value> =
        report.compiled.iter().map(|(kernel, compiled)| self::compiled(kernel, compiled)).collect();
    let findings: Vec<Value> = report.findings.iter().map(finding).collect();
    let object = json!({
        "model": {
            "name": report.model.name, "warp": report.model.warp, "measured": report.model.measured,
            "ceilings": report.model.ceilings(),
        },
        "kernels": kernels,
        "compiled": compiled,
        "checks": report.checks.iter().map(checks).collect::<Vec<_>>(),
        "findings": findings,
    });
    serde_json::to_string_pretty(&object).unwrap_or_default()
}

fn kernel(kernel: &ObservedKernel, estimate: &Estimate, column: usize) -> Value {
    let accesses: Vec<Value> = kernel
        .accesses
        .iter()
        .map(|access| {
            let counts = &access.counts[column];
            json!({
                "at": at(&access.at), "variable": &*access.variable, "memory": access.space.name(),
                "access": access.touch.name(), "bytes": access.bytes, "stride": access.stride, "extent": access.extent,
                "common": access.common,
                "invocations": access.invocations, "requests": counts.requests, "sectors": counts.sectors,
                "ideal_sectors": counts.ideal_sectors, "wavefronts": counts.wavefronts,
                "ideal_wavefronts": counts.ideal_wavefronts, "uniform": counts.uniform,
                "contention": counts.contention,
            })
        })
        .collect();
    let branches: Vec<Value> = kernel
        .branches
        .iter()
        .map(|branch| {
            let counts = &branch.counts[column];
            json!({
                "at": at(&branch.at), "loop": branch.is_loop, "warps": counts.warps, "diverged": counts.diverged,
                "lost": counts.lost,
            })
        })
        .collect();
    let seconds: serde_json::Map<String, Value> = Resource::ALL
        .iter()
        .map(|resource| (resource.name().to_owned(), json!(estimate.of_resource(*resource))))
        .collect();
    json!({
        "kernel": &*kernel.kernel, "workgroup_size": kernel.workgroup_size, "workgroups": kernel.workgroups,
        "observed": kernel.observed, "seconds": estimate.time(), "bound_by": estimate.binding().name(),
        "seconds_by_resource": seconds, "compulsory_bytes": estimate.compulsory,
        "transferred_bytes": estimate.transferred, "active": kernel.lanes[column].efficiency(),
        "lanes": { "executed": kernel.lanes[column].executed, "issued": kernel.lanes[column].issued },
        "operations": { "float": kernel.mix.float, "integer": kernel.mix.integer, "special": kernel.mix.special },
        "accesses": accesses, "branches": branches,
    })
}

fn compiled(kernel: &str, compiled: &Compiled) -> Value {
    let occupancy = compiled.occupancy();
    json!({
        "kernel": kernel, "architecture": format!("sm_{}{}", compiled.capability.0, compiled.capability.1),
        "registers": compiled.usage.registers, "workgroup_bytes": compiled.usage.workgroup_bytes,
        "private_bytes": compiled.private_bytes, "spilled_bytes": compiled.spilled_bytes,
        "workgroups": occupancy.map(|occupancy| occupancy.workgroups),
        "occupancy": occupancy.map(|occupancy| occupancy.share),
        "limiter": occupancy.map(|occupancy| occupancy.limiter.name()),
    })
}

fn checks(checks: &KeptChecks) -> Value {
    let kept = checks.kept.iter().map(|check| {
        json!({
            "at": at(&check.at), "text": check.text, "loop": check.is_loop, "times": check.times,
            "share": check.share, "advice": check.advice,
        })
    });
    let accesses = checks.accesses;
    json!({
        "kernel": &*checks.kernel, "share": checks.share(),
        "accesses": {
            "proven": accesses.proven, "at_launch": accesses.at_launch, "checked": accesses.checked,
        },
        "loops": { "proven": checks.loops[0], "checked": checks.loops[1] },
        "kept": kept.collect::<Vec<_>>(),
    })
}

fn finding(finding: &Suspicion) -> Value {
    json!({
        "problem": finding.problem.name(), "kernel": &*finding.kernel, "at": at(&finding.at),
        "variable": &*finding.variable, "message": finding.headline(), "value": finding.value,
        "ideal": finding.ideal, "resource": finding.resource.name(), "wasted": finding.wasted,
        "gain": finding.gain, "share": finding.share, "help": finding.help,
        "changes": finding.changes.iter().map(|change| json!({ "line": change.line, "text": change.text })).collect::<Vec<_>>(),
    })
}

fn at(spot: &Spot) -> Value {
    json!({ "file": &*spot.file, "line": spot.line, "column": spot.column })
}
