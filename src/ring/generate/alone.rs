//! The kernel of one invocation, for threads of the processor.

use std::fmt::Write;

use super::parts::Parts;
use super::{ENTRY, Kernel, Kind};
use crate::ring::mail::LINE;
use crate::ring::slot::{SHORT, head};

/// The polls without a message between two looks at the control word.
const POLLS: u32 = 64;

impl Kernel<'_> {
    /// The kernel of one invocation.
    pub(super) fn alone(&self, out: &mut String) {
        let _ = writeln!(out, "var<private> ring_in: array<u32, ring_payload_in>;");
        if self.is_long() {
            let _ = writeln!(out, "var<private> ring_raw: array<u32, ring_words_in>;");
        }
        self.names(out);
        let _ = writeln!(
            out,
            "@compute @workgroup_size(1)
fn {ENTRY}(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  {beat}
  for (var actor = group.x; actor < ring_shape.actors; actor += groups.x) {{{marked}",
            beat = self.beat(),
            marked = if self.shape.marks {
                format!("\n    if {} != 0u {{ continue; }}", Self::marked())
            } else {
                String::new()
            },
        );
        self.each_kind(out, |out, kind| self.serve_alone(out, kind));
        out.push_str("  }\n}\n");
    }

    /// The statements that serve an actor of this kind.
    fn serve_alone(&self, out: &mut String, kind: &Kind<'_>) {
        let (state, suffix) = (&kind.text.state, &kind.suffix);
        let (sends, message) = (self.sends(), self.format.message);
        // Outside of the loop, a long array is not filled with zeros at each poll.
        let raw = if self.is_long() { "ring_raw" } else { "words" };
        let declared = if self.is_long() { "" } else { "      var words: array<u32, ring_words_in>;\n" };
        // A message from another actor has no reply.
        let taken = format!(
            "      }} else {{
        ring_kept[kept + 1u] = number + 1u;
        atomicSub(&ring_mail[actor * {LINE}u], 1u);
        atomicAdd(&ring_counts[actor * {LINE}u + 2u], 1u);
      }}\n"
        );
        let when = |text: &'static str| if sends { text } else { "" };
        let _ = writeln!(
            out,
            "    let kept = actor * ring_words_kept;
    var numbers = array<u32, 2>(ring_kept[kept] + ring_shape.first, ring_kept[kept + 1u]);
    var queue = {first}u;{own}
    var state = ring_load_state{suffix}(kept + 2u);
    var polls = 0u;
    var handled = 0u;
    while polls < ring_shape.polls && handled < ring_shape.most {{
      let number = numbers[queue];
      let slot = actor * ring_shape.slots + (number & (ring_shape.slots - 1u));
      let place = slot * ring_stride_in;
      let phase = ring_phase(number);
{declared}      {raw}[0] = ring_load(queue, place);
      var wrong = ({raw}[0] >> 31u) ^ phase;
      if wrong == 0u {{
        for (var i = 1u; i < ring_words_in; i++) {{
          {raw}[i] = ring_load(queue, place + i);
          wrong |= ({raw}[i] >> 31u) ^ phase;
        }}
      }}
      if (wrong == 0u || (polls + 1u) % {POLLS}u == 0u) && ring_stops() != 0u {{ return; }}
      if wrong != 0u {{
        polls++;{turns}
        continue;
      }}
      for (var i = 0u; i < ring_payload_in; i++) {{
        ring_in[i] = ({raw}[{head}u + i] & 0x7fffffffu) | ({highest} << 31u);
      }}
      let kind = {raw}[0] & 3u;
      let part = ({raw}[0] & 0x7fffffffu) >> 2u;
      var ring_reply: array<u32, ring_payload_out>;
      if kind == 0u {{",
            head = head(message),
            highest = Self::highest(message, "i", |group| format!("{raw}[1u + {group}]")),
            first = u32::from(sends),
            own = if self.speaks() { "\n    ring_self = actor;" } else { "" },
            turns = when("\n        queue ^= 1u;"),
        );
        self.call(out, kind, "0u", &format!("ring_message{suffix}(0u)"), "0u");
        Parts { out, depth: 0 }.encode(state, "state", "ring_kept", "kept + 2u");
        let _ = writeln!(
            out,
            "      }} else if kind == 1u {{
        for (var i = 0u; i < ring_payload_out; i++) {{
          let at = part * ring_payload_out + i;
          if at < ring_words_of_state {{ ring_reply[i] = ring_kept[kept + 2u + at]; }}
        }}
      }} else {{
        for (var i = 0u; i < ring_payload_in; i++) {{
          let at = part * ring_payload_in + i;
          if at < ring_words_of_state {{ ring_kept[kept + 2u + at] = ring_in[i]; }}
        }}
        state = ring_load_state{suffix}(kept + 2u);
      }}
{open}      let sent = slot * ring_stride_out;
      let lap = phase << 31u;
{stored}      ring_kept[kept] = number + 1u - ring_shape.first;
      atomicStore(&ring_outbox[sent], kind | (phase << 31u));
{close}{unmark}      numbers[queue] = number + 1u;
      handled++;{half}
    }}
    // More messages may wait: the device shall not rest before it repeats this.
    if handled >= ring_shape.most {{ atomicStore(&ring_control[1], numbers[0] ^ numbers[1]); }}",
            stored = self.stored_reply(),
            open = when("      if queue == 0u {\n"),
            close = if sends { taken } else { String::new() },
            unmark = self.mark("0u"),
            half = when("\n      if 2u * handled == ring_shape.most { queue ^= 1u; }"),
        );
    }

    /// Whether messages have so many words that an array of them is not filled with zeros at each poll.
    fn is_long(&self) -> bool {
        self.format.message > SHORT
    }

    /// The statements that store the reply and its highest bits.
    fn stored_reply(&self) -> String {
        let mut stored = String::new();
        Self::stores(&mut stored, ["ring_outbox", "sent", "ring_reply", "lap"], "", self.format.reply, false);
        stored
    }
}
