//! The roofline of a report as a picture: operations in a second over operations for each byte of memory.

use std::fmt::Write as _;

use super::super::Report;
use super::text::{end_of, escaped};

/// The size of the picture, and of the space for labels at its left and lower edge.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const EDGE: f64 = 60.0;

/// The greatest number of characters of a name.
const NAME: usize = 40;

/// The intensities and rates of the axes, as powers of ten.
const INTENSITY: (f64, f64) = (-2.0, 3.0);
const DECADES: f64 = 5.0;

struct Axes {
    /// The power of ten of the highest rate.
    top: f64,
}

impl Axes {
    fn x(&self, intensity: f64) -> f64 {
        let part = (intensity.log10() - INTENSITY.0) / (INTENSITY.1 - INTENSITY.0);
        EDGE + part.clamp(0.0, 1.0) * (WIDTH - EDGE - 10.0)
    }

    fn y(&self, rate: f64) -> f64 {
        let part = (rate.log10() - self.top + DECADES) / DECADES;
        HEIGHT - EDGE / 1.5 - part.clamp(0.0, 1.0) * (HEIGHT - EDGE / 1.5 - 10.0)
    }
}

/// Returns the picture; empty if no kernel computes with floating-point numbers.
pub(super) fn svg(report: &Report) -> String {
    let points: Vec<(f64, f64, &str)> = report
        .kernels
        .iter()
        .filter(|(_, estimate)| estimate.float > 0.0 && estimate.compulsory > 0.0)
        .map(|(kernel, estimate)| {
            (estimate.float / estimate.compulsory, estimate.float / estimate.time(), &*kernel.kernel)
        })
        .collect();
    if points.is_empty() {
        return String::new();
    }
    let model = &report.model;
    let peak = model.float * f64::from(model.multiprocessors) * model.clock;
    let axes = Axes { top: peak.log10().ceil() };
    let mut svg = format!(
        "<section>\n<h2 id=\"roofline\">Roofline</h2>\n<div class=\"wide\" role=\"region\" \
         aria-labelledby=\"roofline\" tabindex=\"0\"><svg class=\"roofline\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"The rates of kernels below the ceilings of {}\">\n",
        escaped(&model.name)
    );
    let ridge = peak / model.memory;
    let start = 10f64.powf(INTENSITY.0);
    // Writing to a string succeeds.
    let _ = writeln!(
        svg,
        "<polyline points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
        axes.x(start),
        axes.y(start * model.memory),
        axes.x(ridge),
        axes.y(peak),
        axes.x(10f64.powf(INTENSITY.1)),
        axes.y(peak)
    );
    for power in INTENSITY.0 as i32..=INTENSITY.1 as i32 {
        let x = axes.x(10f64.powi(power));
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">1e{power}</text>", HEIGHT - 24.0);
    }
    for step in 0..=DECADES as i32 {
        let power = axes.top as i32 - step;
        let y = axes.y(10f64.powi(power));
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">1e{power}</text>", EDGE - 8.0);
        let _ = writeln!(svg, "<line x1=\"{EDGE}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">floating-point operations for each byte of \
         memory</text>\n<text x=\"{:.1}\" y=\"24\">operations in a second</text>",
        f64::midpoint(EDGE, WIDTH),
        HEIGHT - 6.0,
        EDGE + 6.0
    );
    for (intensity, rate, name) in points {
        let (x, y) = (axes.x(intensity), axes.y(rate));
        // Names on the right go to the left of their points, so that they stay within the picture.
        let (at, anchor) = if x > WIDTH / 2.0 { (x - 7.0, "end") } else { (x + 7.0, "start") };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            // Above the lower edge, which has numbers below it.
            if y > HEIGHT - EDGE { y - 8.0 } else { y + 12.0 },
            escaped(&end_of(name, NAME))
        );
    }
    svg.push_str("</svg></div>\n</section>\n");
    svg
}
