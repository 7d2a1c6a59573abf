//! A plot of the candidates of a space, as SVG: for each parameter, the times of all candidates by its value.

use std::collections::BTreeMap;
use std::fmt::Write;

use anywarp::tune::Row;

const PANEL: f64 = 260.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 60.0;

/// Returns the plot of one or several spaces, each with its name, one below the other.
pub(super) fn svg<'r>(device: &str, spaces: impl Iterator<Item = (String, &'r [Row])>) -> String {
    let spaces: Vec<(String, &[Row])> = spaces.collect();
    let of_energy = spaces.iter().any(|(_, rows)| rows.iter().any(|row| row.energy.is_some()));
    let drawn: Vec<(String, f64)> = spaces.iter().map(|(name, rows)| space(name, rows)).collect();
    let width = drawn.iter().map(|(_, width)| *width).fold(400.0, f64::max);
    let height = drawn.len() as f64 * HEIGHT + 30.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{}: {} of each candidate, by the value of each parameter</text>\n",
        escaped(device),
        if of_energy { "energy" } else { "time" }
    );
    for (at, (space, _)) in drawn.iter().enumerate() {
        let _ = writeln!(text, "<g transform=\"translate(0 {})\">\n{space}</g>", at as f64 * HEIGHT + 24.0);
    }
    text.push_str("</svg>\n");
    text
}

/// The time in microseconds, or the energy in millijoules.
fn cost(row: &Row) -> Option<f64> {
    row.time.map(|time| time.as_secs_f64() * 1e6).or_else(|| row.energy.map(|joules| joules * 1e3))
}

/// The panels of one space, and their width. Times and energies are logarithmic.
fn space(name: &str, rows: &[Row]) -> (String, f64) {
    let mut text = format!("<text x=\"{LEFT}\" y=\"24\" font-size=\"13\">{}</text>\n", escaped(name));
    let timed: Vec<(&Row, f64)> = rows.iter().filter_map(|row| Some((row, cost(row)?))).collect();
    let unit = if rows.iter().any(|row| row.energy.is_some()) { "mJ" } else { "µs" };
    let least = timed.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min).max(1e-3);
    let most = timed.iter().map(|(_, time)| *time).fold(least, f64::max);
    let (low, high) = (least.log10(), most.log10().max(least.log10() + 0.1));
    let y = |time: f64| HEIGHT - BOTTOM - (time.max(least).log10() - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
    for time in [least, most] {
        let at = y(time);
        let _ = writeln!(text, "<text x=\"{}\" y=\"{at:.1}\" text-anchor=\"end\">{time:.1} {unit}</text>", LEFT - 8.0);
    }
    let parameters = parameters(rows);
    for (panel, (parameter, values)) in parameters.iter().enumerate() {
        let left = LEFT + panel as f64 * PANEL;
        let right = left + PANEL - 30.0;
        let x = |value: &str| {
            let place = values.iter().position(|known| known == value).unwrap_or(0);
            left + (place as f64 + 0.5) / values.len() as f64 * (right - left)
        };
        let (bottom, label) = (HEIGHT - BOTTOM, HEIGHT - 18.0);
        let _ = writeln!(text, "<path d=\"M{left} {TOP}V{bottom}H{right}\" stroke=\"#999999\" fill=\"none\"/>");
        let middle = f64::midpoint(left, right);
        let _ =
            writeln!(text, "<text x=\"{middle}\" y=\"{label}\" text-anchor=\"middle\">{}</text>", escaped(parameter));
        for value in values {
            let (at, label) = (x(value), bottom + 16.0);
            let _ =
                writeln!(text, "<text x=\"{at:.1}\" y=\"{label}\" text-anchor=\"middle\">{}</text>", escaped(value));
        }
        for (row, time) in &timed {
            let Some(value) = value_of(row, parameter) else { continue };
            let best = row.candidate == rows[0].candidate;
            let colour = match (best, row.candidate, &row.dropped) {
                (true, ..) => "#2ca02c",
                (_, 0, _) => "#1f77b4",
                (_, _, Some(_)) => "#d62728",
                _ => "#999999",
            };
            let (cx, cy, r) = (x(&value), y(*time), if best { 5.0 } else { 3.5 });
            let title = escaped(&format!("{}: {time:.1} {unit}", row.values));
            let _ = writeln!(
                text,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{r}\" fill=\"{colour}\" fill-opacity=\"0.7\"><title>{title}</title></circle>"
            );
        }
    }
    (text, LEFT + parameters.len() as f64 * PANEL)
}

/// The parameters with their values, in the order of numbers where all are numbers.
fn parameters(rows: &[Row]) -> Vec<(String, Vec<String>)> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in rows.iter().flat_map(|row| pairs(&row.values)) {
        let values = all.entry(name).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    for values in all.values_mut() {
        let number = |value: &String| value.parse::<f64>().unwrap_or(f64::INFINITY);
        values.sort_by(|a, b| number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)));
    }
    all.into_iter().collect()
}

/// The parameters of a candidate: `A=1 B=2`; words without a sign are the kernel of an operator.
fn pairs(values: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut kernel = Vec::new();
    for word in values.split(' ').filter(|word| !word.is_empty()) {
        match word.split_once('=') {
            Some((name, value)) => pairs.push((name.to_owned(), value.to_owned())),
            None => kernel.push(word),
        }
    }
    if !kernel.is_empty() {
        pairs.push(("kernel".to_owned(), kernel.join(" ")));
    }
    pairs
}

fn value_of(row: &Row, parameter: &str) -> Option<String> {
    pairs(&row.values).into_iter().find(|(name, _)| name == parameter).map(|(_, value)| value)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
