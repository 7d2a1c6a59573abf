//! The timeline of a page: a still picture of each lane, and the bars as data for the script that replaces them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::report::Time;
use super::super::{Profile, Sort, Span, SpanKind};
use super::bars::{Bar, LANES, Lanes};
use super::text::{end_of, escaped, quoted};

/// The greatest number of bars in the data, which takes about 50 bytes for each.
const BARS: usize = 20_000;
/// The greatest number of bars in the still pictures, which take about 150 bytes for each.
const STILL: usize = 2_000;
/// The greatest number of different names in the data, and of characters of a name.
const NAMES: (usize, usize) = (2_000, 160);
/// The greatest number of characters of a name in the still pictures.
const SHORT: usize = 60;
/// The number of colours of kernels, which the style names `k0` and so on.
const COLOURS: usize = 6;
/// The height of a level in pixels.
const LEVEL: usize = 18;
/// The width of a still picture in its own units.
const WIDTH: f64 = 1000.0;

/// The classes of bars, by which the style gives them colours.
pub(super) struct Classes {
    /// The places of kernels in the order of their times.
    ranks: HashMap<Arc<str>, usize>,
}

impl Classes {
    pub(super) fn of(profile: &Profile) -> Self {
        let rows = profile.table(Sort::Total).into_iter();
        Self { ranks: rows.enumerate().map(|(rank, row)| (row.label, rank)).collect() }
    }

    /// The class of a kernel's bars: kernels that take most time have colours of their own.
    pub(super) fn kernel(&self, label: &str) -> String {
        format!("k{}", self.ranks.get(label).copied().unwrap_or_default() % COLOURS)
    }

    fn of_span(&self, span: &Span) -> String {
        match span.kind {
            SpanKind::Kernel => self.kernel(&span.label),
            kind => kind.name().to_owned(),
        }
    }
}

/// Writes the section.
pub(super) fn write(page: &mut String, profile: &Profile, classes: &Classes) {
    let lanes = Lanes::of(profile);
    let (data, still) = (lanes.drawing(0, BARS), lanes.drawing(to_units(&lanes), STILL));
    // Writing to a string succeeds.
    let _ = writeln!(page, "<section>\n<h2 id=\"timeline\">Timeline</h2>");
    let _ = writeln!(page, "<p>{}</p>", summary(profile, &lanes, data.resolution, still.resolution));
    legend(page, profile, classes);
    page.push_str(CONTROLS);
    page.push_str("<div class=\"lanes\" id=\"lanes\">\n");
    ruler(page, lanes.window);
    for (lane, bars) in lanes.lanes.iter().zip(&still.lanes) {
        let count: u64 = bars.iter().map(|bar| bar.count).sum();
        let name = escaped(&lane.name);
        let height = lane.levels() * LEVEL;
        let _ = writeln!(
            page,
            "<div class=\"lane\"><p>{name}</p><svg class=\"bars\" style=\"height:{height}px\" viewBox=\"0 0 {WIDTH} \
             {height}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{name}: {}\">",
            spans(count as usize)
        );
        bars.iter().for_each(|bar| rectangle(page, profile, classes, bar, lanes.window));
        page.push_str("</svg></div>\n");
    }
    page.push_str("</div>\n<p class=\"said\" id=\"said\" role=\"status\"></p>\n<div id=\"tip\" hidden></div>\n");
    page.push_str("<script type=\"application/json\" id=\"bars\">");
    Data { profile, classes, entries: BTreeMap::new(), list: Vec::new() }.write(page, &lanes, &data.lanes);
    page.push_str("</script>\n</section>\n");
}

/// Buttons for the script, which shows them.
const CONTROLS: &str = "<div class=\"controls\" id=\"controls\" hidden>
<button type=\"button\" data-do=\"in\">Zoom in</button> <button type=\"button\" data-do=\"out\">Zoom out</button>
<button type=\"button\" data-do=\"earlier\">Earlier</button> <button type=\"button\" data-do=\"later\">Later</button>
<button type=\"button\" data-do=\"whole\">Whole</button>
<p>Drag to move, hold Ctrl and turn the wheel to zoom, and click a bar for its times. Keys: + and - zoom, the left and \
right arrows move, Home shows the whole, the up and down arrows choose a lane, N and P the next and the previous bar.</p>
</div>
";

/// The nanoseconds of one unit of the still pictures.
fn to_units(lanes: &Lanes) -> i64 {
    (lanes.window.1 - lanes.window.0) / WIDTH as i64
}

/// Sentences about the whole timeline, and about everything that it leaves out.
fn summary(profile: &Profile, lanes: &Lanes, resolution: i64, still: i64) -> String {
    let mut text = format!(
        "{} in {} on the clock of the host; times of kernels are accurate to {}.",
        spans(profile.spans.len()),
        Time(profile.duration().as_secs_f64()),
        Time(profile.uncertainty.as_secs_f64())
    );
    let time = |nanoseconds: i64| Time(nanoseconds as f64 * 1e-9);
    if resolution > 0 {
        let _ = write!(text, " There are too many for a page: neighbours within {} are one bar.", time(resolution));
    }
    let (threads, count) = lanes.left_out;
    if threads > 0 {
        let _ = write!(text, " The first {LANES} lanes are shown; {threads} more with {} are left out.", spans(count));
    }
    if profile.dropped > 0 {
        let _ = write!(text, " {} events were lost, because there were too many.", profile.dropped);
    }
    let _ = write!(text, " <noscript>Without scripts, neighbours within {} are one bar.</noscript>", time(still));
    text
}

/// The number with its word.
fn spans(count: usize) -> String {
    if count == 1 { "1 span".to_owned() } else { format!("{count} spans") }
}

/// The kinds of spans that occur.
fn legend(page: &mut String, profile: &Profile, classes: &Classes) {
    let kinds: BTreeSet<SpanKind> = profile.spans.iter().map(|span| span.kind).collect();
    page.push_str("<ul class=\"legend\">");
    for kind in kinds {
        let marks: String = match kind {
            SpanKind::Kernel => {
                (0..classes.ranks.len().min(COLOURS)).map(|rank| format!("<i class=\"k{rank}\"></i>")).collect()
            }
            kind => format!("<i class=\"{}\"></i>", kind.name()),
        };
        let _ = write!(page, "<li>{marks} {}</li>", kind.name());
    }
    page.push_str("</ul>\n");
}

/// Four times at equal distances.
fn ruler(page: &mut String, (from, to): (i64, i64)) {
    page.push_str("<div class=\"ruler\" id=\"ruler\" aria-hidden=\"true\">");
    for part in 0..4 {
        let seconds = (from as f64 + (to - from) as f64 * f64::from(part) / 4.0) * 1e-9;
        let _ = write!(page, "<span style=\"left:{}%\">{}</span>", part * 25, Time(seconds));
    }
    page.push_str("</div>\n");
}

/// Draws a bar in the still picture.
fn rectangle(page: &mut String, profile: &Profile, classes: &Classes, bar: &Bar, (from, to): (i64, i64)) {
    let x = |time: i64| (time - from) as f64 / (to - from) as f64 * WIDTH;
    let (start, end) = (x(bar.start).clamp(0.0, WIDTH), x(bar.end).clamp(0.0, WIDTH));
    let span = &profile.spans[bar.longest.1];
    let more = if bar.count > 1 { format!(" and {} more", bar.count - 1) } else { String::new() };
    let _ = write!(
        page,
        "<rect class=\"{}\" x=\"{start:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"><title>{}{more}, {}</title></rect>",
        classes.of_span(span),
        bar.level * LEVEL,
        (end - start).max(0.8),
        LEVEL - 2,
        escaped(&end_of(&span.label, SHORT)),
        Time((bar.end - bar.start) as f64 * 1e-9)
    );
}

/// The bars as JSON: `window` in nanoseconds, `entries` of kind, class and name, and for each lane its bars of level,
/// start, length, entry, workgroups or bytes (-1: not known), submission, and for several spans their number and the sum
/// of their times.
struct Data<'a> {
    profile: &'a Profile,
    classes: &'a Classes,
    entries: BTreeMap<(SpanKind, Option<&'a str>), usize>,
    list: Vec<String>,
}

impl<'a> Data<'a> {
    fn write(mut self, page: &mut String, lanes: &Lanes, bars: &[Vec<Bar>]) {
        let (from, to) = lanes.window;
        let _ = write!(page, "{{\"window\":[{from},{to}],\"level\":{LEVEL},\"lanes\":[");
        for (at, bars) in bars.iter().enumerate() {
            page.push_str(if at == 0 { "[" } else { ",\n[" });
            for (at, bar) in bars.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                let _ = write!(page, "{comma}{}", self.bar(bar));
            }
            page.push(']');
        }
        let _ = write!(page, "],\n\"entries\":[{}]}}", self.list.join(","));
    }

    fn bar(&mut self, bar: &Bar) -> String {
        let span = &self.profile.spans[bar.longest.1];
        let value = match span.kind {
            SpanKind::Kernel => span.workgroups.map_or(-1, |count| i64::try_from(count).unwrap_or(i64::MAX)),
            SpanKind::Copy | SpanKind::Fill | SpanKind::CopyIn | SpanKind::CopyOut => {
                i64::try_from(span.bytes).unwrap_or(i64::MAX)
            }
            _ => -1,
        };
        let entry = self.entry(span);
        let (level, start, length) = (bar.level, bar.start, bar.end - bar.start);
        let several = if bar.count > 1 { format!(",{},{}", bar.count, bar.sum) } else { String::new() };
        format!("[{level},{start},{length},{entry},{value},{}{several}]", span.submission)
    }

    /// The index of a name in the list; names beyond the limit share one for each kind.
    fn entry(&mut self, span: &'a Span) -> usize {
        let named = (span.kind, Some(&*span.label));
        let key =
            if self.entries.contains_key(&named) || self.list.len() < NAMES.0 { named } else { (span.kind, None) };
        let next = self.list.len();
        let index = *self.entries.entry(key).or_insert(next);
        if index == next {
            let name = key.1.map_or("(one of too many names)".into(), |name| end_of(name, NAMES.1));
            let class = self.classes.of_span(span);
            self.list.push(format!("[{},{},{}]", quoted(span.kind.name()), quoted(&class), quoted(&name)));
        }
        index
    }
}
