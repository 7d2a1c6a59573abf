//! The shapes of an attention, and its options.

use super::super::error::OperationError;
use super::OPERATOR;

/// The greatest number of elements of a query, a key or a value.
const MAX_SIZE: usize = 256;

/// The parameters as they were given. Shapes are `[batches, heads, queries or keys, elements]`.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) q: [usize; 4],
    pub(super) k: [usize; 4],
    pub(super) size_of_value: Option<usize>,
    pub(super) scale: Option<f32>,
    pub(super) cap: Option<f32>,
    /// The offset of a causal attention: query `i` has the keys from 0 to `i + offset`.
    pub(super) causal: Option<isize>,
}

/// Sizes that fit each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) batches: usize,
    pub(super) heads: usize,
    /// The heads of queries that share a head of keys.
    pub(super) group: usize,
    pub(super) queries: usize,
    pub(super) keys: usize,
    pub(super) size: usize,
    pub(super) size_of_value: usize,
}

impl Given {
    pub(super) fn shape_of_v(&self) -> [usize; 4] {
        let [batches, heads, keys, size] = self.k;
        [batches, heads, keys, self.size_of_value.unwrap_or(size)]
    }

    pub(super) fn shape_of_y(&self) -> [usize; 4] {
        let [batches, heads, queries, _] = self.q;
        [batches, heads, queries, self.shape_of_v()[3]]
    }

    pub(super) fn shape_of_scores(&self) -> [usize; 4] {
        let [batches, heads, queries, _] = self.q;
        [batches, heads, queries, self.k[2]]
    }

    /// The sizes, if all parameters fit each other.
    pub(super) fn checked(&self) -> Result<Sizes, OperationError> {
        let ([batches, heads, queries, size], [of_k, shared, keys, size_of_k]) = (self.q, self.k);
        let divides = if shared == 0 { heads == 0 } else { heads.is_multiple_of(shared) };
        if of_k != batches || size_of_k != size || !divides {
            let expected = format!(
                "q of shape {:?} needs keys with as many batches, a number of heads that divides its own, and the same \
                 head size",
                self.q
            );
            return Err(OPERATOR.choice("the shape of k", expected, format!("{:?}", self.k)));
        }
        let size_of_value = self.shape_of_v()[3];
        for (argument, size) in [("a head size of", size), ("a value size of", size_of_value)] {
            if !(1..=MAX_SIZE).contains(&size) {
                let expected = format!("sizes are 1 to {MAX_SIZE}");
                return Err(OPERATOR.choice(argument, expected, size.to_string()));
            }
        }
        if let Some(scale) = self.scale.filter(|scale| !scale.is_finite()) {
            return Err(OPERATOR.choice("a scale of", "a scale is finite", scale.to_string()));
        }
        if let Some(cap) = self.cap.filter(|cap| !(cap.is_finite() && *cap > 0.0)) {
            return Err(OPERATOR.choice("a cap of", "a cap is positive and finite", cap.to_string()));
        }
        let group = heads.checked_div(shared).unwrap_or(1).max(1);
        Ok(Sizes { batches, heads, group, queries, keys, size, size_of_value })
    }

    /// The factor of products.
    pub(super) fn scale(&self) -> f32 {
        self.scale.unwrap_or_else(|| (1.0 / (self.q[3] as f64).sqrt()) as f32)
    }

    /// The offset of a causal attention, clamped to 32 bits: offsets beyond the number of queries or keys do not change
    /// the results. Without an offset, each query has all keys.
    pub(super) fn offset(&self) -> i32 {
        let [queries, keys] = [self.q[2], self.k[2]].map(|count| isize::try_from(count).unwrap_or(isize::MAX));
        self.causal.unwrap_or(keys).clamp(-queries, keys) as i32
    }
}

/// The distances of neighbours in an array of this shape, which is broadcast to the shape of all scores.
pub(super) fn distances(argument: &str, shape: &[usize], scores: [usize; 4]) -> Result<[u32; 4], OperationError> {
    let refused = || OperationError::Broadcast {
        operator: OPERATOR.name(),
        argument: argument.to_owned(),
        shape: shape.to_vec(),
        against: scores.to_vec(),
    };
    let first = scores.len().checked_sub(shape.len()).ok_or_else(refused)?;
    let (mut distances, mut distance) = ([0; 4], 1usize);
    for (axis, size) in shape.iter().enumerate().rev() {
        if *size == scores[first + axis] {
            // The limit of elements keeps distances within 32 bits.
            distances[first + axis] = if *size == 1 { 0 } else { distance as u32 };
        } else if *size != 1 {
            return Err(refused());
        }
        distance = distance.saturating_mul(*size);
    }
    Ok(distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_one_element_have_no_distance() {
        let scores = [2, 3, 5, 7];
        let of = |shape: &[usize]| distances("mask", shape, scores).unwrap();
        assert_eq!(of(&[2, 3, 5, 7]), [105, 35, 7, 1]);
        assert_eq!(of(&[5, 7]), [0, 0, 7, 1]);
        assert_eq!(of(&[2, 1, 1, 7]), [7, 0, 0, 1]);
        assert_eq!(of(&[3, 1, 1]), [0, 1, 0, 0]);
        assert_eq!(of(&[]), [0; 4]);
        assert!(distances("mask", &[2, 7], scores).is_err());
        assert!(distances("mask", &[1, 2, 3, 5, 7], scores).is_err());
    }

    #[test]
    fn offsets_are_bounded_by_the_sizes() {
        let given = |causal: Option<isize>| Given {
            q: [1, 1, 5, 4],
            k: [1, 1, 9, 4],
            size_of_value: None,
            scale: None,
            cap: None,
            causal,
        };
        assert_eq!([isize::MIN, -5, 4, isize::MAX].map(|offset| given(Some(offset)).offset()), [-5, -5, 4, 9]);
        assert_eq!((given(None).offset(), given(None).scale()), (9, 0.5));
    }
}
