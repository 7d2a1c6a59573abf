//! The words of short messages and replies, each of which one invocation moves: it reads a slot, checks it, and decodes the
//! message in registers. So a poll of 64 slots takes about as many instructions as one of two.
//!
//! Not where a poll takes a trip over the bus: an invocation loads the words of a slot one by one, and such loads of one
//! line wait for each other there, while those of several invocations are one ([`wide`](super::wide)).

use std::fmt::Write;

use super::{Format, Kernel, Shape};
use crate::ring::slot::{GROUP, head};
use crate::ring::source::ActorText;

/// The words of a message, and of a reply, up to which one invocation moves them. Longer ones travel faster side by side.
const MOST_WORDS: usize = 8;

/// The words of a state up to which its statements are written twice. Drivers compile large ones slowly.
const MOST_STATE: usize = 64;

/// The words that an invocation reads in a poll at most, if one slot does not take more.
const MOST_LOADS: usize = 16;

/// The slots that an invocation reads in a poll at most, if messages are handled one after the other: the first reply
/// waits for all handlers of a row.
const MOST_SLOTS: usize = 2;

/// The same if all messages are handled side by side.
const MOST_BESIDE: usize = 4;

/// Whether one invocation of the kernel moves a message. Not with marks, for which each poll is one message already, and not
/// where several invocations run the handler.
pub(crate) fn is_short(actor: &ActorText, format: Format, shape: Shape) -> bool {
    let short = format.message.max(format.reply) <= MOST_WORDS && format.state <= MOST_STATE;
    shape.near && short && shape.lanes == 1 && !shape.marks && !actor.has_barriers
}

impl Kernel<'_> {
    /// Whether one invocation moves a message.
    pub(super) fn is_short(&self) -> bool {
        is_short(self.actor, self.format, self.shape)
    }

    /// The expression for a word of a payload, from the words of its slot, which are variables: `name` and a number.
    pub(super) fn decoded(payload: usize, name: &str, word: usize) -> String {
        let (group, bit, at) = (1 + word / GROUP, word % GROUP, head(payload) + word);
        format!("({name}{at} & 0x7fffffffu) | ((({name}{group} >> {bit}u) & 1u) << 31u)")
    }

    /// The number of slots that an invocation reads in a poll.
    fn slots(&self) -> usize {
        let beside = self.kinds.iter().all(|kind| self.side_by_side(kind));
        (MOST_LOADS / self.words_in()).clamp(1, if beside { MOST_BESIDE } else { MOST_SLOTS })
    }

    /// The number of slots that a poll reads.
    pub(super) fn short_window(&self) -> usize {
        self.slots() * self.shape.invocations as usize
    }

    /// The row of an invocation's slot, in a poll.
    fn row(&self, slot: usize) -> String {
        format!("lane + {}u", slot * self.shape.invocations as usize)
    }

    /// The variables of the words that the last poll has found.
    pub(super) fn short_variables(&self, out: &mut String) {
        for slot in 0..self.slots() {
            for word in 0..self.words_in() {
                let _ = writeln!(out, "    var found{slot}_{word} = 0u;");
            }
        }
    }

    /// The variables of the words that a poll loads.
    pub(super) fn short_words(&self, out: &mut String) {
        for slot in 0..self.slots() {
            for word in 0..self.words_in() {
                let _ = writeln!(out, "      var word{slot}_{word} = 0u;");
            }
        }
    }

    /// The statements that load the slots of a poll, if there is one more.
    pub(super) fn short_loads(&self, out: &mut String) {
        let _ = writeln!(out, "      if more {{");
        for slot in 0..self.slots() {
            let row = self.row(slot);
            let _ = writeln!(
                out,
                "        let place{slot} = inbox + ((coming + {row}) & (ring_shape.slots - 1u)) * ring_stride_in;"
            );
            for word in 0..self.words_in() {
                let _ = writeln!(out, "        word{slot}_{word} = ring_load(turn, place{slot} + {word}u);");
            }
        }
        let _ = writeln!(out, "      }}");
    }

    /// The statements that look at the words of a poll, and keep them.
    pub(super) fn short_arrivals(&self, out: &mut String) {
        for slot in 0..self.slots() {
            let row = self.row(slot);
            let words = || (0..self.words_in()).map(move |word| format!("word{slot}_{word}"));
            let wrong: Vec<String> = words().map(|word| format!("({word} ^ lap{slot})")).collect();
            let _ = writeln!(
                out,
                "      let lap{slot} = ring_phase(coming + {row}) << 31u;
      if (({}) >> 31u) != 0u {{ atomicMin(&ring_arrived, {row}); }}
      if (word{slot}_0 & 3u) != 0u {{ atomicMin(&ring_own, {row}); }}",
                wrong.join(" | ")
            );
            for (number, word) in words().enumerate() {
                let _ = writeln!(out, "      found{slot}_{number} = {word};");
            }
        }
    }

    /// The statements that decode what the last poll has found, for lane 0 unless each invocation handles its own.
    pub(super) fn short_messages(&self, out: &mut String, beside: bool) {
        for slot in 0..self.slots() {
            let row = self.row(slot);
            for word in 0..self.format.message {
                let _ = writeln!(
                    out,
                    "      ring_in[({row}) * ring_payload_in + {word}u] = {};",
                    Self::decoded(self.format.message, &format!("found{slot}_"), word)
                );
            }
        }
        if !beside {
            let _ = writeln!(out, "      workgroupBarrier();");
        }
    }

    /// The statements that write the replies of a row, each by one invocation.
    pub(super) fn short_replies(&self, out: &mut String) {
        // A message from another actor has no reply.
        let count = if self.sends() { "select(next, 0u, queue == 1u)" } else { "next" };
        for slot in 0..self.slots() {
            let row = self.row(slot);
            let _ = writeln!(
                out,
                "        if {row} < {count} {{
          let row = {row};
          let own = number + row;
          let lap = ring_phase(own) << 31u;
          let sent = outbox + (own & (ring_shape.slots - 1u)) * ring_stride_out;"
            );
            let from = "row * ring_payload_out + ";
            Self::stores(out, ["ring_outbox", "sent", "ring_reply", "lap"], from, self.format.reply, true);
            let _ = writeln!(
                out,
                "          atomicStore(&ring_outbox[sent], (found{slot}_0 & 3u) | lap);
        }}"
            );
        }
    }
}
