//! The kernel of a ring, generated around the author's function: each workgroup serves actors, one after the other.
//!
//! One text serves both modes. A workgroup polls the next slot of an actor's inbox, calls the handler, keeps the state,
//! and writes the reply; it goes on to the next actor after a number of messages, or of polls without one. Both numbers
//! are those of the whole launch, so that each launch ends, and none of its workgroups delays the next launch for long.
//! Batched, one poll is enough. Persistent, the device repeats the workgroups.
//!
//! | variable | content |
//! |---|---|
//! | `ring_inbox` | slots of messages, see [`slot`](super::slot), then a copy of the stop word |
//! | `ring_outbox` | slots of replies |
//! | `ring_kept` | for each actor the numbers of its next message from the host and from actors, then its state |
//! | `ring_control` | stop and bell; marks ([`restart`](super::restart)), beats ([`pulse`](super::pulse)), bits of topics |
//! | `ring_mail` | lines of words and slots of messages from actor to actor: see [`mail`](super::mail) |
//! | `ring_counts` | the counts of [`mail`](super::mail) |
//! | `ring_emitted` | messages to the host: see [`emitted`](super::emitted) |
//!
//! The last three exist if actors send or emit. Host and kernel access `ring_inbox`, `ring_outbox`, `ring_control`,
//! `ring_counts` and `ring_emitted` at the same time, so a persistent device with memory of its own has a bus between
//! them. An actor serves one of its two queues until a poll finds nothing there, or until it has handled half of its
//! messages.
//!
//! Actors of one kind have consecutive numbers. The statements that serve an actor are written once for each kind, with
//! the names of the kind's functions; sizes are those of the largest kind, so the slots of all actors have one form.
//!
//! A workgroup of one invocation needs no barriers (`alone`). In a larger one (`together`, `handle`), all invocations move
//! the words of a message side by side (`wide`), or each moves short messages of its own (`short`); while these come one at
//! a time, one invocation polls (`quick`). The invocations below the number of lanes call the handler.

mod alone;
mod handle;
mod outward;
mod parts;
mod quick;
mod short;
mod together;
mod wide;

use std::fmt::Write;
use std::ops::Range;

use anywarp_backend::{Layout, Piece, Source, SourceFile};

use self::parts::Parts;
pub(crate) use self::short::is_short;
use super::mail::LINE;
use super::slot::{GROUP, LEAST, MAX_PAYLOAD, SHORT, groups, head, stride};
use super::source::{ActorText, EmitText, KindText, PublishText, SendText};

/// The words before an actor's state in `ring_kept`.
pub(crate) const KEPT_HEAD: usize = 2;

/// The words behind the slots of `ring_inbox`. The first one is nonzero when the kernel is to stop: where the inboxes lie on
/// a card, a look at it costs no trip over the bus.
pub(crate) const INBOX_TAIL: usize = 8;

/// The words of `ring_control` without marks: whether to stop, and the bell.
pub(crate) const CONTROL: usize = 2;

/// The index in `ring_control` of the first actor's mark, which lies in a cache line of its own. Behind the marks, or in
/// their place if there are none, lie the repetitions of each workgroup, as far apart.
pub(crate) const MARKS: usize = 16;

/// The words from one mark to the next.
pub(crate) const MARK_STRIDE: usize = 16;

/// Actors begin at multiples of this number of words in `ring_kept`, so that no two share a cache line.
const KEPT_ALIGNMENT: usize = 16;

/// The sizes that the kernel and the host agree on, those of the largest kind of actors.
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
        let payload = |words: usize| words.clamp(LEAST, MAX_PAYLOAD);
        let most = |of: &dyn Fn(&KindText) -> usize| actor.kinds.iter().map(of).max().unwrap_or_default();
        let state = most(&|kind| words(&kind.state));
        Self {
            message: payload(most(&|kind| words(&kind.message))),
            reply: payload(most(&|kind| kind.reply.as_ref().map_or(0, words))),
            emission: actor.emit.as_ref().map_or(0, |emit| payload(words(&emit.message))),
            state,
            kept: (KEPT_HEAD + state).next_multiple_of(KEPT_ALIGNMENT),
        }
    }
}

/// The name of the generated entry point.
pub(crate) const ENTRY: &str = "ring_actor";

/// The form of the kernel, beside the author's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The invocations that call the handler for each message.
    pub(crate) lanes: u32,
    /// The invocations of a workgroup.
    pub(crate) invocations: u32,
    /// Whether a poll takes no trip over a bus.
    pub(crate) near: bool,
    /// Whether the kernel marks the actors that it serves.
    pub(crate) marks: bool,
}

/// Returns the author's text, followed by a kernel of this shape. `actors` is the number of actors of each kind.
pub(crate) fn generate(actor: &ActorText, actors: &[u32], shape: Shape) -> Source {
    let (mut text, mut pieces) = with_bodies(actor);
    text.push('\n');
    let generated = text.len();
    let kinds = Kind::all(actor, actors);
    Kernel { actor, kinds, format: Format::of(actor), shape }.write(&mut text);
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
    let sends = actor.sends.iter().map(|SendText { body, parameters: [to, message], kind }| {
        let suffix = suffix(actor, *kind);
        (body.clone(), format!("{{ return ring_send{suffix}({to}, {message}); }}"))
    });
    let emit = actor.emit.as_ref();
    let emit =
        emit.map(|EmitText { body, parameter, .. }| (body.clone(), format!("{{ return ring_emit({parameter}); }}")));
    let publishes = actor.publishes.iter().enumerate();
    let publishes = publishes.map(|(number, PublishText { body, parameter, .. })| {
        (body.clone(), format!("{{ return ring_publish{number}({parameter}); }}"))
    });
    let mut bodies: Vec<_> = sends.chain(publishes).chain(emit).collect();
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

/// The end of the names of a kind's functions; empty if there is one kind.
fn suffix(actor: &ActorText, kind: usize) -> String {
    if actor.kinds.len() > 1 { kind.to_string() } else { String::new() }
}

/// A kind of actors.
struct Kind<'a> {
    text: &'a KindText,
    suffix: String,
    /// The number of the first actor.
    first: u32,
    /// The number of the first actor of the next kind.
    end: u32,
}

impl<'a> Kind<'a> {
    /// All kinds of the text, with these numbers of actors.
    fn all(actor: &'a ActorText, actors: &[u32]) -> Vec<Self> {
        let mut end = 0;
        let kinds = actor.kinds.iter().zip(actors).enumerate().map(|(number, (text, actors))| {
            let first = end;
            end += actors;
            Kind { text, suffix: suffix(actor, number), first, end }
        });
        kinds.collect()
    }
}

struct Kernel<'a> {
    actor: &'a ActorText,
    kinds: Vec<Kind<'a>>,
    format: Format,
    shape: Shape,
}

impl Kernel<'_> {
    /// The statement that marks the actor; empty without marks.
    fn mark(&self, value: &str) -> String {
        if !self.shape.marks {
            return String::new();
        }
        format!("        atomicStore(&ring_control[{MARKS}u + actor * {MARK_STRIDE}u], {value});\n")
    }

    /// The statement that counts a repetition of the workgroup.
    fn beat(&self) -> String {
        let marks = if self.shape.marks { format!(" + ring_shape.actors * {MARK_STRIDE}u") } else { String::new() };
        format!("atomicAdd(&ring_control[{MARKS}u{marks} + group.x * {MARK_STRIDE}u], 1u);")
    }

    /// The mark of the actor, as an expression.
    fn marked() -> String {
        format!("atomicLoad(&ring_control[{MARKS}u + actor * {MARK_STRIDE}u])")
    }

    fn write(&self, out: &mut String) {
        let Format { message, reply, state, kept, .. } = self.format;
        let (wide_in, wide_out) = (head(message) + message, head(reply) + reply);
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
struct RingShape {{ actors: u32, slots: u32, polls: u32, most: u32, first: u32, topics: u32 }}
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
        let stop = "ring_shape.actors * ring_shape.slots * ring_stride_in";
        let _ = writeln!(out, "fn ring_stops() -> u32 {{ return atomicLoad(&ring_inbox[{stop}]); }}");
        self.load_states(out);
        if self.shape.invocations == 1 { self.alone(out) } else { self.together(out) }
    }

    /// Functions over `ring_in` that name the author's types and function where no local name of the kernel hides them.
    fn names(&self, out: &mut String) {
        for Kind { text: KindText { function, state, message, reply, .. }, suffix, .. } in &self.kinds {
            let (state, name) = (&state.name, &message.name);
            let _ = writeln!(out, "fn ring_message{suffix}(ring_at: u32) -> {name} {{\n  var ring_m: {name};");
            Parts { out, depth: 0 }.decode(message, "ring_m", "ring_in", "ring_at");
            let _ = writeln!(out, "  return ring_m;\n}}");
            let (result, keyword) = match reply {
                Some(reply) => (format!("-> {} ", reply.name), "return "),
                None => (String::new(), ""),
            };
            let _ = writeln!(
                out,
                "fn ring_call{suffix}(ring_a: ptr<function, {state}>, ring_b: {name}, ring_c: u32) {result}{{
  {keyword}{function}(ring_a, ring_b, ring_c);\n}}"
            );
        }
        self.send(out);
        self.publish(out);
        self.emit(out);
    }

    /// Writes the statements that serve `actor`, for each kind. Without `else`, with which statements nest deeper for
    /// each kind: parsers recurse there, and a browser's page has little stack.
    fn each_kind(&self, out: &mut String, write: impl Fn(&mut String, &Kind<'_>)) {
        if let [kind] = &*self.kinds {
            return write(out, kind);
        }
        let mut first = 0;
        for kind in &self.kinds {
            let _ = writeln!(out, "    if actor >= {first}u && actor < {}u {{", kind.end);
            write(out, kind);
            out.push_str("    }\n");
            first = kind.end;
        }
    }

    /// The expression for the highest bit of a payload word, in the lowest one: `index` is the number of the word, and
    /// `word(group)` the expression for a word of highest bits.
    fn highest(payload: usize, index: &str, word: impl Fn(&str) -> String) -> String {
        match groups(payload) {
            1 => format!("(({} >> ({index})) & 1u)", word("0u")),
            _ => format!("(({} >> (({index}) % {GROUP}u)) & 1u)", word(&format!("({index}) / {GROUP}u"))),
        }
    }

    /// Statements that store a payload, whose words are those of the variable `from`, and its highest bits into a slot of
    /// `memory` that begins at the variable `place`. `lap` is the variable with the phase in the highest bit. The words
    /// begin at the sum `base`, which is empty or ends with a plus. Without loops if `unrolled`.
    fn stores(out: &mut String, [memory, place, from, lap]: [&str; 4], base: &str, payload: usize, unrolled: bool) {
        let first = head(payload);
        for group in 0..groups(payload) {
            let (start, end) = (group * GROUP, payload.min((group + 1) * GROUP));
            let _ = writeln!(out, "  var ring_highest{group} = {lap};");
            if unrolled {
                for word in start..end {
                    let _ = writeln!(
                        out,
                        "  ring_highest{group} |= ({from}[{base}{word}u] >> 31u) << {bit}u;
  atomicStore(&{memory}[{place} + {at}u], ({from}[{base}{word}u] & 0x7fffffffu) | {lap});",
                        bit = word - start,
                        at = first + word,
                    );
                }
            } else {
                let _ = writeln!(
                    out,
                    "  for (var ring_i = {start}u; ring_i < {end}u; ring_i++) {{
    ring_highest{group} |= ({from}[{base}ring_i] >> 31u) << (ring_i - {start}u);
    atomicStore(&{memory}[{place} + {first}u + ring_i], ({from}[{base}ring_i] & 0x7fffffffu) | {lap});
  }}"
                );
            }
            let _ = writeln!(out, "  atomicStore(&{memory}[{place} + {}u], ring_highest{group});", 1 + group);
        }
    }

    /// Whether the words of a message are stored without loops, at which a handler may be stopped: a message that was
    /// stored in part would keep its receiver waiting. Without restarts, a stopped handler ends the ring.
    fn unrolls(&self, payload: usize) -> bool {
        self.shape.marks || payload <= SHORT
    }

    /// Whether actors send messages to others.
    fn sends(&self) -> bool {
        self.actor.speaks()
    }

    /// Whether actors emit messages to the host.
    fn emits(&self) -> bool {
        self.actor.emit.is_some()
    }

    /// Whether a function of the actor needs the actor's number.
    fn speaks(&self) -> bool {
        self.sends() || self.emits()
    }

    /// The functions that load a state from `ring_kept`.
    fn load_states(&self, out: &mut String) {
        for Kind { text, suffix, .. } in &self.kinds {
            let name = &text.state.name;
            let _ = writeln!(out, "fn ring_load_state{suffix}(at: u32) -> {name} {{\n  var state: {name};");
            Parts { out, depth: 0 }.decode(&text.state, "state", "ring_kept", "at");
            let _ = writeln!(out, "  return state;\n}}");
        }
    }

    /// The statements that call the handler with `state` and `lane` for the message that the expression `message` is, and
    /// that encode the reply from `to` of `ring_reply` on, on lane 0.
    fn call(&self, out: &mut String, kind: &Kind<'_>, lane: &str, message: &str, to: &str) {
        let suffix = &kind.suffix;
        let one = lane == "0u";
        let mark = self.mark("1u + queue");
        let mark =
            if one || mark.is_empty() { mark } else { format!("        if {lane} == 0u {{\n{mark}        }}\n") };
        out.push_str(&mark);
        match &kind.text.reply {
            Some(reply) => {
                let _ = writeln!(out, "        var answer = ring_call{suffix}(&state, {message}, {lane});");
                if !one {
                    let _ = writeln!(out, "        if {lane} == 0u {{");
                }
                Parts { out, depth: 0 }.encode(reply, "answer", "ring_reply", to);
                if !one {
                    let _ = writeln!(out, "        }}");
                }
            }
            None => {
                let _ = writeln!(out, "        ring_call{suffix}(&state, {message}, {lane});");
            }
        }
        // Several lanes have come to the end of the handler only behind a barrier.
        if one {
            out.push_str(&self.mark("3u + queue"));
        }
    }
}
