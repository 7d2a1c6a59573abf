//! Selections of half of the elements: by lines, by tiles in three passes, by tiles in one, and the host.

use anywarp::ops::{Cost, ScanForm, Select};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::{Ladder, is_host};
use crate::shared::Outcome;

const FORMS: [(&str, Option<ScanForm>); 4] = [
    ("naive: lines", Some(ScanForm::Lines { parts: 4096 })),
    ("tiles", Some(ScanForm::Tiles)),
    ("chained", Some(ScanForm::Chained)),
    ("Select", None),
];

struct Arrays {
    x: UnifiedBuffer<u32>,
    y: UnifiedBuffer<u32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let x: Vec<u32> = (0..elements as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect();
    // The keys have no pattern that a processor's branch prediction could use.
    let even: Vec<u32> = x.iter().copied().filter(|x| x % 2 == 0).collect();
    let changed: Vec<u32> = x.iter().map(|x| x / 2048).collect();
    let mut unique = changed.clone();
    unique.dedup();
    for (operator, condition, x, wanted) in
        [("select half of u32", Some("x % 2u == 0u"), &x, &even), ("unique u32", None, &changed, &unique)]
    {
        let operator = format!("{operator}, {elements} elements");
        let select = || condition.map_or_else(Select::changes, Select::new);
        let reading = select().cost::<u32>(&device, elements)?;
        // The number of selected elements is known here.
        let cost = with_bytes(reading, reading.bytes + 4 * wanted.len() as u64);
        let mut arrays = Arrays { x: device.buffer_from(x)?, y: device.buffer(elements)? };
        for (what, form) in FORMS {
            arrays.y.fill(u32::MAX)?;
            let record = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
                let select = select().record(recording);
                let select = if let Some(form) = form { select.form(form) } else { select };
                select.run(&*x, y)?;
                Ok(())
            };
            let check = |arrays: &Arrays| {
                let got = arrays.y.read()?;
                match (got[..wanted.len()] == **wanted, got.get(wanted.len())) {
                    (true, None | Some(&u32::MAX)) => Ok(()),
                    _ => Err("other elements, or more of them".into()),
                }
            };
            ladder.rung((&operator, what), cost, &mut arrays, record, check)?;
        }
        if is_host(&device) {
            let mut y = Vec::with_capacity(elements);
            ladder.host_rung((&operator, "one thread of Rust"), cost, || {
                y.clear();
                match condition {
                    Some(_) => y.extend(x.iter().copied().filter(|x| x % 2 == 0)),
                    None => {
                        y.extend_from_slice(x);
                        y.dedup();
                    }
                }
                std::hint::black_box(&mut y);
                Ok(())
            })?;
            let mut kept = vec![0u32; elements];
            ladder.host_rung((&operator, "without branches"), cost, || {
                let (mut to, mut before) = (0, !x[0]);
                for x in x {
                    kept[to] = *x;
                    to += usize::from(condition.map_or(*x != before, |_| *x % 2 == 0));
                    before = *x;
                }
                std::hint::black_box((&kept, to));
                Ok(())
            })?;
        }
    }
    Ok(())
}

fn with_bytes(mut cost: Cost, bytes: u64) -> Cost {
    cost.bytes = bytes;
    cost
}
