//! The encoding of messages in Protocol Buffers.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>.

/// The value of one field of a message.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order, each with its number.
///
/// # Errors
/// A truncated message, or a wire type other than numbers and bytes.
pub(super) fn fields(mut message: &[u8]) -> Result<Vec<(u64, Value<'_>)>, String> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message)?;
        let value = match key % 8 {
            0 => Value::Number(varint(&mut message)?),
            1 => Value::Bytes(take(&mut message, 8)?),
            2 => {
                let length = varint(&mut message)?;
                Value::Bytes(take(&mut message, length)?)
            }
            5 => Value::Bytes(take(&mut message, 4)?),
            other => return Err(format!("field {} has the unknown wire type {other}", key / 8)),
        };
        fields.push((key / 8, value));
    }
    Ok(fields)
}

/// The numbers of a repeated field: one, or several that are packed.
///
/// # Errors
/// A truncated number.
pub(super) fn numbers(value: Value<'_>) -> Result<Vec<u64>, String> {
    let mut bytes = match value {
        Value::Number(number) => return Ok(vec![number]),
        Value::Bytes(bytes) => bytes,
    };
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes)?);
    }
    Ok(numbers)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(truncated)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err("a number has more than 64 bits".to_owned())
}

fn take<'a>(bytes: &mut &'a [u8], length: u64) -> Result<&'a [u8], String> {
    let length = usize::try_from(length).map_err(|_| truncated())?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or_else(truncated)?;
    *bytes = rest;
    Ok(taken)
}

fn truncated() -> String {
    "the message is truncated".to_owned()
}
