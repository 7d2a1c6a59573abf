use half::f16;

use super::*;
use crate::buffer::UnifiedBuffer;
use crate::ops::choices::session::observe;
use crate::ops::{Attention, Conv, Fft, Matmul, Norm, OperationError, Pool, Scan, Softmax, Sort, TopK};

fn numbers(device: &Device, count: usize) -> UnifiedBuffer<f32> {
    device.buffer_from(&(0..count).map(|at| (at % 17) as f32 - 8.0).collect::<Vec<_>>()).unwrap()
}

/// The call that is offered asks the same first question as the program's, on a second handle, and runs.
fn offers_itself(name: &str, run: impl Fn(&Device) -> Result<(), OperationError>) {
    let device = Device::open("cpu").unwrap();
    let choices = device.context.extension(|| Choices::of(device.caps()));
    run(&device).unwrap();
    assert_eq!(choices.offers.waiting(), 0, "{name}: calls are gathered only on demand");
    let (ran, decisions) = observe(&[], || run(&device));
    ran.unwrap();
    choices.offers.gather(true);
    run(&device).unwrap();
    run(&device).unwrap();
    let make = choices.offers.take().unwrap_or_else(|| panic!("{name}: no call is offered"));
    let own = Device::open("cpu").unwrap();
    let mut call = make(&own).unwrap();
    let (recording, again) = observe(&[], || call.record());
    let question = |decisions: &[super::super::Decision]| {
        decisions.first().map(|first| (first.operator.clone(), first.sizes.clone()))
    };
    assert_eq!(question(&again), question(&decisions), "{name}");
    // Calls in place read what they write.
    call.reset(!name.contains("in place")).unwrap();
    recording.unwrap().submit().unwrap().wait().unwrap();
    let results = call.results().unwrap();
    let written = |bytes: &[u8]| bytes.iter().any(|byte| *byte != 0xFF);
    assert!(!results.is_empty() && results.iter().all(|result| written(&result.bytes)), "{name}");
}

#[test]
fn all_operators_offer_the_calls_that_were_made() {
    offers_itself("matmul", |device| {
        let (x, mut y) = (numbers(device, 32 * 32 + 1), numbers(device, 32 * 32));
        let (bias, residual) = (numbers(device, 32), numbers(device, 32 * 32));
        let product = Matmul::new([32, 32, 32]).transpose_a().bias(&bias).residual(&residual);
        product.run(x.slice(1..), x.slice(..32 * 32), &mut y)
    });
    offers_itself("sort in place", |device| Sort::new().descending().in_place(&mut numbers(device, 3000)));
    offers_itself("sort pairs", |device| {
        let (keys, mut sorted) = (numbers(device, 3000), numbers(device, 3000));
        let (values, mut sorted_values) = (device.buffer::<u32>(3000).unwrap(), device.buffer::<u32>(3000).unwrap());
        Sort::new().pairs(&keys, &values, &mut sorted, &mut sorted_values)
    });
    offers_itself("argsort", |device| {
        Sort::new().argsort(&numbers(device, 3000), &mut device.buffer::<u32>(3000).unwrap())
    });
    offers_itself("scan", |device| Scan::sum().exclusive().run(&numbers(device, 5000), &mut numbers(device, 5000)));
    offers_itself("scan in place", |device| Scan::max().axis([50, 100], 0).run_in_place(&mut numbers(device, 5000)));
    offers_itself("convolution", |device| {
        let (x, weights, bias) = (numbers(device, 4 * 64), numbers(device, 8 * 4 * 9), numbers(device, 8));
        let conv = Conv::new([1, 4, 8, 8], [8, 4, 3, 3]).bias(&bias);
        conv.run(&x, &weights, &mut numbers(device, 8 * 36))
    });
    offers_itself("derivative of a convolution", |device| {
        let (dy, weights) = (numbers(device, 8 * 36), numbers(device, 8 * 4 * 9));
        Conv::new([1, 4, 8, 8], [8, 4, 3, 3]).backward(&dy, &weights, &mut numbers(device, 4 * 64))
    });
    offers_itself("derivatives by weights", |device| {
        let (x, dy) = (numbers(device, 4 * 64), numbers(device, 8 * 36));
        let mut dweights = numbers(device, 8 * 4 * 9);
        Conv::new([1, 4, 8, 8], [8, 4, 3, 3]).backward_weights(&x, &dy, &mut dweights)
    });
    offers_itself("attention", |device| {
        let x = numbers(device, 2 * 16 * 8);
        let mask = device.buffer_from(&[1u32; 16 * 16]).unwrap();
        let attention = Attention::new([1, 2, 16, 8], [1, 2, 16, 8]).mask(&mask, [16, 16]);
        attention.run(&x, &x, &x, &mut numbers(device, 2 * 16 * 8))
    });
    offers_itself("pooling", |device| {
        Pool::max([1, 2, 8, 8], &[2, 2]).run(&numbers(device, 128), &mut numbers(device, 98))
    });
    offers_itself("top_k", |device| {
        let mut indices = device.buffer::<u32>(10).unwrap();
        TopK::new(10).run(&numbers(device, 1000), &mut numbers(device, 10), &mut indices)
    });
    offers_itself("softmax", |device| {
        let x = device.buffer_from(&[f16::ONE; 600]).unwrap();
        Softmax::new([2, 300], 1).logarithm().run(&x, &mut device.buffer::<f16>(600).unwrap())
    });
    offers_itself("derivative of a softmax", |device| {
        let x = numbers(device, 600);
        Softmax::new([2, 300], 1).backward(&x, &x, &mut numbers(device, 600))
    });
    offers_itself("norm", |device| {
        let (x, weights) = (numbers(device, 600), numbers(device, 300));
        Norm::layer(300).scale(&weights).run(&x, &mut numbers(device, 600))
    });
    offers_itself("Fourier transform", |device| {
        let x = device.buffer_from(&[[1.0f32, -1.0]; 60]).unwrap();
        Fft::new([60]).inverse().run(&x, &mut device.buffer::<[f32; 2]>(60).unwrap())
    });
}

/// A call with segments, and one whose way the caller sets, describe nothing.
#[test]
fn other_calls_offer_nothing() {
    let device = Device::open("cpu").unwrap();
    let choices = device.context.extension(|| Choices::of(device.caps()));
    choices.offers.gather(true);
    let heads = device.buffer_from(&[1u32; 100]).unwrap();
    Scan::sum().heads(&heads).run(&numbers(&device, 100), &mut numbers(&device, 100)).unwrap();
    let (x, mut y) = (numbers(&device, 64), numbers(&device, 64));
    // The question without an offer before it is not taken for that of this product.
    Matmul::new([8, 8, 8]).method(crate::ops::MatmulMethod::Tiles).run(&x, &x, &mut y).unwrap();
    assert_eq!(choices.offers.waiting(), 0);
}
