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
//! | `ring_kept` | for each actor the numbers of its next message from the host and from actors, then its state |
//! | `ring_control` | whether to stop, and the bell; marks ([`restart`](super::restart)), beats ([`pulse`](super::pulse)) |
//! | `ring_mail` | lines of words and slots of messages from actor to actor: see [`mail`](super::mail) |
//! | `ring_counts` | the counts of [`mail`](super::mail) |
//! | `ring_emitted` | messages to the host: see [`emitted`](super::emitted) |
//!
//! The last three exist if actors send or emit. Host and kernel access `ring_inbox`, `ring_outbox`, `ring_control`,
//! `ring_counts` and `ring_emitted` at the same time, so a persistent device with memory of its own has a bus between
//! them. An actor serves one of its two queues until a poll finds nothing there, or until it has handled half of its
//! messages.
//!
//! A workgroup of one invocation needs no barriers (`alone`). In a larger one, all invocations move words, and those
//! below the number of lanes call the handler (`together`).

mod alone;
mod outward;
mod parts;
mod together;

use std::fmt::Write;
use std::ops::Range;

use anywarp_backend::{Layout, Piece, Source, SourceFile};

use self::parts::Parts;
use super::mail::LINE;
use super::slot::{HEAD, MAX_PAYLOAD, stride};
use super::source::{ActorText, EmitText, SendText};

/// The least payload in words, so that a state moves in parts of some length.
const LEAST_PAYLOAD: usize = 2;

/// The words before an actor's state in `ring_kept`.
pub(crate) const KEPT_HEAD: usize = 2;

/// The words of `ring_control` without marks: whether to stop, and the bell.
pub(crate) const CONTROL: usize = 2;

/// The index in `ring_control` of the first actor's mark, which lies in a cache line of its own. Behind the marks, or in
/// their place if there are none, lie the repetitions of each workgroup, as far apart.
pub(crate) const MARKS: usize = 16;

/// The words from one mark to the next.
pub(crate) const MARK_STRIDE: usize = 16;

/// Actors begin at multiples of this number of words in `ring_kept`, so that no two share a cache line.
const KEPT_ALIGNMENT: usize = 16;

/// The sizes that the kernel and the host agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// The words of a message, and of a part of the state that is written.
    pub(crate) message: usize,
    /// The words of a reply, and of a part of the state that is read.
    pub(crate) reply: usize,
    /// The words of a message to the host; 0 if actors emit none.
    pub(crate) emission: usize,
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
            emission: actor.emit.as_ref().map_or(0, |emit| payload(Some(&emit.message))),
            state,
            kept: (KEPT_HEAD + state).next_multiple_of(KEPT_ALIGNMENT),
        }
    }
}

/// The name of the generated entry point.
pub(crate) const ENTRY: &str = "ring_actor";

/// Returns the author's text, followed by a kernel with this number of lanes and of invocations. `marks` is whether the
/// kernel marks the actors that it serves.
pub(crate) fn generate(actor: &ActorText, lanes: u32, invocations: u32, marks: bool) -> Source {
    let (mut text, mut pieces) = with_bodies(actor);
    text.push('\n');
    let generated = text.len();
    Kernel { actor, format: Format::of(actor), lanes, invocations, marks }.write(&mut text);
    let mut files = actor.source.files().to_vec();
    let own = files.len();
    files.push(SourceFile { name: format!("{} (generated)", actor.source.file()), text: text[generated..].to_owned() });
    pieces.push(Piece { at: generated, file: own, offset: 0, copied: true });
    Source::composed(files, text, pieces)
}

/// The author's text with the bodies of the functions that send and emit, and the origins of its parts.
fn with_bodies(actor: &ActorText) -> (String, Vec<Piece>) {
    let mut pieces = actor.source.pieces().to_vec();
    if pieces.is_empty() {
        pieces.push(Piece { at: 0, file: 0, offset: 0, copied: true });
    }
    let send = actor.send.as_ref().map(|SendText { body, parameters: [to, message] }| {
        (body.clone(), format!("{{ return ring_send({to}, {message}); }}"))
    });
    let emit = actor.emit.as_ref();
    let emit =
        emit.map(|EmitText { body, parameter, .. }| (body.clone(), format!("{{ return ring_emit({parameter}); }}")));
    let mut bodies: Vec<_> = send.into_iter().chain(emit).collect();
    // From the last one on, so that the places of the others stay as they are.
    bodies.sort_by_key(|(body, _)| std::cmp::Reverse(body.start));
    let mut text = actor.source.text().to_owned();
    for (body, supplied) in bodies {
        moved(&mut pieces, &body, supplied.len());
        text.replace_range(body, &supplied);
    }
    (text, pieces)
}

/// Moves the origins of parts for a body that is replaced by a text of this length.
fn moved(pieces: &mut Vec<Piece>, body: &Range<usize>, length: usize) {
    // Pieces behind the start of the body move with its end; one around the body is continued behind it.
    let end = body.start + length;
    let around = pieces.iter().rfind(|piece| piece.at <= body.start).copied();
    pieces.retain(|piece| piece.at <= body.start || piece.at >= body.end);
    for piece in pieces.iter_mut().filter(|piece| piece.at >= body.end) {
        piece.at = piece.at - body.end + end;
    }
    let Some(Piece { at, file, offset, .. }) = around else { return };
    let offset = |place: usize| offset + (place - at);
    let mut own = vec![Piece { at: body.start, file, offset: offset(body.start), copied: false }];
    if !pieces.iter().any(|piece| piece.at == end) {
        own.push(Piece { at: end, file, offset: offset(body.end), copied: true });
    }
    pieces.extend(own);
    pieces.sort_by_key(|piece| piece.at);
}

struct Kernel<'a> {
    actor: &'a ActorText,
    format: Format,
    lanes: u32,
    invocations: u32,
    marks: bool,
}

impl Kernel<'_> {
    /// The statement that marks the actor; empty without marks.
    fn mark(&self, value: &str) -> String {
        if !self.marks {
            return String::new();
        }
        format!("        atomicStore(&ring_control[{MARKS}u + actor * {MARK_STRIDE}u], {value});\n")
    }

    /// The statement that counts a repetition of the workgroup.
    fn beat(&self) -> String {
        let marks = if self.marks { format!(" + ring_shape.actors * {MARK_STRIDE}u") } else { String::new() };
        format!("atomicAdd(&ring_control[{MARKS}u{marks} + group.x * {MARK_STRIDE}u], 1u);")
    }

    /// The mark of the actor, as an expression.
    fn marked() -> String {
        format!("atomicLoad(&ring_control[{MARKS}u + actor * {MARK_STRIDE}u])")
    }

    fn write(&self, out: &mut String) {
        let Format { message, reply, state, kept, .. } = self.format;
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
struct RingShape {{ actors: u32, slots: u32, polls: u32, most: u32, first: u32 }}
@group(0) @binding(0) var<uniform> ring_shape: RingShape;
@group(0) @binding(1) var<storage, read_write> ring_inbox: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> ring_outbox: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> ring_kept: array<u32>;
@group(0) @binding(4) var<storage, read_write> ring_control: array<atomic<u32>>;
fn ring_phase(number: u32) -> u32 {{ return u32((number & ring_shape.slots) == 0u); }}"
        );
        if self.sends() {
            let _ = writeln!(
                out,
                "@group(0) @binding(5) var<storage, read_write> ring_mail: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> ring_counts: array<atomic<u32>>;"
            );
        }
        if self.emits() {
            let _ = writeln!(out, "@group(0) @binding(7) var<storage, read_write> ring_emitted: array<atomic<u32>>;");
        }
        if self.speaks() {
            let _ = writeln!(out, "var<private> ring_self: u32;");
        }
        let _ = writeln!(out, "fn ring_load(queue: u32, at: u32) -> u32 {{");
        if self.sends() {
            let mail = format!("ring_mail[ring_shape.actors * {LINE}u + at]");
            let _ = writeln!(out, "  if queue == 1u {{ return atomicLoad(&{mail}); }}");
        }
        let _ = writeln!(out, "  return atomicLoad(&ring_inbox[at]);\n}}");
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
        self.send(out);
        self.emit(out);
        let (result, keyword) = match reply {
            Some(reply) => (format!("-> {} ", reply.name), "return "),
            None => (String::new(), ""),
        };
        let _ = writeln!(out, "fn ring_call(ring_a: ptr<function, {state}>, ring_b: {name}, ring_c: u32) {result}{{");
        let _ = writeln!(out, "  {keyword}{function}(ring_a, ring_b, ring_c);\n}}");
    }

    /// Whether the actor sends messages to others.
    fn sends(&self) -> bool {
        self.actor.send.is_some()
    }

    /// Whether the actor emits messages to the host.
    fn emits(&self) -> bool {
        self.actor.emit.is_some()
    }

    /// Whether a function of the actor needs the actor's number.
    fn speaks(&self) -> bool {
        self.sends() || self.emits()
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
        let one = lane == "0u";
        let mark = self.mark("1u + queue");
        let mark =
            if one || mark.is_empty() { mark } else { format!("        if {lane} == 0u {{\n{mark}        }}\n") };
        out.push_str(&mark);
        match &self.actor.reply {
            Some(reply) => {
                let _ = writeln!(out, "        var answer = ring_call(&state, ring_message({from}), {lane});");
                if !one {
                    let _ = writeln!(out, "        if {lane} == 0u {{");
                }
                Parts { out, depth: 0 }.encode(reply, "answer", "ring_reply", to);
                if !one {
                    let _ = writeln!(out, "        }}");
                }
            }
            None => {
                let _ = writeln!(out, "        ring_call(&state, ring_message({from}), {lane});");
            }
        }
        // Several lanes have come to the end of the handler only behind a barrier.
        if one {
            out.push_str(&self.mark("3u + queue"));
        }
    }
}
