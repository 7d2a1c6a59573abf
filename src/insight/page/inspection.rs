//! The inspector's report on a page: findings beside their lines, and the counts of each kernel.

use std::fmt::Write as _;

use super::super::report::{Bytes, Time};
use super::super::{Estimate, Report, Resource, Suspicion};
use super::text::{escaped, with_code};
use crate::backend::{ObservedAccess, ObservedKernel, ObservedSpace};

/// Writes the findings, those that cost most first.
pub(super) fn findings(page: &mut String, report: &Report) {
    page.push_str("<section>\n<h2 id=\"findings\">Findings</h2>\n");
    // Writing to a string succeeds.
    let _ = writeln!(
        page,
        "<p>Estimates for {} (warps of {}). Ceilings: {}.</p>",
        escaped(&report.model.name),
        report.model.warp,
        escaped(&report.model.ceilings())
    );
    if report.findings.is_empty() {
        page.push_str("<p>None.</p>\n");
    }
    report.findings.iter().for_each(|finding| self::finding(page, finding));
    page.push_str("</section>\n");
}

fn finding(page: &mut String, finding: &Suspicion) {
    let class = if finding.gain > 0.0 { "finding" } else { "finding free" };
    let gain = if finding.gain > 0.0 {
        format!("about {}, {:.0} % of the kernel's time", Time(finding.gain), finding.share * 100.0)
    } else {
        format!("none now, as another resource takes longer than {}", finding.resource.name())
    };
    let mut lines = finding.at.quote();
    for change in &finding.changes {
        let _ = writeln!(lines, " {} ~ {}", change.line, change.text);
    }
    let _ = writeln!(
        page,
        "<div class=\"{class}\"><p><b>{}</b>: {}<br><code>{}</code> in <code>{}</code></p><pre tabindex=\"0\">{}</pre><p>\
         Gain: {gain}. Help: {}.</p></div>",
        finding.problem.name(),
        escaped(&finding.headline()),
        escaped(&finding.at.to_string()),
        escaped(&finding.kernel),
        escaped(&lines),
        with_code(&finding.help)
    );
}

/// Writes the estimate and the access sites of each kernel.
pub(super) fn kernels(page: &mut String, report: &Report) {
    for (index, (kernel, estimate)) in report.kernels.iter().enumerate() {
        self::kernel(page, report, index, kernel, estimate);
    }
}

fn kernel(page: &mut String, report: &Report, index: usize, kernel: &ObservedKernel, estimate: &Estimate) {
    let column = report.model.column();
    let [x, y, z] = kernel.workgroup_size;
    let _ = writeln!(
        page,
        "<section>\n<h2 id=\"kernel-{index}\">{}</h2>\n<p>{} workgroups of {x} x {y} x \
         {z}, {} of them observed. At least {} on {}, bound by {}. {} to read and write, {} through the shared cache. \
         {:.1} % of lanes active.</p>",
        escaped(&kernel.kernel),
        kernel.workgroups,
        kernel.observed,
        Time(estimate.time()),
        escaped(&report.model.name),
        estimate.binding().name(),
        Bytes(estimate.compulsory),
        Bytes(estimate.transferred),
        kernel.lanes[column].efficiency() * 100.0
    );
    for (_, compiled) in report.compiled.iter().filter(|(name, _)| *name == kernel.kernel) {
        let _ = writeln!(page, "<p>{}</p>", escaped(&compiled.to_string()));
    }
    for checks in report.checks.iter().filter(|checks| checks.kernel == kernel.kernel) {
        let _ = writeln!(page, "<pre tabindex=\"0\">{}</pre>", escaped(&checks.to_string()));
    }
    resources(page, estimate);
    let _ = writeln!(
        page,
        "<div class=\"wide\" role=\"region\" aria-labelledby=\"kernel-{index}\" tabindex=\"0\"><table><tr><th \
         scope=\"col\">line</th><th class=\"l\" scope=\"col\">memory</th><th class=\"l\" scope=\"col\">access</th><th \
         class=\"l\" scope=\"col\">variable</th><th scope=\"col\">stride</th><th scope=\"col\">per warp</th><th \
         scope=\"col\">ideal</th></tr>"
    );
    kernel.accesses.iter().for_each(|access| site(page, access, column));
    page.push_str("</table></div>\n</section>\n");
}

fn resources(page: &mut String, estimate: &Estimate) {
    page.push_str(
        "<table class=\"narrow\"><tr><th class=\"l\" scope=\"col\">resource</th><th scope=\"col\">time</th><th class=\"l\" \
         scope=\"col\">of the longest</th></tr>\n",
    );
    let longest = estimate.seconds.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for resource in Resource::ALL {
        let seconds = estimate.of_resource(resource);
        let share = seconds / longest * 100.0;
        let _ = writeln!(
            page,
            "<tr><td class=\"l\">{}</td><td>{}</td><td class=\"l\"><span class=\"bar\"><i style=\"width:{share:.0}%\"></i>\
             </span></td></tr>",
            resource.name(),
            Time(seconds)
        );
    }
    page.push_str("</table>\n");
}

fn site(page: &mut String, access: &ObservedAccess, column: usize) {
    let counts = &access.counts[column];
    let (value, ideal) = match access.space {
        ObservedSpace::Workgroup => {
            (counts.wavefronts_per_request(), counts.ideal_wavefronts as f64 / (counts.requests as f64).max(1.0))
        }
        _ => (counts.sectors_per_request(), counts.ideal_per_request()),
    };
    let _ = writeln!(
        page,
        "<tr><td>{}</td><td class=\"l\">{}</td><td class=\"l\">{}</td><td class=\"l name\"><code>{}</code></td><td>{}</td>\
         <td{}>{value:.2}</td><td>{ideal:.2}</td></tr>",
        access.at.line,
        access.space.name(),
        access.touch.name(),
        escaped(&access.variable),
        access.stride.map_or_else(|| "varies".to_owned(), |stride| stride.to_string()),
        if value > 1.5 * ideal { " class=\"bad\"" } else { "" }
    );
}
