//! Products of all pairs of types against the reference, on the processor; the rest is in `tests/ops`.

use super::reference::integer_matmul;
use super::{ByteElement, IntegerMatmul};
use crate::Device;

/// Numbers of the whole range of a type.
fn numbers<T: ByteElement>(count: usize, seed: usize) -> (Vec<T>, Vec<i32>) {
    let bytes: Vec<u8> = (0..count).map(|at| (at * 89 + seed * 31) as u8).collect();
    let wide = bytes.iter().map(|byte| if T::RANGE[0] < 0 { i32::from(byte.cast_signed()) } else { i32::from(*byte) });
    let wide = wide.collect();
    (bytemuck::cast_vec(bytes), wide)
}

fn check<A: ByteElement, B: ByteElement>(device: &Device, zeros: [i32; 2]) {
    for sizes @ [m, k, n] in [[1, 1, 1], [65, 37, 66], [3, 130, 5], [64, 32, 64], [2, 0, 3]] {
        let ((a, wide_a), (b, wide_b)) = (numbers::<A>(m * k, 1), numbers::<B>(k * n, 2));
        let wanted = integer_matmul(&wide_a, &wide_b, sizes, zeros);
        let (a, b) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
        let mut c = device.buffer_from(&vec![9i32; m * n]).unwrap();
        IntegerMatmul::new(sizes).zeros(zeros).run(&a, &b, &mut c).unwrap();
        assert_eq!(*c.read().unwrap(), wanted[..], "{sizes:?} {zeros:?}");
    }
}

#[test]
fn products_of_each_pair_of_types_match_the_reference() {
    let device = Device::open("cpu").unwrap();
    check::<i8, i8>(&device, [0, 0]);
    check::<i8, i8>(&device, [-128, 127]);
    check::<u8, u8>(&device, [0, 0]);
    check::<u8, u8>(&device, [128, 255]);
    check::<u8, i8>(&device, [0, 0]);
    check::<i8, u8>(&device, [5, 7]);
    check::<u8, i8>(&device, [128, 0]);
}
