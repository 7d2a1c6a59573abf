//! The Rust module that a description becomes.

mod entries;
mod overrides;
mod structs;

use proc_macro2::TokenStream;
use quote::quote;

use crate::describe::{Description, Entry};
use crate::input::{Input, Text};
use crate::names::{Names, camel_case};
use crate::refusal::Refusal;

/// The whole module.
///
/// # Errors
/// Names that Rust cannot have, or that two things would have.
pub(crate) fn module(input: &Input, description: &Description) -> Result<TokenStream, Refusal> {
    let mut names = Names::default();
    let source = source(input, &mut names)?;
    let structs = structs::structs(description, &mut names)?;
    let overrides = overrides::overrides(description, &mut names)?;
    let entries = entries::entries(description, &mut names)?;
    let Input { attributes, visibility, name, .. } = input;
    let about = match &input.text {
        Text::File(path) => format!(" Kernels of `{}`.", path.value()),
        Text::Inline(_) => " Kernels in WGSL.".to_owned(),
    };
    let docs = lines(&about, &description.docs);
    Ok(quote! {
        #attributes
        #docs
        #[allow(dead_code, non_snake_case, non_camel_case_types, clippy::all, clippy::pedantic)]
        #visibility mod #name {
            #source
            #structs
            #overrides
            #entries
        }
    })
}

/// The function that hands out the text.
fn source(input: &Input, names: &mut Names) -> Result<TokenStream, Refusal> {
    let function = names.add_function("source", "the function that the macro makes for the text".to_owned())?;
    let (text, file) = match &input.text {
        Text::File(path) => {
            let (file, below) = (path.value(), format!("/{}", path.value()));
            // So that the crate is built anew when the file has changed.
            let text = quote!(::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #below)));
            (text, file)
        }
        Text::Inline(text) => (quote!(#text), input.name.to_string()),
    };
    Ok(quote! {
        /// The WGSL, for [`Device::kernel`](::anywarp::Device::kernel) and what goes beyond this module.
        pub fn #function() -> ::anywarp::Wgsl<'static> {
            ::anywarp::Wgsl::new(#text).file(#file)
        }
    })
}

/// What the kernel of an entry point, and what it is launched with, are called.
struct Called {
    function: String,
    kernel: String,
    arguments: String,
}

impl Called {
    fn of(entry: &Entry) -> Self {
        let kernel = camel_case(&entry.name);
        Self { function: entry.name.clone(), arguments: format!("{kernel}Args"), kernel }
    }
}

/// Doc comments: one line on what it is, then what the author says.
fn lines(first: &str, more: &[String]) -> TokenStream {
    if more.is_empty() {
        return quote!(#[doc = #first]);
    }
    quote!(#[doc = #first] #[doc = ""] #(#[doc = #more])*)
}

/// Doc comments: what the author says, or else `otherwise`.
fn lines_or(otherwise: &str, said: &[String]) -> TokenStream {
    if said.is_empty() { quote!(#[doc = #otherwise]) } else { quote!(#(#[doc = #said])*) }
}
