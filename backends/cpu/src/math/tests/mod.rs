//! Compares every version of every function with a plain reference.

mod accuracy;
mod exact;
mod special;

use super::lanes::Lanes;
use super::table::{LaneFunction, Version, address_in};
use crate::abi::convention;

convention! { [type Binary<T> = unsafe] fn(*mut T, *const T, *const T); }
convention! { [type Ternary<T> = unsafe] fn(*mut T, *const T, *const T, *const T); }

/// The baseline version, and the best version for this machine if it is another one.
fn versions() -> Vec<Version> {
    let mut versions = vec![Version::Baseline, Version::detect()];
    versions.dedup();
    versions
}

/// Calls a function of one or two arguments.
fn call<T: Copy>(function: LaneFunction, version: Version, a: Lanes<T>, b: Lanes<T>) -> Lanes<T> {
    assert_eq!(function.element(), std::any::type_name::<T>());
    assert!(!matches!(function, LaneFunction::FmaF32 | LaneFunction::FmaF64));
    let mut out = a;
    // SAFETY: all functions of lanes of type `T` have this signature, except fma, which is excluded above.
    let call: Binary<T> = unsafe { std::mem::transmute(address_in(function, version)) };
    // SAFETY: the pointers are to arrays of eight lanes, and `versions` lists only versions that the machine can run.
    // `out` is also an argument, which is allowed.
    unsafe { call(out.as_mut_ptr(), out.as_ptr(), b.as_ptr()) };
    out
}

/// Calls an fma.
fn call_fma<T: Copy>(function: LaneFunction, version: Version, inputs: [Lanes<T>; 3]) -> Lanes<T> {
    assert_eq!(function.element(), std::any::type_name::<T>());
    assert!(matches!(function, LaneFunction::FmaF32 | LaneFunction::FmaF64));
    let [a, b, c] = inputs;
    let mut out = a;
    // SAFETY: both fma functions have this signature.
    let call: Ternary<T> = unsafe { std::mem::transmute(address_in(function, version)) };
    // SAFETY: the pointers are to arrays of eight lanes, and `versions` lists only versions that the machine can run.
    unsafe { call(out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), c.as_ptr()) };
    out
}

#[test]
fn names_are_unique_and_addresses_exist() {
    let mut names: Vec<&str> = LaneFunction::ALL.iter().map(|function| function.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LaneFunction::ALL.len());
    for &function in LaneFunction::ALL {
        assert!(function.name().starts_with("anywarp_"));
        assert!(!super::address(function).is_null());
    }
}
