//! Kernels of the fake driver.

/// A test kernel: its image, the lengths of its parameters, and its function.
pub(super) type Fake = (&'static str, &'static [usize], fn(&[Vec<u8>]) -> bool);

/// Adds a number to a range of words.
fn add(parameters: &[Vec<u8>]) -> bool {
    let (count, value) = (word(&parameters[1], 0), word(&parameters[2], 0));
    for index in 0..count {
        let place = std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[0]) as usize + index as usize * 4);
        // SAFETY: the test has bound at least `count` words.
        unsafe { place.write(place.read().wrapping_add(value)) };
    }
    true
}

/// Writes a status record if the first word of its memory is 7.
fn stop(parameters: &[Vec<u8>]) -> bool {
    let memory = std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[0]) as usize);
    let record = std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[1]) as usize);
    // SAFETY: the test has bound the memory; the runtime passes a valid record.
    unsafe {
        if memory.read() == 7 && record.read() == 0 {
            record.write(word(&parameters[1], 8));
            record.add(1).write(42);
        }
    }
    true
}

/// Replaces each word of a range by a mix of the word, of a word of another range, and of a number.
fn mix(parameters: &[Vec<u8>]) -> bool {
    let (count, value) = (word(&parameters[3], 0).min(word(&parameters[1], 0)), word(&parameters[4], 0));
    let place = |at: usize, index: usize| {
        std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[at]) as usize + index * 4)
    };
    for index in 0..count as usize {
        // SAFETY: both bindings of the test have at least `count` words.
        unsafe {
            let mixed = place(2, index).read().rotate_left(5) ^ place(0, index).read().wrapping_mul(0x9e37_79b1);
            place(2, index).write(mixed.wrapping_add(value));
        }
    }
    true
}

fn crash(_: &[Vec<u8>]) -> bool {
    false
}

pub(super) const KERNELS: &[Fake] =
    &[("add", &[8, 4, 4], add), ("mix", &[8, 4, 8, 4, 4], mix), ("stop", &[8, 16], stop), ("crash", &[], crash)];

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn long(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}
