// A stream of readings, scored by an actor for each sensor, by Welford's method. Actor 0 has no sensor: the others send it
// the readings that are far from their mean.

struct Reading { sensor: u32, number: u32, x: f32 }
struct Score { count: u32, mean: f32, squares: f32, refused: u32 }

// anywarp:send
fn alert(to: u32, reading: Reading) -> bool { return false; }

// anywarp:actor
fn score(state: ptr<function, Score>, reading: Reading, lane: u32) {
    (*state).count += 1u;
    if reading.sensor == 0u { return; }
    var s = *state;
    let deviation = sqrt(s.squares / f32(max(s.count, 3u) - 2u));
    if s.count > 30u && abs(reading.x - s.mean) > 6.0 * deviation {
        // The receiver finds its own sensor in the message. An alert that has no room is counted, not lost silently.
        if !alert(0u, Reading(0u, reading.number, reading.x)) { s.refused += 1u; }
    }
    let before = reading.x - s.mean;
    s.mean += before / f32(s.count);
    s.squares += before * (reading.x - s.mean);
    *state = s;
}
