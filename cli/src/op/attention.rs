//! Attention and rotary embeddings.

use anywarp::ops::{Attention, FloatElement, RotaryEmbedding};
use anywarp::{Element, UnifiedBuffer};

use super::call::Call;
use super::entry::{FLAGS, Form, Number, Operator, Port, by_type};
use super::parameter::{Kind, Parameter};
use super::shapes::{expect_shape, shown};
use crate::dtype::Dtype;
use crate::failure::Failure;

const F32: &[Dtype] = &[Dtype::F4];

const Q: Port = Port::new("q", "The queries, of shape (batches, heads, queries, head size)");
const K: Port = Port::new("k", "The keys, of shape (batches, heads of keys, keys, head size)");
const V: Port = Port::new("v", "The values, of shape (batches, heads of keys, keys, value size)");
const MASK: Port =
    Port::new("mask", "Flags of keys that count; their shape is broadcast to (batches, heads, queries, keys)")
        .of(FLAGS)
        .form(Form::Named);
const BIAS: Port =
    Port::new("bias", "Numbers added to scores; their shape is broadcast as that of the mask").form(Form::Named);
const SCALE: Parameter =
    Parameter::new("scale", Kind::Number, "The factor of products, by default 1 / sqrt(head size)");
const CAP: Parameter = Parameter::new("cap", Kind::Number, "The bound of scores, which tanh keeps");
const CAUSAL: Parameter = Parameter::new("causal", Kind::Number, "Give query i the keys up to i + NUMBER only");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "attention",
        summary: "Scaled dot-product attention, as ONNX's Attention",
        inputs: &[Q, K, V, MASK, BIAS],
        outputs: &[Port::new("y", "The results, of shape (batches, heads, queries, value size)")],
        parameters: &[SCALE, CAP, CAUSAL],
        run: by_type!([f32, half::f16], T, call => attention::<T>(call)),
    },
    Operator {
        name: "attention_backward",
        summary: "The derivatives of attention by queries, keys and values, from those by its results",
        inputs: &[
            Q,
            K,
            V,
            Port::new("dy", "The derivatives by the results, of shape (batches, heads, queries, value size)"),
            MASK,
            BIAS,
        ],
        outputs: &[
            Port::new("dq", "The derivatives by the queries, with their shape"),
            Port::new("dk", "The derivatives by the keys, with their shape"),
            Port::new("dv", "The derivatives by the values, with their shape"),
        ],
        parameters: &[SCALE, CAP, CAUSAL],
        run: by_type!([f32, half::f16], T, call => attention_backward::<T>(call)),
    },
    Operator {
        name: "rotary_embedding",
        summary: "Pairs of elements, rotated by the angles of their positions, as ONNX's RotaryEmbedding",
        inputs: &[
            Port::new("x", "The elements, of shape (batches, heads, positions, head size)"),
            Port::new("cosines", "The cosines of all angles, of shape (positions, pairs)").of(F32),
            Port::new("sines", "The sines of all angles, of shape (positions, pairs)").of(F32),
        ],
        outputs: &[Port::new("y", "The results, with the shape of x")],
        parameters: &[
            Parameter::new("size", Kind::Count, "The elements of each head to rotate, by default all"),
            Parameter::new(
                "interleaved",
                Kind::Flag,
                "Take neighbours as pairs, in place of elements half a head apart",
            ),
            Parameter::new("positions_first", Kind::Flag, "Take positions as the second axis, before the heads"),
            Parameter::new("per_batch", Kind::Flag, "Take tables of shape (batches, positions, pairs)"),
            Parameter::new("inverse", Kind::Flag, "Rotate by the negative angles"),
        ],
        run: by_type!([f32, half::f16], T, call => rotary_embedding::<T>(call)),
    },
];

/// The shape of an input with four axes.
fn four_axes(call: &Call<'_>, port: &str) -> Result<[usize; 4], Failure> {
    let shape = call.shape(port);
    <[usize; 4]>::try_from(shape).map_err(|shape| {
        let shown = shown(&shape);
        Failure::File(format!("{port}: expected a shape of four axes, found {shown}: save a reshaped array"))
    })
}

/// The arrays of a call that are not results, on the device.
struct Arrays<T: Element> {
    q: UnifiedBuffer<T>,
    k: UnifiedBuffer<T>,
    v: UnifiedBuffer<T>,
    mask: Option<UnifiedBuffer<u32>>,
    bias: Option<UnifiedBuffer<T>>,
}

impl<T: Number + FloatElement> Arrays<T> {
    fn upload(call: &Call<'_>) -> Result<Self, Failure> {
        let (q, k, v) = (call.upload::<T>("q")?, call.upload::<T>("k")?, call.upload::<T>("v")?);
        let (mask, bias) = (call.upload_given::<u32>("mask")?, call.upload_given::<T>("bias")?);
        Ok(Self { q, k, v, mask, bias })
    }

    /// The attention of a call, and the shapes of queries, keys and values.
    fn attention(&self, call: &Call<'_>) -> Result<(Attention<'_, T>, [[usize; 4]; 3]), Failure> {
        let [of_q, of_k, of_v] = [four_axes(call, "q")?, four_axes(call, "k")?, four_axes(call, "v")?];
        let mut shape = of_k;
        shape[3] = of_v[3];
        expect_shape(call, "v", &shape, "as that of the keys but for its last axis")?;
        let mut attention = Attention::new(of_q, of_k).value_size(of_v[3]);
        if let Some(mask) = &self.mask {
            attention = attention.mask(mask, call.shape("mask"));
        }
        if let Some(bias) = &self.bias {
            attention = attention.bias(bias, call.shape("bias"));
        }
        if let Some(scale) = call.values.number("scale") {
            attention = attention.scale(scale as f32);
        }
        if let Some(cap) = call.values.number("cap") {
            attention = attention.cap(cap as f32);
        }
        if let Some(offset) = call.values.number("causal") {
            if offset.fract() != 0.0 {
                return Err(Failure::Usage(format!(
                    "--causal {offset}: expected a whole number, found {offset}: write --causal {}",
                    offset.trunc()
                )));
            }
            attention = attention.causal(offset as isize);
        }
        Ok((attention, [of_q, of_k, of_v]))
    }
}

fn attention<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let arrays = Arrays::<T>::upload(call)?;
    let (attention, [of_q, _, of_v]) = arrays.attention(call)?;
    let shape = [of_q[0], of_q[1], of_q[2], of_v[3]];
    let mut y = call.array::<T>(&shape)?;
    call.cost = Some(attention.cost(&call.device)?);
    attention.record(&mut call.recording).run(&arrays.q, &arrays.k, &arrays.v, &mut y)?;
    call.output(y, shape.to_vec());
    Ok(())
}

fn attention_backward<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let arrays = Arrays::<T>::upload(call)?;
    let (attention, [of_q, of_k, of_v]) = arrays.attention(call)?;
    expect_shape(call, "dy", &[of_q[0], of_q[1], of_q[2], of_v[3]], "that of the results")?;
    let dy = call.upload::<T>("dy")?;
    let (mut dq, mut dk, mut dv) = (call.array::<T>(&of_q)?, call.array::<T>(&of_k)?, call.array::<T>(&of_v)?);
    call.cost = Some(attention.cost_of_backward()?);
    let attention = attention.record(&mut call.recording);
    attention.backward(&arrays.q, &arrays.k, &arrays.v, &dy, [&mut dq, &mut dk, &mut dv])?;
    for (derivatives, shape) in [(dq, of_q), (dk, of_k), (dv, of_v)] {
        call.output(derivatives, shape.to_vec());
    }
    Ok(())
}

fn rotary_embedding<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let shape = four_axes(call, "x")?;
    let size = call.values.count("size").unwrap_or(shape[3]);
    let positions = shape[if call.values.flag("positions_first") { 1 } else { 2 }];
    let mut rotary = RotaryEmbedding::new(shape).size(size);
    let mut tables = vec![positions, size / 2];
    if call.values.flag("interleaved") {
        rotary = rotary.interleaved();
    }
    if call.values.flag("positions_first") {
        rotary = rotary.positions_first();
    }
    if call.values.flag("per_batch") {
        rotary = rotary.per_batch();
        tables.insert(0, shape[0]);
    }
    if call.values.flag("inverse") {
        rotary = rotary.inverse();
    }
    call.cost = Some(rotary.cost::<T>()?);
    for port in ["cosines", "sines"] {
        expect_shape(call, port, &tables, "one row for each position")?;
    }
    let (x, cosines, sines) = (call.upload::<T>("x")?, call.upload::<f32>("cosines")?, call.upload::<f32>("sines")?);
    let mut y = call.array::<T>(&shape)?;
    rotary.record(&mut call.recording).run(&x, &cosines, &sines, &mut y)?;
    call.output(y, shape.to_vec());
    Ok(())
}
