//! The polls of a quiet actor, on one invocation of a workgroup of several.
//!
//! While messages come one at a time, what a message waits for is the time from its arrival to its reply. So one
//! invocation polls a slot, calls the handler and stores the reply, all in registers: without a barrier, and without words
//! that invocations hand to each other. The numbers and the state are stored when the polls end. They end where messages
//! come in a row, of which all invocations read many at a time ([`together`](super::together)), and at the ring's own
//! messages.

use std::fmt::Write;

use super::parts::Parts;
use super::{Kernel, Kind};
use crate::ring::mail::LINE;
use crate::ring::slot::head;

/// The messages in a row after which many are read at a time.
const ROW: u32 = 2;

/// The numbers that the polls leave for the other invocations.
const LEFT: [&str; 5] = ["polls", "handled", "hits", "looks", "number0"];

/// The same where actors send messages.
const LEFT_BY_SENDERS: [&str; 7] = ["polls", "handled", "hits", "looks", "number0", "number1", "turn"];

impl Kernel<'_> {
    fn left(&self) -> &'static [&'static str] {
        if self.sends() { &LEFT_BY_SENDERS } else { &LEFT }
    }

    /// The variable in which the invocation leaves its numbers for the others.
    pub(super) fn quick_variable(&self) -> String {
        if !self.is_short() {
            return String::new();
        }
        format!("\nvar<workgroup> ring_quick: array<u32, {}>;", self.left().len() + 1)
    }

    /// The statements that poll an actor of this kind while its messages come one at a time. `window` is the number of
    /// slots that a poll reads afterwards, and `looks` the number of polls between two looks at the stop word.
    pub(super) fn poll_quickly(&self, out: &mut String, kind: &Kind<'_>, window: usize, looks: u32) {
        let (suffix, sends, message) = (&kind.suffix, self.sends(), self.format.message);
        let when = |text: &'static str| if sends { text } else { "" };
        let words = head(message) + message;
        let _ = writeln!(
            out,
            "      if window == 1u && next == 0u {{
      if lane == 0u {{
        let before = handled;
        var stopped = 0u;
        while polls < ring_shape.polls && handled < ring_shape.most {{"
        );
        let queues = if sends { &["host", "mail"][..] } else { &["host"] };
        for (number, queue) in queues.iter().enumerate() {
            Self::load_slot(out, queue, number, words);
        }
        let _ = writeln!(
            out,
            "          if polls + handled >= looks {{
            looks = polls + handled + {looks}u;
            stopped = ring_stops();
            if stopped != 0u {{ break; }}
          }}"
        );
        for queue in queues {
            let wrong: Vec<String> = (0..words).map(|word| format!("({queue}{word} ^ {queue}_lap)")).collect();
            let _ = writeln!(out, "          let {queue}_has = (({}) >> 31u) == 0u;", wrong.join(" | "));
        }
        // The words of both queues travel together. An actor serves one of them while messages are there.
        let select = |place: &str| match sends {
            true => format!("select(host{place}, mail{place}, turn == 1u)"),
            false => format!("host{place}"),
        };
        let none = if sends {
            out.push_str("          if host_has != mail_has { turn = u32(mail_has); }\n");
            "!host_has && !mail_has"
        } else {
            "!host_has"
        };
        let _ = writeln!(
            out,
            "          if {none} {{
            polls++;
            hits = 0u;
            continue;
          }}"
        );
        for word in 0..words {
            let _ = writeln!(out, "          let word{word} = {};", select(&word.to_string()));
        }
        let _ = writeln!(
            out,
            "          if hits >= {ROW}u || (word0 & 3u) != 0u {{ break; }}
          hits++;
          let own = {own};
          let slot = own & (ring_shape.slots - 1u);
          let lap = {lap};",
            own = self.number(),
            lap = select("_lap"),
        );
        for word in 0..message {
            let _ = writeln!(out, "          ring_in[{word}u] = {};", Self::decoded(message, "word", word));
        }
        if sends {
            let _ = writeln!(out, "          let queue = turn;");
        }
        self.call(out, kind, "0u", &format!("ring_message{suffix}(0u)"), "0u");
        if sends {
            let _ = writeln!(out, "          if turn == 0u {{");
        }
        let _ = writeln!(out, "          let sent = outbox + slot * ring_stride_out;");
        Self::stores(out, ["ring_outbox", "sent", "ring_reply", "lap"], "", self.format.reply, true);
        // Last, as it is the word for which the host looks.
        let _ = writeln!(out, "          atomicStore(&ring_outbox[sent], lap);");
        if sends {
            let _ = writeln!(
                out,
                "          }} else {{
            atomicSub(&ring_mail[actor * {LINE}u], 1u);
            atomicAdd(&ring_counts[actor * {LINE}u + 2u], 1u);
          }}"
            );
        }
        let _ = writeln!(
            out,
            "          {moves}
          handled++;{half}
        }}
        if handled != before {{
          ring_kept[kept] = number0 - ring_shape.first;{mail}",
            moves = self.set_number("own + 1u"),
            half = when("\n          if 2u * handled == ring_shape.most { turn ^= 1u; }"),
            mail = when("\n          ring_kept[kept + 1u] = number1;"),
        );
        if !self.side_by_side(kind) {
            Parts { out, depth: 0 }.encode(&kind.text.state, "state", "ring_kept", "kept + 2u");
        }
        // The last one is nonzero if the kernel stops.
        let left = self.left();
        let _ = writeln!(
            out,
            "        }}
        ring_quick = array<u32, {}>({}, stopped);
      }}
      let quick = workgroupUniformLoad(&ring_quick);",
            left.len() + 1,
            left.join(", ")
        );
        for (at, name) in left.iter().enumerate() {
            let _ = writeln!(out, "      {name} = quick[{at}];");
        }
        let _ = writeln!(
            out,
            "      if quick[{}] != 0u {{ return; }}
      if hits >= {ROW}u {{ window = {window}u; }}
      }}",
            left.len()
        );
    }

    /// The statements that load the words of the next slot of a queue, into variables whose names begin with `name`.
    fn load_slot(out: &mut String, name: &str, queue: usize, words: usize) {
        let _ = writeln!(
            out,
            "          let {name}_lap = ring_phase(number{queue}) << 31u;
          let {name}_place = inbox + (number{queue} & (ring_shape.slots - 1u)) * ring_stride_in;"
        );
        for word in 0..words {
            let _ = writeln!(out, "          let {name}{word} = ring_load({queue}u, {name}_place + {word}u);");
        }
    }
}
