//! Cosine transforms, convolutions through Fourier transforms, windows on signals, and frequencies.

use anywarp::UnifiedBuffer;
use anywarp::ops::{
    ComplexElement, ConvolveMode, Dct, DctKind, FftConvolve, Frequencies, RealElement, SignalElement, Stft, WindowShape,
};
use bytemuck::Pod;

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, Real, by_type};
use super::fourier::{AXES, NORM, complex_shape, norm, with_parts};
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;

const X: Port = Port::new("x", "Real numbers");
const W: Port = Port::new("w", "The kernel: its sizes along other axes are those of x, or 1");
const TYPE: Parameter =
    Parameter::new("type", Kind::Word(&["1", "2", "3", "4"]), "The type of the transform").default("2");
const INVERSE: Parameter = Parameter::new("inverse", Kind::Flag, "Compute the inverse transform");
const TRANSFORMED: Port = Port::new("y", "The transform, with the shape of x");
const RESTORED: Port = Port::new("y", "The inverse transform, with the shape of x");
const MODE: Parameter =
    Parameter::new("mode", Kind::Word(&["full", "same", "valid"]), "The part of the result, as SciPy's mode")
        .default("full");
const CONVOLVED_AXES: Parameter =
    Parameter::new("axes", Kind::Counts, "The axes to convolve along; all of them by default");
const LENGTH: Parameter = Parameter::new("length", Kind::Count, "The number of samples of the transform").required();
const SPACING: Parameter = Parameter::new("spacing", Kind::Number, "The distance of two samples").default("1");
const NUMBERS: Port = Port::new("window", "The numbers of the window, in place of --shape and --window_length")
    .of(&[Dtype::F8])
    .form(Form::Named);
const SHAPE: Parameter =
    Parameter::new("shape", Kind::Word(&["hann", "hamming", "blackman"]), "The periodic window").default("hann");
const WINDOW_LENGTH: Parameter =
    Parameter::new("window_length", Kind::Count, "The length of the window").default("256");
const HOP: Parameter = Parameter::new("hop", Kind::Count, "The distance of two windows").required();
const CENTRED: Parameter = Parameter::new(
    "centred",
    Kind::Flag,
    "Put the middles of windows at multiples of the hop, as SciPy's ShortTimeFFT",
);
const TRIMMED: Parameter = Parameter::new(
    "trimmed",
    Kind::Flag,
    "Leave out centred windows that only leading zeros join with the end, as SciPy's ShortTimeFFT",
);
const IS_COMPLEX: Parameter =
    Parameter::new("complex", Kind::Flag, "Signals are complex, with their two parts along the last axis");
const TRANSFORM: Parameter =
    Parameter::new("transform_length", Kind::Count, "The length of a transform; that of the window by default");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "dct",
        summary: "The discrete cosine transform of real numbers",
        inputs: &[X],
        outputs: &[TRANSFORMED],
        parameters: &[TYPE, AXES, NORM, INVERSE],
        run: by_type!([f32, f64], T, call => {
            let inverse = call.values.flag("inverse");
            cosines::<T>(call, false, inverse)
        }),
    },
    Operator {
        name: "idct",
        summary: "The inverse discrete cosine transform of real numbers",
        inputs: &[X],
        outputs: &[RESTORED],
        parameters: &[TYPE, AXES, NORM],
        run: by_type!([f32, f64], T, call => cosines::<T>(call, false, true)),
    },
    Operator {
        name: "dst",
        summary: "The discrete sine transform of real numbers",
        inputs: &[X],
        outputs: &[TRANSFORMED],
        parameters: &[TYPE, AXES, NORM, INVERSE],
        run: by_type!([f32, f64], T, call => {
            let inverse = call.values.flag("inverse");
            cosines::<T>(call, true, inverse)
        }),
    },
    Operator {
        name: "idst",
        summary: "The inverse discrete sine transform of real numbers",
        inputs: &[X],
        outputs: &[RESTORED],
        parameters: &[TYPE, AXES, NORM],
        run: by_type!([f32, f64], T, call => cosines::<T>(call, true, true)),
    },
    Operator {
        name: "fft_convolve",
        summary: "The convolution of two arrays, through Fourier transforms",
        inputs: &[X, W],
        outputs: &[Port::new("y", "The convolution")],
        parameters: &[MODE, CONVOLVED_AXES],
        run: by_type!([f32, f64], T, call => convolved::<T>(call, false)),
    },
    Operator {
        name: "fft_correlate",
        summary: "The correlation of two arrays, through Fourier transforms",
        inputs: &[X, W],
        outputs: &[Port::new("y", "The correlation")],
        parameters: &[MODE, CONVOLVED_AXES],
        run: by_type!([f32, f64], T, call => convolved::<T>(call, true)),
    },
    Operator {
        name: "stft",
        summary: "The Fourier transforms of windows on signals, whose samples are along the last axis",
        inputs: &[X, NUMBERS],
        outputs: &[Port::new(
            "y",
            "Complex numbers, with the windows and the frequencies as last axes before the parts",
        )],
        parameters: &[HOP, SHAPE, WINDOW_LENGTH, CENTRED, TRIMMED, TRANSFORM, IS_COMPLEX],
        run: by_type!([f32, f64], T, call => windowed::<T>(call)),
    },
    Operator {
        name: "istft",
        summary: "The signals with these Fourier transforms of windows",
        inputs: &[
            Port::new("x", "Complex numbers, with the windows and the frequencies as last axes before the parts"),
            NUMBERS,
        ],
        outputs: &[Port::new("y", "The signals, with their samples along the last axis")],
        parameters: &[
            Parameter::new("length", Kind::Count, "The number of samples of a signal").required(),
            HOP,
            SHAPE,
            WINDOW_LENGTH,
            CENTRED,
            TRIMMED,
            TRANSFORM,
            IS_COMPLEX,
        ],
        run: by_type!([f32, f64], T, call => unwindowed::<T>(call)),
    },
    Operator {
        name: "fftfreq",
        summary: "The frequencies of the results of a Fourier transform",
        inputs: &[],
        outputs: &[Port::new("y", "The frequencies, as many as samples")],
        parameters: &[LENGTH, SPACING],
        run: by_type!([f32, f64], T, call => frequencies::<T>(call, false)),
    },
    Operator {
        name: "rfftfreq",
        summary: "The frequencies of the results of a Fourier transform of real numbers",
        inputs: &[],
        outputs: &[Port::new("y", "The frequencies, n / 2 + 1 of n samples")],
        parameters: &[LENGTH, SPACING],
        run: by_type!([f32, f64], T, call => frequencies::<T>(call, true)),
    },
];

fn cosines<T: Number + RealElement>(call: &mut Call<'_>, sines: bool, inverse: bool) -> Result<(), Failure> {
    let kind = match (call.values.text("type"), sines) {
        (Some("1"), false) => DctKind::Dct1,
        (Some("1"), true) => DctKind::Dst1,
        (Some("3"), false) => DctKind::Dct3,
        (Some("3"), true) => DctKind::Dst3,
        (Some("4"), false) => DctKind::Dct4,
        (Some("4"), true) => DctKind::Dst4,
        (_, false) => DctKind::Dct2,
        (_, true) => DctKind::Dst2,
    };
    let shape = call.shape("x");
    let mut transform = Dct::<T>::new(&shape, kind).norm(norm(call));
    if let Some(axes) = call.values.counts("axes") {
        transform = transform.axes(axes);
    }
    if inverse {
        transform = transform.inverse();
    }
    call.cost = Some(transform.cost(&call.device)?);
    let x = call.upload::<T>("x")?;
    let mut y = call.array::<T>(&shape)?;
    transform.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}

fn convolved<T: Number + RealElement>(call: &mut Call<'_>, correlate: bool) -> Result<(), Failure> {
    let mode = match call.values.text("mode") {
        Some("same") => ConvolveMode::Same,
        Some("valid") => ConvolveMode::Valid,
        _ => ConvolveMode::Full,
    };
    let mut convolution = FftConvolve::<T>::new(call.shape("x"), call.shape("w")).mode(mode);
    if let Some(axes) = call.values.counts("axes") {
        convolution = convolution.axes(axes);
    }
    if correlate {
        convolution = convolution.correlate();
    }
    let shape = convolution.shape()?;
    call.cost = Some(convolution.cost(&call.device)?);
    let (x, w) = (call.upload::<T>("x")?, call.upload::<T>("w")?);
    let mut y = call.array::<T>(&shape)?;
    convolution.record(&mut call.recording).run(&x, &w, &mut y)?;
    call.output(y, shape);
    Ok(())
}

fn frequencies<T: Number + RealElement>(call: &mut Call<'_>, half: bool) -> Result<(), Failure> {
    let length = call.values.count("length").unwrap_or_default();
    let mut frequencies = Frequencies::new(length).spacing(call.values.number("spacing").unwrap_or(1.0));
    let mut count = length;
    if half {
        frequencies = frequencies.half();
        count = if length == 0 { 0 } else { length / 2 + 1 };
    }
    call.cost = Some(frequencies.cost::<T>()?);
    let mut y = call.array::<T>(&[count])?;
    frequencies.record(&mut call.recording).run(&mut y)?;
    call.output(y, vec![count]);
    Ok(())
}

/// The transform for arrays of a shape, by the parameters of the call.
fn stft<T: SignalElement>(call: &Call<'_>, shape: &[usize]) -> Stft<'static, T> {
    let length = call.values.count("window_length").unwrap_or_default();
    let window = match (call.input("window"), call.values.text("shape")) {
        (Some(_), _) => call.host::<f64>("window"),
        (None, Some("hamming")) => WindowShape::Hamming.periodic(length),
        (None, Some("blackman")) => WindowShape::Blackman.periodic(length),
        (None, _) => WindowShape::Hann.periodic(length),
    };
    let mut stft = Stft::new(shape, window, call.values.count("hop").unwrap_or_default());
    if call.values.flag("centred") {
        stft = stft.centred();
    }
    if call.values.flag("trimmed") {
        stft = stft.trimmed();
    }
    if let Some(length) = call.values.count("transform_length") {
        stft = stft.transform_length(length);
    }
    stft
}

fn windowed<T>(call: &mut Call<'_>) -> Result<(), Failure>
where
    [T; 2]: ComplexElement<Real = T> + SignalElement<Complex = [T; 2]>,
    T: Real + Pod + SignalElement<Complex = [T; 2]>,
{
    if call.values.flag("complex") {
        let shape = complex_shape(call)?;
        let x = call.upload_pairs::<T>("x")?;
        return transformed::<T, [T; 2]>(call, &shape, &x);
    }
    let shape = call.shape("x");
    let x = call.upload::<T>("x")?;
    transformed::<T, T>(call, &shape, &x)
}

fn transformed<T, S>(call: &mut Call<'_>, shape: &[usize], x: &UnifiedBuffer<S>) -> Result<(), Failure>
where
    [T; 2]: ComplexElement<Real = T>,
    T: Real + Pod,
    S: SignalElement<Complex = [T; 2]>,
{
    let stft = stft::<S>(call, shape);
    let shape = stft.shape()?;
    call.cost = Some(stft.cost(&call.device)?);
    let mut y = call.device.buffer(shape.iter().product())?;
    stft.record(&mut call.recording).run(x, &mut y)?;
    call.output_pairs(y, with_parts(shape));
    Ok(())
}

fn unwindowed<T>(call: &mut Call<'_>) -> Result<(), Failure>
where
    [T; 2]: ComplexElement<Real = T> + SignalElement<Complex = [T; 2]>,
    T: Real + Pod + SignalElement<Complex = [T; 2]>,
{
    // The windows and the frequencies take the place of the samples.
    let mut shape = complex_shape(call)?;
    shape.truncate(shape.len().saturating_sub(2));
    shape.push(call.values.count("length").unwrap_or_default());
    let x = call.upload_pairs::<T>("x")?;
    if call.values.flag("complex") {
        let stft = stft::<[T; 2]>(call, &shape);
        call.cost = Some(stft.cost(&call.device)?);
        let mut y = call.device.buffer(shape.iter().product())?;
        stft.record(&mut call.recording).inverse(&x, &mut y)?;
        call.output_pairs(y, with_parts(shape));
        return Ok(());
    }
    let stft = stft::<T>(call, &shape);
    call.cost = Some(stft.cost(&call.device)?);
    let mut y = call.array::<T>(&shape)?;
    stft.record(&mut call.recording).inverse(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}
