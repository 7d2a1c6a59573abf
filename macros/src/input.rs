//! Parsing of the input of `kernels!`.

use proc_macro2::{Delimiter, Group, Punct, Span, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitBool, LitStr, Token, braced};

/// The input of one use of the macro.
pub(crate) struct Input {
    /// The attributes, which are copied to the module unchanged.
    pub(crate) attributes: TokenStream,
    /// The visibility, which is copied to the module unchanged; empty for a private module.
    pub(crate) visibility: TokenStream,
    /// The module's name.
    pub(crate) name: Ident,
    /// The source of the WGSL text: a file, or a string literal.
    pub(crate) text: Text,
    pub(crate) options: Options,
}

/// The source of the WGSL text: a file, or a string literal.
pub(crate) enum Text {
    /// The path of a file, relative to the crate's folder.
    File(LitStr),
    /// The WGSL itself, as a string literal between the braces.
    Inline(LitStr),
}

/// The composition options of a text.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) features: Vec<(String, bool)>,
    /// The names of element types, each with the scalar that replaces the aliased one.
    pub(crate) elements: Vec<(String, Ident)>,
    /// The root folder of imports, relative to the crate's folder.
    pub(crate) root: Option<LitStr>,
}

impl Input {
    /// The position in the macro's input for errors about the WGSL text.
    pub(crate) fn span(&self) -> Span {
        match &self.text {
            Text::File(literal) | Text::Inline(literal) => literal.span(),
        }
    }
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attributes, visibility) = (attributes(input)?, visibility(input)?);
        if attributes.is_empty() && visibility.is_empty() && input.peek(LitStr) {
            let path: LitStr = input.parse()?;
            let name = stem(&path)?;
            return Ok(Self { attributes, visibility, name, text: Text::File(path), options: options(input)? });
        }
        if !input.peek(Token![mod]) {
            return Err(
                input.error("expected the path of a WGSL file, or `mod NAME = \"PATH\"`, or `mod NAME { \"WGSL\" }`")
            );
        }
        input.parse::<Token![mod]>()?;
        let name: Ident = input.parse()?;
        let text = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Text::File(input.parse()?)
        } else if input.peek(syn::token::Brace) {
            let inside;
            braced!(inside in input);
            let text = inside.parse().map_err(|error| {
                syn::Error::new(
                    error.span(),
                    "expected one string literal with WGSL between the braces: r\"...\" or r#\"...\"#",
                )
            })?;
            if !inside.is_empty() {
                return Err(inside.error("expected one string literal with WGSL between the braces; remove the rest"));
            }
            Text::Inline(text)
        } else {
            return Err(input.error("expected `= \"PATH\"` or `{ \"WGSL\" }`"));
        };
        Ok(Self { attributes, visibility, name, text, options: options(input)? })
    }
}

fn attributes(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut attributes = TokenStream::new();
    while input.peek(Token![#]) {
        let mark: Punct = input.parse()?;
        let group: Group = input.parse()?;
        if group.delimiter() != Delimiter::Bracket {
            return Err(syn::Error::new(group.span(), "expected an attribute: `#[...]`"));
        }
        attributes.extend([TokenTree::Punct(mark), TokenTree::Group(group)]);
    }
    Ok(attributes)
}

/// Parses the visibility, such as `pub`, `pub(crate)` or `pub(in path)`.
fn visibility(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut visibility = TokenStream::new();
    if input.peek(Token![pub]) {
        let public: Token![pub] = input.parse()?;
        visibility.extend(quote!(#public));
        if input.peek(syn::token::Paren) {
            visibility.extend([TokenTree::Group(input.parse()?)]);
        }
    }
    Ok(visibility)
}

/// The module's name, taken from the file name.
fn stem(path: &LitStr) -> syn::Result<Ident> {
    let text = path.value();
    let file = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let mut name: Ident = syn::parse_str(stem).map_err(|_| {
        let message = format!("'{stem}' is not a valid module name: write `mod NAME = \"{text}\"`");
        syn::Error::new(path.span(), message)
    })?;
    name.set_span(path.span());
    Ok(name)
}

/// Parses the options: `, feature NAME = BOOL`, `, element NAME = TYPE`, `, root = "FOLDER"`.
fn options(input: ParseStream<'_>) -> syn::Result<Options> {
    let mut options = Options::default();
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            break;
        }
        let word = input.call(Ident::parse_any)?;
        match word.to_string().as_str() {
            "feature" => {
                let name = input.call(Ident::parse_any)?;
                input.parse::<Token![=]>()?;
                options.features.push((name.to_string(), input.parse::<LitBool>()?.value));
            }
            "element" => {
                let name = input.call(Ident::parse_any)?;
                input.parse::<Token![=]>()?;
                options.elements.push((name.to_string(), input.parse()?));
            }
            "root" => {
                input.parse::<Token![=]>()?;
                if options.root.replace(input.parse()?).is_some() {
                    return Err(syn::Error::new(word.span(), "option 'root' is given twice; keep one"));
                }
            }
            other => {
                let known = "`feature NAME = true`, `element NAME = f16` and `root = \"FOLDER\"`";
                return Err(syn::Error::new(word.span(), format!("unknown option '{other}'; expected {known}")));
            }
        }
    }
    Ok(options)
}
