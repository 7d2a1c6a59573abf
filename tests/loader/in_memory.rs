//! Data sets of samples in memory, and of tables.

use std::collections::BTreeSet;

use anywarp::Device;
use anywarp::loader::{InMemory, Loader, LoaderError};

use crate::on_each_device;

#[test]
fn every_sample_comes_once() {
    on_each_device(|device: &Device| {
        let points: Vec<f32> = (0..2 * 37).map(|at| at as f32).collect();
        let classes: Vec<u32> = (0..37).collect();
        let data = InMemory::new((points, classes), [2, 1]).expect("arrays");
        let mut loader = Loader::builder(device, data).batch_size(8).shuffle(3).build().expect("a loader");
        let mut seen = BTreeSet::new();
        for batch in loader.epoch(0) {
            let batch = batch.expect("a batch");
            let (points, classes) = batch.fields();
            let (points, classes) = (points.read().expect("points"), classes.read().expect("classes"));
            for (point, class) in points.as_chunks::<2>().0.iter().zip(classes.iter()) {
                assert_eq!(*point, [2.0 * *class as f32, 2.0 * *class as f32 + 1.0]);
                assert!(seen.insert(*class));
            }
        }
        assert_eq!(seen.len(), 37);
    });
}

#[test]
fn an_epoch_of_nothing_has_no_batches() {
    on_each_device(|device: &Device| {
        let data = InMemory::new(Vec::<f32>::new(), 4).expect("no arrays");
        for workers in [0, 2] {
            let mut loader =
                Loader::builder(device, data.clone()).shuffle(1).workers(workers).build().expect("a loader");
            assert_eq!(loader.epoch(0).count(), 0);
        }
    });
}

#[test]
fn errors_of_a_table_name_line_and_column() {
    let file = std::env::temp_dir().join(format!("anywarp-table-{}.csv", std::process::id()));
    std::fs::write(&file, "length,class\n1.5,0\n2.5,red\n").expect("a file");
    let open = |columns: &[&[&str]]| InMemory::<(Vec<f32>, Vec<u32>)>::csv(&file, columns);
    let error = open(&[&["length"], &["class"]]).expect_err("a class that is no number");
    assert!(matches!(error, LoaderError::Cell { line: 3, column: 5, .. }), "{error}");
    assert_eq!(
        error.to_string(),
        format!("{}:3:5: 'red' is not u32, a whole number from 0 to 4294967295", file.display())
    );
    let error = open(&[&["length"]]).expect_err("columns of one field").to_string();
    assert!(error.contains("expected columns for the 2 fields of the data set, got columns for 1"), "{error}");
    let error = open(&[&["length"], &["kind"]]).expect_err("no such column").to_string();
    assert!(error.contains("has no column 'kind'; it has length, class"), "{error}");
    std::fs::write(&file, [0x1f, 0x8b, 8, 0]).expect("a file");
    let error = open(&[&["length"], &["class"]]).expect_err("a file of gzip").to_string();
    assert!(error.ends_with("is compressed with gzip; decompress it first, for example with `gunzip`"), "{error}");
    std::fs::write(&file, b"length,class\n\xff,1\n").expect("a file");
    let error = open(&[&["length"], &["class"]]).expect_err("a file of bytes").to_string();
    assert!(error.ends_with("is not UTF-8 at byte 13; save it as UTF-8"), "{error}");
    std::fs::write(&file, "1.5,0\n2.5,1\n3.5,2\n").expect("a file");
    let error = open(&[&["length"], &["class"]]).expect_err("a file without names").to_string();
    assert!(error.contains("its first row must name the columns, but has numbers only: use `csv_columns`"), "{error}");
    let all = InMemory::<(Vec<f32>, Vec<u32>)>::csv_columns(&file, &[0..1, 1..2]).expect("a file without names");
    let (train, test) = all.split_at(2).expect("three samples");
    assert_eq!((train.arrays(), test.arrays()), (&(vec![1.5, 2.5], vec![0, 1]), &(vec![3.5], vec![2])));
    std::fs::remove_file(&file).expect("the file");
    let error = open(&[&["length"], &["class"]]).expect_err("no file").to_string();
    assert!(error.contains("cannot be read"), "{error}");
}
