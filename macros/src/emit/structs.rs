//! The Rust structs that host and device share.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::lines_or;
use crate::describe::{Description, Struct};
use crate::layout::{Slot, equal, slots, value_type};
use crate::names::{Names, ident};
use crate::refusal::Refusal;

/// The definitions of all structs of the description.
pub(super) fn structs(description: &Description, names: &mut Names) -> Result<TokenStream, Refusal> {
    let mut tokens = TokenStream::new();
    for described in &description.structs {
        let name = names.add_type(&described.name, format!("the struct '{}'", described.name))?;
        tokens.extend(one(&name, described)?);
    }
    Ok(tokens)
}

fn one(name: &Ident, described: &Struct) -> Result<TokenStream, Refusal> {
    let members = &described.members;
    let fields = members.iter().map(|member| ident(&member.name)).collect::<Result<Vec<_>, _>>()?;
    let types = members.iter().map(|member| value_type(&member.layout)).collect::<Result<Vec<_>, _>>()?;
    let places = members.iter().map(|member| (member.offset, member.layout.size));
    let slots = slots(places, described.size);

    let (mut declared, mut made, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for slot in &slots {
        match slot {
            Slot::Member(index) => {
                let (field, ty, member) = (&fields[*index], &types[*index], &members[*index]);
                let otherwise = format!(" `{}` at byte {}.", member.layout.name, member.offset);
                let docs = lines_or(&otherwise, &member.docs);
                declared.push(quote!(#docs pub #field: #ty));
                made.push(quote!(#field));
                all.push(field.clone());
            }
            Slot::Padding(bytes) => {
                let field = padding_name(&all, &fields);
                let bytes = Literal::u32_unsuffixed(*bytes);
                declared.push(quote!(#[doc(hidden)] pub #field: [u8; #bytes]));
                made.push(quote!(#field: [0; #bytes]));
                all.push(field);
            }
        }
    }

    let docs = lines_or(&format!(" The struct `{}`, as in the WGSL.", described.name), &described.docs);
    let size = Literal::u32_unsuffixed(described.size);
    let offsets = members.iter().map(|member| Literal::u32_unsuffixed(member.offset));
    let shown = members.iter().map(|member| &member.name);
    let compared = members
        .iter()
        .zip(&fields)
        .map(|(member, field)| equal(&member.layout, quote!(self.#field), quote!(other.#field)));
    Ok(quote! {
        #docs
        #[repr(C)]
        #[derive(Clone, Copy, ::anywarp::typed::bytemuck::Pod, ::anywarp::typed::bytemuck::Zeroable)]
        #[bytemuck(crate = "::anywarp::typed::bytemuck")]
        pub struct #name {
            #(#declared),*
        }
        const _: () = {
            ::core::assert!(::core::mem::size_of::<#name>() == #size);
            #(::core::assert!(::core::mem::offset_of!(#name, #fields) == #offsets);)*
        };
        ::anywarp::element!(#name { #(#all),* });
        impl #name {
            /// Takes all members; padding bytes are zero.
            pub const fn new(#(#fields: #types),*) -> Self {
                Self { #(#made),* }
            }
        }
        impl ::core::default::Default for #name {
            fn default() -> Self {
                ::anywarp::typed::bytemuck::Zeroable::zeroed()
            }
        }
        impl ::core::cmp::PartialEq for #name {
            fn eq(&self, other: &Self) -> bool {
                #(#compared)&&*
            }
        }
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(::core::stringify!(#name)) #(.field(#shown, &self.#fields))* .finish()
            }
        }
    })
}

/// The first of the names `_pad0`, `_pad1`, .. that no field has.
fn padding_name(taken: &[Ident], members: &[Ident]) -> Ident {
    let mut number = 0;
    loop {
        let name = format_ident!("_pad{number}");
        if !taken.contains(&name) && !members.contains(&name) {
            return name;
        }
        number += 1;
    }
}
