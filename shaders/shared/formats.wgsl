// The types of a conversion.

// The size of an element in bits, whether it is signed, and the bits of a float's fraction (0 for an integer).
// Expressions of only these overrides are computed in advance, even on branches not taken, and must not overflow.
override from_bits: u32 = 32u;
override from_signed: bool = false;
override from_fraction: u32 = 0u;
override to_bits: u32 = 32u;
override to_signed: bool = false;
override to_fraction: u32 = 0u;
