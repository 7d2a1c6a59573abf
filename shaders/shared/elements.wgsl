// The elements that are moved, by their size: cells of 4, 8 (`wide`) or 16 bytes (`vectors`), or elements of 8 or 16
// bits in words (`packed`).
@if(vectors && !packed)
alias Cell = vec4<u32>;
@if(wide && !vectors && !packed)
alias Cell = vec2<u32>;
@if(packed || !(wide || vectors))
alias Cell = u32;

@group(0) @binding(1) var<storage> x: array<Cell>;
@if(!packed)
@group(0) @binding(2) var<storage, read_write> y: array<Cell>;
// Several invocations, and several launches, may write parts of one word.
@if(packed)
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;

// The size of a packed element in bits.
@if(packed)
override bits: u32 = 8u;

@if(!packed)
fn load(at: u32) -> Cell {
    return x[at];
}

@if(packed)
fn load(at: u32) -> Cell {
    let each = 32u / bits;
    return extractBits(x[at / each], at % each * bits, bits);
}

@if(!packed)
fn store(at: u32, cell: Cell) {
    y[at] = cell;
}

@if(packed)
fn store(at: u32, cell: Cell) {
    let each = 32u / bits;
    let shift = at % each * bits;
    merge(at / each, cell << shift, (0xffffffffu >> (32u - bits)) << shift);
}

// Replaces the bits of a mask in a word; other invocations may write the other bits at the same time.
@if(packed)
fn merge(word: u32, value: u32, mask: u32) {
    if mask == 0xffffffffu {
        atomicStore(&y[word], value);
    } else if mask != 0u {
        atomicAnd(&y[word], ~mask);
        atomicOr(&y[word], value);
    }
}

// Returns the cell in the first words of a vector.
@if(vectors && !packed)
fn cell_of(words: vec4<u32>) -> Cell {
    return words;
}

@if(wide && !vectors && !packed)
fn cell_of(words: vec4<u32>) -> Cell {
    return words.xy;
}

@if(packed || !(wide || vectors))
fn cell_of(words: vec4<u32>) -> Cell {
    return words.x;
}
