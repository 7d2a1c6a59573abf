//! Histograms.

use anywarp::ops::{Histogram, HistogramElement, HistogramWeight};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, U32, by_type, for_type};
use super::parameter::{Kind, Parameter};
use super::shapes::expect_shape;
use crate::dtype::Dtype;
use crate::failure::Failure;

const SUMS: &[Dtype] = &[Dtype::U4, Dtype::I4, Dtype::F4];
const WEIGHTS: Port =
    Port::new("weights", "A weight for each element, to sum them in place of counting").of(SUMS).form(Form::Named);
const COUNTS: &[Port] =
    &[Port::new("counts", "The number of elements in each bin (uint32), or the sum of their weights").of(SUMS)];
const CHANNELS: Parameter =
    Parameter::new("channels", Kind::Count, "Count each of N interleaved channels separately").default("1");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "histogram",
        summary: "Numbers of elements by bins, as numpy.histogram: give --bins and --range, or --edges",
        inputs: &[Port::new("x", "The elements"), WEIGHTS],
        outputs: COUNTS,
        parameters: &[
            Parameter::new("bins", Kind::Count, "The number of bins of equal width"),
            Parameter::new("range", Kind::Range, "The first and the last edge of these bins"),
            Parameter::new("edges", Kind::Numbers, "The edges of bins of any width"),
            CHANNELS,
        ],
        run: by_type!([f32, i32, u32], T, call => {
            let edges = call.values.numbers("edges");
            let (histogram, bins) = bins(call, edges.as_deref())?;
            count::<T>(call, histogram, bins)
        }),
    },
    Operator {
        name: "bincount",
        summary: "How often each number below --bins occurs; larger ones are ignored",
        inputs: &[Port::new("x", "The numbers").of(U32), WEIGHTS],
        outputs: COUNTS,
        parameters: &[Parameter::new("bins", Kind::Count, "The number of counts").required(), CHANNELS],
        run: by_type!([u32], T, call => {
            let bins = call.values.count("bins").unwrap_or_default();
            count::<T>(call, Histogram::numbers(bins), bins)
        }),
    },
];

/// Returns the histogram that the arguments describe, and the number of its bins.
fn bins<'e>(call: &Call<'_>, edges: Option<&'e [f64]>) -> Result<(Histogram<'e, 'e>, usize), Failure> {
    match (edges, call.values.count("bins"), call.values.range("range")) {
        (Some(edges), None, None) => Ok((Histogram::edges(edges), edges.len().saturating_sub(1))),
        (None, Some(bins), Some(range)) => Ok((Histogram::even(bins, range), bins)),
        _ => Err(Failure::Usage(
            "expected --bins and --range, or --edges alone, found another combination: write --bins 256 --range 0..1"
                .to_owned(),
        )),
    }
}

fn count<T: Number + HistogramElement>(
    call: &mut Call<'_>,
    histogram: Histogram<'_, '_>,
    bins: usize,
) -> Result<(), Failure> {
    let channels = call.values.count("channels").unwrap_or(1);
    let histogram = histogram.channels(channels);
    let shape = if channels == 1 { vec![bins] } else { vec![channels, bins] };
    call.cost = histogram.cost(call.shape("x").iter().product()).ok();
    if let Some(weights) = call.dtype("weights") {
        return for_type!([u32, i32, f32], weights, W => weighted::<T, W>(call, histogram, shape));
    }
    let x = call.upload::<T>("x")?;
    let mut counts = call.array::<u32>(&shape)?;
    histogram.record(&mut call.recording).run(&x, &mut counts)?;
    call.output(counts, shape);
    Ok(())
}

fn weighted<T: Number + HistogramElement, W: Number + HistogramWeight>(
    call: &mut Call<'_>,
    histogram: Histogram<'_, '_>,
    shape: Vec<usize>,
) -> Result<(), Failure> {
    expect_shape(call, "weights", &call.shape("x"), "that of x")?;
    let (x, weights) = (call.upload::<T>("x")?, call.upload::<W>("weights")?);
    let mut sums = call.array::<W>(&shape)?;
    histogram.record(&mut call.recording).run_weighted(&x, &weights, &mut sums)?;
    call.output(sums, shape);
    Ok(())
}
