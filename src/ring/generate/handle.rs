//! The statements that handle the messages of a row, in `ring_in`, and leave the replies in `ring_reply`.

use std::fmt::Write;

use super::parts::Parts;
use super::{Kernel, Kind};
use crate::ring::slot::head;

/// The words of a message up to which it is loaded before the one before is handled.
const LOADED_AHEAD: usize = 8;

impl Kernel<'_> {
    /// The index in `ring_in` of the payload of the message of a row, as an expression.
    fn payload(&self, row: &str) -> String {
        match (self.is_short(), row) {
            (true, "0u") => "0u".to_owned(),
            (true, _) => format!("{row} * ring_payload_in"),
            (false, "0u") => format!("{}u", head(self.format.message)),
            (false, _) => format!("{row} * ring_words_in + {}u", head(self.format.message)),
        }
    }

    /// The header of the first message of a row, as an expression on lane 0.
    fn header(&self) -> &'static str {
        if self.is_short() { "(found0_0 & 0x7fffffffu)" } else { "(ring_in[0] & 0x7fffffffu)" }
    }

    /// The statements that write the replies of a row: those of all invocations, or of each one for its own messages.
    fn replies(&self, out: &mut String, beside: bool) {
        if self.is_short() {
            if !beside {
                let _ = writeln!(out, "        workgroupBarrier();");
            }
            return self.short_replies(out);
        }
        let _ = writeln!(out, "        workgroupBarrier();");
        self.wide_replies(out, "next", self.window());
    }

    /// The statements that handle messages one after the other on one lane, and write their replies together. Short
    /// messages are loaded while the one before is handled.
    pub(super) fn handle_rows(&self, out: &mut String, kind: &Kind<'_>) {
        let suffix = &kind.suffix;
        let ahead = self.window() > 1 && self.format.message <= LOADED_AHEAD;
        let from = self.payload("row");
        let (first, message, next) = if ahead {
            let after = self.payload(&format!("min(row + 1u, {}u)", self.window() - 1));
            (
                format!("            var ahead = ring_message{suffix}({});\n", self.payload("0u")),
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
            let header = {};",
            self.header()
        );
        self.own(out, kind, &from);
        let _ = writeln!(out, "          }}\n        }}");
        self.replies(out, false);
    }

    /// The statements that handle messages side by side, each on an invocation of its own.
    pub(super) fn handle_beside(&self, out: &mut String, kind: &Kind<'_>) {
        let from = self.payload("row");
        let _ = writeln!(
            out,
            "      let first = 0u;
        for (var row = lane; row < next; row += {}u) {{
          let at = row * ring_payload_out;
          if alone == 0u {{",
            self.shape.invocations
        );
        self.call(out, kind, "0u", &format!("ring_message{}({from})", kind.suffix), "at");
        let _ = writeln!(out, "          }} else {{\n            let header = {};", self.header());
        self.own(out, kind, &from);
        let _ = writeln!(out, "          }}\n        }}");
        self.replies(out, true);
    }

    /// The statements that handle messages one after the other on several lanes.
    pub(super) fn handle_each(&self, out: &mut String, kind: &Kind<'_>) {
        let _ = writeln!(
            out,
            "      for (var first = 0u; first < next; first++) {{
        let header = workgroupUniformLoad(&ring_in[first * ring_words_in]) & 0x7fffffffu;
        let at = 0u;
        if (header & 3u) == 0u {{"
        );
        let some = self.shape.lanes < self.shape.invocations;
        if some {
            let _ = writeln!(out, "        if lane < {}u {{", self.shape.lanes);
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
        if self.shape.marks {
            // All lanes have come to the end of the handler.
            let _ =
                writeln!(out, "        if lane == 0u && (header & 3u) == 0u {{\n{}        }}", self.mark("3u + queue"));
        }
        self.wide_replies(out, "1u", 1);
        let _ = writeln!(out, "        workgroupBarrier();\n      }}");
    }

    /// The copy of lane 0's state, from which the other lanes take theirs.
    pub(super) fn shared_states(&self, out: &mut String) {
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
}
