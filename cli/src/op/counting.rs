//! Histograms.

use anywarp::ops::{Histogram, HistogramElement};

use super::call::Call;
use super::entry::{Number, Operator, Port, U32, by_type};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;

const COUNTS: &[Port] = &[Port::new("counts", "The number of elements in each bin").of(U32)];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "histogram",
        summary: "Numbers of elements by bins, as numpy.histogram: give --bins and --range, or --edges",
        inputs: &[Port::new("x", "The elements")],
        outputs: COUNTS,
        parameters: &[
            Parameter::new("bins", Kind::Count, "The number of bins of equal width"),
            Parameter::new("range", Kind::Range, "The first and the last edge of these bins"),
            Parameter::new("edges", Kind::Numbers, "The edges of bins of any width"),
        ],
        run: by_type!([f32, i32, u32], T, call => histogram::<T>(call)),
    },
    Operator {
        name: "bincount",
        summary: "How often each number below --bins occurs; larger ones are ignored",
        inputs: &[Port::new("x", "The numbers")],
        outputs: COUNTS,
        parameters: &[Parameter::new("bins", Kind::Count, "The number of counts").required()],
        run: by_type!([u32], T, call => {
            let (x, bins) = (call.upload::<T>("x")?, call.values.count("bins").unwrap_or_default());
            let mut counts = call.empty::<u32>(bins)?;
            let range = 0.0..bins as f64;
            call.cost = Histogram::even(bins, range).cost(x.len()).ok();
            Histogram::numbers(bins).record(&mut call.recording).run(&x, &mut counts)?;
            call.output(counts, vec![bins]);
            Ok(())
        }),
    },
];

fn histogram<T: Number + HistogramElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let x = call.upload::<T>("x")?;
    let edges = call.values.numbers("edges");
    let histogram = match (&edges, call.values.count("bins"), call.values.range("range")) {
        (Some(edges), None, None) => Histogram::edges(edges),
        (None, Some(bins), Some(range)) => Histogram::even(bins, range),
        _ => {
            return Err(Failure::Usage(
                "expected --bins and --range, or --edges alone, found another combination: write --bins 256 --range 0..1"
                    .to_owned(),
            ));
        }
    };
    let bins = edges.as_ref().map_or_else(|| call.values.count("bins").unwrap_or_default(), |edges| edges.len() - 1);
    let mut counts = call.empty::<u32>(bins)?;
    call.cost = histogram.cost(x.len()).ok();
    histogram.record(&mut call.recording).run(&x, &mut counts)?;
    call.output(counts, vec![bins]);
    Ok(())
}
