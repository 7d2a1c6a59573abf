//! Tests of every choice, compared with the reference implementation.

use super::plan::{Choice, plan};
use super::run::Operands;
use super::{SortKey, TopK, reference};
use crate::Device;
use crate::submit::Destination;

fn check<K: SortKey + PartialOrd>(device: &Device, choice: Choice, [rows, length, k]: [usize; 3], flags: [bool; 2]) {
    let said = format!("{k} of {rows} x {length} of {}, {choice:?}, {flags:?}", std::any::type_name::<K>());
    let mut state = 77u64;
    let key = |_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let bits = match state >> 20 & 7 {
            0 => state | 0x7fff << 48,
            1..4 => state & (0xf << 60),
            _ => state,
        };
        bytemuck::pod_read_unaligned(&(bits >> (64 - K::BITS)).to_le_bytes()[..size_of::<K>()])
    };
    let keys: Vec<K> = (0..rows * length).map(key).collect();
    let [largest, nan_last] = flags;
    let of_row = |row: &[K]| reference::top_k(row, k, largest, nan_last);
    let wanted: Vec<u32> = keys.chunks(length.max(1)).flat_map(of_row).collect();
    let around = [&[K::zeroed(); 3][..], &keys].concat();
    let x = device.buffer_from(&around).unwrap();
    let mut values = device.buffer::<K>(rows * k + 5).unwrap();
    let mut indices = device.buffer_from(&vec![9u32; rows * k + 3]).unwrap();
    let top = TopK { nan_last, ..TopK::new(k).rows(rows).largest(largest) };
    let shape = top.shape::<K>(keys.len(), device).unwrap();
    let operands =
        Operands { x: x.slice(3..), values: values.slice_mut(5..), indices: indices.slice_mut(1..=rows * k) };
    operands.run(top.order::<K>(), shape, &plan(shape, choice), &mut Destination::Own).unwrap();
    assert_eq!(indices.read().unwrap()[1..=rows * k], wanted, "indices: {said}");
    assert_eq!((indices.read().unwrap()[0], indices.read().unwrap()[rows * k + 1]), (9, 9), "around: {said}");
    let bytes = |keys: &[K]| bytemuck::cast_slice::<K, u8>(keys).to_vec();
    let of = |(at, place): (usize, &u32)| keys[at / k * length + *place as usize];
    let wanted: Vec<K> = wanted.iter().enumerate().map(of).collect();
    assert_eq!(bytes(&values.read().unwrap()[5..]), bytes(&wanted), "values: {said}");
}

#[test]
fn every_choice_selects() {
    let device = Device::open("cpu").unwrap();
    for choice in [Choice::Rows, Choice::Select, Choice::Sort] {
        for sizes in [[1, 1, 1], [3, 1000, 17], [1, 1024, 1024], [2, 9001, 300], [5, 7, 0], [1, 13_000, 1], [2, 40, 39]]
        {
            for flags in [[true, false], [true, true], [false, false]] {
                check::<u8>(&device, choice, sizes, flags);
                check::<half::f16>(&device, choice, sizes, flags);
                check::<f32>(&device, choice, sizes, flags);
                check::<i64>(&device, choice, sizes, flags);
            }
        }
    }
}
