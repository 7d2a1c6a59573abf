//! The words of messages and replies, which all invocations move side by side: for long messages, and where a poll takes a trip
//! over the bus, as loads of one line by one invocation would wait for each other there.

use std::fmt::Write;

use super::Kernel;
use crate::ring::slot::{GROUP, head};

/// The words of a reply up to which its highest bits are collected without a loop.
const UNROLLED: usize = GROUP;

impl Kernel<'_> {
    /// The functions that load a word of a poll, and that look at it.
    pub(super) fn wide_functions(&self, out: &mut String) {
        let finds = match self.splits_rows() {
            true => "\n  if i % ring_words_in == 0u && (word & 3u) != 0u { atomicMin(&ring_own, row); }",
            false => "",
        };
        let _ = writeln!(
            out,
            "fn ring_poll(queue: u32, inbox: u32, number: u32, i: u32) -> u32 {{
  let slot = (number + i / ring_words_in) & (ring_shape.slots - 1u);
  return ring_load(queue, inbox + slot * ring_stride_in + i % ring_words_in);
}}
fn ring_arrives(number: u32, i: u32, word: u32) {{
  ring_in[i] = word;
  let row = i / ring_words_in;
  if (word >> 31u) != ring_phase(number + row) {{ atomicMin(&ring_arrived, row); }}{finds}
}}"
        );
    }

    /// The number of words that each invocation loads for so many slots.
    fn loads(&self, slots: usize) -> usize {
        (slots * self.words_in()).div_ceil(self.shape.invocations as usize)
    }

    /// The number of a word that an invocation loads.
    fn at(&self, load: usize) -> String {
        format!("lane + {}u", load * self.shape.invocations as usize)
    }

    /// The variables of the words that a poll loads.
    pub(super) fn wide_words(&self, out: &mut String, window: usize) {
        for load in 0..self.loads(window) {
            let _ = writeln!(out, "      var word{load} = 0u;");
        }
    }

    /// The statements that load all words of a row, if there is one more poll, without a branch between them.
    pub(super) fn wide_loads(&self, out: &mut String, window: usize) {
        let most = window * self.words_in() - 1;
        let _ = writeln!(out, "      if more && window > 1u {{");
        for load in 0..self.loads(window) {
            let at = self.at(load);
            let _ = writeln!(out, "        word{load} = ring_poll(turn, inbox, coming, min({at}, {most}u));");
        }
        let _ = writeln!(out, "      }}");
    }

    /// The statements that load all words of one slot, if there is one more poll.
    pub(super) fn wide_loads_of_one(&self, out: &mut String) {
        let _ = writeln!(out, "      if more && window == 1u {{");
        for load in 0..self.loads(1) {
            let at = self.at(load);
            let _ = writeln!(
                out,
                "        if {at} < ring_words_in {{ word{load} = ring_poll(turn, inbox, coming, {at}); }}"
            );
        }
        let _ = writeln!(out, "      }}");
    }

    /// The statements that look at the words of a poll.
    pub(super) fn wide_arrivals(&self, out: &mut String, window: usize) {
        for load in 0..self.loads(window) {
            let at = self.at(load);
            let _ =
                writeln!(out, "      if {at} < window * ring_words_in {{ ring_arrives(coming, {at}, word{load}); }}");
        }
    }

    /// The statements that put the highest bits into the words of the messages that the last poll has found.
    pub(super) fn wide_messages(&self, out: &mut String, window: usize) {
        let message = self.format.message;
        let _ = writeln!(
            out,
            "      // With a constant number of turns, which compilers unroll.
      for (var turn_in = 0u; turn_in < {turns}u; turn_in++) {{
        let i = lane + turn_in * {invocations}u;{ends}
        let word = i % ring_words_in;
        if i < next * ring_words_in && word >= {head}u {{
          ring_in[i] = (ring_in[i] & 0x7fffffffu) | ({highest} << 31u);
        }}
      }}
      workgroupBarrier();",
            invocations = self.shape.invocations,
            head = head(message),
            turns = (window * self.words_in()).div_ceil(self.shape.invocations as usize),
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
    }

    /// The statements of all invocations that write the replies of `count` rows from `first` on, of at most `rows`.
    pub(super) fn wide_replies(&self, out: &mut String, count: &str, rows: usize) {
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
            self.shape.invocations,
            turns = (rows * (head(self.format.reply) + self.format.reply)).div_ceil(self.shape.invocations as usize),
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
