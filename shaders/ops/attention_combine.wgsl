// Attention from parts of the keys: an invocation combines the parts of a result, always in the same order.
import package::shared::attention::store;
import package::shared::attention_scores::{Part, attention, factor_of, least, power};
import package::shared::attention_parts::{part_at, parts, place_of_part};

@compute @workgroup_size(256)
fn combine(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = attention.batches * attention.heads * attention.queries;
    if id.x >= rows * attention.size_of_value {
        return;
    }
    let row = id.x / attention.size_of_value;
    let column = id.x - row * attention.size_of_value;
    var greatest = least();
    for (var at = 0u; at < attention.parts; at++) {
        greatest = max(greatest, part_at(place_of_part(row, at)).greatest);
    }
    var sum = 0.0;
    var value = 0.0;
    for (var at = 0u; at < attention.parts; at++) {
        let place = place_of_part(row, at);
        let part = part_at(place);
        let factor = power(part.greatest, greatest);
        sum += part.sum * factor;
        value += parts[place + column] * factor;
    }
    store(attention.first_of_y + id.x, value * factor_of(Part(greatest, sum)));
}
