//! The Rust items for entry points: constructors, kernels and arguments.

use anywarp_backend::Shape;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::overrides::all_have_values;
use super::{Called, lines, lines_or};
use crate::describe::{Argument, ArgumentKind, Description, Entry};
use crate::layout::{element_type, value_type};
use crate::names::{Names, camel_case, ident};
use crate::refusal::Refusal;

/// The items for all entry points, and the alias `Args` if there is only one.
pub(super) fn entries(description: &Description, names: &mut Names) -> Result<TokenStream, Refusal> {
    let mut tokens = TokenStream::new();
    for entry in &description.entries {
        let called = Called::of(entry);
        tokens.extend(constructors(description, entry, &called, names)?);
        tokens.extend(kernel(entry, &called, names)?);
    }
    tokens.extend(bindings(description)?);
    if let ([entry], false) = (description.entries.as_slice(), names.has_type("Args")) {
        let arguments = ident(&Called::of(entry).arguments)?;
        tokens.extend(quote! {
            #[doc(no_inline)]
            pub use self::#arguments as Args;
        });
    }
    Ok(tokens)
}

/// For each bound variable, a type with the variable's name, so that messages of the Rust compiler contain the name. No
/// WGSL name can clash with the name of the module of these types, because no WGSL name begins with two underscores.
fn bindings(description: &Description) -> Result<Option<TokenStream>, Refusal> {
    let arguments = description.entries.iter().flat_map(|entry| &entry.arguments);
    let bound = arguments.filter(|argument| matches!(argument.kind, ArgumentKind::Reads(_) | ArgumentKind::Writes(_)));
    let mut names: Vec<&str> = bound.map(|argument| argument.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let names = names.into_iter().map(ident).collect::<Result<Vec<_>, _>>()?;
    Ok((!names.is_empty()).then(|| {
        quote! {
            #[doc(hidden)]
            pub mod __bindings {
                #(pub enum #names {})*
            }
        }
    }))
}

fn constructors(
    description: &Description,
    entry: &Entry,
    called: &Called,
    names: &mut Names,
) -> Result<TokenStream, Refusal> {
    let (name, kernel) = (&entry.name, ident(&called.kernel)?);
    let of = format!("the entry point '{name}'");
    let mut tokens = TokenStream::new();
    if all_have_values(description) {
        let function = names.add_function(&called.function, of.clone())?;
        let docs = lines(&format!(" The kernel `{name}` for a device."), &entry.docs);
        tokens.extend(quote! {
            #docs
            pub fn #function(device: &::anywarp::Device) -> ::core::result::Result<#kernel, ::anywarp::KernelError> {
                device.kernel(source().entry(#name)).map(|kernel| #kernel { kernel })
            }
        });
    }
    if !description.overrides.is_empty() {
        let function = names.add_function(&format!("{}_with", called.function), of)?;
        let docs = lines(&format!(" The kernel `{name}` for a device, with values for its overrides."), &entry.docs);
        tokens.extend(quote! {
            #docs
            pub fn #function(
                device: &::anywarp::Device,
                overrides: Overrides,
            ) -> ::core::result::Result<#kernel, ::anywarp::KernelError> {
                device.kernel(overrides.of(source().entry(#name))).map(|kernel| #kernel { kernel })
            }
        });
    }
    Ok(tokens)
}

/// One field of the generated struct of arguments.
struct Taken {
    field: Ident,
    /// The type parameter for the bound value, and the trait that it requires.
    bound: Option<(Ident, TokenStream)>,
    ty: TokenStream,
    docs: TokenStream,
    /// The generated code that passes the field to the launch.
    given: TokenStream,
}

fn kernel(entry: &Entry, called: &Called, names: &mut Names) -> Result<TokenStream, Refusal> {
    let name = names.add_type(&called.kernel, format!("the kernel of the entry point '{}'", entry.name))?;
    let arguments = names.add_type(&called.arguments, format!("the arguments of the entry point '{}'", entry.name))?;
    let mut taken: Vec<Taken> = Vec::new();
    for argument in &entry.arguments {
        let parameter = parameter(argument, &taken, names);
        taken.push(take(argument, parameter)?);
    }
    let parameters: Vec<&Ident> = taken.iter().filter_map(|one| Some(&one.bound.as_ref()?.0)).collect();
    let generics = (!parameters.is_empty()).then(|| quote!(<#(#parameters),*>));
    let bounds = taken.iter().filter_map(|one| one.bound.as_ref().map(|(parameter, bound)| quote!(#parameter: #bound)));
    let declared = taken.iter().map(|Taken { field, ty, docs, .. }| quote!(#docs pub #field: #ty));
    let given = taken.iter().map(|one| &one.given);
    let docs =
        lines(&format!(" The kernel `{}` on one device. A clone is another handle to it.", entry.name), &entry.docs);
    let about = format!(" The arguments of [`{}::launch`].", called.kernel);
    // Without arguments, the launch needs no `mut`, and the struct of arguments is not read.
    let (launch, args) =
        if taken.is_empty() { (quote!(launch), quote!(_)) } else { (quote!(mut launch), quote!(args)) };
    Ok(quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct #name {
            kernel: ::anywarp::Kernel,
        }
        impl #name {
            /// The untyped kernel.
            pub fn kernel(&self) -> &::anywarp::Kernel {
                &self.kernel
            }
            /// Begins a launch; a grid completes it.
            pub fn launch<'a, #(#bounds),*>(&self, #args: #arguments #generics) -> ::anywarp::Launch<'a> {
                let #launch = self.kernel.launch();
                #(#given)*
                launch
            }
        }
        #[doc = #about]
        #[derive(Clone, Copy, Debug)]
        pub struct #arguments #generics {
            #(#declared),*
        }
    })
}

/// The type parameter for the value that is bound to a variable: the variable's name in camel case, or a longer name if
/// another item has that name.
fn parameter(argument: &Argument, taken: &[Taken], names: &Names) -> Ident {
    let mut name = camel_case(&argument.name);
    let used = |name: &str| {
        names.has_type(name) || taken.iter().filter_map(|one| one.bound.as_ref()).any(|(other, _)| other == name)
    };
    while name.is_empty() || used(&name) || name == "Self" {
        name.push_str("Bound");
    }
    format_ident!("{name}")
}

fn take(argument: &Argument, parameter: Ident) -> Result<Taken, Refusal> {
    let field = ident(&argument.name)?;
    let layout = &argument.layout;
    // A variable that is an array is bound to a buffer of elements; any other variable is bound to a buffer of values.
    let element = || match &layout.shape {
        Shape::Array { element, .. } => element_type(element),
        _ => value_type(layout),
    };
    let (what, bound, ty, given) = match argument.kind {
        ArgumentKind::Uniform(slot) => {
            ("uniform", None, value_type(layout)?, quote!(::anywarp::typed::set(&mut launch, #slot, &args.#field);))
        }
        ArgumentKind::Immediate => (
            "immediate",
            None,
            value_type(layout)?,
            quote!(::anywarp::typed::set_immediate(&mut launch, &args.#field);),
        ),
        ArgumentKind::Reads(slot) => {
            let element = element()?;
            let bound = quote!(::anywarp::typed::Reads<'a, #element, __bindings::#field>);
            let given = quote!(::anywarp::typed::bind(&mut launch, #slot, args.#field););
            ("read", Some((parameter.clone(), bound)), quote!(#parameter), given)
        }
        ArgumentKind::Writes(slot) => {
            let element = element()?;
            let bound = quote!(::anywarp::typed::Writes<'a, #element, __bindings::#field>);
            let given = quote!(::anywarp::typed::bind(&mut launch, #slot, args.#field););
            ("written", Some((parameter.clone(), bound)), quote!(#parameter), given)
        }
    };
    let docs = lines_or(&format!(" `{}`, {what}.", layout.name), &argument.docs);
    Ok(Taken { field, bound, ty, docs, given })
}
