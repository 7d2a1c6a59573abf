// The order of a scan.

// From the last element to the first.
override reverse: bool = false;
// Each result excludes the element itself.
override exclusive: bool = false;
