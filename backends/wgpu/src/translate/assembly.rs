//! SPIR-V as assembly text, with the program's own names.

use std::collections::{HashMap, HashSet};

use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::Op;

/// Returns the assembly text of a SPIR-V module.
pub(super) fn text(words: &[u32]) -> Result<String, String> {
    let mut module = rspirv::dr::load_words(words).map_err(|error| format!("the SPIR-V cannot be read: {error}"))?;
    tidy(&mut module);
    let names = names(&module);
    let halves = half_constants(&module);
    let mut text = String::new();
    for line in module.disassemble().lines() {
        write_line(&mut text, line, &names, &halves);
    }
    Ok(text)
}

/// Removes the source's text, and line instructions that apply to no instruction.
fn tidy(module: &mut Module) {
    let code = |instruction: &Instruction| instruction.class.opcode;
    module.debug_string_source.retain(|instruction| code(instruction) != Op::SourceContinued);
    for source in module.debug_string_source.iter_mut().filter(|instruction| code(instruction) == Op::Source) {
        source.operands.retain(|operand| !matches!(operand, Operand::LiteralString(_)));
    }
    module.types_global_values.retain(|instruction| !matches!(code(instruction), Op::Line | Op::NoLine));
    // naga gives instructions without a span the position of the first character.
    let nowhere = [Operand::LiteralBit32(1), Operand::LiteralBit32(1)];
    let known = |instruction: &Instruction| code(instruction) != Op::Line || !instruction.operands.ends_with(&nowhere);
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instructions.retain(known);
    }
}

/// A unique name for each id that has a name in the module.
fn names(module: &Module) -> HashMap<u32, String> {
    let mut taken = HashSet::new();
    let mut names = HashMap::new();
    for instruction in &module.debug_names {
        let [Operand::IdRef(id), Operand::LiteralString(name)] = instruction.operands.as_slice() else { continue };
        let legal = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut name: String = name.chars().map(legal).collect();
        // A name that begins with a digit could equal another id's number.
        if name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) || !taken.insert(name.clone()) {
            name = format!("{name}_{id}");
            taken.insert(name.clone());
        }
        names.insert(*id, name);
    }
    names
}

/// The values of `f16` constants, which the disassembler prints as bits of an `f32`.
fn half_constants(module: &Module) -> HashMap<u32, String> {
    let globals = || module.types_global_values.iter();
    let half = |instruction: &&Instruction| {
        instruction.class.opcode == Op::TypeFloat && instruction.operands.first() == Some(&Operand::LiteralBit32(16))
    };
    let halves: HashSet<u32> = globals().filter(half).filter_map(|instruction| instruction.result_id).collect();
    let constants = globals().filter(|instruction| {
        instruction.class.opcode == Op::Constant && instruction.result_type.is_some_and(|ty| halves.contains(&ty))
    });
    constants
        .filter_map(|instruction| match (instruction.result_id, instruction.operands.first()) {
            (Some(id), Some(Operand::LiteralBit32(bits))) => Some((id, of_half(*bits))),
            _ => None,
        })
        .collect()
}

/// The text of the `f16` with these bits.
fn of_half(bits: u32) -> String {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10 & 0x1f) as i32, (bits & 0x3ff) as f32);
    match exponent {
        0 => (sign * fraction * 2f32.powi(-24)).to_string(),
        0x1f => format!("0x{bits:04x}"),
        _ => (sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15)).to_string(),
    }
}

/// The column at which operations begin; results are to its left.
const INDENT: usize = 24;

fn write_line(text: &mut String, line: &str, names: &HashMap<u32, String>, halves: &HashMap<u32, String>) {
    if line.starts_with(';') {
        // The disassembler names rspirv as the generator, because naga has the same generator number.
        text.push_str(&line.replace("Generator: rspirv", "Generator: naga"));
        text.push('\n');
        return;
    }
    let line = match result_of(line).and_then(|id| halves.get(&id)) {
        // The value is the last word of the line.
        Some(value) => format!("{} {value}", line.rsplit_once(' ').map_or(line, |(before, _)| before)),
        None => line.to_owned(),
    };
    let line = named(&line, names);
    match line.split_once(" = ").filter(|(result, _)| result.starts_with('%')) {
        Some((result, operation)) => text.push_str(&format!("{result:>width$} = {operation}\n", width = INDENT - 3)),
        None => text.push_str(&format!("{:INDENT$}{line}\n", "")),
    }
}

/// The id of the result: 7 for `%7 = ...`.
fn result_of(line: &str) -> Option<u32> {
    line.strip_prefix('%')?.split_once(" = ")?.0.parse().ok()
}

/// Returns the line with names for ids and single spaces, except in strings.
fn named(line: &str, names: &HashMap<u32, String>) -> String {
    let mut text = String::with_capacity(line.len());
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' if quoted => {
                text.push(letter);
                text.extend(letters.next());
                continue;
            }
            ' ' if !quoted && text.ends_with(' ') => continue,
            '%' if !quoted => {
                let mut digits = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                let name = digits.parse().ok().and_then(|id: u32| names.get(&id));
                text.push('%');
                text.push_str(name.unwrap_or(&digits));
                continue;
            }
            _ => {}
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_names_but_not_in_strings() {
        let names = HashMap::from([(7, "y".to_owned())]);
        assert_eq!(named(r#"%7 = OpLoad  %8  %7 "%7  \" %7""#, &names), r#"%y = OpLoad %8 %y "%7  \" %7""#);
    }

    #[test]
    fn halves_are_told_from_their_bits() {
        for (bits, value) in [(0x3c00, "1"), (0xc000, "-2"), (0x0001, "0.000000059604645"), (0x7c00, "0x7c00")] {
            assert_eq!(of_half(bits), value);
        }
    }
}
