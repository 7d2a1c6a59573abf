//! The rows, the table that is printed at the end, and the file of `--json`.

use std::io::Write;
use std::path::Path;

use crate::shared::Outcome;

/// The goal for the ratio of a row: ours / raw.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    None,
}

/// One line of the table. Missing numbers are NaN.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) ours: f64,
    pub(crate) raw: f64,
    /// The ratio ours / raw, the median over the pairs.
    pub(crate) ratio: f64,
    pub(crate) goal: Goal,
    /// The value for anywarp on the GPU's Vulkan driver.
    pub(crate) vulkan: f64,
    pub(crate) note: String,
}

impl Row {
    fn met(&self) -> Option<bool> {
        match self.goal {
            Goal::AtMost(most) => Some(self.ratio <= most),
            Goal::AtLeast(least) => Some(self.ratio >= least),
            Goal::None => None,
        }
    }

    fn cells(&self) -> [String; 8] {
        let number = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.2} {}", self.unit) };
        let ratio = if self.ratio.is_nan() { "-".to_owned() } else { format!("{:.3}", self.ratio) };
        let goal = match self.goal {
            Goal::AtMost(most) => format!("<= {most}"),
            Goal::AtLeast(least) => format!(">= {least}"),
            Goal::None => "-".to_owned(),
        };
        let met = self.met().map_or("-", |met| if met { "met" } else { "missed" }).to_owned();
        let (name, note) = (self.name.clone(), self.note.clone());
        [name, number(self.ours), number(self.raw), ratio, goal, met, number(self.vulkan), note]
    }

    fn json(&self) -> serde_json::Value {
        let number = |value: f64| if value.is_finite() { value.into() } else { serde_json::Value::Null };
        serde_json::json!({
            "name": self.name, "unit": self.unit, "ours": number(self.ours), "raw": number(self.raw),
            "ratio": number(self.ratio), "met": self.met(), "vulkan": number(self.vulkan), "note": self.note,
        })
    }
}

/// Prints the rows as a table.
pub(crate) fn print(rows: &[Row]) {
    let head = ["name", "ours", "raw", "ratio", "goal", "met", "vulkan", "note"].map(str::to_owned);
    let lines: Vec<[String; 8]> = std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let widths: [usize; 8] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0));
    for line in &lines {
        let [name, ours, raw, ratio, goal, met, vulkan, note] = line;
        let numbers: String = [ours, raw, ratio, goal, met, vulkan]
            .into_iter()
            .zip(&widths[1..])
            .map(|(cell, width)| format!("  {cell:>width$}", width = *width))
            .collect();
        println!("{}", format!("{name:<width$}{numbers}  {note}", width = widths[0]).trim_end());
    }
}

/// Writes each row as a JSON object on a line of its own.
pub(crate) fn write(file: &Path, rows: &[Row]) -> Outcome<()> {
    let mut file = std::fs::File::create(file)?;
    for row in rows {
        writeln!(file, "{}", row.json())?;
    }
    Ok(())
}
