//! Tests of every form of a selection, compared with the reference implementation.

use super::super::every_device::devices;
use super::super::operation::arguments::Array;
use super::super::scanning::sizes::Chain;
use super::kept::{Kept, Output};
use super::plan::Choice;
use super::run::Operands;
use super::{call, element, reference};
use crate::submit::Destination;

const CHOICES: [Choice; 5] = [
    Choice::Chained,
    Choice::Tiles,
    Choice::Lines { parts: 1 },
    Choice::Lines { parts: 3 },
    Choice::Lines { parts: 300 },
];

#[test]
fn every_form_selects_alike_on_every_device() {
    for device in devices() {
        for length in [1usize, 2, 255, 3327, 3328, 3329, 50_021] {
            let x: Vec<u32> = (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect();
            let flags: Vec<u32> = x.iter().map(|x| u32::from(x % 3 == 1)).collect();
            let [kept, rest] = reference::selected(length, |at| flags[at] != 0);
            let of = |places: &[usize]| places.iter().map(|at| x[*at]).collect::<Vec<u32>>();
            let input = device.buffer_from(&x).unwrap();
            let heads = device.buffer_from(&flags).unwrap();
            for choice in CHOICES {
                for silent in [false, true] {
                    let mut y = device.buffer_from(&vec![7u32; length]).unwrap();
                    let mut z = device.buffer_from(&vec![7u32; length]).unwrap();
                    let operands = Operands {
                        x: Array::new::<u32>(&input),
                        flags: Some(Array::new::<u32>(&heads)),
                        y: Array::new::<u32>(&mut y),
                        z: Some(Array::new::<u32>(&mut z)),
                    };
                    let mut call = call(&Kept::Flags, Output::Partition, element::<u32>());
                    call.chain = Chain { silent, ..Chain::TESTED };
                    let lengths = [length; 3];
                    let count = call.run(&operands, lengths, Some(choice), &mut Destination::Own).unwrap();
                    drop(operands);
                    let what = format!("{length} {choice:?} {silent}");
                    assert_eq!(count.read().unwrap() as usize, kept.len(), "{what}");
                    assert!(y.read().unwrap()[..kept.len()] == of(&kept), "{what}");
                    assert!(y.read().unwrap()[kept.len()..].iter().all(|behind| *behind == 7), "{what}");
                    assert!(z.read().unwrap()[..rest.len()] == of(&rest), "{what}");
                }
            }
        }
    }
}
