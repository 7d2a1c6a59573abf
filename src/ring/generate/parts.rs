//! Statements that move the words of a value between a variable and an array.

use std::fmt::Write;

use anywarp_backend::{Layout, Shape};

/// Writes statements that move the words of a type, part by part.
pub(super) struct Parts<'a> {
    pub(super) out: &'a mut String,
    /// The number of loops around the statement.
    pub(super) depth: usize,
}

/// Arrays up to this length are written out; longer ones become loops.
const UNROLLED: u32 = 4;

impl Parts<'_> {
    /// Loads `path` from the words of `array` from the expression `at` on; empty stands for 0.
    pub(super) fn decode(&mut self, layout: &Layout, path: &str, array: &str, at: &str) {
        self.each(layout, path, at, 0, &mut |out, path, scalar, index| {
            let value = format!("{array}[{index}]");
            let _ = match scalar {
                "u32" => writeln!(out, "        {path} = {value};"),
                _ => writeln!(out, "        {path} = bitcast<{scalar}>({value});"),
            };
        });
    }

    /// Stores `path` to the words of `array` from the expression `at` on.
    pub(super) fn encode(&mut self, layout: &Layout, path: &str, array: &str, at: &str) {
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
