//! The lengths of the small transforms that make up a transform. This module is pure.

/// The odd lengths of small transforms.
const PRIMES: [u64; 5] = [13, 11, 7, 5, 3];

/// The lengths of small transforms whose product is `length`, in the order of their passes; `None` if a prime factor is
/// greater than [`GREATEST_PRIME`].
///
/// Powers of two are split into lengths of at most `widest`, which is 4, 8 or 16, as equal as possible.
pub(super) fn radices(length: u64, widest: u32) -> Option<Vec<u32>> {
    let twos = length.trailing_zeros();
    let mut rest = length >> twos;
    let mut odd = Vec::new();
    for prime in PRIMES {
        while rest.is_multiple_of(prime) {
            rest /= prime;
            odd.push(prime as u32);
        }
    }
    if rest != 1 {
        return None;
    }
    let mut radices = Vec::new();
    if twos > 0 {
        let passes = twos.div_ceil(widest.trailing_zeros());
        let (each, longer) = (twos / passes, twos % passes);
        radices.extend((0..passes).map(|pass| 1 << (each + u32::from(pass < longer))));
    }
    radices.extend(odd);
    Some(radices)
}

/// The fewest groups of the lengths, each of whose products is at most `limit`; the products are about equal.
pub(super) fn groups(radices: &[u32], limit: u32) -> Vec<Vec<u32>> {
    let mut sorted = radices.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let product = |group: &Vec<u32>| group.iter().product::<u32>();
    for count in 1.. {
        let mut groups = vec![Vec::new(); count];
        let placed = sorted.iter().all(|radix| {
            // The group with the smallest product; the first of equal ones.
            let group = groups.iter_mut().min_by_key(|group| product(group));
            group.is_some_and(|group| {
                group.push(*radix);
                product(group) <= limit
            })
        });
        if placed {
            return groups;
        }
    }
    Vec::new()
}

/// The length of the transforms by which a transform of `length` is computed as a convolution (Bluestein, 'A linear
/// filtering approach to the computation of the discrete Fourier transform', 1970): a power of two.
pub(super) fn convolution_length(length: u64) -> u64 {
    (2 * length - 1).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_transforms_multiply_to_the_length() {
        for widest in [4, 8, 16] {
            for length in 1..3000u64 {
                let smooth =
                    (2..=length).filter(|p| length.is_multiple_of(*p)).all(|p| p <= 13 || (2..p).any(|d| p % d == 0));
                let radices = radices(length, widest);
                assert_eq!(radices.is_some(), smooth, "{length}");
                let Some(radices) = radices else { continue };
                assert_eq!(radices.iter().map(|radix| u64::from(*radix)).product::<u64>(), length);
                assert!(radices.iter().all(|radix| *radix <= widest.max(13)), "{length}: {radices:?}");
            }
        }
    }

    #[test]
    fn powers_of_two_are_split_evenly() {
        assert_eq!(radices(1 << 10, 8).unwrap(), [8, 8, 4, 4]);
        assert_eq!(radices(1 << 10, 16).unwrap(), [16, 8, 8]);
        assert_eq!(radices(2 * 3 * 13 * 13, 8).unwrap(), [2, 13, 13, 3]);
        assert_eq!(radices(1, 8).unwrap(), []);
        assert_eq!(radices(17, 8), None);
    }

    #[test]
    fn groups_have_products_up_to_the_limit() {
        assert_eq!(groups(&[16, 16, 16, 16, 16, 16], 256), [[16, 16], [16, 16], [16, 16]]);
        assert_eq!(groups(&[16, 8], 1024), [[16, 8]]);
        assert_eq!(groups(&radices(1 << 20, 16).unwrap(), 512).len(), 3);
        for length in 2..20_000u64 {
            let Some(radices) = radices(length, 16) else { continue };
            let groups = groups(&radices, 512);
            assert!(groups.iter().all(|group| group.iter().product::<u32>() <= 512 && group.len() <= 8));
            assert_eq!(groups.iter().flatten().map(|radix| u64::from(*radix)).product::<u64>(), length);
        }
    }

    #[test]
    fn a_convolution_is_long_enough() {
        assert_eq!([17, 64, 65].map(convolution_length), [64, 128, 256]);
    }
}
