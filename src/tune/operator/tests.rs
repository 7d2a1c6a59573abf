//! Tests of operators that are tuned, on `cpu`.

use super::*;
use crate::buffer::UnifiedBuffer;
use crate::ops::{Conv, FillPattern, Matmul, Reason, Scan, Softmax, Sort, decisions};
use crate::submit::Recording;
use crate::tune::{Dropped, Ended, Origin, Row, Spare};

fn device() -> Device {
    Device::open("cpu").unwrap()
}

fn quick<W: Workload>(device: &Device, call: W) -> OperatorTuner<'_, W> {
    // Ends long before its budget, which would otherwise leave candidates out on a busy machine.
    let tuner = OperatorTuner::new(device, call).store(None).mode(Mode::Again).budget(Duration::from_secs(30));
    tuner.strategy(Strategy::Exhaustive).rounds(1)
}

fn store(name: &str) -> Store {
    let folder = std::env::temp_dir().join(format!("anywarp-operator-{name}-{}", std::process::id()));
    std::fs::remove_dir_all(&folder).ok();
    Store::open(folder)
}

fn sorted<'a>(
    x: &'a UnifiedBuffer<u32>,
) -> impl FnMut(&mut UnifiedBuffer<u32>, &mut Recording) -> crate::Result<()> + 'a {
    move |y, recording| Ok(Sort::new().record(recording).run(x, y)?)
}

/// Whether a candidate has the results of the default. It may be slower by more than the limit.
fn is_right(row: &Row) -> bool {
    matches!(row.dropped, None | Some(Dropped::Slow(_)))
}

/// All candidates of several operators are right, and each is tried.
#[test]
fn candidates_of_operators_agree() {
    let device = device();
    let x: Vec<f32> = (0..12 * 1024).map(|at| ((at * 37) % 101) as f32 / 101.0).collect();
    let (floats, words) = (device.buffer_from(&x).unwrap(), device.buffer_from(&[5_u32, 1, 4, 1].repeat(600)).unwrap());
    let all = |tuned: crate::Result<TunedCall>, name: &str| {
        let tuned = tuned.unwrap();
        let operator = &tuned.operators()[0];
        assert!(operator.operator().starts_with(name), "{tuned}");
        assert!(operator.rows().len() > 2 && operator.rows().iter().all(is_right), "{tuned}");
        assert!(operator.rows().iter().filter(|row| row.rounds > 0).count() > 1, "{tuned}");
    };
    let c = device.buffer::<f32>(8 * 16).unwrap();
    let product = |c: &mut UnifiedBuffer<f32>, to: &mut Recording| {
        Matmul::new([8, 128, 16]).record(to).run(floats.slice(..8 * 128), floats.slice(..128 * 16), c)
    };
    all(quick(&device, Call::new(&device, c, product).unwrap()).run(), "matmul f32");
    let y = device.buffer::<u32>(words.len()).unwrap();
    all(quick(&device, Call::new(&device, y, sorted(&words)).unwrap()).run(), "sort i32 keys");
    let y = device.buffer::<f32>(x.len()).unwrap();
    let scan = |y: &mut UnifiedBuffer<f32>, to: &mut Recording| Scan::sum().record(to).run(&floats, y);
    all(quick(&device, Call::new(&device, y, scan).unwrap()).run(), "scan f32");
    let y = device.buffer::<f32>(x.len()).unwrap();
    let softmax =
        |y: &mut UnifiedBuffer<f32>, to: &mut Recording| Softmax::new([3, 4096], 1).record(to).run(&floats, y);
    all(quick(&device, Call::new(&device, y, softmax).unwrap()).run(), "softmax f32");
}

/// A call that sorts in place begins with the same contents each time, and the user's buffer ends with them.
#[test]
fn calls_in_place_begin_with_the_same_contents() {
    let device = device();
    let x = device.buffer_from(&[3_u32, 1, 2].repeat(300)).unwrap();
    let call = Call::new(&device, x, |x, to| Sort::new().record(to).in_place(&mut *x)).unwrap();
    let tuned = quick(&device, call).run().unwrap();
    assert!(tuned.operators()[0].rows().iter().all(is_right), "{tuned}");
}

/// The best candidate is used at once, in later processes, and not with another driver or version.
#[test]
fn results_are_kept_and_used() {
    let (device, store) = (device(), store("kept"));
    let words = device.buffer_from(&[5_u32, 1, 4, 1].repeat(600)).unwrap();
    let run = |device: &Device, words: &UnifiedBuffer<u32>, mode| {
        let y = device.buffer::<u32>(words.len()).unwrap();
        let tuner = quick(device, Call::new(device, y, sorted(words)).unwrap());
        tuner.store(store.clone()).mode(mode).run().unwrap()
    };
    assert_eq!(run(&device, &words, Mode::Pinned).operators()[0].origin(), Origin::Default);
    let tuned = run(&device, &words, Mode::Record);
    let first = &tuned.operators()[0];
    assert!(matches!(first.origin(), Origin::Measured(Ended::Finished | Ended::Budget)), "{tuned}");
    let mut y = device.buffer::<u32>(words.len()).unwrap();
    let (_, used) = decisions(|| Sort::new().run(&words, &mut y));
    assert_eq!((&*used[0].chosen, used[0].reason), (first.chosen(), Reason::Kept));
    let again = run(&device, &words, Mode::Record);
    assert_eq!((again.operators()[0].origin(), again.operators()[0].chosen()), (Origin::Kept, first.chosen()));

    // A later process, whose table comes from the disk.
    let records = store.read().unwrap().records;
    assert!(records.iter().all(|record| record.is_for(device.caps())));
    let later = Device::open("cpu").unwrap();
    let choices = Choices::from_records(&[], &records);
    later.context.extension(|| choices);
    let words = later.buffer_from(&[1_u32; 2400]).unwrap();
    let mut y = later.buffer::<u32>(2400).unwrap();
    let (_, used) = decisions(|| Sort::new().run(&words, &mut y));
    assert_eq!((&*used[0].chosen, used[0].reason), (first.chosen(), Reason::Kept));

    let other = |change: fn(&mut Record)| {
        let mut records = records.clone();
        records.iter_mut().for_each(change);
        records.iter().any(|record| record.is_for(device.caps()))
    };
    assert!(!other(|record| record.version = "0.0.9".to_owned()));
    assert!(!other(|record| record.driver = "another".to_owned()));
    assert!(!other(|record| record.device = "cuda a card".to_owned()));
    std::fs::remove_dir_all(store.folder()).ok();
}

/// A sort whose fourth result is wrong: the first one of the first candidate, as the default gives three.
struct Planted<'a> {
    device: &'a Device,
    words: UnifiedBuffer<u32>,
    y: UnifiedBuffer<u32>,
    results: usize,
}

impl Workload for Planted<'_> {
    fn record(&mut self) -> crate::Result<Recording> {
        let mut recording = self.device.recording();
        Sort::new().record(&mut recording).run(&self.words, &mut self.y)?;
        Ok(recording)
    }

    fn reset(&mut self, _: bool) -> crate::Result<()> {
        Ok(())
    }

    fn results(&mut self) -> crate::Result<Vec<Contents>> {
        self.results += 1;
        Ok(vec![Contents::new("y", <u32 as crate::Element>::layout(), vec![u8::from(self.results == 4), 0, 0, 0])])
    }
}

#[test]
fn a_wrong_candidate_is_dropped_and_named() {
    let device = device();
    let words = device.buffer_from(&[5_u32, 1, 4, 1].repeat(600)).unwrap();
    let y = device.buffer::<u32>(2400).unwrap();
    let tuned = quick(&device, Planted { device: &device, words, y, results: 0 }).run().unwrap();
    let dropped = tuned.operators()[0].rows().iter().filter_map(|row| Some(row.dropped.as_ref()?.to_string()));
    // On a busy machine, others may be slow.
    let wrong: Vec<String> = dropped.filter(|reason| !reason.starts_with("slow")).collect();
    assert_eq!(wrong, ["wrong: y at byte 0: expected 0, got 1"]);
}

#[test]
fn calls_without_a_choice_are_refused() {
    let device = device();
    let y = device.buffer::<u32>(4).unwrap();
    let fill = |y: &mut UnifiedBuffer<u32>, to: &mut Recording| FillPattern::new(&[1, 2]).record(to).run(y);
    let call = Call::new(&device, y, fill).unwrap();
    let error = quick(&device, call).run().unwrap_err().to_string();
    assert!(error.contains("no operator of the call has several candidates"), "{error}");
    let x = device.buffer::<u32>(2).unwrap();
    let y = device.buffer::<u32>(3).unwrap();
    let error = quick(&device, Call::new(&device, y, sorted(&x)).unwrap()).run().unwrap_err().to_string();
    assert!(error.contains("sort"), "{error}");
}

/// The program decides between the candidates that are fastest alone, and its operators use each of them meanwhile.
#[test]
fn steps_of_the_program_use_what_is_compared() {
    let device = device();
    let words = device.buffer_from(&[5_u32, 1, 4, 1].repeat(600)).unwrap();
    let y = device.buffer::<u32>(2400).unwrap();
    let (mut used, mut z) = (Vec::new(), device.buffer::<u32>(2400).unwrap());
    let tuned = quick(&device, Call::new(&device, y, sorted(&words)).unwrap())
        .inside(|| {
            let (result, decisions) = decisions(|| Sort::new().run(&words, &mut z));
            used.push(decisions[0].chosen.clone());
            Ok(result?)
        })
        .run()
        .unwrap();
    let operator = &tuned.operators()[0];
    let measured: Vec<&str> =
        operator.rows().iter().filter(|row| row.inside.is_some()).map(|row| &*row.values).collect();
    assert!(measured.len() > 1 && measured.contains(&operator.chosen()), "{tuned}");
    assert!(measured.iter().all(|name| used.iter().any(|used| used == name)), "{used:?} {tuned}");
    assert!(operator.alone().is_some());
}

/// Without `record`, nothing is measured; with it, only what changes no bits is used in the same run.
#[test]
fn spare_time_is_used_only_to_record() {
    let device = device();
    let words = device.buffer_from(&[5_u32, 1, 4, 1].repeat(600)).unwrap();
    let floats = device.buffer_from(&[0.5_f32; 4096]).unwrap();
    let spare = |mode, budget: u64| {
        let mut spare = Spare::new(&device, Duration::from_millis(budget)).mode(mode).store(None);
        let (y, z) = (device.buffer::<u32>(2400).unwrap(), device.buffer::<f32>(4096).unwrap());
        spare.add(Call::new(&device, y, sorted(&words)).unwrap());
        spare.add(Call::new(&device, z, |z, to| Scan::sum().record(to).run(&floats, &mut *z)).unwrap());
        let done = spare.run(Duration::from_millis(400)).unwrap();
        (done, spare.waiting())
    };
    assert_eq!(spare(Mode::Pinned, 1000).1, 2);
    assert_eq!(spare(Mode::Record, 0).1, 2);
    let used = || {
        let (mut y, mut z) = (device.buffer::<u32>(2400).unwrap(), device.buffer::<f32>(4096).unwrap());
        decisions(|| {
            Sort::new().run(&words, &mut y)?;
            Scan::sum().run(&floats, &mut z)
        })
        .1
    };
    assert!(used().iter().all(|decision| decision.reason == Reason::Default));
    let (done, waiting) = spare(Mode::Record, 1000);
    assert!(!done.is_empty() && done.len() + waiting == 2);
    let (exact, others): (Vec<_>, Vec<_>) = used().into_iter().partition(|decision| decision.exact);
    assert_eq!((exact[0].reason, others[0].reason), (Reason::Kept, Reason::Default));
}

/// A convolution by products of matrices asks a question about the product, too, and one by rows does not.
#[test]
fn operators_of_the_default_alone_are_not_tuned() {
    let (device, store) = (device(), store("nested"));
    let (x, w) = (device.buffer_from(&[1.0_f32; 8 * 64]).unwrap(), device.buffer_from(&[0.5_f32; 8 * 8 * 9]).unwrap());
    let call = || {
        let y = device.buffer::<f32>(8 * 36).unwrap();
        let conv = |y: &mut UnifiedBuffer<f32>, to: &mut Recording| {
            Conv::new([1, 8, 8, 8], [8, 8, 3, 3]).record(to).run(&x, &w, y)
        };
        Call::new(&device, y, conv).unwrap()
    };
    let mut first = call();
    let (_, decisions) = observe(&[], || first.record());
    assert!(decisions.len() == 2 && decisions[1].operator.starts_with("matmul"), "{decisions:?}");
    let kernel = kept::kernel_of(&decisions[0].operator);
    let best = Record::blank(device.caps(), kernel, decisions[0].sizes.clone());
    store.add(&[Record { values: "rows".to_owned(), state: State::Best, ..best }]).unwrap();
    let tuned = quick(&device, call()).store(store.clone()).mode(Mode::Record).run().unwrap();
    assert_eq!(tuned.operators().iter().map(TunedOperator::chosen).collect::<Vec<_>>(), ["rows"]);
    std::fs::remove_dir_all(store.folder()).ok();
}

/// A sort whose kernel for a second candidate reads beyond its buffer, which only `cpu:checked` reports.
#[test]
fn candidates_with_findings_at_a_small_size_are_dropped() {
    let device = device();
    let words = device.buffer_from(&[5_u32, 1, 4, 1].repeat(600)).unwrap();
    let y = device.buffer::<u32>(2400).unwrap();
    let tuned = quick(&device, Call::new(&device, y, sorted(&words)).unwrap())
        .checked(|checked| {
            let (x, y) = (checked.buffer_from(&[3_u32; 400])?, checked.buffer::<u32>(400)?);
            let kernel = checked.kernel(
                "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
                 @compute @workgroup_size(1) fn beyond(@builtin(global_invocation_id) id: vec3<u32>) {
                     x[id.x + 1000u] = 1u;
                 }",
            )?;
            let mut records = 0;
            Call::new(checked, (y, checked.buffer::<u32>(4)?), move |(y, z), to: &mut Recording| {
                Sort::new().record(to).run(&x, &mut *y)?;
                // The default is the first one.
                if records > 0 {
                    kernel.launch().bind("x", &mut *z).record(to).groups(1)?;
                }
                records += 1;
                Ok::<_, Error>(())
            })
        })
        .run()
        .unwrap();
    let rows = tuned.operators()[0].rows();
    let found = |row: &Row| row.dropped.as_ref().is_some_and(|dropped| dropped.to_string().contains("cpu:checked"));
    assert!(rows.len() > 2 && rows.iter().filter(|row| row.candidate != 0).any(found), "{tuned}");
    // A candidate that the small call cannot try has no finding, and may be the fastest.
    let chosen = tuned.operators()[0].chosen();
    assert!(!rows.iter().any(|row| row.values == chosen && found(row)), "{tuned}");
}
