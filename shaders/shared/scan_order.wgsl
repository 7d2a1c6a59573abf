// The order of a scan.

// Whether the scan goes from the last element to the first.
override reverse: bool = false;
// Whether each result excludes its own element.
override exclusive: bool = false;
