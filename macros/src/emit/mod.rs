//! The Rust module that a description becomes.

mod entries;
mod overrides;
mod structs;

use proc_macro2::TokenStream;
use quote::quote;

use crate::describe::{Description, Entry};
use crate::input::{Input, Text};
use crate::names::{Names, camel_case};
use crate::read::{Imported, Reading};
use crate::refusal::Refusal;

/// The whole module.
///
/// # Errors
/// Names that Rust cannot have, or that two things would have.
pub(crate) fn module(input: &Input, reading: &Reading, description: &Description) -> Result<TokenStream, Refusal> {
    let mut names = Names::default();
    let source = source(input, reading, &mut names)?;
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
fn source(input: &Input, reading: &Reading, names: &mut Names) -> Result<TokenStream, Refusal> {
    let function = names.add_function("source", "the function that the macro makes for the text".to_owned())?;
    let (text, file) = match &input.text {
        Text::File(path) => (included(&path.value()), path.value()),
        Text::Inline(text) => (quote!(#text), input.name.to_string()),
    };
    let wgsl = if reading.imported.is_empty() {
        quote!(::anywarp::Wgsl::new(#text))
    } else {
        let at = &reading.at;
        let modules = reading.imported.iter().map(|Imported { path, file }| {
            let text = included(file);
            quote!((#path, #file, #text))
        });
        quote!(::anywarp::typed::composed(#text, &[#(#at),*], &[#(#modules),*]))
    };
    let features = input.options.features.iter().map(|(name, on)| quote!(.feature(#name, #on)));
    let elements = input.options.elements.iter().map(|(name, ty)| {
        let ty = if ty == "f16" { quote!(::anywarp::f16) } else { quote!(#ty) };
        quote!(.element::<#ty>(#name))
    });
    Ok(quote! {
        /// The WGSL, for [`Device::kernel`](::anywarp::Device::kernel) and what goes beyond this module.
        pub fn #function() -> ::anywarp::Wgsl<'static> {
            #wgsl.file(#file) #(#features)* #(#elements)*
        }
    })
}

/// The text of a file of the crate, which is built anew when the file has changed.
fn included(file: &str) -> TokenStream {
    let below = format!("/{file}");
    quote!(::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #below)))
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
