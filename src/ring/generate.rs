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
//! A workgroup of one invocation needs no barriers. In a larger one, all invocations move words, and those below the
//! number of lanes call the handler.

use std::fmt::Write;

use anywarp_backend::{Layout, Piece, Shape, Source, SourceFile};

use super::slot::{HEAD, MAX_PAYLOAD};
use super::source::ActorText;

/// The least payload in words, so that a state moves in parts of some length.
const LEAST_PAYLOAD: usize = 4;

/// The words before an actor's state in `ring_kept`.
pub(crate) const KEPT_HEAD: usize = 1;

/// Actors begin at multiples of this number of words in `ring_kept`, so that no two share a cache line.
const KEPT_ALIGNMENT: usize = 16;

/// The polls without a message between two looks at the control word.
const POLLS: u32 = 64;

/// The messages between two such looks in a larger workgroup, where a look may cost a trip over the bus.
const MESSAGES: u32 = 16;

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
        let _ = writeln!(
            out,
            "const ring_words_in = {wide_in}u;
const ring_words_out = {wide_out}u;
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
fn ring_phase(number: u32) -> u32 {{ return ((number / ring_shape.slots) & 1u) ^ 1u; }}"
        );
        self.names(out);
        self.load_state(out);
        if self.invocations == 1 { self.alone(out) } else { self.together(out) }
    }

    /// Functions that name the author's types and function where no local name of the kernel hides them.
    fn names(&self, out: &mut String) {
        let ActorText { function, state, message, reply, .. } = self.actor;
        let (state, name) = (&state.name, &message.name);
        let space = if self.invocations == 1 { "private" } else { "workgroup" };
        let _ = writeln!(out, "var<{space}> ring_in: array<u32, ring_payload_in>;");
        let _ = writeln!(out, "fn ring_message() -> {name} {{\n  var ring_m: {name};");
        Parts { out, depth: 0 }.decode(message, "ring_m", "ring_in", "");
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

    /// The statements that decode the message, call the handler with `state` and `lane`, and encode the reply to
    /// `ring_reply` on lane 0.
    fn call(&self, out: &mut String, lane: &str) {
        match &self.actor.reply {
            Some(reply) => {
                let _ = writeln!(out, "        var answer = ring_call(&state, ring_message(), {lane});");
                let guarded = lane != "0u";
                if guarded {
                    let _ = writeln!(out, "        if {lane} == 0u {{");
                }
                Parts { out, depth: 0 }.encode(reply, "answer", "ring_reply", "0u");
                if guarded {
                    let _ = writeln!(out, "        }}");
                }
            }
            None => {
                let _ = writeln!(out, "        ring_call(&state, ring_message(), {lane});");
            }
        }
    }

    /// The kernel of one invocation.
    fn alone(&self, out: &mut String) {
        let state = &self.actor.state;
        let _ = writeln!(
            out,
            "@compute @workgroup_size(1)
fn {ENTRY}(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  for (var actor = group.x; actor < ring_shape.actors; actor += groups.x) {{
    let kept = actor * ring_words_kept;
    var number = ring_kept[kept];
    var state = ring_load_state(kept + 1u);
    var polls = 0u;
    var handled = 0u;
    while polls < ring_shape.polls && handled < ring_shape.most {{
      let slot = actor * ring_shape.slots + (number & (ring_shape.slots - 1u));
      let phase = ring_phase(number);
      var words: array<u32, ring_words_in>;
      words[0] = atomicLoad(&ring_inbox[slot * ring_words_in]);
      var wrong = (words[0] >> 31u) ^ phase;
      if wrong == 0u {{
        for (var i = 1u; i < ring_words_in; i++) {{
          words[i] = atomicLoad(&ring_inbox[slot * ring_words_in + i]);
          wrong |= (words[i] >> 31u) ^ phase;
        }}
      }}
      if (wrong == 0u || (polls + 1u) % {POLLS}u == 0u) && atomicLoad(&ring_control[0]) != 0u {{ return; }}
      if wrong != 0u {{
        polls++;
        continue;
      }}
      for (var i = 0u; i < ring_payload_in; i++) {{
        ring_in[i] = (words[{HEAD}u + i] & 0x7fffffffu) | (((words[1] >> i) & 1u) << 31u);
      }}
      let kind = words[0] & 3u;
      let part = (words[0] & 0x7fffffffu) >> 2u;
      var ring_reply: array<u32, ring_payload_out>;
      if kind == 0u {{"
        );
        self.call(out, "0u");
        Parts { out, depth: 0 }.encode(state, "state", "ring_kept", "kept + 1u");
        let _ = writeln!(
            out,
            "      }} else if kind == 1u {{
        for (var i = 0u; i < ring_payload_out; i++) {{
          let at = part * ring_payload_out + i;
          if at < ring_words_of_state {{ ring_reply[i] = ring_kept[kept + 1u + at]; }}
        }}
      }} else {{
        for (var i = 0u; i < ring_payload_in; i++) {{
          let at = part * ring_payload_in + i;
          if at < ring_words_of_state {{ ring_kept[kept + 1u + at] = ring_in[i]; }}
        }}
        state = ring_load_state(kept + 1u);
      }}
      let sent = slot * ring_words_out;
      var highest = phase << 31u;
      for (var i = 0u; i < ring_payload_out; i++) {{
        highest |= (ring_reply[i] >> 31u) << i;
        atomicStore(&ring_outbox[sent + {HEAD}u + i], (ring_reply[i] & 0x7fffffffu) | (phase << 31u));
      }}
      atomicStore(&ring_outbox[sent + 1u], highest);
      number++;
      ring_kept[kept] = number;
      atomicStore(&ring_outbox[sent], kind | (phase << 31u));
      handled++;
    }}
  }}
}}"
        );
    }

    /// The kernel of several invocations.
    fn together(&self, out: &mut String) {
        let Self { lanes, invocations, .. } = self;
        let several = *lanes > 1;
        let state = &self.actor.state;
        if several {
            let _ = writeln!(out, "var<workgroup> ring_state: array<u32, ring_words_of_state>;");
            let name = &state.name;
            let _ = writeln!(out, "fn ring_shared_state() -> {name} {{\n  var state: {name};");
            Parts { out, depth: 0 }.decode(state, "state", "ring_state", "");
            let _ = writeln!(out, "  return state;\n}}");
        }
        let _ = writeln!(
            out,
            "var<workgroup> ring_words: array<u32, ring_words_in>;
var<workgroup> ring_reply: array<u32, ring_payload_out>;
var<workgroup> ring_wrong: atomic<u32>;
var<workgroup> ring_next: u32;
@compute @workgroup_size({invocations})
fn {ENTRY}(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32) {{
  for (var actor = group.x; actor < ring_shape.actors; actor += groups.x) {{
    let kept = actor * ring_words_kept;
    var number = ring_kept[kept];
    var state = ring_load_state(kept + 1u);
    var polls = 0u;
    var handled = 0u;
    while polls < ring_shape.polls && handled < ring_shape.most {{
      let slot = actor * ring_shape.slots + (number & (ring_shape.slots - 1u));
      let phase = ring_phase(number);
      for (var i = lane; i < ring_words_in; i += {invocations}u) {{
        let word = atomicLoad(&ring_inbox[slot * ring_words_in + i]);
        ring_words[i] = word;
        if (word >> 31u) != phase {{ atomicStore(&ring_wrong, 1u); }}
      }}
      workgroupBarrier();
      if lane == 0u {{
        ring_next = 3u & ring_words[0];
        var looks = handled % {MESSAGES}u == 0u;
        if atomicLoad(&ring_wrong) != 0u {{
          ring_next = 4u;
          looks = (polls + 1u) % {POLLS}u == 0u;
        }}
        if looks && atomicLoad(&ring_control[0]) != 0u {{ ring_next = 5u; }}
        atomicStore(&ring_wrong, 0u);
      }}
      let next = workgroupUniformLoad(&ring_next);
      if next == 5u {{ return; }}
      if next == 4u {{
        polls++;
        continue;
      }}
      for (var i = lane; i < ring_payload_in; i += {invocations}u) {{
        ring_in[i] = (ring_words[{HEAD}u + i] & 0x7fffffffu) | (((ring_words[1] >> i) & 1u) << 31u);
      }}
      let part = (ring_words[0] & 0x7fffffffu) >> 2u;
      workgroupBarrier();
      if next == 0u {{"
        );
        let some = lanes < invocations;
        if some {
            let _ = writeln!(out, "        if lane < {lanes}u {{");
        }
        self.call(out, "lane");
        if some {
            let _ = writeln!(out, "        }}");
        }
        let _ = writeln!(out, "        if lane == 0u {{");
        Parts { out, depth: 0 }.encode(state, "state", "ring_kept", "kept + 1u");
        if several {
            Parts { out, depth: 0 }.encode(state, "state", "ring_state", "0u");
        }
        let _ = writeln!(
            out,
            "        }}
      }} else if lane == 0u {{
        if next == 1u {{
          for (var i = 0u; i < ring_payload_out; i++) {{
            let at = part * ring_payload_out + i;
            ring_reply[i] = 0u;
            if at < ring_words_of_state {{ ring_reply[i] = ring_kept[kept + 1u + at]; }}
          }}
        }} else {{
          for (var i = 0u; i < ring_payload_in; i++) {{
            let at = part * ring_payload_in + i;
            if at < ring_words_of_state {{ ring_kept[kept + 1u + at] = ring_in[i]; }}
          }}
          state = ring_load_state(kept + 1u);"
        );
        if several {
            Parts { out, depth: 0 }.encode(state, "state", "ring_state", "0u");
        }
        let reload = if several { "      if next != 1u { state = ring_shared_state(); }\n" } else { "" };
        let _ = writeln!(
            out,
            "        }}
      }}
      workgroupBarrier();
{reload}      for (var i = lane; i < ring_words_out; i += {invocations}u) {{
        var word = next;
        if i == 1u {{
          word = 0u;
          for (var j = 0u; j < ring_payload_out; j++) {{ word |= (ring_reply[j] >> 31u) << j; }}
        }} else if i > 1u {{
          word = ring_reply[i - {HEAD}u] & 0x7fffffffu;
        }}
        atomicStore(&ring_outbox[slot * ring_words_out + i], word | (phase << 31u));
      }}
      number++;
      if lane == 0u {{ ring_kept[kept] = number; }}
      handled++;
      workgroupBarrier();
    }}
  }}
}}"
        );
    }
}

/// Writes statements that move the words of a type, part by part.
struct Parts<'a> {
    out: &'a mut String,
    /// The number of loops around the statement.
    depth: usize,
}

/// Arrays up to this length are written out; longer ones become loops.
const UNROLLED: u32 = 4;

impl Parts<'_> {
    /// Loads `path` from the words of `array` from the expression `at` on; empty stands for 0.
    fn decode(&mut self, layout: &Layout, path: &str, array: &str, at: &str) {
        self.each(layout, path, at, 0, &mut |out, path, scalar, index| {
            let value = format!("{array}[{index}]");
            let _ = match scalar {
                "u32" => writeln!(out, "        {path} = {value};"),
                _ => writeln!(out, "        {path} = bitcast<{scalar}>({value});"),
            };
        });
    }

    /// Stores `path` to the words of `array` from the expression `at` on.
    fn encode(&mut self, layout: &Layout, path: &str, array: &str, at: &str) {
        self.each(layout, path, at, 0, &mut |out, path, scalar, index| {
            let _ = match scalar {
                "u32" => writeln!(out, "        {array}[{index}] = {path};"),
                _ => writeln!(out, "        {array}[{index}] = bitcast<u32>({path});"),
            };
        });
    }

    fn each(
        &mut self,
        layout: &Layout,
        path: &str,
        at: &str,
        bytes: u32,
        write: &mut dyn FnMut(&mut String, &str, &str, &str),
    ) {
        let index = |bytes: u32| match at {
            "" | "0u" => format!("{}u", bytes / 4),
            _ => format!("{at} + {}u", bytes / 4),
        };
        match &layout.shape {
            Shape::Scalar(scalar) => write(self.out, path, &scalar.to_string(), &index(bytes)),
            Shape::Vector { length, scalar } => {
                for component in 0..*length {
                    let path = format!("{path}[{component}]");
                    write(self.out, &path, &scalar.to_string(), &index(bytes + 4 * component));
                }
            }
            Shape::Matrix { columns, rows, scalar, column_stride } => {
                for column in 0..*columns {
                    for row in 0..*rows {
                        let path = format!("{path}[{column}][{row}]");
                        let at = bytes + column * column_stride + 4 * row;
                        write(self.out, &path, &scalar.to_string(), &index(at));
                    }
                }
            }
            Shape::Struct { fields } => {
                for field in fields {
                    self.each(&field.layout, &format!("{path}.{}", field.name), at, bytes + field.offset, write);
                }
            }
            Shape::Array { element, count, stride } => {
                let count = count.unwrap_or_default();
                if count <= UNROLLED {
                    for number in 0..count {
                        self.each(element, &format!("{path}[{number}u]"), at, bytes + number * stride, write);
                    }
                    return;
                }
                let i = format!("ring_i{}", self.depth);
                let _ = writeln!(self.out, "        for (var {i} = 0u; {i} < {count}u; {i}++) {{");
                self.depth += 1;
                let start = if matches!(at, "" | "0u") { String::new() } else { format!("{at} + ") };
                let inner = format!("{start}{i} * {}u", stride / 4);
                self.each(element, &format!("{path}[{i}]"), &inner, bytes, write);
                self.depth -= 1;
                let _ = writeln!(self.out, "        }}");
            }
        }
    }
}
