//! Edge values of every class.

use crate::ir::Class;

/// The values of each operand of an operation with this number of operands.
pub(super) fn of(class: Class, operands: usize) -> Vec<u64> {
    let mut values = match class {
        Class::Bool => return vec![0, 1],
        Class::I32 => integers32(),
        Class::I64 => integers64(),
        Class::F32 => floats32(),
        Class::F64 => floats64(),
    };
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let extra = match operands {
        1 => 2000,
        2 => 20,
        _ => 0,
    };
    for _ in 0..extra {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        values.push(if class.bytes() == 4 { random >> 32 } else { random });
    }
    if operands > 2 {
        values = values.into_iter().step_by(3).collect();
    }
    values
}

fn integers32() -> Vec<u64> {
    let mut values: Vec<u32> = vec![3, 5, 6, 7, 10, 100, 641, 1000, 0x1234_5678, 0xdead_beef, 0xaaaa_aaaa, 0x7fff_fffe];
    values.extend([0, 1, 2, 4, 8, 15, 16, 23, 24, 31].map(|bit| 1 << bit));
    values.extend([0, 31, 32, 33, 63, 64, 255, 0x7c00, 0x7bff, 0x8001, 0xfc01, 0xff_ffff, 0x100_0001, i32::MAX as u32]);
    values.extend([u32::MAX, u32::MAX - 1, 0x8000_0001, (-3i32) as u32, (-7i32) as u32, (-1000i32) as u32]);
    values.into_iter().map(u64::from).collect()
}

fn integers64() -> Vec<u64> {
    let mut values: Vec<u64> = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 1000, 0xffff_ffff, 0x1_0000_0000].into();
    values.extend([15, 24, 31, 40, 53, 54, 62, 63].map(|bit| 1 << bit));
    values.extend([(1 << 24) + 1, (1 << 53) + 1, (1 << 54) + 2, (1 << 40) + (1 << 16) + 1, 0x7fff_ffbf_ffff_ffff]);
    values.extend([i64::MAX as u64, u64::MAX, u64::MAX - 1, i64::MIN as u64 + 1, (-3i64) as u64, (-1000i64) as u64]);
    values.extend([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xffff_ff80_0000_0000, 0x8000_0080_0000_0001]);
    values
}

fn floats32() -> Vec<u64> {
    let mut values: Vec<f32> = vec![0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 3.5, 1e10, 1e20, 3.0e38, f32::MAX];
    values.extend([f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::from_bits(1), f32::from_bits(0x7f_ffff)]);
    values.extend([0.499_999_97, 8_388_607.5, 8_388_608.0, 16_777_215.0, 16_777_216.0, 2_147_483_500.0]);
    values.extend([31, 32, 62, 63, 64].map(|power| 2f32.powi(power)));
    values.extend([4_294_967_000.0, 9_223_371_500_000_000_000.0, 18_446_743_000_000_000_000.0]);
    // Edge cases of f16: overflow, ties, the smallest normal and subnormal numbers.
    values.extend([65504.0, 65519.996, 65520.0, 65536.0, 1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0, 2047.5, 2048.5]);
    values.extend([-14, -15, -24, -25, -26].map(|power| 2f32.powi(power)));
    values.extend([1.5 * 2f32.powi(-24), 1.5 * 2f32.powi(-25), 2f32.powi(-14) - 2f32.powi(-26), 2.5 * 2f32.powi(-24)]);
    let negative: Vec<f32> = values.iter().map(|value| -value).collect();
    values.extend(negative);
    values.into_iter().map(|value| u64::from(value.to_bits())).collect()
}

fn floats64() -> Vec<u64> {
    let mut values: Vec<f64> = vec![0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 3.5, 1e10, 1e20, 1e300, f64::MAX];
    values.extend([f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::from_bits(1), 1e-40, 1e-46, 3.5e38]);
    values.extend([0.499_999_999_999_999_94, 4_503_599_627_370_495.5, 4_503_599_627_370_496.0]);
    values.extend([2_147_483_647.0, 2_147_483_647.5, 2_147_483_648.5, 4_294_967_295.5, 1.000_000_059_604_644_8]);
    values.extend([31, 32, 52, 53, 62, 63, 64].map(|power| 2f64.powi(power)));
    values.extend([9_223_372_036_854_774_784.0, 18_446_744_073_709_549_568.0, f64::from(f32::MAX) * 1.000_000_01]);
    let negative: Vec<f64> = values.iter().map(|value| -value).collect();
    values.extend(negative);
    values.into_iter().map(f64::to_bits).collect()
}
