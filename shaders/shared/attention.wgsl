// The arrays of an attention. Floats are f32, or, with `packed`, two in a word.
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

@group(0) @binding(1) var<storage> q: array<Cell>;
@group(0) @binding(2) var<storage> k: array<Cell>;
@group(0) @binding(3) var<storage> v: array<Cell>;
// The words are atomic, because two invocations may each write one half of a word.
@if(packed)
@group(0) @binding(6) var<storage, read_write> y: array<atomic<u32>>;
@else
@group(0) @binding(6) var<storage, read_write> y: array<f32>;

@if(packed)
fn load_q(at: u32) -> f32 {
    return element_in(q[at / 2u], at);
}

@if(!packed)
fn load_q(at: u32) -> f32 {
    return q[at];
}

@if(packed)
fn load_k(at: u32) -> f32 {
    return element_in(k[at / 2u], at);
}

@if(!packed)
fn load_k(at: u32) -> f32 {
    return k[at];
}

@if(packed)
fn load_v(at: u32) -> f32 {
    return element_in(v[at / 2u], at);
}

@if(!packed)
fn load_v(at: u32) -> f32 {
    return v[at];
}

@if(packed)
fn store(at: u32, value: f32) {
    let shift = at % 2u * 16u;
    // Keeps the other half of the word, also if another invocation changes it between the two operations.
    atomicAnd(&y[at / 2u], ~(0xffffu << shift));
    atomicOr(&y[at / 2u], rounded(vec4(value)).x << shift);
}

@if(!packed)
fn store(at: u32, value: f32) {
    y[at] = value;
}
