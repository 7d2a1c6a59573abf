//! Generation of the Rust module from a description.

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

/// The tokens of the whole module.
///
/// # Errors
/// A name that is invalid in Rust, or that two items of the module would have.
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

/// The function `source`, which returns the WGSL.
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
        /// The WGSL, for [`Device::kernel`](::anywarp::Device::kernel) and other uses outside this module.
        pub fn #function() -> ::anywarp::Wgsl<'static> {
            #wgsl.file(#file) #(#features)* #(#elements)*
        }
    })
}

/// An expression that includes the text of a file of the crate, so that the crate is rebuilt when the file changes.
fn included(file: &str) -> TokenStream {
    let below = format!("/{file}");
    quote!(::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #below)))
}

/// The names of an entry point's items: its constructor, its kernel and its arguments.
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

/// The doc comment for an item: a summary line, then the author's comment.
fn lines(first: &str, more: &[String]) -> TokenStream {
    if more.is_empty() {
        return quote!(#[doc = #first]);
    }
    quote!(#[doc = #first] #[doc = ""] #(#[doc = #more])*)
}

/// The doc comment for an item: the author's comment, or else `otherwise`.
fn lines_or(otherwise: &str, said: &[String]) -> TokenStream {
    if said.is_empty() { quote!(#[doc = #otherwise]) } else { quote!(#(#[doc = #said])*) }
}
