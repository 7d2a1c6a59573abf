//! State that higher modules keep for each device.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// One value of each type: the state that kernels, operators, loaders and others keep for a device, so that lower
/// modules need not know the types of these values.
#[derive(Default)]
pub(super) struct Extensions(Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Extensions {
    /// The value of this type; the first call creates it with `make`.
    pub(super) fn get_or_insert_with<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let find = || {
            let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            values.get(&TypeId::of::<T>()).and_then(|value| Arc::clone(value).downcast().ok())
        };
        if let Some(value) = find() {
            return value;
        }
        // The lock is not held, as `make` may request other values.
        let made: Arc<T> = Arc::new(make());
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        Arc::clone(value).downcast().unwrap_or(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_one_value_and_the_first_stays() {
        let extensions = Extensions::default();
        let first = extensions.get_or_insert_with(|| 7u32);
        let second = extensions.get_or_insert_with(|| 8u32);
        assert!(Arc::ptr_eq(&first, &second));
        let outer = extensions.get_or_insert_with(|| format!("{}", extensions.get_or_insert_with(|| 9u32)));
        assert_eq!(*outer, "7");
    }
}
