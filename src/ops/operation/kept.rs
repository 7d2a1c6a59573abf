//! Short keys of cached kernels, so that a cached kernel is found without generating its text.

use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::ScalarKind;
use smallvec::SmallVec;

use super::call::Letter;
use super::preface::Slot;
use super::types::ElementType;

/// The number that identifies the caller's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity(u64);

impl Identity {
    /// A number for a new or changed text, different from all others.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The key of a kernel, which contains everything that the kernel's text depends on. `form` has the properties of the
/// kernel that belong to no argument, as numbers.
pub(crate) fn key(of: Identity, letters: &[Letter], slots: &[Slot], form: &[usize]) -> SmallVec<[u8; 128]> {
    let element = |element: ElementType| {
        let kind = match element.scalar.kind {
            ScalarKind::Signed => 0,
            ScalarKind::Unsigned => 1,
            ScalarKind::Float => 2,
        };
        [kind, element.scalar.width, element.lanes as u8]
    };
    let mut key: SmallVec<[u8; 128]> = SmallVec::from_slice(&of.0.to_le_bytes());
    key.extend((slots.len() as u32).to_le_bytes());
    for slot in slots {
        key.extend(element(slot.element));
        key.push(slot.access as u8);
    }
    key.extend((letters.len() as u32).to_le_bytes());
    for (letter, stands_for, _) in letters {
        key.extend((*letter as u32).to_le_bytes());
        key.extend(element(*stands_for));
    }
    key.extend(form.iter().flat_map(|number| (*number as u32).to_le_bytes()));
    key
}

#[cfg(test)]
mod tests {
    use super::super::preface::Access;
    use super::*;

    #[test]
    fn whatever_changes_the_text_changes_the_key() {
        let element = |name: &str| ElementType::parse(name).unwrap();
        let slot = |name: &str, access| Slot {
            name: "x".to_owned(),
            element: element(name),
            access,
            read: true,
            written: false,
        };
        let of = Identity::new();
        let letter = |letter, name: &str| (letter, element(name), "x".to_owned());
        let each = slot("f32", Access::Each);
        let one = std::slice::from_ref(&each);
        let keys = [
            key(of, &[], one, &[0, 1]),
            key(Identity::new(), &[], one, &[0, 1]),
            key(of, &[], one, &[1, 0]),
            key(of, &[], &[slot("f32", Access::One)], &[0, 1]),
            key(of, &[], &[slot("i32", Access::Each)], &[0, 1]),
            key(of, &[], &[slot("vec2<f32>", Access::Each)], &[0, 1]),
            key(of, &[letter('T', "f32")], one, &[0, 1]),
            key(of, &[letter('U', "f32")], one, &[0, 1]),
            key(of, &[letter('T', "f16")], one, &[0, 1]),
            key(of, &[], &[each.clone(), each.clone()], &[0, 1]),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[at + 1..].contains(key), "{at}");
        }
        assert_eq!(keys[0], key(of, &[], one, &[0, 1]));
    }
}
