//! The kernel of a ring, generated around the author's function: each workgroup serves actors, one after the other.
//!
//! One text serves both modes. A workgroup polls the next slot of an actor's inbox, calls the handler, keeps the state,
//! and writes the reply; it goes on to the next actor after a number of messages, or of polls without one. Both numbers
//! are those of the whole launch, so that each launch ends, and none of its workgroups delays the next launch for long.
//! Batched, one poll is enough. Persistent, the device repeats the workgroups.
//!
//! | variable | content |
//! |---|---|
//! | `ring_inbox`, `ring_outbox` | slots of messages and replies, see [`slot`](super::slot) |
//! | `ring_kept` | for each actor the number of its next message, then its state |
//! | `ring_control` | not zero to stop |
//!
//! A workgroup of one invocation needs no barriers (`alone`). In a larger one, all invocations move words, and those
//! below the number of lanes call the handler (`together`).

mod alone;
mod parts;
mod together;

use std::fmt::Write;

use anywarp_backend::{Layout, Piece, Source, SourceFile};

use self::parts::Parts;
use super::slot::{HEAD, MAX_PAYLOAD, stride};
use super::source::ActorText;

/// The least payload in words, so that a state moves in parts of some length.
const LEAST_PAYLOAD: usize = 2;

/// The words before an actor's state in `ring_kept`.
pub(crate) const KEPT_HEAD: usize = 1;

/// Actors begin at multiples of this number of words in `ring_kept`, so that no two share a cache line.
const KEPT_ALIGNMENT: usize = 16;

/// The sizes that the kernel and the host agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// The words of a message, and of a part of the state that is written.
    pub(crate) message: usize,
    /// The words of a reply, and of a part of the state that is read.
    pub(crate) reply: usize,
    /// The words of the state.
    pub(crate) state: usize,
    /// The words of an actor in `ring_kept`.
    pub(crate) kept: usize,
}

impl Format {
    pub(crate) fn of(actor: &ActorText) -> Self {
        let words = |layout: &Layout| (layout.size as usize).div_ceil(4);
        let payload = |layout: Option<&Layout>| layout.map_or(0, words).clamp(LEAST_PAYLOAD, MAX_PAYLOAD);
        let state = words(&actor.state);
        Self {
            message: payload(Some(&actor.message)),
            reply: payload(actor.reply.as_ref()),
            state,
            kept: (KEPT_HEAD + state).next_multiple_of(KEPT_ALIGNMENT),
        }
    }
}

/// The name of the generated entry point.
pub(crate) const ENTRY: &str = "ring_actor";

/// Returns the author's text, followed by a kernel with this number of lanes and of invocations.
pub(crate) fn generate(actor: &ActorText, lanes: u32, invocations: u32) -> Source {
    let written = actor.source.text();
    let mut text = written.to_owned();
    text.push('\n');
    let generated = text.len();
    Kernel { actor, format: Format::of(actor), lanes, invocations }.write(&mut text);
    let mut files = actor.source.files().to_vec();
    let own = files.len();
    files.push(SourceFile { name: format!("{} (generated)", actor.source.file()), text: text[generated..].to_owned() });
    let mut pieces = actor.source.pieces().to_vec();
    if pieces.is_empty() {
        pieces.push(Piece { at: 0, file: 0, offset: 0, copied: true });
    }
    pieces.push(Piece { at: generated, file: own, offset: 0, copied: true });
    Source::composed(files, text, pieces)
}

struct Kernel<'a> {
    actor: &'a ActorText,
    format: Format,
    lanes: u32,
    invocations: u32,
}

impl Kernel<'_> {
    fn write(&self, out: &mut String) {
        let Format { message, reply, state, kept } = self.format;
        let (wide_in, wide_out) = (HEAD + message, HEAD + reply);
        let (stride_in, stride_out) = (stride(message), stride(reply));
        let _ = writeln!(
            out,
            "const ring_words_in = {wide_in}u;
const ring_words_out = {wide_out}u;
const ring_stride_in = {stride_in}u;
const ring_stride_out = {stride_out}u;
const ring_payload_in = {message}u;
const ring_payload_out = {reply}u;
const ring_words_of_state = {state}u;
const ring_words_kept = {kept}u;
struct RingShape {{ actors: u32, slots: u32, polls: u32, most: u32 }}
@group(0) @binding(0) var<uniform> ring_shape: RingShape;
@group(0) @binding(1) var<storage, read_write> ring_inbox: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> ring_outbox: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> ring_kept: array<u32>;
@group(0) @binding(4) var<storage, read_write> ring_control: array<atomic<u32>>;
fn ring_phase(number: u32) -> u32 {{ return u32((number & ring_shape.slots) == 0u); }}"
        );
        self.load_state(out);
        if self.invocations == 1 { self.alone(out) } else { self.together(out) }
    }

    /// Functions over `ring_in` that name the author's types and function where no local name of the kernel hides them.
    fn names(&self, out: &mut String) {
        let ActorText { function, state, message, reply, .. } = self.actor;
        let (state, name) = (&state.name, &message.name);
        let _ = writeln!(out, "fn ring_message(ring_at: u32) -> {name} {{\n  var ring_m: {name};");
        Parts { out, depth: 0 }.decode(message, "ring_m", "ring_in", "ring_at");
        let _ = writeln!(out, "  return ring_m;\n}}");
        let (result, keyword) = match reply {
            Some(reply) => (format!("-> {} ", reply.name), "return "),
            None => (String::new(), ""),
        };
        let _ = writeln!(out, "fn ring_call(ring_a: ptr<function, {state}>, ring_b: {name}, ring_c: u32) {result}{{");
        let _ = writeln!(out, "  {keyword}{function}(ring_a, ring_b, ring_c);\n}}");
    }

    /// The function that loads the state from `ring_kept`.
    fn load_state(&self, out: &mut String) {
        let name = &self.actor.state.name;
        let _ = writeln!(out, "fn ring_load_state(at: u32) -> {name} {{\n  var state: {name};");
        Parts { out, depth: 0 }.decode(&self.actor.state, "state", "ring_kept", "at");
        let _ = writeln!(out, "  return state;\n}}");
    }

    /// The statements that call the handler with `state` and `lane` for the message at the expression `from` of
    /// `ring_in`, and that encode the reply from `to` of `ring_reply` on, on lane 0.
    fn call(&self, out: &mut String, lane: &str, from: &str, to: &str) {
        match &self.actor.reply {
            Some(reply) => {
                let _ = writeln!(out, "        var answer = ring_call(&state, ring_message({from}), {lane});");
                let guarded = lane != "0u";
                if guarded {
                    let _ = writeln!(out, "        if {lane} == 0u {{");
                }
                Parts { out, depth: 0 }.encode(reply, "answer", "ring_reply", to);
                if guarded {
                    let _ = writeln!(out, "        }}");
                }
            }
            None => {
                let _ = writeln!(out, "        ring_call(&state, ring_message({from}), {lane});");
            }
        }
    }
}
