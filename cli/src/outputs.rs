//! All outputs of a run: assigned to bindings, checked before the run, written after it.

use std::time::Duration;

use anywarp::backend::BindingInfo;

use crate::bindings::Interface;
use crate::buffers::{self, Bound};
use crate::failure::Failure;
use crate::output::{Output, Plan};
use crate::report;
use crate::shape::{self, Given};
use crate::source::Bind;

/// Returns the outputs, each with the index in `sources` of the binding whose buffer it writes.
pub(crate) fn find<'a>(
    interface: &Interface<'_>,
    sources: &[(&BindingInfo, &Bind)],
    outputs: &'a [Output],
) -> Result<Vec<(usize, &'a Output)>, Failure> {
    let mut found: Vec<(usize, &Output)> = Vec::with_capacity(outputs.len());
    for output in outputs {
        let binding = interface.find("--out", &output.key)?;
        let argument = output.argument();
        if let Some((_, other)) = found.iter().find(|(_, other)| other.path == output.path) {
            let other = other.argument();
            return Err(Failure::Usage(format!(
                "{argument}: expected a file of its own, {other} writes it as well: choose another name"
            )));
        }
        let index = sources.iter().position(|(other, _)| other.resource == binding.resource);
        let index = index.ok_or_else(|| {
            Failure::Usage(format!(
                "{argument}: expected a variable with a buffer, '{}' comes from --set and has none: give it a --bind",
                binding.name
            ))
        })?;
        output.check(binding)?;
        found.push((index, output));
    }
    Ok(found)
}

/// Checks that every `--shape` applies to exactly one output.
pub(crate) fn check_shapes(
    outputs: &[(usize, &Output)],
    sources: &[(&BindingInfo, &Bind)],
    shapes: &[Given],
) -> Result<(), Failure> {
    for (index, (key, shape)) in shapes.iter().enumerate() {
        let argument = format!("--shape {}", shape::text(key.as_deref(), shape));
        let refuse = |what: String| Err(Failure::Usage(format!("{argument}: {what}")));
        let names = |(at, output): &&(usize, &Output)| {
            key.as_ref().is_none_or(|key| *key == output.key || *key == sources[*at].0.name)
        };
        let named: Vec<_> = outputs.iter().filter(names).collect();
        if key.is_none() && outputs.len() > 1 {
            return refuse(format!(
                "expected KEY=SHAPE, as there are {} outputs, found no key: write --shape {}",
                outputs.len(),
                shape::text(Some(&outputs[0].1.key), shape)
            ));
        }
        if !named.iter().any(|(_, output)| output.takes_shape()) {
            return refuse(
                "expected an --out FILE.npy or FILE.png without a shape of its own, there is none: add one, or \
                           leave --shape out"
                    .to_owned(),
            );
        }
        if shapes[..index].iter().any(|(other, _)| other == key) {
            return refuse("expected one shape for each output, this is the second: keep one of the two".to_owned());
        }
    }
    Ok(())
}

/// Writes all outputs. The second list has the errors of the outputs that could not be written.
pub(crate) fn write(
    bound: &[Bound<'_>],
    outputs: &[(usize, &Output)],
    plans: &[Plan],
    spent: &mut Duration,
) -> Result<(Vec<report::Written>, Vec<String>), Failure> {
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    for ((index, output), plan) in outputs.iter().zip(plans) {
        let Bound { binding, buffer } = &bound[*index];
        let bytes = buffers::download(buffer, u64::MAX, spent)?;
        match output.write(plan, &bytes) {
            Ok(done) => written.push(report::Written {
                name: binding.name.clone(),
                file: output.path.display().to_string(),
                bytes: done.bytes,
                shape: if let Plan::Npy { shape, .. } = plan { Some(shape.clone()) } else { None },
                clamped: done.clamped,
            }),
            Err(message) => {
                let argument = output.argument();
                failed.push(format!(
                    "{argument}: expected to write the file after the run, {message}: check the folder and its free \
                     space"
                ));
            }
        }
    }
    Ok((written, failed))
}
