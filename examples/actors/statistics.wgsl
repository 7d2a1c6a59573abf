// Running statistics of a stream of readings, by Welford's method; readings far from the mean are reported.

struct Reading { id: u32, x: f32 }
struct Verdict { id: u32, z: f32, unusual: u32 }
struct Statistics { count: u32, mean: f32, squares: f32, unusual: u32 }

// anywarp:actor
fn score(state: ptr<function, Statistics>, reading: Reading, lane: u32) -> Verdict {
    var s = *state;
    let deviation = sqrt(s.squares / f32(max(s.count, 2u) - 1u));
    var z = 0.0;
    if s.count >= 30u && deviation > 0.0 { z = (reading.x - s.mean) / deviation; }
    let unusual = u32(abs(z) > 4.0);
    s.count += 1u;
    let before = reading.x - s.mean;
    s.mean += before / f32(s.count);
    s.squares += before * (reading.x - s.mean);
    s.unusual += unusual;
    *state = s;
    return Verdict(reading.id, z, unusual);
}
