//! The features that conditions in the shaders of this repository name.

/// All of them, in files below `shaders/`.
const NAMES: [&str; 6] = ["packed", "rows", "split", "vectors", "weighted", "wide"];

/// Each choice of the features, as a list of names and whether each is on: first with all off, last with all on.
pub fn choices() -> impl Iterator<Item = Vec<(String, bool)>> {
    (0..1u32 << NAMES.len()).map(|choice| {
        let on = |at: usize| choice >> at & 1 == 1;
        NAMES.iter().enumerate().map(|(at, name)| ((*name).to_owned(), on(at))).collect()
    })
}
