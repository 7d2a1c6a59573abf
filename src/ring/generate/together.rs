//! The kernel of several invocations, which move words side by side: for GPUs, and for actors with several lanes.
//!
//! On CUDA a load of the inbox takes a trip over the bus, and loads of different lines travel together. So a poll reads
//! the words of several slots before it uses any of them. Such a poll takes a little longer, so a poll looks at one slot
//! only, unless the two before it found messages. The replies of a row of messages are written together, and the state
//! is stored after them.
//!
//! The next poll travels while the messages of the last one are handled, so a turn of the loop handles what the turn
//! before has found. A slot validates itself, so it does not matter how early its words are read: those that were read
//! too early are those of the lap before.
//!
//! A handler that only reads its state is called for all messages of a row at the same time, each on an invocation of its
//! own: no call can observe another one. The ring's own messages, which read and replace the state, are rows of their own, so
//! the loop over the messages of a row has no branch.

use std::fmt::Write;

use super::parts::Parts;
use super::{ENTRY, Kernel, Kind};
use crate::ring::mail::LINE;
use crate::ring::slot::{GROUP, head};

/// The most slots that a poll reads if messages are handled one after the other.
const MAX_WINDOW: usize = 32;

/// The most slots that a poll reads if all messages are handled side by side.
const MAX_SIDE_BY_SIDE: usize = 64;

/// The bit of the number of messages in a row that says that the row is one of the ring's own messages.
const OWN: u32 = 1 << 30;

/// The words that an invocation reads in a poll at most, if one slot does not take more.
const MAX_LOADS: usize = 8;

/// The words of workgroup memory for the messages and replies of a poll, if one of each does not take more.
const MAX_SHARED: usize = 2048;

/// The words of a reply up to which its highest bits are collected without a loop.
const UNROLLED: usize = GROUP;

/// The words of a message up to which it is loaded before the one before is handled.
const LOADED_AHEAD: usize = 8;

/// The polls and messages between two looks at the control word.
const LOOKS: u32 = 32;

impl Kernel<'_> {
    /// The number of slots that a poll reads at most.
    fn window(&self) -> usize {
        if self.marks {
            // Each message is handled and its results are stored before the next one.
            return 1;
        }
        let words = MAX_LOADS * self.invocations as usize;
        let (own, reply) = (self.words_in(), self.format.reply);
        let all = self.kinds.iter().all(|kind| self.side_by_side(kind));
        let most = if all { MAX_SIDE_BY_SIDE } else { MAX_WINDOW };
        (words / own).min(MAX_SHARED / (own + reply)).clamp(1, most)
    }

    /// Whether the messages that a poll has found are handled side by side: no call of the function can observe another
    /// one, neither by the state nor by messages that it sends.
    pub(super) fn side_by_side(&self, kind: &Kind<'_>) -> bool {
        kind.text.reads && self.lanes == 1 && !self.marks && !self.speaks() && !self.actor.has_barriers
    }

    /// Whether a message of the ring's own is a row of its own, so that no message of a longer row needs to be looked at.
    fn splits_rows(&self) -> bool {
        self.lanes == 1 && !self.marks
    }

    /// The words of a message in its slot.
    fn words_in(&self) -> usize {
        head(self.format.message) + self.format.message
    }

    /// The kernel of several invocations.
    pub(super) fn together(&self, out: &mut String) {
        let Self { invocations, .. } = self;
        let (several, window) = (self.lanes > 1, self.window());
        let rows = if several { 1 } else { window };
        let splits = self.splits_rows();
        let when = |text: &'static str| if splits { text } else { "" };
        if several {
            self.shared_states(out);
        }
        let _ = writeln!(out, "var<workgroup> ring_in: array<u32, {window}u * ring_words_in>;");
        self.names(out);
        let _ = writeln!(
            out,
            "var<workgroup> ring_reply: array<u32, {rows}u * ring_payload_out>;
var<workgroup> ring_arrived: atomic<u32>;
var<workgroup> ring_next: u32;{mark}{own}{quick}
fn ring_poll(queue: u32, inbox: u32, number: u32, i: u32) -> u32 {{
  let slot = (number + i / ring_words_in) & (ring_shape.slots - 1u);
  return ring_load(queue, inbox + slot * ring_stride_in + i % ring_words_in);
}}
fn ring_arrives(number: u32, i: u32, word: u32) {{
  ring_in[i] = word;
  let row = i / ring_words_in;
  if (word >> 31u) != ring_phase(number + row) {{ atomicMin(&ring_arrived, row); }}{finds}
}}
@compute @workgroup_size({invocations})
fn {ENTRY}(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32) {{
  if lane == 0u {{
    atomicStore(&ring_arrived, {window}u);{resets}
    {beat}
  }}
  workgroupBarrier();
  for (var actor = group.x; actor < ring_shape.actors; actor += groups.x) {{{marked}",
            beat = self.beat(),
            quick = self.quick_variable(),
            own = when("\nvar<workgroup> ring_own: atomic<u32>;"),
            finds = when("\n  if i % ring_words_in == 0u && (word & 3u) != 0u { atomicMin(&ring_own, row); }"),
            resets = if splits { format!("\n    atomicStore(&ring_own, {window}u);") } else { String::new() },
            mark = if self.marks { "\nvar<workgroup> ring_mark: u32;" } else { "" },
            marked = if self.marks {
                let marked = Self::marked();
                format!(
                    "\n    if lane == 0u {{ ring_mark = {marked}; }}
    if workgroupUniformLoad(&ring_mark) != 0u {{ continue; }}"
                )
            } else {
                String::new()
            },
        );
        self.each_kind(out, |out, kind| self.serve_together(out, kind));
        out.push_str("  }\n}\n");
    }

    /// The statements that serve an actor of this kind.
    fn serve_together(&self, out: &mut String, kind: &Kind<'_>) {
        let Self { invocations, .. } = self;
        let (several, window, suffix) = (self.lanes > 1, self.window(), &kind.suffix);
        let (beside, splits) = (self.side_by_side(kind), self.splits_rows());
        let (sends, message) = (self.sends(), self.format.message);
        let when = |text: &'static str| if sends { text } else { "" };
        let _ = writeln!(
            out,
            "    let kept = actor * ring_words_kept;
    let inbox = actor * ring_shape.slots * ring_stride_in;
    let outbox = actor * ring_shape.slots * ring_stride_out;
    var numbers = array<u32, 2>(ring_kept[kept] + ring_shape.first, ring_kept[kept + 1u]);
    var turn = {first}u;{own}
    var state = ring_load_state{suffix}(kept + 2u);
    var polls = 0u;
    var handled = 0u;
    var window = 1u;
    var hits = 0u;
    var looks = 0u;
    // The messages that the last poll has found, and their queue.
    var number = 0u;
    var next = 0u;
    var queue = 0u;{alone}
    loop {{",
            first = u32::from(sends),
            own = if self.speaks() { "\n    ring_self = actor;" } else { "" },
            alone = if splits { "\n    var alone = 0u;" } else { "" },
        );
        self.poll_quickly(out, kind, window, LOOKS);
        let _ = writeln!(
            out,
            "      let more = polls < ring_shape.polls && handled < ring_shape.most;
      if !more && next == 0u {{ break; }}"
        );
        let ahead = self.polls_ahead();
        if ahead {
            self.loads(out, window);
        }
        let _ = writeln!(
            out,
            "      if next > 0u {{
      // With a constant number of turns, which compilers unroll.
      for (var turn_in = 0u; turn_in < {turns}u; turn_in++) {{
        let i = lane + turn_in * {invocations}u;{ends}
        let word = i % ring_words_in;
        if i < next * ring_words_in && word >= {head}u {{
          ring_in[i] = (ring_in[i] & 0x7fffffffu) | ({highest} << 31u);
        }}
      }}
      workgroupBarrier();",
            head = head(message),
            turns = (window * self.words_in()).div_ceil(*invocations as usize),
            // Divisions by other numbers than powers of two take longer than the branch.
            ends = if self.words_in().is_power_of_two() {
                ""
            } else {
                "\n        if i >= next * ring_words_in { break; }"
            },
            highest = Self::highest(message, &format!("word - {}u", head(message)), |group| {
                format!("ring_in[i - word + 1u + {group}]")
            }),
        );
        if several {
            self.handle_each(out, kind);
        } else if beside {
            self.handle_beside(out, kind);
        } else {
            self.handle_rows(out, kind);
        }
        if self.marks && !several {
            // The mark is removed when all invocations have written the reply.
            let _ = writeln!(out, "      workgroupBarrier();");
        }
        let _ = writeln!(out, "      if lane == 0u {{");
        if !beside {
            Parts { out, depth: 0 }.encode(&kind.text.state, "state", "ring_kept", "kept + 2u");
        }
        // After the state, whose loops may be stopped: then the host finds the number of the message that was handled.
        let _ = writeln!(
            out,
            "        ring_kept[kept + queue] = number + next - select(ring_shape.first, 0u, queue == 1u);"
        );
        if sends {
            // The slots are free after the handler, so its own messages count before the one it handled is gone.
            let _ = writeln!(
                out,
                "        if queue == 1u {{
          atomicSub(&ring_mail[actor * {LINE}u], next);
          atomicAdd(&ring_counts[actor * {LINE}u + 2u], next);
        }}"
            );
        }
        out.push_str(&self.mark("0u"));
        let _ = writeln!(
            out,
            "      }}
      workgroupBarrier();{reloads}
      }}
      if !more {{ break; }}",
            reloads = if beside {
                // One invocation may have replaced the state. The barrier is outside the condition, which the older
                // compiler of HLSL takes for one that differs between invocations.
                format!(
                    "\n      storageBarrier();
      if alone != 0u {{
        state = ring_load_state{suffix}(kept + 2u);
      }}"
                )
            } else {
                String::new()
            }
        );
        if !ahead {
            self.loads(out, window);
        }
        self.arrivals(out, window);
        let _ = writeln!(
            out,
            "      workgroupBarrier();
      if lane == 0u {{
        ring_next = min(min(atomicLoad(&ring_arrived), window), ring_shape.most - handled);{rows}
        if stops != 0u {{ ring_next = 0xffffffffu; }}
        atomicStore(&ring_arrived, {most}u);
      }}
      next = workgroupUniformLoad(&ring_next);
      if next == 0xffffffffu {{ return; }}{alone}
      if next == 0u {{
        polls++;{turns}
        hits = 0u;
        window = 1u;
        continue;
      }}
      hits++;
      if hits > 1u {{ window = {window}u; }}
      number = coming;
      queue = turn;
      numbers[turn] = coming + next;
      handled += next;{half}
    }}
    // More messages may wait: the device shall not rest before it repeats this.
    if lane == 0u && handled >= ring_shape.most {{ atomicStore(&ring_control[1], numbers[0] ^ numbers[1]); }}",
            most = window,
            rows = if splits {
                // A message of the ring's own ends a row, and is a row of its own.
                format!(
                    "
        let own = atomicLoad(&ring_own);
        if own == 0u && ring_next > 0u {{ ring_next = 1u | {OWN}u; }} else {{ ring_next = min(ring_next, own); }}
        atomicStore(&ring_own, {window}u);"
                )
            } else {
                String::new()
            },
            alone =
                if splits { format!("\n      alone = next & {OWN}u;\n      next &= ~{OWN}u;") } else { String::new() },
            turns = when("\n        turn ^= 1u;"),
            half = when(
                "\n      if 2u * handled >= ring_shape.most && 2u * (handled - next) < ring_shape.most { turn ^= 1u; }"
            ),
        );
    }

    /// Whether a poll travels while the messages of the last one are handled. A handler may send a message to its own
    /// actor, which a poll would miss that was sent off before; and an actor that fails alone ends between two polls.
    fn polls_ahead(&self) -> bool {
        !self.sends() && !self.marks
    }

    /// The statements that load all words of a poll, if there is one more.
    fn loads(&self, out: &mut String, window: usize) {
        let words = window * self.words_in();
        let loads = words.div_ceil(self.invocations as usize);
        let most = words - 1;
        let at = |load: usize| format!("lane + {}u", load * self.invocations as usize);
        let single = self.words_in().div_ceil(self.invocations as usize);
        let _ = writeln!(out, "      let coming = numbers[turn];\n      var stops = 0u;");
        for load in 0..loads {
            let _ = writeln!(out, "      var word{load} = 0u;");
        }
        // No branch between the loads of a row.
        let _ = writeln!(out, "      if more && window > 1u {{");
        for load in 0..loads {
            let _ = writeln!(out, "        word{load} = ring_poll(turn, inbox, coming, min({}, {most}u));", at(load));
        }
        let _ = writeln!(out, "      }} else if more {{");
        for load in 0..single {
            let at = at(load);
            let _ = writeln!(
                out,
                "        if {at} < ring_words_in {{ word{load} = ring_poll(turn, inbox, coming, {at}); }}"
            );
        }
        let _ = writeln!(out, "      }}");
        // Together with the words, so that it costs no trip of its own.
        let _ = writeln!(
            out,
            "      if more && polls + handled >= looks {{
        looks = polls + handled + {LOOKS}u;
        if lane == 0u {{ stops = ring_stops(); }}
      }}"
        );
    }

    /// The statements that look at the words of a poll.
    fn arrivals(&self, out: &mut String, window: usize) {
        let loads = (window * self.words_in()).div_ceil(self.invocations as usize);
        for load in 0..loads {
            let at = format!("lane + {}u", load * self.invocations as usize);
            let _ =
                writeln!(out, "      if {at} < window * ring_words_in {{ ring_arrives(coming, {at}, word{load}); }}");
        }
    }

    /// The statements that handle messages one after the other on one lane, and write their replies together. Short
    /// messages are loaded while the one before is handled.
    fn handle_rows(&self, out: &mut String, kind: &Kind<'_>) {
        let (suffix, head) = (&kind.suffix, head(self.format.message));
        let ahead = self.window() > 1 && self.format.message <= LOADED_AHEAD;
        let from = format!("row * ring_words_in + {head}u");
        let (first, message, next) = if ahead {
            let after = format!("min(row + 1u, {}u) * ring_words_in + {head}u", self.window() - 1);
            (
                format!("            var ahead = ring_message{suffix}({head}u);\n"),
                "message".to_owned(),
                format!("              let message = ahead;\n              ahead = ring_message{suffix}({after});\n"),
            )
        } else {
            (String::new(), format!("ring_message{suffix}({from})"), String::new())
        };
        // Where rows are not split, they have one message.
        let alone = if self.splits_rows() { "alone" } else { "(ring_in[0] & 3u)" };
        let _ = writeln!(
            out,
            "      let first = 0u;
        if lane == 0u {{
          if {alone} == 0u {{
{first}            for (var row = 0u; row < next; row++) {{
              let at = row * ring_payload_out;
{next}"
        );
        self.call(out, kind, "0u", &message, "at");
        let _ = writeln!(
            out,
            "            }}
          }} else {{
            let at = 0u;
            let row = 0u;
            let header = ring_in[0] & 0x7fffffffu;"
        );
        self.own(out, kind, &from);
        let _ = writeln!(
            out,
            "          }}
        }}
        workgroupBarrier();"
        );
        self.replies(out, "next", self.window());
    }

    /// The statements that handle messages side by side, each on an invocation of its own.
    fn handle_beside(&self, out: &mut String, kind: &Kind<'_>) {
        let from = format!("row * ring_words_in + {}u", head(self.format.message));
        let _ = writeln!(
            out,
            "      let first = 0u;
        for (var row = lane; row < next; row += {}u) {{
          let at = row * ring_payload_out;
          let header = ring_in[row * ring_words_in] & 0x7fffffffu;
          if alone == 0u {{",
            self.invocations
        );
        self.call(out, kind, "0u", &format!("ring_message{}({from})", kind.suffix), "at");
        let _ = writeln!(out, "          }} else {{");
        self.own(out, kind, &from);
        let _ = writeln!(
            out,
            "          }}
        }}
        workgroupBarrier();"
        );
        self.replies(out, "next", self.window());
    }

    /// The statements that handle messages one after the other on several lanes.
    fn handle_each(&self, out: &mut String, kind: &Kind<'_>) {
        let _ = writeln!(
            out,
            "      for (var first = 0u; first < next; first++) {{
        let header = workgroupUniformLoad(&ring_in[first * ring_words_in]) & 0x7fffffffu;
        let at = 0u;
        if (header & 3u) == 0u {{"
        );
        let some = self.lanes < self.invocations;
        if some {
            let _ = writeln!(out, "        if lane < {}u {{", self.lanes);
        }
        let from = format!("first * ring_words_in + {}u", head(self.format.message));
        self.call(out, kind, "lane", &format!("ring_message{}({from})", kind.suffix), "at");
        if some {
            let _ = writeln!(out, "        }}");
        }
        let _ = writeln!(out, "        }} else if lane == 0u {{");
        self.own(out, kind, &from);
        let _ = writeln!(out, "        }}\n        if lane == 0u {{");
        Parts { out, depth: 0 }.encode(&kind.text.state, "state", "ring_state", "0u");
        let _ = writeln!(
            out,
            "        }}
        workgroupBarrier();
        state = ring_shared_state{}();",
            kind.suffix
        );
        if self.marks {
            // All lanes have come to the end of the handler.
            let _ =
                writeln!(out, "        if lane == 0u && (header & 3u) == 0u {{\n{}        }}", self.mark("3u + queue"));
        }
        self.replies(out, "1u", 1);
        let _ = writeln!(out, "        workgroupBarrier();\n      }}");
    }

    /// The copy of lane 0's state, from which the other lanes take theirs.
    fn shared_states(&self, out: &mut String) {
        let _ = writeln!(out, "var<workgroup> ring_state: array<u32, ring_words_of_state>;");
        for Kind { text, suffix, .. } in &self.kinds {
            let state = &text.state;
            let name = &state.name;
            let _ = writeln!(out, "fn ring_shared_state{suffix}() -> {name} {{\n  var state: {name};");
            Parts { out, depth: 0 }.decode(state, "state", "ring_state", "");
            let _ = writeln!(out, "  return state;\n}}");
        }
    }

    /// The statements of one lane for the ring's own messages, whose payload begins at the expression `payload`.
    fn own(&self, out: &mut String, kind: &Kind<'_>, payload: &str) {
        let suffix = &kind.suffix;
        Parts { out, depth: 0 }.encode(&kind.text.state, "state", "ring_kept", "kept + 2u");
        let _ = writeln!(
            out,
            "              let part = header >> 2u;
              if (header & 3u) == 1u {{
                for (var i = 0u; i < ring_payload_out; i++) {{
                  let word = part * ring_payload_out + i;
                  ring_reply[at + i] = 0u;
                  if word < ring_words_of_state {{ ring_reply[at + i] = ring_kept[kept + 2u + word]; }}
                }}
              }} else {{
                for (var i = 0u; i < ring_payload_in; i++) {{
                  let word = part * ring_payload_in + i;
                  if word < ring_words_of_state {{ ring_kept[kept + 2u + word] = ring_in[{payload} + i]; }}
                }}
                state = ring_load_state{suffix}(kept + 2u);
              }}"
        );
    }

    /// The statements of all invocations that write the replies of `count` rows from `first` on, of at most `rows`.
    fn replies(&self, out: &mut String, count: &str, rows: usize) {
        // A message from another actor has no reply.
        let count = if self.sends() { format!("select({count}, 0u, queue == 1u)") } else { count.to_owned() };
        let _ = writeln!(
            out,
            "        for (var turn_out = 0u; turn_out < {turns}u; turn_out++) {{
          let i = lane + turn_out * {}u;
          if i >= {count} * ring_words_out {{ break; }}
          let row = i / ring_words_out;
          let place = i % ring_words_out;
          let own = number + first + row;
          var word = ring_in[(first + row) * ring_words_in] & 3u;
          if place >= {head}u {{
            word = ring_reply[row * ring_payload_out + place - {head}u] & 0x7fffffffu;
          }} else if place > 0u {{",
            self.invocations,
            turns = (rows * (head(self.format.reply) + self.format.reply)).div_ceil(self.invocations as usize),
            head = head(self.format.reply),
        );
        if self.format.reply <= UNROLLED {
            let bit = |word| format!("((ring_reply[row * ring_payload_out + {word}u] >> 31u) << {word}u)");
            let bits: Vec<String> = (0..self.format.reply).map(bit).collect();
            let _ = writeln!(out, "            word = {};", bits.join(" | "));
        } else {
            let _ = writeln!(
                out,
                "            word = 0u;
            let start = (place - 1u) * {GROUP}u;
            for (var j = start; j < min(start + {GROUP}u, ring_payload_out); j++) {{
              word |= (ring_reply[row * ring_payload_out + j] >> 31u) << (j - start);
            }}"
            );
        }
        let _ = writeln!(
            out,
            "          }}
          let slot = own & (ring_shape.slots - 1u);
          atomicStore(&ring_outbox[outbox + slot * ring_stride_out + place], word | (ring_phase(own) << 31u));
        }}"
        );
    }
}
