//! The failures of a module: operations that need uniformity without having it.

use anywarp_backend::{Source, statements};
use naga::{Block, Expression, Function, Module, SampleLevel, Span, Statement};

use super::chain;
use super::requirement::{By, Needed, Requirement};
use super::scope::{Language, Scope};
use super::sources::Subject;
use super::summary::Summary;
use super::walk::Walk;
use crate::filters::{Filters, Rule, Severity};

/// An operation that needs uniform control flow or a uniform argument, where the analysis could not prove the
/// uniformity.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The severity of the finding in browsers.
    pub severity: Severity,
    /// The rule whose filters apply to the operation; `None` for barriers.
    pub rule: Option<Rule>,
    /// The span of the operation.
    pub at: Span,
    /// The operation's name.
    pub operation: String,
    /// Whether an argument of the operation is not uniform; if false, control flow is not uniform.
    pub is_argument: bool,
    /// Whether browsers with the language extension `subgroup_uniformity` also report the operation.
    pub with_subgroup_uniformity: bool,
    /// The steps from the operation to the cause.
    pub links: Vec<Link>,
    /// The remedies.
    pub help: Vec<String>,
}

/// One of the steps that explain a failure, from the operation to the cause.
#[derive(Clone, Debug)]
pub struct Link {
    /// The span of the step.
    pub at: Span,
    /// The reason why this step depends on the next one.
    pub text: String,
}

/// Returns all failures of a module that was parsed from `source`, for browsers that have `language`.
///
/// ```
/// use anywarp_backend::Source;
/// use anywarp_wgsl::uniformity::{Language, failures};
///
/// let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
///     @compute @workgroup_size(64)
///     fn main() {
///         if data[0] > 0 { workgroupBarrier(); }
///     }";
/// let source = Source::new("example.wgsl", text);
/// let module = anywarp_wgsl::module::parse(&source)?;
/// let found = failures(&source, &module, Language::Common);
/// assert_eq!(found[0].operation, "workgroupBarrier");
/// assert!(found[0].message(&source).contains("`data`"));
/// # Ok::<(), anywarp_wgsl::TextError>(())
/// ```
#[must_use]
pub fn failures(source: &Source, module: &Module, language: Language) -> Vec<Failure> {
    if !needs_uniformity(module) {
        return Vec::new();
    }
    let filters = Filters::of(source.text());
    let mut found: Vec<Failure> = Vec::new();
    for scope in language.scopes() {
        Analysis::of(module, &filters, *scope).collect(source, *scope, &mut found);
    }
    if language == Language::Common && found.iter().any(|failure| failure.rule == Some(Rule::SubgroupUniformity)) {
        let mut with = Vec::new();
        Analysis::of(module, &filters, Scope::Subgroup).collect(source, Scope::Subgroup, &mut with);
        for failure in found.iter_mut().filter(|failure| failure.rule == Some(Rule::SubgroupUniformity)) {
            failure.with_subgroup_uniformity = with.iter().any(|other| other.at == failure.at);
        }
    }
    found
}

/// The analysis of every function of a module, for one group of invocations that are compared.
pub(super) struct Analysis<'a> {
    pub(super) module: &'a Module,
    /// The summaries of the functions, by index of the function, followed by the summaries of the entry points.
    pub(super) summaries: Vec<Summary>,
}

impl<'a> Analysis<'a> {
    fn of(module: &'a Module, filters: &Filters, scope: Scope) -> Self {
        let mut summaries = Vec::with_capacity(module.functions.len() + module.entry_points.len());
        // naga's modules list a function before its callers.
        let functions = module.functions.iter().map(|(_, function)| Subject { function, stage: None });
        for subject in functions.chain(module.entry_points.iter().map(Subject::from)) {
            let mut walk = Walk::new(module, subject, scope, filters, &summaries);
            walk.run();
            let summary = walk.finish();
            summaries.push(summary);
        }
        Self { module, summaries }
    }

    /// Returns the function with this number in `summaries`.
    pub(super) fn function(&self, number: usize) -> &'a Function {
        let functions = self.module.functions.len();
        match number.checked_sub(functions) {
            Some(entry) => &self.module.entry_points[entry].function,
            None => {
                // Functions are numbered in the order of the arena.
                self.module.functions.iter().nth(number).map_or_else(|| unreachable!("{number}"), |(_, found)| found)
            }
        }
    }

    fn collect(&self, source: &Source, scope: Scope, found: &mut Vec<Failure>) {
        for (number, summary) in self.summaries.iter().enumerate() {
            if summary.requirements.is_empty() {
                continue;
            }
            let causes = summary.graph.causes();
            for requirement in &summary.requirements {
                if !causes.begins(requirement.node) {
                    continue;
                }
                let (at, calls) = self.innermost(source, requirement);
                // Only one failure is reported for each operation.
                if found.iter().any(|failure| failure.at == at.at) {
                    continue;
                }
                let chain = chain::of(self, source, number, &causes, requirement, &calls);
                found.push(Failure {
                    severity: requirement.severity,
                    rule: requirement.rule,
                    at: at.at,
                    operation: word_at(source, at.at).to_owned(),
                    is_argument: at.needed == Needed::Argument && calls.is_empty(),
                    with_subgroup_uniformity: scope == Scope::Subgroup,
                    links: chain.links,
                    help: chain.help,
                });
            }
        }
    }

    /// The operation that causes a requirement, and the calls from the function to that operation.
    fn innermost(&self, source: &Source, requirement: &Requirement) -> (Requirement, Vec<Requirement>) {
        let mut at = *requirement;
        let mut calls = Vec::new();
        while let By::Call(function, number) = at.by {
            let inner = self.summaries[function.index()].requirements[number as usize];
            // The built-in functions that naga lacks are declared after the text, so the call is the operation.
            if inner.at.to_range().is_some_and(|range| range.start >= source.text().len()) {
                break;
            }
            calls.push(at);
            at = inner;
        }
        (at, calls)
    }
}

/// The word at the start of a span.
pub(super) fn word_at(source: &Source, span: Span) -> &str {
    let text = span.to_range().and_then(|range| source.text().get(range.start..)).unwrap_or_default();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Returns whether any function has an operation that needs uniformity.
fn needs_uniformity(module: &Module) -> bool {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    module.functions.iter().map(|(_, function)| function).chain(entries).any(|function| {
        let derives = function.expressions.iter().any(|(_, expression)| {
            matches!(
                expression,
                Expression::Derivative { .. }
                    | Expression::ImageSample { level: SampleLevel::Auto | SampleLevel::Bias(_), .. }
            )
        });
        derives || has_operation(&function.body)
    })
}

fn has_operation(block: &Block) -> bool {
    let is_one = |statement: &Statement| {
        matches!(
            statement,
            Statement::ControlBarrier(_)
                | Statement::WorkGroupUniformLoad { .. }
                | Statement::SubgroupBallot { .. }
                | Statement::SubgroupGather { .. }
                | Statement::SubgroupCollectiveOperation { .. }
        )
    };
    statements(block).any(|(statement, _)| is_one(statement))
}
