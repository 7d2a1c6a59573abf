//! `Debug` of errors.

/// Makes `Debug` of error types show what `Display` does.
///
/// A `main` that returns an error prints it by `Debug`: the derived `Debug` would show names of fields, and a
/// diagnostic of several lines as one line.
///
/// ```
/// struct Full(u32);
///
/// impl std::fmt::Display for Full {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "there is no room for {}", self.0)
///     }
/// }
///
/// anywarp_backend::debug_as_display!(Full);
///
/// assert_eq!(format!("{:?}", Full(3)), "there is no room for 3");
/// ```
#[macro_export]
macro_rules! debug_as_display {
    ($($error:ty),+ $(,)?) => {$(
        impl ::core::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }
    )+};
}
