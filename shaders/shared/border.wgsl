// Rules for elements outside an image, with SciPy's names.

// One of the constants below.
override border: u32 = 0u;

// d c b a | a b c d | d c b a
const reflect = 0u;
// d c b | a b c d | c b a
const mirror = 1u;
// a a a | a b c d | d d d
const nearest = 2u;
// b c d | a b c d | a b c
const wrap = 3u;
// A constant value in place of all elements outside.
const constant = 4u;

// Returns the position in an axis for a place that may be outside; `extent` if there is no such position.
fn inside(place: i32, extent: i32) -> i32 {
    if place >= 0 && place < extent {
        return place;
    }
    if border == constant {
        return extent;
    }
    if border == nearest {
        return clamp(place, 0, extent - 1);
    }
    var period = extent;
    if border == reflect {
        period = 2 * extent;
    } else if border == mirror {
        period = max(2 * extent - 2, 1);
    }
    var rest = place % period;
    rest += select(0, period, rest < 0);
    if border == reflect {
        return min(rest, period - 1 - rest);
    }
    if border == mirror {
        return min(rest, period - rest);
    }
    return rest;
}
