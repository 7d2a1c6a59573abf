//! Filters of images, resizes, and windows as columns.

use anywarp::ops::{Border, Columns, Coordinates, FloatElement, ImageFilter, Resize, Rounding};

use super::call::Call;
use super::entry::{Number, Operator, Port, Run, by_type};
use super::parameter::{Kind, Parameter};
use super::places;
use super::shapes::{expect_shape, shown};
use crate::dtype::Dtype;
use crate::failure::Failure;

const IMAGES: Port = Port::new("x", "Images of shape (.., height, width)");
const KERNEL: Port = Port::new("kernel", "Weights of shape (rows, columns)");
const FILTERED: &[Port] = &[Port::new("y", "The results, with the shape of x")];
const BORDER: Parameter = Parameter::new(
    "border",
    Kind::Word(&["reflect", "mirror", "nearest", "wrap", "constant"]),
    "The elements outside an image",
)
.default("reflect");
const VALUE: Parameter = Parameter::new("value", Kind::Number, "The element of --border constant").default("0");
const STRIDE: Parameter =
    Parameter::new("stride", Kind::Counts, "The distance of windows along each axis of positions");
const PADDING: Parameter =
    Parameter::new("padding", Kind::Pairs, "The zeros around each axis of positions: BEFORE:AFTER");
const DILATION: Parameter =
    Parameter::new("dilation", Kind::Counts, "The distance of a window's elements along each axis of positions");
const WINDOW: Parameter =
    Parameter::new("kernel", Kind::Counts, "The size of a window along each axis of positions").required();

/// A run for `f32`, the only type of filters.
macro_rules! floats {
    ($call:ident => $run:expr) => {
        Run { types: &[Dtype::F4], record: |$call, _| $run }
    };
}

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "correlate",
        summary: "The sums of a kernel's weights times the elements around each one, as SciPy's ndimage.correlate",
        inputs: &[IMAGES, KERNEL],
        outputs: FILTERED,
        parameters: &[BORDER, VALUE],
        run: floats!(call => {
            let (kernel, sizes) = kernel(call)?;
            filter(call, ImageFilter::correlate(call.shape("x"), &kernel, sizes))
        }),
    },
    Operator {
        name: "convolve",
        summary: "As correlate, with the kernel reversed",
        inputs: &[IMAGES, KERNEL],
        outputs: FILTERED,
        parameters: &[BORDER, VALUE],
        run: floats!(call => {
            let (kernel, sizes) = kernel(call)?;
            filter(call, ImageFilter::convolve(call.shape("x"), &kernel, sizes))
        }),
    },
    Operator {
        name: "separable_filter",
        summary: "As correlate, with a kernel down the columns and one along the rows",
        inputs: &[IMAGES, Port::new("down", "Weights down the columns"), Port::new("along", "Weights along the rows")],
        outputs: FILTERED,
        parameters: &[BORDER, VALUE],
        run: floats!(call => {
            let (down, along) = (call.host::<f32>("down"), call.host::<f32>("along"));
            filter(call, ImageFilter::separable(call.shape("x"), &down, &along))
        }),
    },
    Operator {
        name: "gaussian_filter",
        summary: "Images blurred with a Gaussian function, as SciPy's ndimage.gaussian_filter",
        inputs: &[IMAGES],
        outputs: FILTERED,
        parameters: &[
            Parameter::new("deviation", Kind::Numbers, "The standard deviation in elements, or one for each axis")
                .required(),
            BORDER,
            VALUE,
        ],
        run: floats!(call => {
            let deviations = match call.values.numbers("deviation").as_deref() {
                Some([both]) => [*both; 2],
                Some([down, along]) => [*down, *along],
                _ => return Err(Failure::Usage("--deviation: expected one or two numbers: write --deviation 1".to_owned())),
            };
            filter(call, ImageFilter::gaussian(call.shape("x"), deviations))
        }),
    },
    Operator {
        name: "sobel",
        summary: "The smoothed derivative of images, as SciPy's ndimage.sobel",
        inputs: &[IMAGES],
        outputs: FILTERED,
        parameters: &[
            Parameter::new("axis", Kind::Count, "0 for the derivative down the columns, 1 along the rows").default("1"),
            BORDER,
            VALUE,
        ],
        run: floats!(call => {
            let axis = call.values.count("axis").unwrap_or(1);
            filter(call, ImageFilter::sobel(call.shape("x"), axis))
        }),
    },
    Operator {
        name: "median_filter",
        summary: "The medians of 3 x 3 elements",
        inputs: &[IMAGES],
        outputs: FILTERED,
        parameters: &[BORDER, VALUE],
        run: floats!(call => filter(call, ImageFilter::median(call.shape("x")))),
    },
    Operator {
        name: "resize",
        summary: "An array of another size, as ONNX's Resize",
        inputs: &[Port::new("x", "The elements")],
        outputs: &[Port::new("y", "The elements of the other size")],
        parameters: &[
            Parameter::new("to", Kind::Shape, "The shape of y").required(),
            Parameter::new(
                "mode",
                Kind::Word(&["nearest", "linear", "cubic"]),
                "The weights of elements around a position",
            )
            .default("linear"),
            Parameter::new(
                "coordinates",
                Kind::Word(&[
                    "half_pixel",
                    "half_pixel_symmetric",
                    "pytorch_half_pixel",
                    "align_corners",
                    "asymmetric",
                ]),
                "The positions of results in x",
            )
            .default("half_pixel"),
            Parameter::new(
                "rounding",
                Kind::Word(&["half_down", "half_up", "down", "up"]),
                "The rounding to the nearest element",
            )
            .default("half_down"),
            Parameter::new("scales", Kind::Numbers, "The scale of each axis, by default that of the sizes"),
            Parameter::new(
                "regions",
                Kind::Numbers,
                "The start and the end of each axis that is read, relative to its last element",
            ),
            Parameter::new("outside", Kind::Number, "The result outside x, with --regions").default("0"),
            Parameter::new("antialias", Kind::Flag, "Read all elements between the positions of two results"),
            Parameter::new("exclude_outside", Kind::Flag, "Give elements outside x no weight"),
            Parameter::new("coefficient", Kind::Number, "The coefficient of cubic functions").default("-0.75"),
        ],
        run: by_type!([f32, half::f16], T, call => resized::<T>(call)),
    },
    Operator {
        name: "im2col",
        summary: "Windows as the columns of a matrix, as PyTorch's unfold",
        inputs: &[Port::new("x", "Elements of shape (examples, channels, positions..)")],
        outputs: &[Port::new("y", "Columns of shape (examples, channels * kernel, windows)")],
        parameters: &[WINDOW, STRIDE, PADDING, DILATION],
        run: by_type!([f32, half::f16], T, call => {
            let columns = columns::<T>(call, call.shape("x"))?;
            let shape = columns.shape()?;
            let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
            call.cost = Some(columns.cost()?);
            columns.record(&mut call.recording).run(&x, &mut y)?;
            call.output(y, shape);
            Ok(())
        }),
    },
    Operator {
        name: "col2im",
        summary: "The sums of columns at the positions of their windows, as PyTorch's fold",
        inputs: &[Port::new("x", "Columns of shape (examples, channels * kernel, windows)")],
        outputs: &[Port::new("y", "The sums")],
        parameters: &[
            Parameter::new("shape", Kind::Shape, "The shape of y: examples, channels, positions").required(),
            WINDOW,
            STRIDE,
            PADDING,
            DILATION,
        ],
        run: by_type!([f32, half::f16], T, call => {
            let shape = call.values.shape("shape").unwrap_or_default();
            let columns = columns::<T>(call, shape.clone())?;
            expect_shape(call, "x", &columns.shape()?, "that of the columns")?;
            let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
            call.cost = Some(columns.cost()?);
            columns.record(&mut call.recording).sum(&x, &mut y)?;
            call.output(y, shape);
            Ok(())
        }),
    },
];

/// The weights of a kernel and its sizes.
fn kernel(call: &Call<'_>) -> Result<(Vec<f32>, [usize; 2]), Failure> {
    match call.shape("kernel")[..] {
        [rows, columns] => Ok((call.host::<f32>("kernel"), [rows, columns])),
        ref other => {
            let shown = shown(other);
            Err(Failure::File(format!(
                "kernel: expected a shape of rows and columns, found {shown}: save a reshaped array"
            )))
        }
    }
}

fn filter(call: &mut Call<'_>, filter: ImageFilter<'_>) -> Result<(), Failure> {
    let filter = filter.border(match call.values.text("border") {
        Some("mirror") => Border::Mirror,
        Some("nearest") => Border::Nearest,
        Some("wrap") => Border::Wrap,
        Some("constant") => Border::Constant(call.values.number("value").unwrap_or(0.0) as f32),
        _ => Border::Reflect,
    });
    let shape = call.shape("x");
    let (x, mut y) = (call.upload::<f32>("x")?, call.array::<f32>(&shape)?);
    call.cost = Some(filter.cost()?);
    filter.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}

fn resized<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (shape, to) = (call.shape("x"), call.values.shape("to").unwrap_or_default());
    let values = call.values;
    let mut resize = match values.text("mode") {
        Some("nearest") => Resize::<T>::nearest(shape, to.clone()),
        Some("cubic") => Resize::cubic(shape, to.clone()),
        _ => Resize::linear(shape, to.clone()),
    };
    resize = resize.coordinates(match values.text("coordinates") {
        Some("half_pixel_symmetric") => Coordinates::HalfPixelSymmetric,
        Some("pytorch_half_pixel") => Coordinates::PytorchHalfPixel,
        Some("align_corners") => Coordinates::AlignCorners,
        Some("asymmetric") => Coordinates::Asymmetric,
        _ => Coordinates::HalfPixel,
    });
    resize = resize.rounding(match values.text("rounding") {
        Some("half_up") => Rounding::HalfUp,
        Some("down") => Rounding::Down,
        Some("up") => Rounding::Up,
        _ => Rounding::HalfDown,
    });
    resize = resize.coefficient(values.number("coefficient").unwrap_or(-0.75) as f32);
    if let Some(scales) = values.numbers("scales") {
        resize = resize.scales(&scales);
    }
    if let Some(regions) = values.numbers("regions") {
        let regions: Vec<[f64; 2]> =
            regions.chunks(2).map(|pair| [pair[0], *pair.get(1).unwrap_or(&f64::NAN)]).collect();
        resize = resize.regions(&regions, values.number("outside").unwrap_or(0.0) as f32);
    }
    if values.flag("antialias") {
        resize = resize.antialias();
    }
    if values.flag("exclude_outside") {
        resize = resize.exclude_outside();
    }
    let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&to)?);
    call.cost = Some(resize.cost()?);
    resize.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, to);
    Ok(())
}

fn columns<'r, T: FloatElement>(call: &Call<'_>, image: Vec<usize>) -> Result<Columns<'r, T>, Failure> {
    let mut columns = Columns::new(image, &call.values.counts("kernel").unwrap_or_default());
    if let Some(stride) = call.values.counts("stride") {
        columns = columns.stride(&stride);
    }
    if call.values.flag("padding") {
        let padding = places::counted::<usize>(call, "padding")?;
        columns = columns.padding(&padding.into_iter().map(Into::into).collect::<Vec<[usize; 2]>>());
    }
    if let Some(dilation) = call.values.counts("dilation") {
        columns = columns.dilation(&dilation);
    }
    Ok(columns)
}
