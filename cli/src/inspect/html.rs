//! A report as one self-contained page: roofline, kernels, access sites, and findings beside their lines.

use std::fmt::Write as _;

use anywarp::backend::{ObservedAccess, ObservedKernel, ObservedSpace};
use anywarp::insight::{Estimate, Report, Resource, Suspicion};

use super::roofline;

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1c2330; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid #d9dee7; font-variant-numeric: tabular-nums; }
th.l, td.l { text-align: left; } td.bad { color: #a4231b; font-weight: 600; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { background: #f5f7fa; padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; }
.finding { border-left: 4px solid #c8442f; padding: .1rem 1rem; margin: 1rem 0; }
.finding.free { border-color: #9aa5b5; } .bar { background: #dfe5ee; height: .8rem; width: 12rem; display: inline-block; }
.bar i { background: #3569c4; height: 100%; display: block; }
@media (prefers-color-scheme: dark) {
  body { background: #14181f; color: #dfe4ec; } pre { background: #1e242e; } th, td { border-color: #323a47; }
  .bar { background: #323a47; } td.bad { color: #ff8a7a; }
}";

/// Returns the page.
pub(super) fn page(report: &Report) -> String {
    let mut page = String::new();
    // Writing to a string succeeds.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>Inspection</title>\n<style>{STYLE}</style>\n<h1>Inspection for {} \
         (warps of {})</h1>\n",
        escaped(&report.model.name),
        report.model.warp
    );
    let _ = writeln!(page, "<p>Ceilings: {}.</p>", escaped(&report.model.ceilings()));
    page.push_str(&roofline::svg(report));
    let _ = writeln!(page, "<h2>Findings</h2>");
    if report.findings.is_empty() {
        page.push_str("<p>None.</p>\n");
    }
    report.findings.iter().for_each(|finding| self::finding(&mut page, finding));
    for (kernel, estimate) in &report.kernels {
        self::kernel(&mut page, report, kernel, estimate);
    }
    page.push_str("</html>\n");
    page
}

fn finding(page: &mut String, finding: &Suspicion) {
    let class = if finding.gain > 0.0 { "finding" } else { "finding free" };
    let gain = if finding.gain > 0.0 {
        format!("about {:.2} us, {:.0} % of the kernel's time", finding.gain * 1e6, finding.share * 100.0)
    } else {
        format!("none now, as another resource takes longer than {}", finding.resource.name())
    };
    let mut lines = finding.at.quote();
    for change in &finding.changes {
        let _ = writeln!(lines, " {} ~ {}", change.line, change.text);
    }
    let _ = writeln!(
        page,
        "<div class=\"{class}\"><p><b>{}</b>: {}<br><code>{}</code> in <code>{}</code></p><pre>{}</pre><p>Gain: {gain}. \
         Help: {}.</p></div>",
        finding.problem.name(),
        escaped(&finding.headline()),
        escaped(&finding.at.to_string()),
        escaped(&finding.kernel),
        escaped(&lines),
        escaped(&finding.help)
    );
}

fn kernel(page: &mut String, report: &Report, kernel: &ObservedKernel, estimate: &Estimate) {
    let column = super::column(report);
    let [x, y, z] = kernel.workgroup_size;
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<p>{} workgroups of {x} x {y} x {z}, {} of them observed. At least {:.2} us, bound by {}. {:.0} bytes \
         to read and write, {:.0} through the shared cache. {:.1} % of lanes active.</p>",
        escaped(&kernel.kernel),
        kernel.workgroups,
        kernel.observed,
        estimate.time() * 1e6,
        estimate.binding().name(),
        estimate.compulsory,
        estimate.transferred,
        kernel.lanes[column].efficiency() * 100.0
    );
    for (_, compiled) in report.compiled.iter().filter(|(name, _)| *name == kernel.kernel) {
        let _ = writeln!(page, "<p>{}</p>", escaped(&compiled.to_string()));
    }
    for checks in report.checks.iter().filter(|checks| checks.kernel == kernel.kernel) {
        let _ = writeln!(page, "<pre>{}</pre>", escaped(&checks.to_string()));
    }
    page.push_str("<table><tr><th class=l>resource<th>us<th class=l>share of the longest</tr>\n");
    let longest = estimate.seconds.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for resource in Resource::ALL {
        let seconds = estimate.of_resource(resource);
        let _ = writeln!(
            page,
            "<tr><td class=l>{}<td>{:.2}<td class=l><span class=bar><i style=\"width:{:.0}%\"></i></span></tr>",
            resource.name(),
            seconds * 1e6,
            seconds / longest * 100.0
        );
    }
    page.push_str(
        "</table>\n<table><tr><th>line<th class=l>memory<th class=l>access<th class=l>variable<th>stride<th>per \
         warp<th>ideal</tr>\n",
    );
    kernel.accesses.iter().for_each(|access| site(page, access, column));
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
        "<tr><td>{}<td class=l>{}<td class=l>{}<td class=l><code>{}</code><td>{}<td{}>{value:.2}<td>{ideal:.2}</tr>",
        access.at.line,
        access.space.name(),
        access.touch.name(),
        escaped(&access.variable),
        access.stride.map_or_else(|| "varies".to_owned(), |stride| stride.to_string()),
        if value > 1.5 * ideal { " class=bad" } else { "" }
    );
}

/// Text for HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
