//! The functions by which an actor sends a message to another one, and emits one to the host.

use std::fmt::Write;

use super::parts::Parts;
use super::{Kernel, LINE};
use crate::ring::emitted::{self, MARKED};
use crate::ring::slot::{HEAD, stride};

impl Kernel<'_> {
    /// The function that sends a message to an actor. Tickets order the messages, and a count of the slots in use,
    /// which the receiver reduces after it has handled a message, says whether there is room.
    pub(super) fn send(&self, out: &mut String) {
        if !self.sends() {
            return;
        }
        let message = &self.actor.message;
        let _ = writeln!(
            out,
            "fn ring_refuse() -> bool {{ atomicAdd(&ring_counts[ring_self * {LINE}u + 1u], 1u); return false; }}
fn ring_send(ring_to: u32, ring_m: {}) -> bool {{
  if ring_to >= ring_shape.actors {{ return ring_refuse(); }}
  var ring_value = ring_m;
  var ring_words: array<u32, ring_payload_in>;",
            message.name
        );
        Parts { out, depth: 0 }.encode(message, "ring_value", "ring_words", "");
        // From here on without loops, at which a handler may be stopped: a message is sent as a whole or not at all.
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
  let ring_lap = ring_phase(ring_ticket) << 31u;
  var ring_highest = ring_lap;"
        );
        for word in 0..self.format.message {
            let place = HEAD + word;
            let _ = writeln!(
                out,
                "  ring_highest |= (ring_words[{word}u] >> 31u) << {word}u;
  atomicStore(&ring_mail[ring_place + {place}u], (ring_words[{word}u] & 0x7fffffffu) | ring_lap);"
            );
        }
        let _ = writeln!(
            out,
            "  atomicStore(&ring_mail[ring_place + 1u], ring_highest);
  atomicStore(&ring_mail[ring_place], ring_lap);
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
        // From here on without loops, as for a message to an actor.
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
  let ring_lap = ring_phase(ring_ticket) << 31u;
  var ring_highest = ring_lap;",
            head = 1 + line,
            last = MARKED - 1,
            stride = stride(words),
        );
        for word in 0..words {
            let place = HEAD + word;
            let _ = writeln!(
                out,
                "  ring_highest |= (ring_words[{word}u] >> 31u) << {word}u;
  atomicStore(&ring_emitted[ring_place + {place}u], (ring_words[{word}u] & 0x7fffffffu) | ring_lap);"
            );
        }
        let _ = writeln!(
            out,
            "  atomicStore(&ring_emitted[ring_place + 1u], ring_highest);
  atomicStore(&ring_emitted[ring_place], ring_lap);
  atomicAdd(&ring_emitted[ring_marks + ring_self / {MARKED}u], 1u);
  return true;
}}"
        );
    }
}
