//! The sums of a profile on a page: the division of the time, the kernels, and the advice.

use std::fmt::Write as _;
use std::time::Duration;

use super::super::report::Time;
use super::super::{Idle, Profile, Row, Sort};
use super::text::{end_of, escaped, with_code};
use super::timeline::Classes;

/// The greatest number of rows of the table of kernels, and of characters of a name.
const ROWS: usize = 200;
const NAME: usize = 160;

/// Writes how the time divides into that of kernels and idle time by its cause.
pub(super) fn division(page: &mut String, profile: &Profile) {
    let Idle { busy, compiling, transfer, host, other } = profile.idle();
    let parts = [
        ("busy", "kernels ran", busy),
        ("compile", "no kernel: the host compiled kernels", compiling),
        ("copy", "no kernel: data was copied or filled", transfer),
        ("host", "no kernel: the host was late, as all submitted kernels had ended", host),
        ("other", "no kernel: submitted work had not begun", other),
    ];
    let all = (busy + compiling + transfer + host + other).as_secs_f64().max(f64::MIN_POSITIVE);
    let share = |time: Duration| time.as_secs_f64() / all * 100.0;
    // Writing to a string succeeds.
    let _ = writeln!(
        page,
        "<section>\n<h2 id=\"division\">Busy and idle</h2>\n<div class=\"parts\" \
         aria-hidden=\"true\">{}</div>\n<table class=\"narrow\"><tr><th class=\"l\" scope=\"col\">the device</th><th \
         scope=\"col\">time</th><th scope=\"col\">share</th></tr>",
        parts.map(|(class, _, time)| format!("<i class=\"{class}\" style=\"width:{:.2}%\"></i>", share(time))).concat()
    );
    for (class, name, time) in parts {
        let _ = writeln!(
            page,
            "<tr><td class=\"l\"><i class=\"mark {class}\"></i> {name}</td><td>{}</td><td>{:.1} %</td></tr>",
            Time(time.as_secs_f64()),
            share(time)
        );
    }
    page.push_str("</table>\n</section>\n");
}

/// Writes the table of kernels, those that take most time first.
pub(super) fn kernels(page: &mut String, profile: &Profile, classes: &Classes) {
    let rows = profile.table(Sort::Total);
    page.push_str("<section>\n<h2 id=\"kernels\">Kernels by time</h2>\n");
    if rows.is_empty() {
        page.push_str("<p>No kernel ran.</p>\n</section>\n");
        return;
    }
    page.push_str(
        "<div class=\"wide\" role=\"region\" aria-labelledby=\"kernels\" tabindex=\"0\"><table><tr><th class=\"l\" \
         scope=\"col\">kernel</th><th scope=\"col\">runs</th><th scope=\"col\">total</th><th scope=\"col\">mean</th><th \
         scope=\"col\">least</th><th scope=\"col\">most</th><th scope=\"col\">share</th><th aria-hidden=\"true\"></th></tr>\n",
    );
    rows.iter().take(ROWS).for_each(|row| self::row(page, row, classes));
    page.push_str("</table></div>\n");
    let others = &rows[rows.len().min(ROWS)..];
    if !others.is_empty() {
        let total: Duration = others.iter().map(|row| row.total).sum();
        let share: f64 = others.iter().map(|row| row.share).sum();
        let _ = writeln!(
            page,
            "<p>{} more kernels took {}, {:.1} % of the time of all.</p>",
            others.len(),
            Time(total.as_secs_f64()),
            share * 100.0
        );
    }
    page.push_str("</section>\n");
}

fn row(page: &mut String, row: &Row, classes: &Classes) {
    let time = |time: Duration| Time(time.as_secs_f64());
    let _ = writeln!(
        page,
        "<tr><td class=\"l name\"><i class=\"mark {}\"></i> <code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}\
         </td><td>{}</td><td>{:.1} %</td><td aria-hidden=\"true\"><span class=\"bar\"><i style=\"width:{:.1}%\"></i></span>\
         </td></tr>",
        classes.kernel(&row.label),
        escaped(&end_of(&row.label, NAME)),
        row.count,
        time(row.total),
        time(row.mean()),
        time(row.least),
        time(row.most),
        row.share * 100.0,
        row.share * 100.0
    );
}

/// Writes the pitfalls that the timeline shows.
pub(super) fn advice(page: &mut String, profile: &Profile) {
    page.push_str("<section>\n<h2 id=\"advice\">Advice</h2>\n");
    let found = profile.advice();
    if found.is_empty() {
        page.push_str("<p>No pitfalls.</p>\n");
    }
    let all = profile.duration().as_secs_f64().max(f64::MIN_POSITIVE);
    for advice in found {
        let cost = advice.cost.as_secs_f64();
        let _ = writeln!(
            page,
            "<div class=\"finding\"><p><b>{}</b>: {}.</p><p>Cost: about {}, {:.0} % of the time. Help: {}.</p></div>",
            advice.pitfall.name(),
            escaped(&advice.evidence),
            Time(cost),
            cost / all * 100.0,
            with_code(advice.pitfall.help())
        );
    }
    page.push_str("</section>\n");
}
