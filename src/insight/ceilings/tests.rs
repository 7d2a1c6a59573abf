//! The text of ceilings, their files, and the models that they give.

use super::*;

fn measured() -> Ceilings {
    Ceilings {
        device: "cuda, NVIDIA H100 80GB HBM3".into(),
        driver: "580.1".into(),
        at: 1_795_000_000,
        is_quick: false,
        warp: 32,
        launch: 1.5e-6,
        copy: 2.9e12,
        reads: vec![(1 << 14, 2.0e13), (1 << 22, 6.6e12), (1 << 24, 6.1e12), (1 << 28, 3.0e12)],
        rates: vec![("f32 multiply-add".into(), 5.9e13), ("f32 sine".into(), 4.0e12), ("u32 add".into(), 3.0e13)],
    }
}

#[test]
fn texts_are_read_as_they_were_written() {
    assert_eq!(Ceilings::parse(&measured().to_string()), Ok(measured()));
    let quick = Ceilings { is_quick: true, ..measured() };
    assert_eq!(Ceilings::parse(&quick.to_string()).as_ref(), Ok(&quick));
    assert!(quick.model().measured.is_some_and(|how| how.ends_with(", quickly")));
    let strange = Ceilings { device: "a\tb\nc".into(), ..measured() };
    assert_eq!(Ceilings::parse(&strange.to_string()).unwrap().device, "a b c");
}

#[test]
fn other_texts_are_refused_with_the_line() {
    let text = measured().to_string();
    for (from, by, said) in [
        ("ceilings 1", "ceilings 2", "line 1: expected 'anywarp-ceilings 1', found 'anywarp-ceilings 2'"),
        ("end\n", "", "expected 'end' as the last line"),
        ("copy\t2900000000000", "copy\tinf", "line 7: expected a number from 0 on, found 'copy\tinf'"),
        ("copy\t2900000000000", "copy\t-1", "expected a number from 0 on"),
        ("warp\t32", "warp\tmany", "line 5: expected a number of invocations"),
        ("read\t16384\t", "read\t16384", "line 8: expected device, driver"),
        ("rate\tf32 sine", "speed\tf32 sine", "expected device, driver"),
    ] {
        let changed = text.replace(from, by);
        assert_ne!(changed, text, "{from}");
        let error = Ceilings::parse(&changed).unwrap_err();
        assert!(error.contains(said), "{by}: {error}");
    }
    assert!(Ceilings::parse("").is_err());
}

#[test]
fn files_replace_those_of_the_same_device_and_driver() {
    let folder = std::env::temp_dir().join(format!("anywarp-ceilings-{}", std::process::id()));
    assert_eq!(Ceilings::kept(&folder).unwrap(), KeptCeilings::default());
    let again = Ceilings { at: measured().at + 9, copy: 1.0, ..measured() };
    let newer = Ceilings { driver: "590".into(), at: measured().at + 5, ..measured() };
    for ceilings in [&measured(), &newer, &again] {
        ceilings.keep(&folder).unwrap();
    }
    fs::write(folder.join("damaged.ceilings.txt"), "anywarp-ceilings 1\ndev").unwrap();
    fs::write(folder.join("other.txt"), "not ours").unwrap();
    let kept = Ceilings::kept(&folder).unwrap();
    assert_eq!(kept.ceilings, [again, newer]);
    assert_eq!(kept.problems.len(), 1, "{:?}", kept.problems);
    assert!(kept.problems[0].contains("damaged.ceilings.txt: line 2: expected device"), "{:?}", kept.problems);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn models_have_the_measured_rates_and_may_exceed_the_data_sheet() {
    let (model, sheet) = (measured().model(), Model::named("h100").unwrap());
    assert_eq!((model.name.as_str(), model.capability, model.multiprocessors), ("h100", Some((9, 0)), 132));
    assert_eq!((model.memory, model.cache, model.launch), (3.0e12, 6.6e12, 1.5e-6));
    let total = |per_cycle: f64| per_cycle * model.cycles();
    assert!((total(model.float) / 5.9e13 - 1.0).abs() < 1e-12 && (total(model.special) / 4.0e12 - 1.0).abs() < 1e-12);
    assert!((total(model.integer) / 3.0e13 - 1.0).abs() < 1e-12);
    assert_eq!((model.sectors, model.instructions), (sheet.sectors, sheet.instructions));
    assert_eq!(model.measured.as_deref(), Some("cuda, NVIDIA H100 80GB HBM3 (580.1)"));
    assert!(model.cache > sheet.cache && model.ceilings().contains("120 % of the data sheet"), "{}", model.ceilings());
    assert!(model.ceilings().contains("3000.0 GB/s (89 % of the data sheet)"), "{}", model.ceilings());

    let other = Ceilings { device: "vulkan, SomeChip".into(), warp: 128, ..measured() };
    let model = other.model();
    assert_eq!((model.name.as_str(), model.warp, model.capability), ("vulkan, SomeChip", 64, None));
    assert!((model.instructions * 64.0 * model.cycles() / 3.0e13 - 1.0).abs() < 1e-9, "{model:?}");
    assert!(!model.ceilings().contains('%'), "{}", model.ceilings());
}

#[test]
fn devices_are_recognised_by_the_words_of_their_names() {
    let name = |device: &str| Model::of_device(device).map(|model| model.name);
    assert_eq!(name("cuda, NVIDIA A100-SXM4-80GB").as_deref(), Some("a100"));
    assert_eq!(name("vulkan, NVIDIA GeForce RTX 4090").as_deref(), Some("rtx-4090"));
    assert_eq!(name("vulkan, AMD Radeon RX 7900 XTX (RADV NAVI31)").as_deref(), Some("rx-7900-xtx"));
    assert_eq!(name("metal, Apple M2").as_deref(), Some("m2"));
    assert_eq!(name("cuda, NVIDIA H100 80GB HBM3").as_deref(), Some("h100"));
    assert_eq!(name("cuda, NVIDIA H100 PCIe").as_deref(), Some("h100-pcie"));
    assert_eq!(name("cuda, NVIDIA H100 NVL").as_deref(), Some("h100-nvl"));
    for other in ["vulkan, NVIDIA GeForce RTX 4080", "cpu, AMD EPYC", "vulkan, llvmpipe", "metal, Apple M2 Max"] {
        assert_eq!(name(other), None);
    }
    for other in ["RTX 3060 Ti", "RTX 4090 D", "RTX 4090 Laptop GPU"] {
        assert_eq!(name(&format!("cuda, NVIDIA GeForce {other}")), None);
    }
}
