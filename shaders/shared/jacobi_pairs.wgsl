// The rounds of a sweep of rotations: each round has pairs without common members, and a sweep has all pairs.

// The number of members, made even.
fn members(count: u32) -> u32 {
    return count + (count & 1u);
}

// The pair of a number in a round, its smaller member first: the circle method of tournaments. A member that is not less
// than the count pauses.
fn pair_of(count: u32, round: u32, number: u32) -> vec2<u32> {
    let turning = members(count) - 1u;
    var a = 0u;
    if number > 0u {
        a = 1u + (number - 1u + round) % turning;
    }
    let b = 1u + (turning - 1u - number + round) % turning;
    return vec2(min(a, b), max(a, b));
}
