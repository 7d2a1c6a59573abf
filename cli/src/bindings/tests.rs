//! Tests of the assignment of sources and values to bindings.

use super::*;
use crate::dtype::tests::{F32, U32, array, scalar, structure, vector};
use anywarp::backend::{ResourceId, Scalar, ScalarKind};

fn binding(name: &str, index: u32, class: BindingClass, layout: Layout) -> BindingInfo {
    let access = if class == BindingClass::Storage { Access::Write } else { Access::Read };
    BindingInfo { name: name.to_owned(), resource: ResourceId { group: 0, binding: index }, class, access, layout }
}

fn saxpy() -> Vec<BindingInfo> {
    let params = structure("Params", vec![("a", scalar(F32)), ("n", scalar(U32))]);
    vec![
        binding("x", 0, BindingClass::ReadOnlyStorage, array(scalar(F32), None)),
        binding("y", 1, BindingClass::Storage, array(vector(4, F32), None)),
        binding("params", 2, BindingClass::Uniform, params),
    ]
}

fn with<R>(bindings: &[BindingInfo], test: impl Fn(&Interface<'_>) -> R) -> R {
    test(&Interface { name: "saxpy", bindings, immediate: None, threads: 100 })
}

fn pairs<V: Clone>(items: &[(&str, V)]) -> Vec<(String, V)> {
    items.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

fn binds(arguments: &[&str]) -> Vec<Bind> {
    let one = |argument: &&str| {
        let (key, text) = argument.split_once('=').unwrap();
        Bind { key: key.to_owned(), text: text.to_owned(), source: text.parse().unwrap() }
    };
    arguments.iter().map(one).collect()
}

fn fields(path: &str) -> Option<Layout> {
    match path {
        "params" => Some(saxpy().remove(2).layout),
        "params.a" => Some(scalar(F32)),
        "params.n" => Some(scalar(U32)),
        _ => None,
    }
}

fn message(failure: Failure) -> String {
    assert!(matches!(failure, Failure::Usage(_)), "{failure:?}");
    failure.to_string()
}

#[test]
fn keys_are_names_or_numbers() {
    with(&saxpy(), |interface| {
        assert_eq!(interface.find("--bind", "y").unwrap().name, "y");
        assert_eq!(interface.find("--bind", "0.1").unwrap().name, "y");
        let unknown = message(interface.find("--out", "z").unwrap_err());
        assert!(
            unknown.starts_with("--out z: expected a variable") && unknown.contains("x (0.0), y (0.1), params (0.2)"),
            "{unknown}"
        );
        assert!(interface.find("--bind", "1.0").is_err());
    });
}

#[test]
fn one_binding_takes_one_source() {
    with(&saxpy(), |interface| {
        let good = binds(&["0.1=zeros:16", "x=zeros:4"]);
        let bound = interface.bind(&good).unwrap();
        assert_eq!(bound.iter().map(|(binding, _)| binding.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);

        let twice = binds(&["0.1=zeros:16", "y=zeros:4"]);
        let message = message(interface.bind(&twice).unwrap_err());
        assert!(message.starts_with("--bind y=zeros:4: expected one source for y (0.1), it has --bind 0.1=zeros:16"));
    });
}

#[test]
fn values_are_checked_against_their_path() {
    let set = |path: &str, value: &str| {
        let sets = pairs(&[(path, value.to_owned())]);
        with(&saxpy(), |interface| interface.assign(&sets, &[], fields))
    };
    assert_eq!(set("params.n", "7").unwrap()[0].bytes, [7, 0, 0, 0]);
    assert!(message(set("params.n", "-7").unwrap_err()).contains("--set params.n=-7: expected u32"));
    assert!(message(set("params.b", "1").unwrap_err()).contains("params.a (f32), params.n (u32)"));
    assert!(message(set("x", "1").unwrap_err()).contains("storage"));
    let twice = pairs(&[("params.a", "1".to_owned()), ("params.a", "2".to_owned())]);
    let twice = with(&saxpy(), |interface| interface.assign(&twice, &[], fields));
    assert!(message(twice.unwrap_err()).starts_with("--set params.a=2: expected one value for params.a, it has 1"));

    with(&saxpy(), |interface| {
        let binds = binds(&["params=zeros:8"]);
        let sets = pairs(&[("params.a", "1".to_owned())]);
        let failure = interface.assign(&sets, &interface.bind(&binds).unwrap(), fields).unwrap_err();
        assert!(message(failure).contains("has one, which gives all of it"));
    });
}

#[test]
fn all_that_is_missing_is_listed_with_a_remedy() {
    with(&saxpy(), |interface| {
        let all = message(interface.check_complete(&[], &[]).unwrap_err());
        for line in [
            "x (0.0), var<storage, read> array<f32>: --bind x=rand:1:f32:100",
            "y (0.1), var<storage, read_write> array<vec4<f32>>: --bind y=zeros:f32:400",
            "params (0.2), var<uniform> Params: --set params.a=0 --set params.n=0, or --bind params=zeros:8",
        ] {
            assert!(all.contains(line), "{all}\nlacks\n{line}");
        }

        let binds = binds(&["x=zeros:4", "y=zeros:4"]);
        let bound = interface.bind(&binds).unwrap();
        let mut sets = interface.assign(&pairs(&[("params.a", "1".to_owned())]), &bound, fields).unwrap();
        let rest = message(interface.check_complete(&bound, &sets).unwrap_err());
        assert!(rest.ends_with("Params: --set params.n=0"), "{rest}");

        sets.extend(interface.assign(&pairs(&[("params.n", "1".to_owned())]), &bound, fields).unwrap());
        assert!(interface.check_complete(&bound, &sets).is_ok());
    });
}

#[test]
fn many_missing_values_are_counted() {
    let half = Scalar { kind: ScalarKind::Float, width: 2 };
    let table = structure("Table", vec![("k", scalar(F32)), ("w", array(vector(4, F32), Some(16)))]);
    let immediate = ("push".to_owned(), table.clone());
    let bindings = [
        binding("h", 0, BindingClass::ReadOnlyStorage, array(scalar(half), None)),
        binding("t", 1, BindingClass::Uniform, table),
    ];
    let interface = Interface { name: "big", bindings: &bindings, immediate: Some(&immediate), threads: 7 };
    let all = message(interface.check_complete(&[], &[]).unwrap_err());
    for line in [
        // 14 bytes, rounded up to a size that devices bind.
        "h (0.0), var<storage, read> array<f16>: --bind h=rand:1:f16:8",
        "t (0.1), var<uniform> Table: --bind t=zeros:272",
        "push, var<immediate> Table: --set push.k=0 --set push.w=(64 numbers)",
    ] {
        assert!(all.contains(line), "{all}\nlacks\n{line}");
    }
    let first = [Assignment { path: "t.w[0]".to_owned(), bytes: Vec::new() }];
    let rest = message(interface.check_complete(&[], &first).unwrap_err());
    assert!(rest.contains("--set t.k=0 --set t.w[1]=0,0,0,0") && rest.contains("and 8 more"), "{rest}");
}
