// The operation of a scan, and its types: here the sum of u32. The operator replaces this file.

// The type of an element in memory, and of a combined value.
alias T = u32;
alias A = u32;

// The number of elements of a tile for each invocation: odd, so that invocations begin in different memory banks.
const items = 13u;

fn identity() -> A {
    return 0u;
}

fn combined(a: A, b: A) -> A {
    return a + b;
}

fn loaded(x: T) -> A {
    return x;
}

fn stored(a: A) -> T {
    return a;
}

// The conversions of a combined value of four bytes to a word, and back.
fn bits(a: A) -> u32 {
    return a;
}

fn value(word: u32) -> A {
    return word;
}
