//! The author's text: finds the function of the actor, and the types of its state, messages and replies.

use std::ops::Range;

use anywarp_backend::{Layout, Shape, Source, Validated, statements};
use anywarp_wgsl::marks::{ACTOR, EMIT, SEND, Stray, body_of, marked_functions};
use anywarp_wgsl::reflect::layout_of;
use anywarp_wgsl::{diagnostic, module};
use naga::valid::Capabilities;
use naga::{AddressSpace, Handle, Module, Scalar, Statement, Type, TypeInner};

use super::error::RingError;
use super::slot::MAX_PAYLOAD;
use crate::error::KernelError;
use crate::kernel::Wgsl;

/// The largest state in bytes of an actor with several lanes, which keep a copy in workgroup memory.
pub(crate) const MAX_SHARED_STATE: u32 = 4096;

/// The largest state in bytes.
const MAX_STATE: u32 = 64 << 10;

/// An actor, as its author wrote it.
#[derive(Clone, Debug)]
pub(crate) struct ActorText {
    /// The composed text.
    pub(crate) source: Source,
    /// The name of the function.
    pub(crate) function: String,
    pub(crate) state: Layout,
    pub(crate) message: Layout,
    /// `None` for a function without a result.
    pub(crate) reply: Option<Layout>,
    /// Whether a function of the text has a barrier.
    pub(crate) has_barriers: bool,
    /// The function by which the actor sends messages to others.
    pub(crate) send: Option<SendText>,
    /// The function by which the actor emits messages to the host.
    pub(crate) emit: Option<EmitText>,
}

/// The function that emits a message to the host; the ring supplies its body.
#[derive(Clone, Debug)]
pub(crate) struct EmitText {
    /// The author's body, with its braces, in the composed text.
    pub(crate) body: Range<usize>,
    /// The name of its parameter.
    pub(crate) parameter: String,
    pub(crate) message: Layout,
}

/// The function that sends a message to another actor; the ring supplies its body.
#[derive(Clone, Debug)]
pub(crate) struct SendText {
    /// The author's body, with its braces, in the composed text.
    pub(crate) body: Range<usize>,
    /// The names of its two parameters.
    pub(crate) parameters: [String; 2],
}

/// Reads a text with one marked function.
pub(crate) fn read(wgsl: &Wgsl<'_>) -> Result<ActorText, RingError> {
    let source = wgsl.source()?;
    let wrong = |at: usize, message: String| {
        let (file, line) =
            source.position(at).map_or_else(|| (source.file().to_owned(), 1), |at| (at.file.to_owned(), at.line));
        RingError::Actor { file, line, message }
    };
    let functions = |mark| {
        marked_functions(source.text(), mark).map_err(|Stray(range)| {
            wrong(range.start, format!("the mark '{mark}' must directly precede the 'fn' of a function"))
        })
    };
    let (marked, sends, emits) = (functions(ACTOR)?, functions(SEND)?, functions(EMIT)?);
    for (mark, functions) in [(SEND, &sends), (EMIT, &emits)] {
        if let Some((name, place)) = functions.get(1) {
            let text = format!("'{name}' is a second function after the comment '// {mark}'; expected at most one");
            return Err(wrong(place.start, text));
        }
    }
    let wrong_place = wrong;
    let [(name, place)] = marked.as_slice() else {
        let found = marked.len();
        let at = marked.get(1).map_or(0, |(_, place)| place.start);
        return Err(wrong(
            at,
            format!("expected one function after the comment '// {ACTOR}', found {found}; mark the actor's function"),
        ));
    };
    let wrong = |message: String| wrong(place.start, format!("the actor '{name}' {message}"));
    let module = module::parse(&source).map_err(KernelError::from)?;
    let module = Validated::new(module, Capabilities::all())
        .map_err(|refused| KernelError::from(diagnostic::of_refused(&source, &refused)))?;
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let Some(function) = functions.find(|function| function.name.as_deref() == Some(name)) else {
        return Err(wrong("must not be an entry point: its kernel is generated".to_owned()));
    };
    if let Some((_, variable)) = module.global_variables.iter().find(|(_, variable)| variable.binding.is_some()) {
        let variable = variable.name.clone().unwrap_or_default();
        return Err(wrong(format!(
            "must use no bindings, but the text declares '{variable}'; keep its data in the state"
        )));
    }
    let [state, message, lane] = function.arguments.as_slice() else {
        let count = function.arguments.len();
        return Err(wrong(format!("has {count} parameters; {SIGNATURE}")));
    };
    let TypeInner::Pointer { base: state, space: AddressSpace::Function } = module.types[state.ty].inner else {
        return Err(wrong(format!("has a first parameter of another type; {SIGNATURE}")));
    };
    if module.types[lane.ty].inner != TypeInner::Scalar(Scalar::U32) {
        return Err(wrong(format!("has a third parameter of another type; {SIGNATURE}")));
    }
    let limit = MAX_PAYLOAD as u32 * 4;
    let state = words(&module, state, "state", MAX_STATE).map_err(wrong)?;
    let message_type = message.ty;
    let message = words(&module, message_type, "message", limit).map_err(wrong)?;
    let reply = function.result.as_ref().map(|result| words(&module, result.ty, "reply", limit));
    let reply = reply.transpose().map_err(wrong)?;
    let send = sends.first().map(|(name, place)| {
        let refused = || {
            let message = &message.name;
            let text = format!("the function '{name}' that sends has another form; {}", send_signature(message));
            wrong_place(place.start, text)
        };
        send_of(&module, name, message_type)
            .and_then(|parameters| Some(SendText { body: body_of(source.text(), place.start)?, parameters }))
            .ok_or_else(refused)
    });
    let send = send.transpose()?;
    let emit = emits.first().map(|(name, place)| {
        let refused = |text: String| wrong_place(place.start, format!("the function '{name}' that emits {text}"));
        let Some((parameter, ty)) = emit_of(&module, name) else {
            return Err(refused(
                "has another form; expected `fn(message: Message) -> bool { return false; }`".to_owned(),
            ));
        };
        let message = words(&module, ty, "message", limit).map_err(refused)?;
        let body = body_of(source.text(), place.start).ok_or_else(|| refused("has no body".to_owned()))?;
        Ok(EmitText { body, parameter, message })
    });
    let emit = emit.transpose()?;
    let has_barriers = has_barriers(&module);
    let function = (*name).to_owned();
    Ok(ActorText { function, state, message, reply, has_barriers, send, emit, source: source.clone() })
}

/// The sentence on the parameters that an actor has.
const SIGNATURE: &str = "expected `fn(state: ptr<function, State>, message: Message, lane: u32) -> Reply`";

/// The sentence on the form of a function that sends messages of this type.
fn send_signature(message: &str) -> String {
    format!(
        "expected `fn(to: u32, message: {message}) -> bool {{ return false; }}`, with the type of the actor's messages"
    )
}

/// The names of the parameters of a function that sends; `None` if it has another form.
fn send_of(module: &Module, name: &str, message: Handle<Type>) -> Option<[String; 2]> {
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let function = functions.find(|function| function.name.as_deref() == Some(name))?;
    let [to, sent] = function.arguments.as_slice() else { return None };
    let returns = function.result.as_ref().map(|result| &module.types[result.ty].inner);
    let fits = module.types[to.ty].inner == TypeInner::Scalar(Scalar::U32)
        && sent.ty == message
        && returns == Some(&TypeInner::Scalar(Scalar::BOOL));
    fits.then(|| Some([to.name.clone()?, sent.name.clone()?]))?
}

/// The name and the type of the parameter of a function that emits; `None` if it has another form.
fn emit_of(module: &Module, name: &str) -> Option<(String, Handle<Type>)> {
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let function = functions.find(|function| function.name.as_deref() == Some(name))?;
    let [message] = function.arguments.as_slice() else { return None };
    let returns = function.result.as_ref().map(|result| &module.types[result.ty].inner);
    (returns == Some(&TypeInner::Scalar(Scalar::BOOL))).then(|| Some((message.name.clone()?, message.ty)))?
}

/// The layout of a type that travels as words of 32 bits.
fn words(module: &Module, ty: Handle<Type>, what: &str, limit: u32) -> Result<Layout, String> {
    let name = || module.types[ty].name.clone().unwrap_or_else(|| "a type without a layout".to_owned());
    let layout = layout_of(module, ty).ok_or_else(|| {
        format!("has a {what} of type {}; expected a type without booleans, pointers or textures", name())
    })?;
    if let Some(name) = wide(&layout) {
        return Err(format!(
            "has a {what} with {name}; expected only i32, u32, f32, and vectors, matrices, arrays and structs of these"
        ));
    }
    if layout.size > limit {
        return Err(format!("has a {what} of {} bytes ({}); the limit is {limit} bytes", layout.size, layout.name));
    }
    Ok(layout)
}

/// The name of a part of the type that is not made of words.
fn wide(layout: &Layout) -> Option<String> {
    match &layout.shape {
        Shape::Scalar(scalar) => (scalar.width != 4 || layout.name.starts_with("atomic")).then(|| layout.name.clone()),
        Shape::Vector { scalar, .. } | Shape::Matrix { scalar, .. } => (scalar.width != 4).then(|| layout.name.clone()),
        Shape::Array { count: None, .. } => Some(layout.name.clone()),
        Shape::Array { element, .. } => wide(element),
        Shape::Struct { fields } => fields.iter().find_map(|field| wide(&field.layout)),
    }
}

/// Whether a function of the text has a barrier.
fn has_barriers(module: &Module) -> bool {
    let is_barrier = |statement: &Statement| {
        matches!(
            statement,
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) | Statement::WorkGroupUniformLoad { .. }
        )
    };
    let mut functions = module.functions.iter();
    functions.any(|(_, function)| statements(&function.body).any(|(statement, _)| is_barrier(statement)))
}
