//! The functions by which an actor sends a message to another one, and emits one to the host.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::parts::Parts;
use super::{Kernel, Kind, LINE};
use crate::ring::emitted::{self, MARKED};
use crate::ring::slot::stride;
use crate::ring::source::{KindText, PublishText};

impl Kernel<'_> {
    /// The functions that send a message to an actor, one for each kind to which actors send. Tickets order the messages,
    /// and a count of the slots in use, which the receiver reduces after it has handled a message, says whether there is room.
    pub(super) fn send(&self, out: &mut String) {
        if !self.sends() {
            return;
        }
        let _ = writeln!(
            out,
            "fn ring_refuse() -> bool {{ atomicAdd(&ring_counts[ring_self * {LINE}u + 1u], 1u); return false; }}"
        );
        let to = self.actor.sends.iter().map(|send| send.kind);
        let kinds: BTreeSet<usize> = to.chain(self.actor.publishes.iter().map(|publish| publish.kind)).collect();
        for kind in kinds {
            self.send_to(out, &self.kinds[kind]);
        }
    }

    /// The functions that send a message to each actor of a topic: those of which a bit is set, in the order of their
    /// numbers within the kind.
    pub(super) fn publish(&self, out: &mut String) {
        for (number, PublishText { kind, .. }) in self.actor.publishes.iter().enumerate() {
            let Kind { text, suffix, first, end } = &self.kinds[*kind];
            let actors = if suffix.is_empty() { "ring_shape.actors".to_owned() } else { format!("{}u", end - first) };
            let _ = writeln!(
                out,
                "fn ring_publish{number}(ring_m: {name}) -> u32 {{
  var ring_count = 0u;
  let ring_words = (ring_shape.actors + 31u) / 32u;
  for (var ring_i = 0u; ring_i < ({actors} + 31u) / 32u; ring_i++) {{
    var ring_bits = atomicLoad(&ring_control[ring_shape.topics + {number}u * ring_words + ring_i]);
    while ring_bits != 0u {{
      if ring_send{suffix}(ring_i * 32u + firstTrailingBit(ring_bits), ring_m) {{ ring_count++; }}
      ring_bits &= ring_bits - 1u;
    }}
  }}
  return ring_count;
}}",
                name = text.message.name,
            );
        }
    }

    /// The function that sends a message to an actor of this kind, which are counted from 0.
    fn send_to(&self, out: &mut String, kind: &Kind<'_>) {
        let Kind { text: KindText { message, .. }, suffix, first, end } = kind;
        // With one kind, the text does not depend on the number of actors.
        let most = if suffix.is_empty() { "ring_shape.actors".to_owned() } else { format!("{}u", end - first) };
        let _ = writeln!(
            out,
            "fn ring_send{suffix}(ring_number: u32, ring_m: {}) -> bool {{
  if ring_number >= {most} {{ return ring_refuse(); }}
  let ring_to = ring_number + {first}u;
  var ring_value = ring_m;
  var ring_words: array<u32, ring_payload_in>;",
            message.name,
        );
        Parts { out, depth: 0 }.encode(message, "ring_value", "ring_words", "");
        // From here on without loops where actors restart: a message is sent as a whole or not at all.
        let _ = writeln!(
            out,
            "  let ring_line = ring_to * {LINE}u;
  if atomicAdd(&ring_mail[ring_line], 1u) >= ring_shape.slots {{
    atomicSub(&ring_mail[ring_line], 1u);
    return ring_refuse();
  }}
  let ring_ticket = atomicAdd(&ring_mail[ring_line + 1u], 1u);
  let ring_place = ring_shape.actors * {LINE}u
    + (ring_to * ring_shape.slots + (ring_ticket & (ring_shape.slots - 1u))) * ring_stride_in;
  // Before the message can be handled: the host compares this count with that of handled messages.
  atomicAdd(&ring_counts[ring_self * {LINE}u], 1u);
  let ring_lap = ring_phase(ring_ticket) << 31u;"
        );
        let payload = self.format.message;
        Self::stores(out, ["ring_mail", "ring_place", "ring_words", "ring_lap"], "", payload, self.unrolls(payload));
        let _ = writeln!(
            out,
            "  atomicStore(&ring_mail[ring_place], ring_lap);
  // The receiver may sleep.
  atomicStore(&ring_control[1], ring_ticket * 0x9e3779b9u + ring_to);
  return true;
}}"
        );
    }

    /// The function that emits a message to the host; see [`emitted`].
    pub(super) fn emit(&self, out: &mut String) {
        let Some(own) = &self.actor.emit else { return };
        let (words, line) = (self.format.emission, emitted::LINE);
        let _ = writeln!(
            out,
            "fn ring_emit(ring_m: {}) -> bool {{
  var ring_value = ring_m;
  var ring_words: array<u32, {words}>;",
            own.message.name
        );
        Parts { out, depth: 0 }.encode(&own.message, "ring_value", "ring_words", "");
        // From here on as for a message to an actor.
        let _ = writeln!(
            out,
            "  let ring_line = ring_shape.actors + ring_self * {line}u;
  if atomicAdd(&ring_emitted[ring_line + 2u], 1u) >= ring_shape.slots {{
    // The host may have taken messages meanwhile.
    let ring_taken = atomicLoad(&ring_emitted[ring_self]);
    let ring_freed = ring_taken - atomicExchange(&ring_emitted[ring_line + 3u], ring_taken);
    if atomicSub(&ring_emitted[ring_line + 2u], ring_freed) - ring_freed > ring_shape.slots {{
      atomicSub(&ring_emitted[ring_line + 2u], 1u);
      atomicAdd(&ring_emitted[ring_line + 1u], 1u);
      return false;
    }}
  }}
  let ring_ticket = atomicAdd(&ring_emitted[ring_line], 1u);
  let ring_marks = ring_shape.actors * {head}u;
  let ring_place = (ring_marks + (ring_shape.actors + {last}u) / {MARKED}u + 7u) / 8u * 8u
    + (ring_self * ring_shape.slots + (ring_ticket & (ring_shape.slots - 1u))) * {stride}u;
  let ring_lap = ring_phase(ring_ticket) << 31u;",
            head = 1 + line,
            last = MARKED - 1,
            stride = stride(words),
        );
        Self::stores(out, ["ring_emitted", "ring_place", "ring_words", "ring_lap"], "", words, self.unrolls(words));
        let _ = writeln!(
            out,
            "  atomicStore(&ring_emitted[ring_place], ring_lap);
  atomicAdd(&ring_emitted[ring_marks + ring_self / {MARKED}u], 1u);
  return true;
}}"
        );
    }
}
