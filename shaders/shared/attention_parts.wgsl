// The results of parts of the keys: for each row and part the sums of its values, its greatest score and its sum of
// exponentials.
import package::shared::attention_scores::{Part, attention};

@group(0) @binding(7) var<storage, read_write> parts: array<f32>;

// Returns the index of the first number of a part of a row.
fn place_of_part(row: u32, part: u32) -> u32 {
    return (row * attention.parts + part) * (attention.size_of_value + 2u);
}

fn store_part(place: u32, part: Part) {
    parts[place + attention.size_of_value] = part.greatest;
    parts[place + attention.size_of_value + 1u] = part.sum;
}

fn part_at(place: u32) -> Part {
    return Part(parts[place + attention.size_of_value], parts[place + attention.size_of_value + 1u]);
}
