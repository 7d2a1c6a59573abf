//! Attention and rotary embeddings.

use anywarp::Device;
use anywarp::ops::{Attention, RotaryEmbedding};
use anywarp_testing_devices::outcome::TestResult;

use super::arrange::{concatenated, iota, permuted, range, taken};
use super::line::{Line, converted};
use super::matrices::product;
use super::rows::softmaxed;
use crate::array::{Array, Type, by_type};
use crate::graph::Call;

/// The array with an axis for heads: an array with three axes has all heads in its last axis.
fn heads_of(device: &Device, x: &Array, heads: usize) -> TestResult<Array> {
    let [batches, places, all] = x.shape[..] else { return Ok(x.clone()) };
    permuted(device, &x.reshaped([batches, places, heads, all / heads])?, &[0, 2, 1, 3])
}

/// The number of heads: the size of the second of four axes or, for three axes, the attribute.
fn heads(call: &Call<'_>, name: &str, x: &Array) -> TestResult<usize> {
    match (&x.shape[..], call.integer(name)) {
        ([_, heads, _, _], _) => Ok(*heads),
        (_, Some(heads)) => Ok(heads.unsigned_abs() as usize),
        _ => fail!("{name} is missing"),
    }
}

/// The keys or the values, appended to those of an earlier call if there are any.
fn present(call: &Call<'_>, x: &Array, past: usize) -> TestResult<Array> {
    match call.optional(past) {
        Some(past) => concatenated(call.device, &[past, x], 2),
        None => Ok(x.clone()),
    }
}

/// The queries, keys and values of a node, with four axes, and the options that decide which keys count.
struct Given {
    q: Array,
    k: Array,
    v: Array,
    /// The flags of keys that count. `bias` has the numbers that are added to scores.
    mask: Option<Array>,
    bias: Option<Array>,
    causal: Option<isize>,
    scale: f32,
    cap: Option<f32>,
}

impl Given {
    fn of(call: &Call<'_>) -> TestResult<Self> {
        let (device, q) = (call.device, call.input(0)?);
        let shared = heads(call, "kv_num_heads", call.input(1)?)?;
        let q = heads_of(device, q, heads(call, "q_num_heads", q)?)?;
        let k = present(call, &heads_of(device, call.input(1)?, shared)?, 4)?;
        let v = present(call, &heads_of(device, call.input(2)?, shared)?, 5)?;
        let (queries, keys) = (q.shape[2], k.shape[2]);
        let places = iota(device, &[keys], Type::I32)?;
        let (mut masks, mut bias) = (Vec::new(), None);
        if let Some(mask) = call.optional(3) {
            // Keys beyond the end of the mask do not count.
            let count = mask.shape.last().copied().unwrap_or(1);
            if count < keys && count > 1 {
                masks.push(
                    Line::new("y = u32(a < i32(p))", Type::U32).values(&[count as f32]).apply(device, &[&places])?,
                );
            }
            let last = Line::new("y = min(a, i32(p))", Type::I32);
            let last = last.values(&[count as f32 - 1.0]).apply(device, &[&places])?;
            let mask = taken(device, mask, &last, mask.shape.len() - 1)?;
            if mask.kind == Type::Bool {
                masks.push(converted(device, &mask, Type::U32)?);
            } else {
                bias = Some(converted(device, &mask, q.kind)?);
            }
        }
        let mut causal =
            call.flag("is_causal", false).then_some(call.optional(4).map_or(0, |past| past.shape[2] as isize));
        if let Some(lengths) = call.optional(6) {
            let lengths = converted(device, lengths, Type::I32)?.reshaped([lengths.len(), 1, 1, 1])?;
            masks.push(Line::new("y = u32(a < b)", Type::U32).apply(device, &[&places, &lengths])?);
            if causal.is_some() && call.optional(4).is_none() {
                // The position of the last query is that of its batch's last key.
                causal = None;
                let rows = iota(device, &[queries, 1], Type::I32)?;
                let line = Line::new("y = u32(a <= b + c - i32(p))", Type::U32);
                masks.push(line.values(&[queries as f32]).apply(device, &[&places, &rows, &lengths])?);
            }
        }
        let both = Line::new("y = a & b", Type::U32);
        let mask = masks.into_iter().map(Ok).reduce(|a, b| both.apply(device, &[&a?, &b?])).transpose()?;
        let scale = call.float("scale", (1.0 / (q.shape[3] as f64).sqrt()) as f32);
        let cap = Some(call.float("softcap", 0.0)).filter(|cap| *cap > 0.0);
        Ok(Self { q, k, v, mask, bias, causal, scale, cap })
    }

    fn attended(&self, device: &Device) -> TestResult<Array> {
        let shape = |x: &Array| [x.shape[0], x.shape[1], x.shape[2], x.shape[3]];
        let (of_q, of_k, of_v) = (shape(&self.q), shape(&self.k), shape(&self.v));
        by_type!(self.q.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
            let mut attention = Attention::<T>::new(of_q, of_k).value_size(of_v[3]).scale(self.scale);
            if let Some(mask) = &self.mask {
                attention = attention.mask(mask.get::<u32>()?, mask.shape.clone());
            }
            if let Some(bias) = &self.bias {
                attention = attention.bias(bias.get::<T>()?, bias.shape.clone());
            }
            if let Some(offset) = self.causal {
                attention = attention.causal(offset);
            }
            if let Some(cap) = self.cap {
                attention = attention.cap(cap);
            }
            let (q, k, v) = (self.q.get::<T>()?, self.k.get::<T>()?, self.v.get::<T>()?);
            let shape = [of_q[0], of_q[1], of_q[2], of_v[3]];
            Array::written::<T>(device, self.q.kind, shape, |y| Ok(attention.run(q, k, v, y)?))
        })
    }

    /// The matrix of all scores after the step that ONNX's mode selects: product, cap, bias, or softmax.
    fn scores(&self, device: &Device, mode: i64) -> TestResult<Array> {
        let group = (self.q.shape[1] / self.k.shape[1]) as f32;
        let heads = iota(device, &[self.q.shape[1]], Type::U32)?;
        let heads = Line::new("y = a / u32(p)", Type::U32).values(&[group]).apply(device, &[&heads])?;
        let keys = permuted(device, &taken(device, &self.k, &heads, 1)?, &[0, 1, 3, 2])?;
        let kind = self.q.kind;
        let scaled = Line::new("y = a * T(p)", kind);
        let mut scores = scaled.values(&[self.scale]).apply(device, &[&product(device, &self.q, &keys)?])?;
        if let Some(cap) = self.cap.filter(|_| mode > 0) {
            let capped = Line::new("y = T(p) * tanh(a / T(p))", kind);
            scores = capped.values(&[cap]).apply(device, &[&scores])?;
        }
        if mode < 2 {
            return Ok(scores);
        }
        if let Some(bias) = &self.bias {
            scores = Line::new("y = a + b", kind).apply(device, &[&scores, bias])?;
        }
        let excluded = Line::new("y = select(T(-1.0 / p), a, b != 0u)", kind).values(&[0.0]);
        if let Some(mask) = &self.mask {
            scores = excluded.apply(device, &[&scores, mask])?;
        }
        if let Some(offset) = self.causal {
            let [queries, keys] = [self.q.shape[2], self.k.shape[2]];
            let (rows, columns) = (iota(device, &[queries, 1], Type::I32)?, iota(device, &[keys], Type::I32)?);
            let line = Line::new("y = u32(b <= a + i32(p))", Type::U32);
            let is_earlier = line.values(&[offset as f32]).apply(device, &[&rows, &columns])?;
            scores = excluded.apply(device, &[&scores, &is_earlier])?;
        }
        if mode < 3 { Ok(scores) } else { softmaxed(device, &scores, 3) }
    }
}

pub(super) fn attention(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let given = Given::of(call)?;
    let mut y = given.attended(call.device)?;
    if call.input(0)?.shape.len() == 3 {
        let [batches, heads, queries, size] = &y.shape[..] else { return fail!("the result has {:?}", y.shape) };
        let shape = [*batches, *queries, heads * size];
        y = permuted(call.device, &y, &[0, 2, 1, 3])?.reshaped(shape)?;
    }
    let mut outputs = vec![y, given.k.clone(), given.v.clone()];
    if call.node.outputs.len() > 3 {
        outputs.push(given.scores(call.device, call.integer("qk_matmul_output_mode").unwrap_or(0))?);
    }
    Ok(outputs)
}

pub(super) fn rotary_embedding(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let of_heads = x.shape.len() == 4;
    let shape = match x.shape[..] {
        [batches, positions, all] => {
            let heads = call.integer("num_heads").unwrap_or(1).unsigned_abs() as usize;
            [batches, positions, heads, all / heads]
        }
        [a, b, c, d] => [a, b, c, d],
        _ => return fail!("the input has {:?}", x.shape),
    };
    let size = call.integer("rotary_embedding_dim").filter(|size| *size != 0);
    let size = size.map_or(shape[3], |size| size.unsigned_abs() as usize);
    let table = |at: usize| {
        let table = converted(device, call.input(at)?, Type::F32)?;
        match call.optional(3) {
            Some(places) => taken(device, &table, places, 0),
            None => Ok(table),
        }
    };
    let (cosines, sines) = (table(1)?, table(2)?);
    let columns = cosines.shape.len() - 1;
    let halves = |table: &Array| range(device, table, columns, 0..size / 2);
    let (cosines, sines) = (halves(&cosines)?, halves(&sines)?);
    let mut rotary = RotaryEmbedding::new(shape).size(size).per_batch();
    if !of_heads {
        rotary = rotary.positions_first();
    }
    if call.flag("interleaved", false) {
        rotary = rotary.interleaved();
    }
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let (cosines, sines) = (cosines.get::<f32>()?, sines.get::<f32>()?);
        Array::written::<T>(device, x.kind, x.shape.clone(), |y| Ok(rotary.run(x.get::<T>()?, cosines, sines, y)?))
    })?;
    Ok(vec![y])
}
