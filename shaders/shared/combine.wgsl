// Operations on two numbers of up to 32 bits, given by their bits. Numbers can be combined in any order.
import package::shared::halves::{rounded, unpacked};

// The kind of type: 0 unsigned, 1 signed, 2 floating-point; and its size in bits: 8, 16 or 32.
override kind: u32 = 0u;
override bits: u32 = 32u;
// The operation: 0 sum, 1 product, 2 minimum, 3 maximum.
override operation: u32 = 0u;

// Returns an element, given in the lower bits of a word, as a number of 32 bits with the same value.
fn widened(element: u32) -> u32 {
    if bits == 32u {
        return element;
    }
    if kind == 2u {
        return bitcast<u32>(unpacked(element).x);
    }
    let above = 32u - min(bits, 32u);
    if kind == 1u {
        return bitcast<u32>(bitcast<i32>(element << above) >> above);
    }
    return element << above >> above;
}

// Returns the bits of the element nearest to a float. An integer is returned unchanged; only its lower bits are the
// element.
fn narrowed(number: u32) -> u32 {
    if bits == 32u || kind != 2u {
        return number;
    }
    return rounded(vec4(bitcast<f32>(number))).x;
}

fn combined(a: u32, b: u32) -> u32 {
    if operation >= 2u {
        return extreme(a, b);
    }
    if kind == 2u {
        let x = bitcast<f32>(a);
        let y = bitcast<f32>(b);
        if operation == 0u {
            return bitcast<u32>(x + y);
        }
        return bitcast<u32>(x * y);
    }
    // The low words of signed and unsigned results are the same.
    if operation == 0u {
        return a + b;
    }
    return a * b;
}

fn is_nan(a: u32) -> bool {
    return (a & 0x7fffffffu) > 0x7f800000u;
}

// Returns a number whose order as an unsigned integer is the order of the values; -0 is below 0.
fn ordered(a: u32) -> u32 {
    if kind == 0u {
        return a;
    }
    let negative = (a >> 31u) != 0u;
    if kind == 2u && negative {
        return ~a;
    }
    return a ^ 0x80000000u;
}

// Returns the minimum or maximum. If either number is NaN, so is the result, with the same bits in any order.
fn extreme(a: u32, b: u32) -> u32 {
    if kind == 2u && (is_nan(a) || is_nan(b)) {
        return 0x7fc00000u;
    }
    let first = (ordered(a) <= ordered(b)) == (operation == 2u);
    return select(b, a, first);
}
