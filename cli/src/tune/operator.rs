//! `anywarp tune op`: the kernels with which an operator is fastest.

use anywarp::backend::Layout;
use anywarp::tune::{Contents, Goal, Mode, OperatorTuner, TuneError, Workload};
use anywarp::{Device, Element, Recording};
use clap::Args;

use super::effort::Effort;
use super::inputs::{self, Given};
use super::{plot, progress_bar, report, show_progress};
use crate::count;
use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::op::{Call, Input, Operator, Values, named};
use crate::{run, terminal};

/// The operator to measure, its inputs and the effort.
#[derive(Debug, Args)]
pub(crate) struct OperatorArgs {
    /// The operator, as `anywarp op --list` names it
    #[arg(value_name = "NAME")]
    name: String,

    /// The inputs, in the order in which `anywarp op NAME` takes them
    #[arg(value_name = "FILE", conflicts_with = "sizes")]
    files: Vec<String>,

    /// Make inputs of these sizes instead: N or M,K,N for matrices; examples, channels, height, width, channels of the
    /// result and size of the kernel for conv; the shape of the inputs for others
    #[arg(long, value_name = "N[,N..]", value_delimiter = ',', value_parser = size)]
    sizes: Vec<u64>,

    /// The element type of inputs that are made [default: the operator's first one]
    #[arg(long, value_name = "DTYPE", requires = "sizes")]
    dtype: Option<String>,

    /// Set a parameter of the operator: `axis=1`, `transpose_a=`. Repeat it for each parameter
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    sets: Vec<(String, String)>,

    /// The device, as `anywarp devices` lists it [default: that of `ANYWARP_DEVICE`, or the best one]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,

    /// By how much floating-point results may differ from the default's, relative to them [default: 1e-4, f16: 1e-2]
    #[arg(long, value_name = "RATIO")]
    tolerance: Option<f64>,

    #[command(flatten)]
    effort: Effort,
}

fn size(text: &str) -> Result<u64, String> {
    count::count(text.trim()).ok_or_else(|| format!("expected a size, found '{text}': write --sizes 4096"))
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found '{text}': write --set axis=1"))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

pub(super) fn run(arguments: &OperatorArgs, json: bool) -> Result<(), Failure> {
    let name = &arguments.name;
    let operator = named(name).ok_or_else(|| {
        Failure::Usage(format!("{name}: expected an operator, found '{name}': choose one that anywarp op --list names"))
    })?;
    if arguments.files.is_empty() && arguments.sizes.is_empty() {
        return Err(Failure::Usage(format!(
            "{name}: expected FILE.. or --sizes, found none: write anywarp tune op {name} --sizes 4096"
        )));
    }
    let values = inputs::values(operator, &arguments.sets)?;
    let inputs = inputs::inputs(
        operator,
        &match arguments.files.as_slice() {
            [] => Given::Sizes { sizes: &arguments.sizes, dtype: arguments.dtype.as_deref() },
            files => Given::Files(files),
        },
    )?;
    let device = run::open(arguments.device.as_deref())?;
    let mut rehearsed =
        Rehearsed { operator, device: &device, inputs: &inputs, values: &values, call: None, failure: None };
    // The failures of a first call name files and options.
    rehearsed.record().map_err(|error| rehearsed.failure.take().unwrap_or_else(|| error.into()))?;
    let least = rehearsed.call.as_ref().and_then(|call| call.cost).and_then(|cost| report::least(&device, cost));

    let effort = &arguments.effort;
    let bar = progress_bar(0, json);
    let mut tuner = OperatorTuner::new(&device, rehearsed).mode(Mode::Again).budget(effort.budget);
    tuner = tuner.goal(effort.goal()).strategy(effort.strategy()).seed(effort.seed);
    if let Some(tolerance) = arguments.tolerance {
        tuner = tuner.verify(tolerance);
    }
    if let (Some(least), Goal::Time) = (least, effort.goal()) {
        tuner = tuner.bound(least);
    }
    let tuned = tuner.progress(|progress| show_progress(&bar, &progress)).run();
    bar.finish_and_clear();
    let tuned = tuned?;
    let all = || tuned.operators().iter().map(|one| (format!("{} {}", one.operator(), one.sizes()), one.rows()));
    effort.draw(|| plot::svg(&device.caps().name, all()))?;
    let device = run::describe_device(&device);
    terminal::print(&if json {
        report::operators_json(&device, name, &tuned, least)
    } else {
        report::operators_table(&device, &tuned, least)
    })
}

/// The call of an operator on inputs of the command line.
struct Rehearsed<'a> {
    operator: &'static Operator,
    device: &'a Device,
    inputs: &'a [Input],
    values: &'a Values,
    /// The latest call, which has the outputs.
    call: Option<Call<'a>>,
    /// The failure of the latest call, with the argument that is the cause.
    failure: Option<Failure>,
}

impl Rehearsed<'_> {
    fn recorded(&mut self) -> Result<Recording, Failure> {
        let mut call = Call::record(self.operator, self.device, self.inputs, self.values)?;
        if call.solved.is_some() {
            let name = self.operator.name;
            return Err(Failure::Usage(format!(
                "{name}: expected an operator whose commands can be recorded, found a solver: tune the product of its \
                 matrix, as spmv"
            )));
        }
        for output in &mut call.outputs {
            output.keep(self.device)?;
        }
        let recording = std::mem::replace(&mut call.recording, self.device.recording());
        self.call = Some(call);
        Ok(recording)
    }

    fn outputs(
        &mut self,
        each: impl FnOnce(&mut Call<'_>) -> Result<Vec<Contents>, Failure>,
    ) -> anywarp::Result<Vec<Contents>> {
        self.call.as_mut().map_or(Ok(Vec::new()), each).map_err(|failure| failed(&failure))
    }
}

impl Workload for Rehearsed<'_> {
    fn record(&mut self) -> anywarp::Result<Recording> {
        self.recorded().map_err(|failure| {
            let error = failed(&failure);
            self.failure = Some(failure);
            error
        })
    }

    fn reset(&mut self, poisoned: bool) -> anywarp::Result<()> {
        let set = |call: &mut Call<'_>| {
            call.outputs.iter_mut().try_for_each(|output| output.set(poisoned)).map(|()| Vec::new())
        };
        self.outputs(set).map(drop)
    }

    fn results(&mut self) -> anywarp::Result<Vec<Contents>> {
        let names = self.operator.outputs;
        self.outputs(|call| {
            let arrays = call.read()?.into_iter().enumerate();
            let name =
                |at: usize| names.get(at).map_or_else(|| format!("output {}", at + 1), |port| port.name.to_owned());
            Ok(arrays.map(|(at, array)| Contents::new(name(at), layout(array.dtype), array.bytes)).collect())
        })
    }
}

/// The failure of a call, as an error of the library.
fn failed(failure: &Failure) -> anywarp::Error {
    TuneError::DefaultFailed { reason: failure.to_string() }.into()
}

fn layout(dtype: Dtype) -> Layout {
    match dtype {
        Dtype::B1 | Dtype::U1 => u8::layout(),
        Dtype::I1 => i8::layout(),
        Dtype::U2 => u16::layout(),
        Dtype::I2 => i16::layout(),
        Dtype::F2 => half::f16::layout(),
        Dtype::U4 => u32::layout(),
        Dtype::I4 => i32::layout(),
        Dtype::F4 => f32::layout(),
        Dtype::U8 => u64::layout(),
        Dtype::I8 => i64::layout(),
        Dtype::F8 => f64::layout(),
    }
}
