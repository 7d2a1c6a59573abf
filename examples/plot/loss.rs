//! A line chart of a loss by epoch, as an SVG.

use std::error::Error;

use plotters::prelude::*;

/// Draws a loss by epoch; the axis of the loss is logarithmic.
pub(crate) fn by_epoch(file: &str, title: &str, losses: &[f32]) -> Result<(), Box<dyn Error>> {
    let (low, high) = losses.iter().fold((f32::MAX, f32::MIN), |(low, high), loss| (low.min(*loss), high.max(*loss)));
    let area = SVGBackend::new(file, (720, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(1..losses.len(), (low / 1.5..high * 1.5).log_scale())?;
    chart.configure_mesh().x_desc("epoch").y_desc("mean cross-entropy").draw()?;
    let points = losses.iter().enumerate().map(|(epoch, loss)| (epoch + 1, *loss));
    chart.draw_series(LineSeries::new(points, Palette99::pick(0).stroke_width(2)))?;
    Ok(area.present()?)
}
