//! Expressions: the C++ text of each kind, and the choice of values that get a name.

mod operators;

use naga::proc::index::GuardedIndex;
use naga::{Expression, Handle, Range, SwizzleComponent, TypeInner, VectorSize};

use super::access::component_name;
use super::constants::{self, Part};
use super::error::{Result, TranslateError};
use super::writer::FunctionWriter;

/// The length of a value's text above which the value gets a name, even if it is used once: for readability, and to
/// limit nesting.
const LONGEST: usize = 160;

/// The C++ text of a value.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    /// Whether the text needs parentheses as an operand.
    loose: bool,
}

impl Text {
    /// Returns a text that consists of an operator and its operands.
    pub(super) fn loose(text: String) -> Self {
        Self { text, loose: true }
    }

    /// Returns a text that needs no parentheses as an operand, such as a name, a literal or a call.
    pub(super) fn tight(text: String) -> Self {
        Self { text, loose: false }
    }

    /// Returns the text as an operand of any operator.
    pub(super) fn operand(self) -> String {
        if self.loose { format!("({})", self.text) } else { self.text }
    }
}

impl FunctionWriter<'_, '_> {
    /// Returns the value of an expression as an operand: its name or its text.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<String> {
        if let Some(Some(text)) = self.values.get(handle.index()) {
            return Ok(text.clone());
        }
        Ok(self.expression(handle)?.operand())
    }

    /// Evaluates expressions at this position, which matters for loads. A value gets a name if it is used several
    /// times, has a name in the WGSL or is long; other values are written where they are used.
    pub(super) fn emit(&mut self, range: &Range<Expression>) -> Result<()> {
        for handle in range.clone() {
            let function = self.function;
            let expression = &function.expressions[handle];
            if self.type_of(handle).pointer_space().is_some() {
                // The lvalue is written where it is used, possibly twice; only its index is evaluated here.
                if let Expression::Access { index, .. } = *expression {
                    self.name(index);
                }
                continue;
            }
            let uses = self.info[handle].ref_count;
            if uses == 0 {
                continue;
            }
            match *expression {
                Expression::Swizzle { vector, .. } => self.name(vector),
                Expression::Compose { ty, ref components } => {
                    if matches!(self.m.module.types[ty].inner, TypeInner::Vector { .. }) {
                        for component in components {
                            if matches!(self.type_of(*component), TypeInner::Vector { .. }) {
                                self.name(*component);
                            }
                        }
                    }
                }
                Expression::Access { base, .. } => self.name(base),
                _ => {}
            }
            let text = self.expression(handle)?;
            let is_named = function.named_expressions.contains_key(&handle);
            if happens_here(expression) || text.text.len() > LONGEST || is_named || uses > 1 && !is_cheap(&text.text) {
                self.declare(handle, bare(&text.text));
            } else if let Some(value) = self.values.get_mut(handle.index()) {
                *value = Some(text.operand());
            }
        }
        Ok(())
    }

    /// Gives an evaluated value a name, unless its text is as short as a name. Called before the text is written
    /// several times.
    pub(super) fn name(&mut self, handle: Handle<Expression>) {
        if let Some(Some(text)) = self.values.get(handle.index())
            && !is_cheap(text)
        {
            let text = bare(text).to_owned();
            self.declare(handle, &text);
        }
    }

    fn expression(&mut self, handle: Handle<Expression>) -> Result<Text> {
        let function = self.function;
        match function.expressions[handle] {
            Expression::Literal(literal) => constants::literal(literal).map(Text::tight),
            Expression::Constant(constant) => self.m.constant_value(constant).map(Text::tight),
            Expression::ZeroValue(ty) => Ok(Text::tight(format!("{}{{}}", self.m.type_name(ty)))),
            Expression::Compose { ty, ref components } => {
                let mut parts = Vec::with_capacity(components.len());
                for component in components {
                    parts.push(Part { text: self.value(*component)?, inner: self.type_of(*component) });
                }
                self.m.compose(ty, &parts).map(Text::tight)
            }
            Expression::Splat { value, .. } => {
                let ty = self.m.resolved_name(&self.info[handle].ty);
                let value = self.value(value)?;
                Ok(Text::tight(format!("aw_splat<{ty}>({})", bare(&value))))
            }
            Expression::Access { base, index } => self.element(handle, base, index),
            Expression::AccessIndex { base, index } => self.part(base, index),
            Expression::Swizzle { size, vector, pattern } => self.swizzle(handle, size, vector, pattern),
            Expression::FunctionArgument(index) => Ok(Text::tight(self.argument(index))),
            Expression::Load { pointer } => self.load(pointer),
            Expression::Unary { op, expr } => self.unary(op, expr),
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Select { condition, accept, reject } => self.select(condition, accept, reject),
            Expression::Relational { fun, argument } => self.relational(fun, argument),
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                self.math(fun, [Some(arg), arg1, arg2, arg3].into_iter().flatten())
            }
            Expression::As { expr, kind, convert } => self.convert(expr, kind, convert),
            Expression::ArrayLength(array) => self.array_length(array).map(Text::tight),
            Expression::CooperativeLoad { ref data, .. } => self.cooperative_load(handle, data).map(Text::tight),
            Expression::CooperativeMultiplyAdd { a, b, c } => self.multiply_add(a, b, c).map(Text::tight),
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => {
                Err(TranslateError::invalid("a result that is used before its statement"))
            }
            Expression::GlobalVariable(_) | Expression::LocalVariable(_) => {
                Err(TranslateError::invalid("a variable in place of a value"))
            }
            Expression::Override(_) => Err(TranslateError::invalid("an override without a value")),
            Expression::ImageSample { .. } => Err(TranslateError::unsupported("sampling a texture")),
            Expression::ImageLoad { .. } => Err(TranslateError::unsupported("textureLoad")),
            Expression::ImageQuery { .. } => Err(TranslateError::unsupported("the size of a texture")),
            Expression::Derivative { .. } => Err(TranslateError::unsupported("a derivative")),
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => Err(TranslateError::unsupported("a ray query")),
        }
    }

    /// Returns an element of a value, chosen by an index that is an expression.
    fn element(
        &mut self,
        access: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Text> {
        let mut value = self.value(base)?;
        let (count, is_vector) = match *self.type_of(base) {
            TypeInner::Vector { size, .. } => (size as u32, true),
            TypeInner::Matrix { columns, .. } => {
                value.push_str(".columns");
                (columns as u32, false)
            }
            TypeInner::Array { size, .. } => match self.m.length(size) {
                Some(count) => (count, false),
                None => return Err(TranslateError::invalid("an unsized array as a value")),
            },
            _ => return Err(TranslateError::invalid("an index into a value without elements")),
        };
        let (index, is_certain) = self.index(access, GuardedIndex::Expression(index), Some(count))?;
        let index = bare(&index);
        Ok(Text::tight(if is_vector {
            format!("aw_get({}, {index})", bare(&value))
        } else if is_certain {
            format!("{value}[{index}]")
        } else {
            format!("{value}[aw_at({index}, {count}u)]")
        }))
    }

    /// Returns a member, component or element of a value, chosen by a known index.
    fn part(&mut self, base: Handle<Expression>, index: u32) -> Result<Text> {
        let value = self.value(base)?;
        Ok(Text::tight(match self.type_of(base) {
            TypeInner::Vector { .. } => format!("{value}.{}", component_name(index)?),
            TypeInner::Struct { .. } => match self.info[base].ty.handle() {
                Some(ty) => format!("{value}.{}", self.m.names.member(ty, index)),
                None => return Err(TranslateError::invalid("a struct without a declaration")),
            },
            TypeInner::Matrix { .. } => format!("{value}.columns[{index}u]"),
            _ => format!("{value}[{index}u]"),
        }))
    }

    fn swizzle(
        &mut self,
        handle: Handle<Expression>,
        size: VectorSize,
        vector: Handle<Expression>,
        pattern: [SwizzleComponent; 4],
    ) -> Result<Text> {
        let value = self.value(vector)?;
        let ty = self.m.resolved_name(&self.info[handle].ty);
        let mut components = Vec::with_capacity(4);
        for component in pattern.iter().take(size as usize) {
            components.push(format!("{value}.{}", component_name(*component as u32)?));
        }
        Ok(Text::tight(format!("{ty}{{{}}}", components.join(", "))))
    }

    fn select(
        &mut self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Result<Text> {
        let is_vector = matches!(self.type_of(condition), TypeInner::Vector { .. });
        let (condition, accept, reject) = (self.value(condition)?, self.value(accept)?, self.value(reject)?);
        Ok(if is_vector {
            Text::tight(format!("aw_select({}, {}, {})", bare(&reject), bare(&accept), bare(&condition)))
        } else {
            Text::loose(format!("{condition} ? {accept} : {reject}"))
        })
    }
}

/// Returns whether an expression must be evaluated at its position, because it depends on memory or involves all lanes.
fn happens_here(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Load { .. } | Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. }
    )
}

/// Returns whether a text is a name, a component or member of a name, or a number.
pub(super) fn is_cheap(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// Returns a text without the parentheses that enclose it as a whole.
pub(super) fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0_u32;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                // The first parenthesis is closed before the end, so the outer two are no pair.
                None => return text,
            },
            _ => {}
        }
    }
    inner
}
