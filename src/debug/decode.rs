//! The decoding of debug memory into lines.

use half::f16;
use naga::{Scalar, ScalarKind};

use super::memory::{Printers, Sites};
use super::output::{DebugArgument, DebugLine, DebugOutput, DebugValue};
use super::record::{BUFFER_HEADER, Parameter, RECORD_HEADER};

/// Decodes the records that `printers` wrote.
pub(super) fn decode(bytes: &[u8], printers: &Printers) -> DebugOutput {
    let word = |index: usize| bytes.as_chunks::<4>().0.get(index).map_or(0, |word| u32::from_le_bytes(*word));
    let dropped = u64::from(word(1));
    let header = BUFFER_HEADER as usize;
    let end = (bytes.len() / 4).min(header.saturating_add(word(0) as usize));
    let mut lines = Vec::new();
    let mut at = header;
    while at < end {
        // After the last complete record the memory is zero.
        let number = word(at);
        let Some((_, sites)) = printers.range(..=number).next_back() else { break };
        let Some(size) = size(sites, number).filter(|size| *size <= end - at) else { break };
        let record: Vec<u32> = (at..at + size).map(word).collect();
        lines.extend(line(sites, &record));
        at += size;
    }
    DebugOutput { lines, dropped }
}

/// The number of words of a record of the site with this number.
fn size(sites: &Sites, number: u32) -> Option<usize> {
    let site = sites.sites.get((number - sites.first) as usize)?;
    Some((RECORD_HEADER + sites.functions.get(site.function)?.words()) as usize)
}

fn line(sites: &Sites, record: &[u32]) -> Option<DebugLine> {
    let [number, x, y, z, ref words @ ..] = *record else { return None };
    let site = sites.sites.get((number - sites.first) as usize)?;
    let function = sites.functions.get(site.function)?;
    let mut words = words.iter().copied();
    let arguments = function.parameters.iter().map(|parameter| {
        let value = value(parameter, &mut words)?;
        Some(DebugArgument { name: parameter.name.clone(), value })
    });
    Some(DebugLine {
        kernel: sites.kernel.clone(),
        file: site.file.clone(),
        line: site.line,
        function: function.name.clone(),
        invocation: [x, y, z],
        arguments: arguments.collect::<Option<_>>()?,
    })
}

fn value(parameter: &Parameter, words: &mut impl Iterator<Item = u32>) -> Option<DebugValue> {
    match parameter.components {
        None => scalar(parameter.scalar, words),
        Some(components) => {
            let components = (0..components).map(|_| scalar(parameter.scalar, words));
            components.collect::<Option<_>>().map(DebugValue::Vector)
        }
    }
}

fn scalar(scalar: Scalar, words: &mut impl Iterator<Item = u32>) -> Option<DebugValue> {
    use ScalarKind::{Bool, Float, Sint, Uint};
    let low = words.next()?;
    if scalar.width == 8 {
        let bits = u64::from(words.next()?) << 32 | u64::from(low);
        return match scalar.kind {
            Sint => Some(DebugValue::I64(bits.cast_signed())),
            Uint => Some(DebugValue::U64(bits)),
            Float => Some(DebugValue::F64(f64::from_bits(bits))),
            _ => None,
        };
    }
    // Scalars smaller than a word were widened to 4 bytes of the same kind.
    Some(match (scalar.kind, scalar.width) {
        (Bool, _) => DebugValue::Bool(low != 0),
        (Sint, 4) => DebugValue::I32(low.cast_signed()),
        (Uint, 4) => DebugValue::U32(low),
        (Float, 4) => DebugValue::F32(f32::from_bits(low)),
        (Sint, 2) => DebugValue::I16(low as i16),
        (Uint, 2) => DebugValue::U16(low as u16),
        (Float, 2) => DebugValue::F16(f16::from_f32(f32::from_bits(low))),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::memory::Site;
    use super::super::record::Signature;
    use super::*;
    use std::sync::Arc;

    fn printers() -> Printers {
        let parameter = |name: &str, scalar, components| Parameter { name: name.to_owned(), scalar, components };
        let function = Signature {
            name: "debug".to_owned(),
            parameters: vec![parameter("a", Scalar::U32, None), parameter("b", Scalar::F16, Some(2))],
        };
        let sites = Sites {
            first: 7,
            kernel: "k.wgsl:main".into(),
            sites: vec![
                Site { file: "k.wgsl".into(), line: 3, function: 0 },
                Site { file: "k.wgsl".into(), line: 5, function: 0 },
            ],
            functions: vec![function],
        };
        Printers::from([(7, Arc::new(sites))])
    }

    fn text(words: &[u32]) -> String {
        decode(bytemuck::cast_slice(words), &printers()).to_string()
    }

    const HALF: u32 = 0x3f00_0000;

    #[test]
    fn records_follow_each_other() {
        let words = [14, 0, 8, 1, 2, 3, 9, HALF, 0, 7, 4, 0, 0, 1, 0, 0];
        assert_eq!(
            text(&words),
            "k.wgsl:5: debug(a = 9, b = vec2(0.5, 0.0)) at [1, 2, 3]\n\
             k.wgsl:3: debug(a = 1, b = vec2(0.0, 0.0)) at [4, 0, 0]\n"
        );
    }

    #[test]
    fn decoding_stops_at_zeros_and_incomplete_records() {
        let dropped = "1 calls were dropped: the debug memory is full (increase ANYWARP_DEBUG_BYTES)\n";
        // The count of words exceeds the memory.
        let line = "k.wgsl:3: debug(a = 1, b = vec2(0.0, 0.0)) at [4, 0, 0]\n";
        assert_eq!(text(&[14, 1, 7, 4, 0, 0, 1, 0, 0, 0, 0]), format!("{line}{dropped}"));
        // An unknown site, an incomplete record, and no memory at all.
        for words in [&[7, 0, 6, 0, 0, 0, 0, 0, 0][..], &[7, 0, 9, 0, 0, 0, 0, 0, 0], &[7, 0, 7, 0, 0, 0, 0, 0], &[]] {
            assert_eq!(text(words), "", "{words:?}");
        }
    }
}
