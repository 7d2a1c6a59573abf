//! The kernel of several invocations, which move words side by side: for GPUs, and for actors with several lanes.
//!
//! On CUDA a load of the inbox takes a trip over the bus, and loads of different lines travel together. So a poll reads
//! the words of several slots before it uses any of them. Such a poll takes a little longer, so a poll looks at one slot
//! only, unless the two before it found messages. The replies of a row of messages are written together, and the state
//! is stored after them.
//!
//! The next poll of several slots travels while the messages of the last one are handled, so a turn of the loop handles what
//! the turn before has found. A slot validates itself, so it does not matter how early its words are read: those that were read
//! too early are those of the lap before.
//!
//! A handler that only reads its state is called for all messages of a row at the same time, each on an invocation of its
//! own: no call can observe another one. The ring's own messages, which read and replace the state, are rows of their own, so
//! the loop over the messages of a row has no branch.

use std::fmt::Write;

use super::parts::Parts;
use super::{ENTRY, Kernel, Kind};
use crate::ring::mail::LINE;
use crate::ring::slot::head;

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

/// The polls and messages between two looks at the control word.
const LOOKS: u32 = 32;

impl Kernel<'_> {
    /// The number of slots that a poll reads at most.
    pub(super) fn window(&self) -> usize {
        if self.shape.marks {
            // Each message is handled and its results are stored before the next one.
            return 1;
        }
        if self.is_short() {
            return self.short_window();
        }
        let words = MAX_LOADS * self.shape.invocations as usize;
        let (own, reply) = (self.words_in(), self.format.reply);
        let all = self.kinds.iter().all(|kind| self.side_by_side(kind));
        let most = if all { MAX_SIDE_BY_SIDE } else { MAX_WINDOW };
        (words / own).min(MAX_SHARED / (own + reply)).clamp(1, most)
    }

    /// Whether the messages that a poll has found are handled side by side: no call of the function can observe another
    /// one, neither by the state nor by messages that it sends.
    pub(super) fn side_by_side(&self, kind: &Kind<'_>) -> bool {
        kind.text.reads && self.shape.lanes == 1 && !self.shape.marks && !self.speaks() && !self.actor.has_barriers
    }

    /// Whether a message of the ring's own is a row of its own, so that no message of a longer row needs to be looked at.
    pub(super) fn splits_rows(&self) -> bool {
        self.shape.lanes == 1 && !self.shape.marks
    }

    /// The words of a message in its slot.
    pub(super) fn words_in(&self) -> usize {
        head(self.format.message) + self.format.message
    }

    /// The kernel of several invocations.
    pub(super) fn together(&self, out: &mut String) {
        let invocations = self.shape.invocations;
        let (several, window) = (self.shape.lanes > 1, self.window());
        let rows = if several { 1 } else { window };
        let splits = self.splits_rows();
        let when = |text: &'static str| if splits { text } else { "" };
        if several {
            self.shared_states(out);
        }
        let row = if self.is_short() { "payload_in" } else { "words_in" };
        let _ = writeln!(out, "var<workgroup> ring_in: array<u32, {window}u * ring_{row}>;");
        self.names(out);
        if !self.is_short() {
            self.wide_functions(out);
        }
        let _ = writeln!(
            out,
            "var<workgroup> ring_reply: array<u32, {rows}u * ring_payload_out>;
var<workgroup> ring_arrived: atomic<u32>;
var<workgroup> ring_next: u32;{mark}{own}{quick}
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
            resets = if splits { format!("\n    atomicStore(&ring_own, {window}u);") } else { String::new() },
            mark = if self.shape.marks { "\nvar<workgroup> ring_mark: u32;" } else { "" },
            marked = if self.shape.marks {
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
        let (several, window, suffix) = (self.shape.lanes > 1, self.window(), &kind.suffix);
        let (beside, splits) = (self.side_by_side(kind), self.splits_rows());
        let sends = self.sends();
        let when = |text: &'static str| if sends { text } else { "" };
        let _ = writeln!(
            out,
            "    let kept = actor * ring_words_kept;
    let inbox = actor * ring_shape.slots * ring_stride_in;
    let outbox = actor * ring_shape.slots * ring_stride_out;
    var number0 = ring_kept[kept] + ring_shape.first;{number1}
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
    var queue = 0u;{alone}",
            number1 = when("\n    var number1 = ring_kept[kept + 1u];"),
            first = u32::from(sends),
            own = if self.speaks() { "\n    ring_self = actor;" } else { "" },
            alone = if splits { "\n    var alone = 0u;" } else { "" },
        );
        if self.is_short() {
            self.short_variables(out);
        }
        out.push_str("    loop {\n");
        if self.is_short() {
            self.poll_quickly(out, kind, window, LOOKS);
        }
        let _ = writeln!(
            out,
            "      let more = polls < ring_shape.polls && handled < ring_shape.most;
      if !more && next == 0u {{ break; }}"
        );
        let ahead = self.polls_ahead();
        let _ = writeln!(out, "      let coming = {};\n      var stops = 0u;", self.number());
        self.poll_variables(out, window);
        if ahead {
            self.loads_of_rows(out, window);
        }
        let _ = writeln!(out, "      if next > 0u {{");
        if self.is_short() {
            self.short_messages(out, beside);
        } else {
            self.wide_messages(out, window);
        }
        if several {
            self.handle_each(out, kind);
        } else if beside {
            self.handle_beside(out, kind);
        } else {
            self.handle_rows(out, kind);
        }
        if self.shape.marks && !several {
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
            self.loads_of_rows(out, window);
        }
        if !self.is_short() {
            self.loads_of_one(out);
        }
        if self.is_short() {
            self.short_arrivals(out);
        } else {
            self.wide_arrivals(out, window);
        }
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
      {moves}
      handled += next;{half}
    }}
    // More messages may wait: the device shall not rest before it repeats this.
    if lane == 0u && handled >= ring_shape.most {{ atomicStore(&ring_control[1], number0{number1}); }}",
            moves = self.set_number("coming + next"),
            number1 = when(" ^ number1"),
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

    /// The number of the next message of the queue `turn`, as an expression. The numbers of both queues are variables of
    /// their own, as compilers keep arrays in memory whose indices they do not know.
    pub(super) fn number(&self) -> &'static str {
        if self.sends() { "select(number0, number1, turn == 1u)" } else { "number0" }
    }

    /// The statement that replaces it.
    pub(super) fn set_number(&self, value: &str) -> String {
        match self.sends() {
            true => format!("if turn == 1u {{ number1 = {value}; }} else {{ number0 = {value}; }}"),
            false => format!("number0 = {value};"),
        }
    }

    /// Whether a poll travels while the messages of the last one are handled. A handler may send a message to its own
    /// actor, which a poll would miss that was sent off before; and an actor that fails alone ends between two polls.
    fn polls_ahead(&self) -> bool {
        !self.sends() && !self.shape.marks
    }

    /// The variables of the words that a poll loads.
    fn poll_variables(&self, out: &mut String, window: usize) {
        if self.is_short() { self.short_words(out) } else { self.wide_words(out, window) }
    }

    /// The statements that begin a poll of a row, if there is one more.
    fn loads_of_rows(&self, out: &mut String, window: usize) {
        if self.is_short() {
            self.short_loads(out);
            Self::looks(out, "more");
        } else {
            self.wide_loads(out, window);
            Self::looks(out, "more && window > 1u");
        }
    }

    /// The statements that begin a poll of one slot. Not ahead of a message that was found: compilers may wait for the
    /// words before the reply is stored, and a quiet actor has no row whose handling could hide the trip.
    fn loads_of_one(&self, out: &mut String) {
        self.wide_loads_of_one(out);
        Self::looks(out, "more && window == 1u");
    }

    /// The statements that look at the stop word: together with the words, so that it costs no trip of its own.
    fn looks(out: &mut String, when: &str) {
        let _ = writeln!(
            out,
            "      if {when} && polls + handled >= looks {{
        looks = polls + handled + {LOOKS}u;
        if lane == 0u {{ stops = ring_stops(); }}
      }}"
        );
    }
}
