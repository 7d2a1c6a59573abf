//! A line chart of rates by size, as an SVG.

use std::error::Error;

use plotters::prelude::*;

/// A name, and points of bytes and GB/s.
pub(crate) type Line = (String, Vec<(f64, f64)>);

/// Draws rates by size; both axes are logarithmic.
pub(crate) fn rates(file: &str, title: &str, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let (least, most) = points().fold((f64::MAX, f64::MIN), |(low, high), (_, rate)| (low.min(rate), high.max(rate)));
    let (first, last) =
        points().fold((f64::MAX, f64::MIN), |(low, high), (bytes, _)| (low.min(bytes), high.max(bytes)));
    let area = SVGBackend::new(file, (980, 560)).into_drawing_area();
    area.fill(&WHITE)?;
    let (plot, legend) = area.split_horizontally(800); // next to the plot: inside it, it would cover a curve
    let mut chart = ChartBuilder::on(&plot)
        .caption(title, ("sans-serif", 18))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d((first..last).log_scale().base(4.0), (least / 2.0..most * 2.0).log_scale())?;
    let size = |bytes: &f64| {
        if *bytes < 1e6 { format!("{:.0} KiB", bytes / 1024.0) } else { format!("{:.0} MiB", bytes / 1048576.0) }
    };
    chart.configure_mesh().x_desc("size").y_desc("GB/s").x_label_formatter(&size).draw()?;
    for (index, (name, points)) in lines.iter().enumerate() {
        let colour = Palette99::pick(index).stroke_width(2);
        chart.draw_series(LineSeries::new(points.iter().copied(), colour).point_size(3))?;
        let y = 80 + 24 * index as i32;
        legend.draw(&PathElement::new([(10, y), (34, y)], colour))?;
        legend.draw(&Text::new(name.as_str(), (42, y - 7), ("sans-serif", 14)))?;
    }
    Ok(area.present()?)
}
