//! Folders of pictures.

use std::fs;
use std::path::PathBuf;

use anywarp::loader::{Fit, ImageFolder, Loader, LoaderError};
use image::{Rgb, RgbImage};

use crate::{hanging, on_each_device};

/// Creates a folder of pictures in two classes, for one test.
fn folder(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("anywarp-loader-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    for class in ["blue", "red"] {
        fs::create_dir_all(root.join(class)).expect("a folder");
    }
    // The picture is twice as wide as high: red, with blue ends.
    let picture =
        RgbImage::from_fn(80, 40, |x, _| if (15..65).contains(&x) { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) });
    picture.save(root.join("red/2.png")).expect("a file");
    RgbImage::from_pixel(7, 9, Rgb([0, 0, 255])).save(root.join("blue/1.PNG")).expect("a file");
    fs::write(root.join("red/notes.txt"), "no picture").expect("a file");
    root
}

const RED: u32 = 0xFF00_00FF;
const BLUE: u32 = 0xFFFF_0000;

#[test]
fn pictures_have_the_given_size_and_their_class() {
    on_each_device(|device| {
        let root = folder("size");
        // Pixels at the edges between the colours are mixed, and not checked.
        let crop = (Fit::Crop, [4, 4], &[0, 1, 2, 3][..], &[][..]);
        let stretch = (Fit::Stretch, [8, 4], &[2, 3, 4, 5][..], &[0, 7][..]);
        for (fit, size, reds, blues) in [crop, stretch] {
            let pictures = ImageFolder::open(&root, size, fit).expect("a data set");
            assert_eq!(pictures.classes(), ["blue", "red"]);
            let mut loader = Loader::builder(device, pictures).batch_size(2).workers(2).build().expect("a loader");
            let batch = loader.epoch(0).next().expect("a batch").expect("two pictures");
            let (pixels, classes) = batch.fields();
            assert_eq!(*classes.read().expect("classes"), [0, 1]);
            let pixels = pixels.read().expect("pixels");
            let (blue, red) = pixels.split_at(pixels.len() / 2);
            assert!(blue.iter().all(|pixel| *pixel == BLUE));
            assert!(reds.iter().all(|at| red[*at] == RED), "{fit:?}: {red:x?}");
            assert!(blues.iter().all(|at| red[*at] == BLUE), "{fit:?}: {red:x?}");
        }
        fs::remove_dir_all(root).expect("it is there");
    });
}

#[test]
fn errors_name_files_that_are_no_pictures() {
    hanging::within(crate::PATIENCE, || {
        let root = folder("broken");
        let device = crate::null();
        let whole = fs::read(root.join("red/2.png")).expect("a file");
        for broken in [&b"not a picture at all"[..], &whole[..whole.len() / 2], &[]] {
            fs::write(root.join("red/2.png"), broken).expect("a file");
            let pictures = ImageFolder::open(&root, [4, 4], Fit::Crop).expect("a data set");
            let mut loader = Loader::builder(&device, pictures).batch_size(1).build().expect("a loader");
            let batches: Vec<_> = loader.epoch(0).map(|batch| batch.map(|_| ())).collect();
            let [Ok(()), Err(error @ LoaderError::Read { .. })] = batches.as_slice() else { panic!("{batches:?}") };
            assert!(error.to_string().contains("2.png: "), "{error}");
        }
        for (path, size, said) in [
            (root.join("red"), [4, 4], "no folders"),
            (root.join("none"), [4, 4], "cannot be listed"),
            (root.clone(), [0, 4], "0 x 4"),
        ] {
            let error = ImageFolder::open(path, size, Fit::Crop).map(|_| ()).expect_err("it is wrong");
            assert!(error.to_string().contains(said), "{error}");
        }
        fs::remove_dir_all(root).expect("it is there");
    });
}
