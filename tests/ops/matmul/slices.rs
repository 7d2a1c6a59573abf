//! Products of slices, in recordings, and between other work.

use anywarp::Device;
use anywarp::ops::{Matmul, matmul};
use half::{bf16, f16};

use super::element::{Number, numbers};
use super::judge;
use crate::Case;
use crate::outcome::{TestResult, equal, same};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("f32::slices".to_owned(), slices::<f32>),
        ("f16::slices".to_owned(), slices::<f16>),
        ("bf16::slices".to_owned(), slices::<bf16>),
        ("f32::no_depth_in_a_slice".to_owned(), no_depth::<f32>),
        ("f16::no_depth_in_a_slice".to_owned(), no_depth::<f16>),
        ("f32::replayed".to_owned(), replayed::<f32>),
        ("f16::replayed".to_owned(), replayed::<f16>),
        ("f32::after_what_the_host_wrote".to_owned(), after_the_host),
        ("f32::a_chain".to_owned(), chain),
    ]
}

/// Factors can be parts of one buffer; elements around the product are unchanged.
fn slices<T: Number>(device: &Device) -> TestResult {
    let sizes @ [m, k, n] = [9, 7, 5];
    for (first, begin) in [(0, 0), (1, 3), (64, 128), (130, 65)] {
        let all = numbers::<T>(first + m * k + k * n, 5);
        let (of_a, of_b) = (first..first + m * k, first + m * k..first + m * k + k * n);
        let factors = device.buffer_from(&all)?;
        let mut wanted = numbers::<T>(begin + m * n + 4, 6);
        let mut c = device.buffer_from(&wanted)?;
        matmul(factors.slice(of_a.clone()), factors.slice(of_b.clone()), c.slice_mut(begin..begin + m * n), sizes)?;
        let got = c.read()?.to_vec();
        judge(&got[begin..begin + m * n], &all[of_a], &all[of_b], sizes, None)?;
        wanted[begin..begin + m * n].copy_from_slice(&got[begin..begin + m * n]);
        same(&got, &wanted, "around the product")?;
    }
    Ok(())
}

fn no_depth<T: Number>(device: &Device) -> TestResult {
    let nothing = device.buffer::<T>(0)?;
    let mut wanted = numbers::<T>(24, 7);
    let mut c = device.buffer_from(&wanted)?;
    matmul(&nothing, &nothing, c.slice_mut(3..18), [5, 0, 3])?;
    wanted[3..18].fill(T::of(0.0));
    same(&c.read()?, &wanted, "zeros in a slice")
}

fn replayed<T: Number>(device: &Device) -> TestResult {
    let sizes @ [m, k, n] = [33, 20, 65];
    let of_b = numbers::<T>(k * n, 8);
    let mut a = device.buffer::<T>(m * k)?;
    let b = device.buffer_from(&of_b)?;
    let mut c = device.buffer::<T>(m * n)?;
    let mut copy = device.buffer::<T>(m * n + 1)?;
    let mut kept = device.recording();
    Matmul::new(sizes).record(&mut kept).run(&a, &b, &mut c)?;
    Matmul::new(sizes).record(&mut kept).run(&a, &b, copy.slice_mut(1..))?;
    equal(kept.len(), 2, "commands")?;
    for seed in 9..12 {
        let of_a = numbers::<T>(m * k, seed);
        a.copy_from_slice(&of_a)?;
        kept.submit()?;
        judge(&c.read()?, &of_a, &of_b, sizes, None)?;
        judge(&copy.read()?[1..], &of_a, &of_b, sizes, None)?;
    }
    Ok(())
}

/// Earlier host writes to `c` do not overwrite the product, and are not lost around it.
fn after_the_host(device: &Device) -> TestResult {
    let (of_a, of_b) = (numbers::<f32>(16, 13), numbers::<f32>(16, 14));
    let (a, b) = (device.buffer_from(&of_a)?, device.buffer_from(&of_b)?);
    let mut c = device.buffer::<f32>(32)?;
    c.write()?.fill(1.0);
    matmul(&a, &b, c.slice_mut(8..24), [4, 4, 4])?;
    c.slice_mut(30..).copy_from_slice(&[2.0, 3.0])?;
    let got = c.read()?;
    judge(&got[8..24], &of_a, &of_b, [4, 4, 4], None)?;
    same(&got[..8], &[1.0; 8], "before")?;
    same(&got[24..], &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0], "behind")
}

/// A chain of products is right: powers of a rotation by a quarter turn, which are exact in every precision.
fn chain(device: &Device) -> TestResult {
    let quarter = device.buffer_from(&[0.0f32, -1.0, 1.0, 0.0])?;
    let mut even = device.buffer_from(&[1.0f32, 0.0, 0.0, 1.0])?;
    let mut odd = device.buffer::<f32>(4)?;
    for _ in 0..101 {
        matmul(&quarter, &even, &mut odd, [2, 2, 2])?;
        matmul(&quarter, &odd, &mut even, [2, 2, 2])?;
    }
    same(&odd.read()?.map_or_zero(), &[0.0, -1.0, 1.0, 0.0], "an odd power")?;
    same(&even.read()?.map_or_zero(), &[-1.0, 0.0, 0.0, -1.0], "an even power")
}

/// Replaces zeros of both signs by positive zeros.
trait Zeros {
    fn map_or_zero(&self) -> Vec<f32>;
}

impl Zeros for [f32] {
    fn map_or_zero(&self) -> Vec<f32> {
        self.iter().map(|value| value + 0.0).collect()
    }
}
