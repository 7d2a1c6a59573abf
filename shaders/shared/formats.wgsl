// The types of a conversion.

// The bits of an element, whether it is signed, and the bits of the fraction of a float; 0 for an integer. Expressions of
// these alone are computed in advance, also on branches that are not taken, and must not overflow.
override from_bits: u32 = 32u;
override from_signed: bool = false;
override from_fraction: u32 = 0u;
override to_bits: u32 = 32u;
override to_signed: bool = false;
override to_fraction: u32 = 0u;
