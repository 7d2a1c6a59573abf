//! Operators without inputs: patterns and random numbers.

use anywarp::UnifiedBuffer;
use anywarp::ops::{FillPattern, OperationError, PatternElement, Random, RandomInteger};

use super::call::Call;
use super::entry::{Number, Operator, Port, U32, by_type};
use super::numbers::numbers;
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;

const SHAPE: Parameter = Parameter::new("shape", Kind::Shape, "The shape of the result").required();
const SEED: Parameter = Parameter::new("seed", Kind::Count, "The seed").default("0");
const STREAM: Parameter = Parameter::new("stream", Kind::Count, "An independent stream of the seed").default("0");
const OFFSET: Parameter = Parameter::new("offset", Kind::Count, "The number of elements to skip").default("0");
const X: &[Port] = &[Port::new("x", "The numbers")];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "fill_pattern",
        summary: "Repetitions of a pattern of 1 to 16 numbers",
        inputs: &[],
        outputs: X,
        parameters: &[
            SHAPE,
            Parameter::new("pattern", Kind::Numbers, "The pattern").required(),
            Parameter::new("offset", Kind::Count, "The index of the pattern's element to begin with").default("0"),
        ],
        run: by_type!([f32, i32, u32], T, call => fill::<T>(call)),
    },
    Operator {
        name: "random_bits",
        summary: "Random integers, each value equally likely",
        inputs: &[],
        outputs: X,
        parameters: &[SHAPE, SEED, STREAM, OFFSET],
        run: by_type!([u32, i32, u64, i64], T, call => draw::<T>(call, |random, x| random.bits(x))),
    },
    Operator {
        name: "random_uniform",
        summary: "Random numbers in 0 <= x < 1",
        inputs: &[],
        outputs: X,
        parameters: &[SHAPE, SEED, STREAM, OFFSET],
        run: by_type!([f32, f64, half::f16], T, call => draw::<T>(call, |random, x| random.uniform(x))),
    },
    Operator {
        name: "random_integers",
        summary: "Random integers of a range, each equally likely",
        inputs: &[],
        outputs: X,
        parameters: &[
            SHAPE,
            Parameter::new("range", Kind::Integers, "The range, without its end").required(),
            SEED,
            STREAM,
            OFFSET,
        ],
        run: by_type!([i32, u32], T, call => integers::<T>(call)),
    },
    Operator {
        name: "random_normal",
        summary: "Random numbers of the normal distribution with mean 0 and standard deviation 1",
        inputs: &[],
        outputs: X,
        parameters: &[SHAPE, SEED, STREAM, OFFSET],
        run: by_type!([f32, half::f16], T, call => draw::<T>(call, |random, x| random.normal(x))),
    },
    Operator {
        name: "random_exponential",
        summary: "Random numbers of the exponential distribution of rate 1",
        inputs: &[],
        outputs: X,
        parameters: &[SHAPE, SEED, STREAM, OFFSET],
        run: by_type!([f32, half::f16], T, call => draw::<T>(call, |random, x| random.exponential(x))),
    },
    Operator {
        name: "random_bernoulli",
        summary: "1 with the probability --chance, else 0",
        inputs: &[],
        outputs: X,
        parameters: &[
            SHAPE,
            Parameter::new("chance", Kind::Number, "The probability of 1").required(),
            SEED,
            STREAM,
            OFFSET,
        ],
        run: by_type!([f32, u32, i32], T, call => {
            let chance = call.values.number("chance").unwrap_or_default();
            draw::<T>(call, move |random, x| random.bernoulli(chance, x))
        }),
    },
    Operator {
        name: "random_dropout",
        summary: "The factors of a dropout: 0 with the probability --rate, else 1 / (1 - rate)",
        inputs: &[],
        outputs: X,
        parameters: &[
            SHAPE,
            Parameter::new("rate", Kind::Number, "The probability of 0").required(),
            SEED,
            STREAM,
            OFFSET,
        ],
        run: by_type!([f32], T, call => {
            let rate = call.values.number("rate").unwrap_or_default();
            draw::<T>(call, move |random, x| random.dropout(rate, x))
        }),
    },
    Operator {
        name: "random_permutation",
        summary: "The numbers below n in a random order",
        inputs: &[],
        outputs: &[Port::new("x", "The numbers").of(U32)],
        parameters: &[Parameter::new("n", Kind::Count, "The number of elements").required(), SEED, STREAM],
        run: by_type!([u32], T, call => {
            let n = call.values.count("n").unwrap_or_default();
            drawn::<T>(call, vec![n], |random, x| random.permutation(x))
        }),
    },
    Operator {
        name: "random_choice",
        summary: "Different random numbers below n",
        inputs: &[],
        outputs: &[Port::new("x", "The numbers").of(U32)],
        parameters: &[
            SHAPE,
            Parameter::new("n", Kind::Count, "The number that all results are below").required(),
            SEED,
            STREAM,
        ],
        run: by_type!([u32], T, call => {
            let n = call.values.count("n").unwrap_or_default();
            draw::<T>(call, move |random, x| random.choice(n, x))
        }),
    },
];

fn fill<T: Number + PatternElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let pattern: Vec<T> = numbers(call, "pattern")?.unwrap_or_default();
    let shape = call.values.shape("shape").unwrap_or_default();
    let mut x = call.array::<T>(&shape)?;
    let fill = FillPattern::new(&pattern).offset(call.values.count("offset").unwrap_or_default());
    call.cost = fill.cost(x.len()).ok();
    fill.record(&mut call.recording).run(&mut x)?;
    call.output(x, shape);
    Ok(())
}

type Drawn = Result<(), OperationError>;

fn draw<T: Number>(
    call: &mut Call<'_>,
    draw: impl FnOnce(Random<'_>, &mut UnifiedBuffer<T>) -> Drawn,
) -> Result<(), Failure> {
    let shape = call.values.shape("shape").unwrap_or_default();
    drawn(call, shape, draw)
}

fn drawn<T: Number>(
    call: &mut Call<'_>,
    shape: Vec<usize>,
    draw: impl FnOnce(Random<'_>, &mut UnifiedBuffer<T>) -> Drawn,
) -> Result<(), Failure> {
    let count = |name| call.values.count(name).unwrap_or_default();
    let stream = u32::try_from(count("stream")).map_err(|_| {
        Failure::Usage(format!("--stream {}: expected a number below 2^32: write --stream 1", count("stream")))
    })?;
    let random = Random::new(count("seed") as u64).stream(stream).offset(count("offset") as u64);
    let mut x = call.array::<T>(&shape)?;
    call.cost = random.cost::<T>(x.len()).ok();
    draw(random.record(&mut call.recording), &mut x)?;
    call.output(x, shape);
    Ok(())
}

fn integers<T: Number + RandomInteger + TryFrom<i128>>(call: &mut Call<'_>) -> Result<(), Failure> {
    let range = call.values.integers("range").unwrap_or_default();
    let ends = T::try_from(range.start).ok().zip(T::try_from(range.end).ok());
    let (start, end) = ends.ok_or_else(|| {
        let (word, text) = (T::DTYPE.word(), call.values.text("range").unwrap_or_default());
        Failure::Usage(format!("--range {text}: expected ends of type {word}: choose others, or another --dtype"))
    })?;
    draw::<T>(call, move |random, x| random.integers(start..end, x))
}
