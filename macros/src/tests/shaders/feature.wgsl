@if(fast) const lanes = 8;
@else const lanes = 4;
@compute @workgroup_size(lanes) fn main() {}
