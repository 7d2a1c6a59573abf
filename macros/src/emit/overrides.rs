//! The struct `Overrides`, with a field for each override.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::describe::Description;
use crate::names::{Names, ident};
use crate::overrides::{Initial, Override};
use crate::refusal::Refusal;

/// Whether every override has a default, so that kernels can be created without override values.
pub(super) fn all_have_values(description: &Description) -> bool {
    description.overrides.iter().all(|item| item.initial != Initial::None)
}

/// The struct `Overrides` and its implementations; empty if there are no overrides.
pub(super) fn overrides(description: &Description, names: &mut Names) -> Result<TokenStream, Refusal> {
    let all = &description.overrides;
    if all.is_empty() {
        return Ok(TokenStream::new());
    }
    let name = names.add_type("Overrides", "the values of the overrides".to_owned())?;
    let fields = all.iter().map(|item| ident(&item.name)).collect::<Result<Vec<_>, _>>()?;
    let declared = all.iter().zip(&fields).map(|(item, field)| {
        let (docs, ty) = (docs(item), rust_type(item));
        if item.initial == Initial::Computed {
            quote!(#[doc = #docs] pub #field: ::core::option::Option<#ty>)
        } else {
            quote!(#[doc = #docs] pub #field: #ty)
        }
    });
    let set = all.iter().zip(&fields).map(|(item, field)| {
        let key = &item.name;
        if item.initial == Initial::Computed {
            let value = as_f64(item, quote!(value));
            quote!(if let ::core::option::Option::Some(value) = self.#field { source = source.set_override(#key, #value); })
        } else {
            let value = as_f64(item, quote!(self.#field));
            quote!(source = source.set_override(#key, #value);)
        }
    });
    let default = all_have_values(description).then(|| {
        let values = all.iter().map(initial);
        quote! {
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #(#fields: #values),* }
                }
            }
        }
    });
    Ok(quote! {
        /// Values of the overrides for one kernel.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct #name {
            #(#declared),*
        }
        impl #name {
            fn of(self, mut source: ::anywarp::Wgsl<'static>) -> ::anywarp::Wgsl<'static> {
                #(#set)*
                source
            }
        }
        #default
    })
}

fn docs(item: &Override) -> String {
    match item.initial {
        Initial::None => format!(" `override {}: {}`; the WGSL has no default.", item.name, item.ty),
        Initial::Value(value) => format!(" `override {}: {}`, {value} unless set.", item.name, item.ty),
        Initial::Computed => format!(" `override {}: {}`, computed from others unless set.", item.name, item.ty),
    }
}

fn rust_type(item: &Override) -> TokenStream {
    match item.ty {
        "f16" => quote!(::anywarp::f16),
        name => {
            let name = quote::format_ident!("{name}");
            quote!(#name)
        }
    }
}

/// Converts a value to `f64`, which represents every value of the supported types exactly.
fn as_f64(item: &Override, value: TokenStream) -> TokenStream {
    match item.ty {
        "bool" => quote!(if #value { 1.0 } else { 0.0 }),
        "f16" => quote!(#value.to_f64()),
        _ => quote!(::core::convert::From::from(#value)),
    }
}

fn initial(item: &Override) -> TokenStream {
    let Initial::Value(value) = item.initial else { return quote!(::core::option::Option::None) };
    // Values that naga has evaluated are finite and in range for the override's type.
    match item.ty {
        "bool" => {
            let value = value != 0.0;
            quote!(#value)
        }
        "i16" | "u16" | "i32" | "u32" => negated(value, |value| Literal::i64_unsuffixed(value as i64)),
        "f16" => {
            let value = negated(value, Literal::f64_unsuffixed);
            quote!(::anywarp::f16::from_f64_const(#value))
        }
        "f32" => negated(value, |value| Literal::f32_unsuffixed(value as f32)),
        _ => negated(value, Literal::f64_unsuffixed),
    }
}

/// A literal token has no sign, so the sign is a separate token.
fn negated(value: f64, literal: impl Fn(f64) -> Literal) -> TokenStream {
    let magnitude = literal(value.abs());
    if value.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
}
