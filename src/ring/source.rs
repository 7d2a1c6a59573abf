//! The author's text: finds the functions of actors, and the types of their states, messages and replies.

use std::ops::Range;

use anywarp_backend::{Layout, Shape, Source, Validated, statements};
use anywarp_wgsl::marks::{ACTOR, EMIT, Mark, PUBLISH, SEND, Stray, body_of, marks};
use anywarp_wgsl::reflect::layout_of;
use anywarp_wgsl::{diagnostic, module};
use naga::valid::Capabilities;
use naga::{AddressSpace, Handle, Module, Scalar, Statement, Type, TypeInner};

use super::error::RingError;
use super::reading::only_reads;
use super::slot::MAX_PAYLOAD;
use crate::error::KernelError;
use crate::kernel::Wgsl;

/// The largest state in bytes of an actor with several lanes, which keep a copy in workgroup memory.
pub(crate) const MAX_SHARED_STATE: u32 = 4096;

/// The largest state in bytes.
const MAX_STATE: u32 = 64 << 10;

/// The largest message in bytes.
const LIMIT: u32 = MAX_PAYLOAD as u32 * 4;

/// The kinds of actors of a ring, as their author wrote them.
#[derive(Clone, Debug)]
pub(crate) struct ActorText {
    /// The composed text.
    pub(crate) source: Source,
    /// One for each marked function, in the order of the text; at least one.
    pub(crate) kinds: Vec<KindText>,
    /// Whether a function of the text has a barrier.
    pub(crate) has_barriers: bool,
    /// The functions by which actors send messages to others, at most one to each kind.
    pub(crate) sends: Vec<SendText>,
    /// The functions by which actors publish messages, one for each topic.
    pub(crate) publishes: Vec<PublishText>,
    /// The function by which actors emit messages to the host.
    pub(crate) emit: Option<EmitText>,
}

/// One kind of actors.
#[derive(Clone, Debug)]
pub(crate) struct KindText {
    /// The name of the function, which is that of the kind.
    pub(crate) function: String,
    pub(crate) state: Layout,
    pub(crate) message: Layout,
    /// `None` for a function without a result.
    pub(crate) reply: Option<Layout>,
    /// Whether the function only reads its state: see [`only_reads`].
    pub(crate) reads: bool,
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
    /// The index of the receivers' kind.
    pub(crate) kind: usize,
}

/// The function that sends a message to all actors that are subscribed to a topic; the ring supplies its body.
#[derive(Clone, Debug)]
pub(crate) struct PublishText {
    /// The author's body, with its braces, in the composed text.
    pub(crate) body: Range<usize>,
    /// The name of its parameter.
    pub(crate) parameter: String,
    /// The name of the topic.
    pub(crate) topic: String,
    /// The index of the receivers' kind.
    pub(crate) kind: usize,
}

impl ActorText {
    /// Whether actors send messages to others, by name or through topics.
    pub(crate) fn speaks(&self) -> bool {
        !self.sends.is_empty() || !self.publishes.is_empty()
    }

    /// The names of all kinds, for timelines and messages: `score+judge`.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.function.as_str()).collect();
        names.join("+")
    }

    /// The index of the kind with this name.
    pub(crate) fn kind(&self, name: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.function == name)
    }
}

/// Reads a text with marked functions.
pub(crate) fn read(wgsl: &Wgsl<'_>) -> Result<ActorText, RingError> {
    let source = wgsl.source()?;
    let marked = |mark| {
        marks(source.text(), mark).map_err(|Stray(range)| {
            wrong(&source, range.start, format!("the mark '{mark}' must directly precede the 'fn' of a function"))
        })
    };
    let (actors, sends, emits, publishes) = (marked(ACTOR)?, marked(SEND)?, marked(EMIT)?, marked(PUBLISH)?);
    if actors.is_empty() {
        let text = format!(
            "expected at least one function after the comment '// {ACTOR}', found 0; mark the actor's function"
        );
        return Err(wrong(&source, 0, text));
    }
    if let Some(second) = emits.get(1) {
        let name = second.name;
        let text = format!("'{name}' is a second function after the comment '// {EMIT}'; expected at most one");
        return Err(wrong(&source, second.place.start, text));
    }
    let module = module::parse(&source).map_err(KernelError::from)?;
    let module = Validated::new(module, Capabilities::all())
        .map_err(|refused| KernelError::from(diagnostic::of_refused(&source, &refused)))?;
    let mut kinds = Kinds { kinds: Vec::new(), messages: Vec::new() };
    for mark in &actors {
        let refused = |text: String| wrong(&source, mark.place.start, format!("the actor '{}' {text}", mark.name));
        kinds.add(&module, mark.name).map_err(refused)?;
    }
    let mut own: Vec<SendText> = Vec::new();
    for mark in &sends {
        let Mark { name, ref place, .. } = *mark;
        let refused = |text: String| wrong(&source, place.start, format!("the function '{name}' that sends {text}"));
        let (parameters, message) = send_of(&module, name)
            .ok_or_else(|| refused(format!("has another form; {}", kinds.send_signature(mark))))?;
        let kind = kinds.receiver(mark, message).map_err(refused)?;
        if own.iter().any(|own| own.kind == kind) {
            let kind = &kinds.kinds[kind].function;
            return Err(refused(format!("is a second one to the actors '{kind}'; expected at most one to each kind")));
        }
        let body = body_of(source.text(), place.start).ok_or_else(|| refused("has no body".to_owned()))?;
        own.push(SendText { body, parameters, kind });
    }
    let publish = |mark: &Mark<'_>| -> Result<(PublishText, usize), RingError> {
        let Mark { name, place, argument } = mark;
        let refused =
            |text: String| wrong(&source, place.start, format!("the function '{name}' that publishes {text}"));
        let (parameter, ty) = outward(&module, name, Scalar::U32).ok_or_else(|| {
            refused("has another form; expected `fn(message: Message) -> u32 { return 0u; }`".to_owned())
        })?;
        let kind = kinds.only(ty).map_err(refused)?;
        let body = body_of(source.text(), place.start).ok_or_else(|| refused("has no body".to_owned()))?;
        Ok((PublishText { body, parameter, topic: argument.unwrap_or(name).to_owned(), kind }, place.start))
    };
    let mut own_topics: Vec<PublishText> = Vec::new();
    for mark in &publishes {
        let (publish, place): (PublishText, usize) = publish(mark)?;
        if own_topics.iter().any(|own| own.topic == publish.topic) {
            let text = format!("'{}' is a second function for the topic '{}'; expected one", mark.name, publish.topic);
            return Err(wrong(&source, place, text));
        }
        own_topics.push(publish);
    }
    let emit = emits.first().map(|Mark { name, place, .. }| {
        let refused = |text: String| wrong(&source, place.start, format!("the function '{name}' that emits {text}"));
        let Some((parameter, ty)) = outward(&module, name, Scalar::BOOL) else {
            return Err(refused(
                "has another form; expected `fn(message: Message) -> bool { return false; }`".to_owned(),
            ));
        };
        let message = words(&module, ty, "message", LIMIT).map_err(refused)?;
        let body = body_of(source.text(), place.start).ok_or_else(|| refused("has no body".to_owned()))?;
        Ok(EmitText { body, parameter, message })
    });
    let emit = emit.transpose()?;
    let has_barriers = has_barriers(&module);
    let publishes = own_topics;
    Ok(ActorText { kinds: kinds.kinds, has_barriers, sends: own, publishes, emit, source: source.clone() })
}

/// The error of a text at this place.
fn wrong(source: &Source, at: usize, message: String) -> RingError {
    let (file, line) =
        source.position(at).map_or_else(|| (source.file().to_owned(), 1), |at| (at.file.to_owned(), at.line));
    RingError::Actor { file, line, message }
}

/// The kinds that were read, with the types of their messages.
struct Kinds {
    kinds: Vec<KindText>,
    messages: Vec<Handle<Type>>,
}

impl Kinds {
    /// Reads the function of a kind.
    fn add(&mut self, module: &Module, name: &str) -> Result<(), String> {
        let mut functions = module.functions.iter().map(|(_, function)| function);
        let Some(function) = functions.find(|function| function.name.as_deref() == Some(name)) else {
            return Err("must not be an entry point: its kernel is generated".to_owned());
        };
        if self.kinds.iter().any(|kind| kind.function == name) {
            return Err(format!("is marked twice; remove one comment '// {ACTOR}'"));
        }
        if let Some((_, variable)) = module.global_variables.iter().find(|(_, variable)| variable.binding.is_some()) {
            let variable = variable.name.clone().unwrap_or_default();
            return Err(format!(
                "must use no bindings, but the text declares '{variable}'; keep its data in the state"
            ));
        }
        let [state, message, lane] = function.arguments.as_slice() else {
            return Err(format!("has {} parameters; {SIGNATURE}", function.arguments.len()));
        };
        let TypeInner::Pointer { base: state, space: AddressSpace::Function } = module.types[state.ty].inner else {
            return Err(format!("has a first parameter of another type; {SIGNATURE}"));
        };
        if module.types[lane.ty].inner != TypeInner::Scalar(Scalar::U32) {
            return Err(format!("has a third parameter of another type; {SIGNATURE}"));
        }
        let state = words(module, state, "state", MAX_STATE)?;
        self.messages.push(message.ty);
        let message = words(module, message.ty, "message", LIMIT)?;
        let reply = function.result.as_ref().map(|result| words(module, result.ty, "reply", LIMIT)).transpose()?;
        let reads = only_reads(module, function);
        self.kinds.push(KindText { function: name.to_owned(), state, message, reply, reads });
        Ok(())
    }

    /// The kind to which a marked function sends messages of this type: the one that the mark names, or else the only
    /// one whose messages have the type.
    fn receiver(&self, mark: &Mark<'_>, message: Handle<Type>) -> Result<usize, String> {
        let other = || format!("has another form; {}", self.send_signature(mark));
        if let Some(kind) = self.named(mark) {
            return if self.messages[kind] == message { Ok(kind) } else { Err(other()) };
        }
        let mut fitting = (0..self.kinds.len()).filter(|kind| self.messages[*kind] == message);
        match (fitting.next(), fitting.next()) {
            (Some(kind), None) => Ok(kind),
            (None, _) => Err(other()),
            (Some(one), Some(two)) => Err(format!(
                "has messages of the type of both '{}' and '{}'; name the receivers in the mark: `// {SEND} {}`",
                self.kinds[one].function, self.kinds[two].function, self.kinds[one].function
            )),
        }
    }

    /// The only kind whose messages have this type.
    fn only(&self, message: Handle<Type>) -> Result<usize, String> {
        let mut fitting = (0..self.kinds.len()).filter(|kind| self.messages[*kind] == message);
        match (fitting.next(), fitting.next()) {
            (Some(kind), None) => Ok(kind),
            (None, _) => {
                Err("has messages of a type that no actor receives; give it the type of an actor's messages".to_owned())
            }
            (Some(one), Some(two)) => Err(format!(
                "has messages of the type of both '{}' and '{}'; give the receivers a type of their own",
                self.kinds[one].function, self.kinds[two].function
            )),
        }
    }

    /// The kind that a mark names; other words in the comment are the author's.
    fn named(&self, mark: &Mark<'_>) -> Option<usize> {
        self.kinds.iter().position(|kind| Some(kind.function.as_str()) == mark.argument)
    }

    /// The sentence on the form of a function that sends.
    fn send_signature(&self, mark: &Mark<'_>) -> String {
        let mut kinds: Vec<&KindText> =
            self.named(mark).map_or_else(|| self.kinds.iter().collect(), |kind| vec![&self.kinds[kind]]);
        kinds.dedup_by_key(|kind| kind.message.name.clone());
        let types: Vec<&str> = kinds.iter().map(|kind| kind.message.name.as_str()).collect();
        format!(
            "expected `fn(to: u32, message: {}) -> bool {{ return false; }}`, with the type of an actor's messages",
            types.join(" or ")
        )
    }
}

/// The sentence on the parameters that an actor has.
const SIGNATURE: &str = "expected `fn(state: ptr<function, State>, message: Message, lane: u32) -> Reply`";

/// The names of the parameters of a function that sends, and the type of its messages; `None` if it has another form.
fn send_of(module: &Module, name: &str) -> Option<([String; 2], Handle<Type>)> {
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let function = functions.find(|function| function.name.as_deref() == Some(name))?;
    let [to, sent] = function.arguments.as_slice() else { return None };
    let returns = function.result.as_ref().map(|result| &module.types[result.ty].inner);
    let fits = module.types[to.ty].inner == TypeInner::Scalar(Scalar::U32)
        && returns == Some(&TypeInner::Scalar(Scalar::BOOL));
    fits.then(|| Some(([to.name.clone()?, sent.name.clone()?], sent.ty)))?
}

/// The name and the type of the only parameter of a function with this result; `None` if it has another form.
fn outward(module: &Module, name: &str, result: Scalar) -> Option<(String, Handle<Type>)> {
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let function = functions.find(|function| function.name.as_deref() == Some(name))?;
    let [message] = function.arguments.as_slice() else { return None };
    let returns = function.result.as_ref().map(|result| &module.types[result.ty].inner);
    (returns == Some(&TypeInner::Scalar(result))).then(|| Some((message.name.clone()?, message.ty)))?
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
