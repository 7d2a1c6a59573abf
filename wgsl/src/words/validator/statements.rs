//! Mistakes in statements: stores, returns, conditions, switches, calls and atomics.

use naga::valid::{CallError, FunctionError, LocalVariableError};
use naga::{AddressSpace, Expression, Handle, Span, StorageAccess, SwitchValue, TypeInner};

use super::super::{Finding, text, types};
use super::Found;
use super::body::Body;

/// Explains an error in a statement, a local variable or the head of a function.
pub(super) fn explain(found: Found<'_>, body: &Body<'_>, error: &FunctionError) -> Option<Finding> {
    let place = found.span();
    let typed = |handle| Some(types::quoted(&types::name(body.module, &body.value_type(handle)?)));
    let function = body.function.name.as_deref().unwrap_or_default();
    Some(match error {
        FunctionError::LocalVariable { handle, name, source } => local(body, *handle, name, source)?,
        FunctionError::BreakOutsideOfLoopOrSwitch => {
            Finding::new("`break` is outside a loop or `switch`").mark(place, "").help("use `return` to leave a function")
        }
        FunctionError::ContinueOutsideOfLoop => {
            Finding::new("`continue` is outside a loop").mark(place, "").help("use `return` to leave a function")
        }
        FunctionError::InvalidReturnSpot => Finding::new("`return` is not allowed in a `continuing` block").mark(place, ""),
        FunctionError::InvalidReturnType { expression, expected_ty } => {
            let declared = expected_ty.map(|ty| types::name_of(body.module, ty));
            returned(found, body, *expression, declared)?
        }
        FunctionError::InvalidIfType(condition) => {
            let written = body.quote(*condition, place);
            Finding::new(format!("a condition must be a `bool`, got `{written}`, which is {}", typed(*condition)?))
                .mark(place, "")
                .help(format!("compare it, as in `{written} != 0`"))
        }
        FunctionError::InvalidSwitchType(value) => {
            Finding::new(format!("`switch` expects an integer, got {}", typed(*value)?)).mark(place, "")
        }
        FunctionError::ConflictingSwitchCase(value) => {
            let value = match value {
                SwitchValue::I32(value) => value.to_string(),
                SwitchValue::U32(value) => value.to_string(),
                SwitchValue::Default => "default".to_owned(),
            };
            Finding::new(format!("the case {value} is repeated")).mark(place, "the second one")
        }
        FunctionError::MissingDefaultCase => {
            let head = place.to_range().map_or(place, |range| text::span(range.start..(range.start + 6).min(range.end)));
            Finding::new("the `switch` has no `default`").mark(head, "").help("write `default: {}` as its last case")
        }
        FunctionError::MultipleDefaultCases => Finding::new("the `switch` has two `default` cases").mark(place, ""),
        FunctionError::InvalidStorePointer(pointer) => stored(found, body, *pointer)?,
        FunctionError::InvalidStoreTypes { pointer, value } => {
            let (to, from) = (typed(*pointer)?, typed(*value)?);
            let written = body.quote(*value, place);
            if let Some(finding) = short_circuit(body, *pointer, place, &written, &from) {
                return Some(finding);
            }
            let finding = Finding::new(format!("cannot assign {from} to `{}`, which is {to}", body.quote(*pointer, place)));
            finding.mark(place, "").help(format!("write `{}`", types::converted(&written, to.trim_matches('`'))))
        }
        FunctionError::InvalidCall { function, error } => called(found, body, *function, error)?,
        FunctionError::InvalidArgumentPointerSpace { name, space, .. } => {
            let space = space_name(*space);
            let at = argument(body, name).unwrap_or(place);
            Finding::new(format!("the parameter '{name}' of '{function}' is a pointer to `{space}`, which cannot be passed"))
                .mark(at, "")
                .help("only pointers to `function`, `private` and `workgroup` can be passed: use the buffer by its name in the function, or pass an index")
        }
        FunctionError::InvalidArgumentType { name, .. } => {
            let at = argument(body, name).unwrap_or(place);
            let handle = body.function.arguments.iter().find(|argument| argument.name.as_ref() == Some(name))?.ty;
            let finding = Finding::new(format!("the parameter '{name}' of '{function}' is {}, which cannot be passed", types::quoted(&types::name_of(body.module, handle))));
            finding.mark(at, "").help("pass a pointer, an index, or an array of a fixed length")
        }
        FunctionError::NonConstructibleReturnType => {
            let ty = body.function.result.as_ref().map(|result| types::name_of(body.module, result.ty))?;
            let finding = Finding::new(format!("'{function}' cannot return {}", types::quoted(&ty)));
            finding.mark(place, "").help("return an element, or an array of a fixed length; functions can use buffers by their names")
        }
        FunctionError::InvalidAtomic(_) => Finding::new("the argument types of an atomic operation do not match").mark(place, "")
            .help("the value must have the type inside `atomic<..>`, and the pointer must point to an atomic: `atomicAdd(&count, 1u)`"),
        _ => return None,
    })
}

/// Explains the right operand of `&&` or `||`, which naga stores in an unnamed variable.
fn short_circuit(
    body: &Body<'_>,
    pointer: Handle<Expression>,
    place: Span,
    written: &str,
    ty: &str,
) -> Option<Finding> {
    let Expression::LocalVariable(variable) = body.expression(pointer)? else { return None };
    if body.function.local_variables[*variable].name.is_some() {
        return None;
    }
    let (_, sign, _) = text::split(body.text.at(body.span(pointer)))?;
    let finding = Finding::new(format!("`{sign}` expects conditions, got `{written}`, which is {ty}")).mark(place, "");
    let bits = &sign[..1];
    Some(finding.help(format!("compare it, as in `{written} != 0`, or use `{bits}` for the bits")))
}

/// The span in the text of the parameter called `name`.
fn argument(body: &Body<'_>, name: &str) -> Option<Span> {
    let index = body.function.arguments.iter().position(|argument| argument.name.as_deref() == Some(name))?;
    let mut expressions = body.function.expressions.iter();
    let (handle, _) =
        expressions.find(|(_, e)| matches!(e, Expression::FunctionArgument(at) if *at as usize == index))?;
    Some(body.span(handle)).filter(Span::is_defined)
}

/// Explains a local variable whose type is not allowed, or whose initial value has another type.
fn local(
    body: &Body<'_>,
    handle: Handle<naga::LocalVariable>,
    name: &str,
    error: &LocalVariableError,
) -> Option<Finding> {
    let variable = &body.function.local_variables[handle];
    let (place, ty) = (body.function.local_variables.get_span(handle), types::name_of(body.module, variable.ty));
    let finding = Finding::new(format!("the variable '{name}' of a function cannot be `{ty}`")).mark(place, "");
    Some(match error {
        LocalVariableError::InvalidType(ty) => match &body.module.types[*ty].inner {
            TypeInner::Array { size: naga::ArraySize::Dynamic, .. } => finding.help(
                "give the array a length, as in `array<f32, 64>`: only buffers have arrays without a fixed length",
            ),
            TypeInner::Array { size: naga::ArraySize::Pending(_), .. } => finding.help(
                "only `var<workgroup>` has arrays whose length is an `override`: make the length a `const`, or declare the array as `var<workgroup>`",
            ),
            TypeInner::Atomic(_) => finding.help(
                "only variables shared by several invocations can be atomic: use a plain number, or declare it as `var<workgroup>` or in a buffer",
            ),
            _ => finding,
        },
        LocalVariableError::InitializerType => {
            Finding::new(format!("the variable '{name}' is `{ty}`, but its initial value is not")).mark(place, "")
        }
        LocalVariableError::NonConstOrOverrideInitializer => return None,
    })
}

fn returned(
    found: Found<'_>,
    body: &Body<'_>,
    value: Option<Handle<Expression>>,
    declared: Option<String>,
) -> Option<Finding> {
    let function = body.function.name.clone().unwrap_or_default();
    let at_return = found.labelled("invalid return");
    Some(match (value, declared) {
        (Some(value), Some(declared)) => {
            let place = at_return.unwrap_or_else(|| found.span());
            let (written, ty) = (body.quote(value, place), types::name(body.module, &body.value_type(value)?));
            let finding = Finding::new(format!(
                "'{function}' must return `{declared}`, got `{written}`, which is {}",
                types::quoted(&ty)
            ));
            let finding = finding.mark(returning(body, &written).unwrap_or(place), format!("`{declared}` is needed"));
            if declared.contains(['<', '{']) && !declared.starts_with("vec") {
                finding
            } else {
                finding.help(format!("write `return {};`", types::converted(&written, &declared)))
            }
        }
        (Some(value), None) => {
            let place = at_return.unwrap_or_else(|| found.span());
            let (written, ty) = (body.quote(value, place), types::name(body.module, &body.value_type(value)?));
            let finding = Finding::new(format!("'{function}' declares no return type, but returns a value here"));
            let mark = returning(body, &written).unwrap_or(place);
            let finding = finding.mark(mark, format!("this is {}", types::quoted(&ty)));
            finding.help(format!("declare the return type: `fn {function}(..) -> {ty}`"))
        }
        (None, Some(declared)) => match at_return {
            Some(place) => Finding::new(format!("'{function}' must return `{declared}`, but returns nothing here"))
                .mark(place, "a value is needed"),
            None => {
                // naga's span is that of the whole function; the `return` is missing at its end.
                let end = found
                    .span()
                    .to_range()
                    .map_or(Span::UNDEFINED, |range| text::span(range.end.saturating_sub(1)..range.end));
                Finding::new(format!("'{function}' must return `{declared}`, but may end without a `return`"))
                    .mark(end, "the end is reached here")
                    .help("return a value on every path, including after a false `if` and after a loop")
            }
        },
        (None, None) => return None,
    })
}

/// The span of a value in its `return` statement; naga reports the span where the value was computed.
fn returning(body: &Body<'_>, written: &str) -> Option<Span> {
    let tokens = body.text.tokens();
    let head = tokens
        .windows(2)
        .position(|pair| pair[0].text == "fn" && Some(pair[1].text) == body.function.name.as_deref())?;
    let mut returns = tokens[head..].iter().enumerate().filter(|(_, token)| token.text == "return");
    returns.find_map(|(at, token)| {
        let end = tokens[head + at..].iter().find(|token| token.text == ";")?.at;
        let value = body.text.trimmed(token.at + "return".len()..end);
        (body.text.quote(value) == written).then_some(value)
    })
}

/// Explains a store to an expression that cannot be written.
fn stored(found: Found<'_>, body: &Body<'_>, pointer: Handle<Expression>) -> Option<Finding> {
    let place = found.labelled("writing to this").unwrap_or_else(|| found.span());
    let written = found.text.quote(place);
    let finding = Finding::new(format!("`{written}` cannot be assigned"));
    Some(match body.root(pointer)? {
        Expression::GlobalVariable(handle) => {
            let variable = &body.module.global_variables[*handle];
            let name = variable.name.clone().unwrap_or_default();
            let declared = body.module.global_variables.get_span(*handle);
            match variable.space {
                AddressSpace::Storage { access } if !access.contains(StorageAccess::STORE) => finding
                    .mark(place, format!("'{name}' is read-only"))
                    .mark(declared, "declared here")
                    .help(format!("declare it as `var<storage, read_write> {name}`: without an access mode, `storage` is read-only")),
                AddressSpace::Uniform => finding
                    .mark(place, format!("'{name}' is a uniform, which kernels can only read"))
                    .mark(declared, "declared here")
                    .help("write results to a `var<storage, read_write>`"),
                _ => finding.mark(place, "").mark(declared, "declared here"),
            }
        }
        Expression::FunctionArgument(_) => {
            finding.mark(place, "parameters cannot change").help("copy it into a variable first: `var x = ..;`")
        }
        _ => finding.mark(place, "this is a value, not a variable").help("declare it with `var`"),
    })
}

/// Explains a call that does not match the function's declaration.
fn called(found: Found<'_>, body: &Body<'_>, callee: Handle<naga::Function>, error: &CallError) -> Option<Finding> {
    let function = &body.module.functions[callee];
    let name = function.name.clone().unwrap_or_default();
    let call = found.labelled("invalid function call").unwrap_or_else(|| found.span());
    let parameters: Vec<String> = function
        .arguments
        .iter()
        .map(|argument| {
            let name = argument.name.clone().unwrap_or_default();
            format!("{name}: {}", types::name_of(body.module, argument.ty))
        })
        .collect();
    let signature = format!("it is declared as `fn {name}({})`", parameters.join(", "));
    Some(match error {
        CallError::ArgumentCount { required, seen } => {
            let arguments = if *required == 1 { "argument" } else { "arguments" };
            Finding::new(format!("'{name}' expects {required} {arguments}, got {seen}")).mark(call, "").help(signature)
        }
        CallError::ArgumentType { index, required, seen_expression } => {
            let (wanted, is) = (types::name_of(body.module, *required), body.type_name(*seen_expression)?);
            let argument = call.to_range().and_then(|call| body.text.argument(call.start, *index));
            let written =
                argument.map_or_else(|| body.quote(*seen_expression, call), |argument| body.text.quote(argument));
            let parameter =
                function.arguments.get(*index).and_then(|argument| argument.name.clone()).unwrap_or_default();
            let finding = Finding::new(format!(
                "the parameter '{parameter}' of '{name}' is `{wanted}`, got `{written}`, which is {}",
                types::quoted(&is)
            ));
            let finding = finding.mark(argument.unwrap_or(call), "");
            match (&body.module.types[*required].inner, body.ty(*seen_expression)?) {
                (TypeInner::Pointer { base, space }, seen) => {
                    let same = body.module.types[*base].inner == *seen;
                    match seen {
                        TypeInner::Pointer { space: other, .. } if other != space => finding.help(format!(
                            "the variable is in `{}`, but the parameter points into `{}`: declare the parameter as `ptr<{}, ..>`",
                            space_name(*other),
                            space_name(*space),
                            space_name(*other)
                        )),
                        _ if same => finding.help(format!("pass a pointer: `&{written}`")),
                        _ => finding,
                    }
                }
                (_, TypeInner::Pointer { .. }) => {
                    finding.help(format!("pass the value behind the pointer: `*{}`", written.trim_start_matches('&')))
                }
                (TypeInner::Scalar(_) | TypeInner::Vector { .. }, _) => {
                    finding.help(format!("write `{}`", types::converted(&written, &wanted)))
                }
                _ => finding.help(signature),
            }
        }
        _ => return None,
    })
}

/// The name of an address space in WGSL.
pub(super) fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Function => "function",
        AddressSpace::Private => "private",
        AddressSpace::WorkGroup => "workgroup",
        AddressSpace::Uniform => "uniform",
        AddressSpace::Storage { .. } => "storage",
        AddressSpace::Immediate => "immediate",
        _ => "handle",
    }
}
