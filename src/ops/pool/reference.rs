//! The reference implementation in plain Rust, for arrays of examples, channels and three axes of positions.

/// The sizes of a pooling. Each axis has `[input, output, kernel, stride, dilation, padding before, padding after]`;
/// `kernel` is 0 for adaptive windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) examples: usize,
    pub(crate) channels: usize,
    pub(crate) axes: [[usize; 7]; 3],
    pub(crate) channels_last: bool,
}

/// The positions of window `at` along an axis, each with whether it is in the padded input.
fn window(axis: [usize; 7], at: usize) -> Vec<(Option<usize>, bool)> {
    let [input, output, kernel, stride, dilation, before, after] = axis;
    if kernel == 0 {
        return (at * input / output..((at + 1) * input).div_ceil(output)).map(|at| (Some(at), true)).collect();
    }
    let positions = (0..kernel).map(|tap| at * stride + tap * dilation);
    positions.map(|at| (at.checked_sub(before).filter(|at| *at < input), at < before + input + after)).collect()
}

/// Calls a function with each result's index, the indices of its elements in x, and the number of its positions in the
/// padded input.
pub(crate) fn each_window(sizes: &Sizes, mut result: impl FnMut(usize, &[usize], usize)) {
    let [[d_in, d_out, ..], [h_in, h_out, ..], [w_in, w_out, ..]] = sizes.axes;
    let index = |example: usize, channel: usize, [d, h, w]: [usize; 3], [depth, height, width]: [usize; 3]| {
        let (position, count) = ((d * height + h) * width + w, depth * height * width);
        if sizes.channels_last {
            (example * count + position) * sizes.channels + channel
        } else {
            (example * sizes.channels + channel) * count + position
        }
    };
    for example in 0..sizes.examples {
        for channel in 0..sizes.channels {
            for (d, h, w) in (0..d_out).flat_map(|d| (0..h_out).flat_map(move |h| (0..w_out).map(move |w| (d, h, w)))) {
                let (mut elements, mut padded) = (Vec::new(), 0);
                for (d, is_d) in window(sizes.axes[0], d) {
                    for (h, is_h) in window(sizes.axes[1], h) {
                        for (w, is_w) in window(sizes.axes[2], w) {
                            padded += usize::from(is_d && is_h && is_w);
                            if let (Some(d), Some(h), Some(w)) = (d, h, w) {
                                elements.push(index(example, channel, [d, h, w], [d_in, h_in, w_in]));
                            }
                        }
                    }
                }
                result(index(example, channel, [d, h, w], [d_out, h_out, w_out]), &elements, padded);
            }
        }
    }
}

/// The greatest elements with their indices: the first of equal ones, or the first NaN.
pub(crate) fn max(sizes: &Sizes, x: &[f64], length: usize) -> Vec<(f64, u32)> {
    let mut y = vec![(f64::NEG_INFINITY, u32::MAX); length];
    each_window(sizes, |to, elements, _| {
        for at in elements {
            let (best, index) = y[to];
            if index == u32::MAX || (!best.is_nan() && (x[*at] > best || x[*at].is_nan())) {
                y[to] = (x[*at], *at as u32);
            }
        }
    });
    y
}

/// The mean of each window's elements; with `counts_padding`, the sum divided by the number of positions in the padded
/// input.
pub(crate) fn average(sizes: &Sizes, x: &[f64], length: usize, counts_padding: bool) -> Vec<f64> {
    let mut y = vec![f64::NAN; length];
    each_window(sizes, |to, elements, padded| {
        let count = if counts_padding { padded } else { elements.len() };
        y[to] = elements.iter().map(|at| x[*at]).sum::<f64>() / count as f64;
    });
    y
}

/// The norm of each window's elements.
pub(crate) fn norm(sizes: &Sizes, x: &[f64], length: usize, power: f64) -> Vec<f64> {
    let mut y = vec![0.0; length];
    each_window(sizes, |to, elements, _| {
        y[to] = elements.iter().map(|at| x[*at].abs().powf(power)).sum::<f64>().powf(1.0 / power);
    });
    y
}
