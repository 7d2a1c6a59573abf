//! A plot of rates over sizes, both logarithmic, as SVG.

use std::fmt::Write;

use super::Row;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 520.0;
// The space for the axes, and for the names at the right.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 9] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f"];

/// Returns the plot of all rows, with one line for each operator.
pub(super) fn svg(device: &str, rows: &[Row]) -> String {
    let rate = |row: &Row| (row.bytes as f64 / row.seconds / 1e9).max(1e-9);
    let sizes = rows.iter().map(|row| (row.elements as f64).log2());
    let (least, most) = sizes.fold((28.0_f64, 10.0_f64), |(least, most), at| (least.min(at), most.max(at)));
    let rates = rows.iter().map(|row| rate(row).log10());
    let (low, high) = rates.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    let (low, high) = if low.is_finite() { (low.floor(), high.ceil().max(low.floor() + 1.0)) } else { (0.0, 1.0) };
    let x =
        |elements: usize| LEFT + ((elements as f64).log2() - least) / (most - least).max(1.0) * (WIDTH - LEFT - RIGHT);
    let y = |rate: f64| HEIGHT - BOTTOM - (rate.log10() - low) / (high - low) * (HEIGHT - TOP - BOTTOM);

    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}: GB/s by number of elements</text>\n",
        escaped(device)
    );
    for power in (least as u32..=most as u32).step_by(2) {
        let at = x(1 << power);
        let (top, bottom, label) = (TOP, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 18.0);
        let _ = writeln!(text, "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#dddddd\"/>");
        let _ = writeln!(text, "<text x=\"{at:.1}\" y=\"{label}\" text-anchor=\"middle\">2^{power}</text>");
    }
    for power in low as i32..=high as i32 {
        let at = y(10_f64.powi(power));
        let (end, label) = (WIDTH - RIGHT, LEFT - 8.0);
        let _ = writeln!(text, "<path d=\"M{LEFT} {at:.1}H{end}\" stroke=\"#dddddd\"/>");
        let _ = writeln!(text, "<text x=\"{label}\" y=\"{at:.1}\" text-anchor=\"end\">{}</text>", 10_f64.powi(power));
    }
    let mut names: Vec<&str> = rows.iter().map(|row| row.operator).collect();
    names.dedup();
    for (at, name) in names.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let of_name = rows.iter().filter(|row| row.operator == *name);
        let points: Vec<String> = of_name.map(|row| format!("{:.1},{:.1}", x(row.elements), y(rate(row)))).collect();
        let points = points.join(" ");
        let _ = writeln!(text, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        let (left, top) = (WIDTH - RIGHT + 12.0, TOP + 18.0 * (at as f64 + 1.0));
        let _ = writeln!(text, "<text x=\"{left}\" y=\"{top}\" fill=\"{colour}\">{}</text>", escaped(name));
    }
    text.push_str("</svg>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
