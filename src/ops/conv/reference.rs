//! The reference implementation in plain Rust, for arrays of examples, channels and up to three axes of positions.

/// The sizes of a convolution. Each of the three axes has `[input, output, kernel, stride, dilation, padding before]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) examples: usize,
    pub(crate) groups: usize,
    /// The channels of a group in x and in y.
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) axes: [[usize; 6]; 3],
    pub(crate) channels_last: bool,
    pub(crate) transposed: bool,
}

impl Sizes {
    /// Calls a function with the positions of all products in y, x and the weights.
    pub(crate) fn each_product(&self, mut product: impl FnMut(usize, usize, usize)) {
        let [x_sizes, y_sizes, kernel] = [0, 1, 2].map(|column| self.axes.map(|axis| axis[column]));
        let (x_channels, y_channels) = (self.groups * self.inputs, self.groups * self.outputs);
        // The transposed convolution exchanges x and y: it adds to each position that the other one reads.
        let (read, written) = if self.transposed { (y_sizes, x_sizes) } else { (x_sizes, y_sizes) };
        for example in 0..self.examples {
            for (d, h, w) in triples(written) {
                for (kd, kh, kw) in triples(kernel) {
                    let place = [d, h, w].into_iter().zip([kd, kh, kw]).zip(self.axes).zip(read).map(
                        |(((at, tap), [_, _, _, stride, dilation, before]), size)| {
                            (at * stride + tap * dilation).checked_sub(before).filter(|at| *at < size)
                        },
                    );
                    let Some(place) = place.collect::<Option<Vec<usize>>>() else { continue };
                    let place = [place[0], place[1], place[2]];
                    let (in_x, in_y) = if self.transposed { ([d, h, w], place) } else { (place, [d, h, w]) };
                    for (group, input, output) in triples([self.groups, self.inputs, self.outputs]) {
                        let x = self.element(example, group * self.inputs + input, in_x, x_channels, x_sizes);
                        let y = self.element(example, group * self.outputs + output, in_y, y_channels, y_sizes);
                        let (first, second, inner) = if self.transposed {
                            (group * self.inputs + input, output, self.outputs)
                        } else {
                            (group * self.outputs + output, input, self.inputs)
                        };
                        product(y, x, self.element(first, second, [kd, kh, kw], inner, kernel));
                    }
                }
            }
        }
    }

    fn element(
        &self,
        example: usize,
        channel: usize,
        [d, h, w]: [usize; 3],
        channels: usize,
        sizes: [usize; 3],
    ) -> usize {
        let [depth, height, width] = sizes;
        let position = (d * height + h) * width + w;
        if self.channels_last {
            (example * depth * height * width + position) * channels + channel
        } else {
            (example * channels + channel) * depth * height * width + position
        }
    }
}

fn triples([a, b, c]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}

/// The results, without bias.
pub(crate) fn conv(sizes: &Sizes, x: &[f64], weights: &[f64], length: usize) -> Vec<f64> {
    let mut y = vec![0.0; length];
    sizes.each_product(|to, from, weight| y[to] += x[from] * weights[weight]);
    y
}

/// The derivatives by x.
pub(crate) fn backward(sizes: &Sizes, dy: &[f64], weights: &[f64], length: usize) -> Vec<f64> {
    let mut dx = vec![0.0; length];
    sizes.each_product(|to, from, weight| dx[from] += dy[to] * weights[weight]);
    dx
}

/// The derivatives by the weights.
pub(crate) fn backward_weights(sizes: &Sizes, x: &[f64], dy: &[f64], length: usize) -> Vec<f64> {
    let mut dweights = vec![0.0; length];
    sizes.each_product(|to, from, weight| dweights[weight] += x[from] * dy[to]);
    dweights
}
