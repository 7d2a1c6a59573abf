// The class of each row, given as integers of 32 or 64 bits, and the weight of each class.
import package::shared::rows::rows;

struct Targets {
    // The number of classes.
    classes: u32,
    // The index of the first word of the targets in the binding, the number of words of a target, 1 if it is signed.
    first: u32,
    words: u32,
    signs: u32,
    // The target of rows that do not count, low word and high word, and 1 if there is such a target.
    ignored_low: u32,
    ignored_high: u32,
    ignores: u32,
    // The index of the first weight in its binding, and of the first loss (or factor or derivative) of a row in its
    // binding.
    first_of_weights: u32,
    first_of_numbers: u32,
}

override has_weights: bool = false;

@group(0) @binding(4) var<storage> targets: array<u32>;
@group(0) @binding(5) var<storage> weights: array<f32>;
@group(0) @binding(6) var<uniform> how: Targets;

// The class of a row, and the factor of its loss: 0 for a row that does not count, NaN for a class that does not exist.
// Both cases also have flags, as comparisons of NaN have no defined results.
struct Target {
    class_: u32,
    factor: f32,
    counts: bool,
    exists: bool,
}

fn target_of(row: u32) -> Target {
    let at = how.first + row * how.words;
    let low = targets[at];
    var high = select(0u, 0xffffffffu, how.signs != 0u && (low >> 31u) != 0u);
    if how.words == 2u {
        high = targets[at + 1u];
    }
    if how.ignores != 0u && low == how.ignored_low && high == how.ignored_high {
        return Target(0u, 0.0, false, true);
    }
    if high != 0u || low >= how.classes {
        return Target(0u, bitcast<f32>(rows.infinity | 0x400000u), true, false);
    }
    if has_weights {
        return Target(low, weights[how.first_of_weights + low], true, true);
    }
    return Target(low, 1.0, true, true);
}
