//! Programs as WGSL, for browsers, which accept nothing else.
//!
//! naga's writer omits two things, as of its version 30: the `@size` and `@align` of members, without which their
//! offsets change, and `enable` directives for features that no declared type shows: `f16` and matrices that only
//! expressions use, and subgroups, for which naga itself needs no directive. It also writes the greatest `f32` in
//! decimal, which browsers refuse.

use anywarp_backend::naga::back::wgsl::{WriterFlags, write_string};
use anywarp_backend::naga::proc::Layouter;
use anywarp_backend::naga::{
    ArraySize, Binding, BuiltIn, Expression, Function, Handle, Literal, Module, ScalarKind, StructMember, Type,
    TypeInner,
};
use anywarp_backend::{BackendError, Validated};

/// The WGSL of a module without overrides.
pub(crate) fn wgsl(module: &Validated) -> Result<String, BackendError> {
    let text = write_string(module, module.info(), WriterFlags::empty()).map_err(|error| refused(&error))?;
    let mut layouts = Layouter::default();
    layouts.update(module.to_ctx()).map_err(|error| refused(&error))?;
    Ok(with_directives(with_sizes(&with_greatest(&text), module, &layouts), module))
}

fn refused(error: &dyn std::error::Error) -> BackendError {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message = format!("{message}: {error}");
        source = error.source();
    }
    BackendError::Rejected { operation: "writing WGSL", message }
}

/// Returns the text with a directive for each extension that it needs.
fn with_directives(text: String, module: &Module) -> String {
    let entries = || module.entry_points.iter().map(|entry| &entry.function);
    let functions = || module.functions.iter().map(|(_, function)| function).chain(entries());
    let has = |is: fn(&Expression) -> bool| {
        functions().any(|function| function.expressions.iter().any(|(_, expression)| is(expression)))
            || module.global_expressions.iter().any(|(_, expression)| is(expression))
    };
    let needed = [
        ("subgroups", has(is_of_subgroup) || entries().any(|function| reads_subgroup(module, function))),
        ("wgpu_int16", has(is_short)),
        ("wgpu_cooperative_matrix", has(is_cooperative)),
        ("f16", has(is_half)),
    ];
    needed.into_iter().filter(|(_, needed)| *needed).fold(text, |text, (name, _)| {
        let directive = format!("enable {name};\n");
        if text.contains(&directive) { text } else { directive + &text }
    })
}

/// Returns the text with the greatest finite `f32` in hexadecimal.
///
/// The shortest decimal of `f32::MAX` is 3.4028235e38, which is greater than `f32::MAX` before it is rounded. Browsers
/// compare the unrounded number with the range of `f32`, and refuse it. The decimals of all other numbers are within
/// the range.
fn with_greatest(text: &str) -> String {
    let decimal = format!("{}f", f32::MAX);
    let mut exact = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&decimal) {
        let (before, found) = rest.split_at(at);
        let (literal, after) = found.split_at(decimal.len());
        // A name may contain the digits of the number.
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        exact.push_str(before);
        exact.push_str(if exact.ends_with(is_name) || after.starts_with(is_name) { literal } else { GREATEST });
        rest = after;
    }
    exact + rest
}

/// [`f32::MAX`] in hexadecimal: 24 significant bits, the first of which is the digit before the point.
const GREATEST: &str = "0x1.fffffep+127f";

fn is_half(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Literal(Literal::F16(_)) | Expression::As { kind: ScalarKind::Float, convert: Some(2), .. }
    )
}

fn is_short(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Literal(Literal::I16(_) | Literal::U16(_))
            | Expression::As { kind: ScalarKind::Sint | ScalarKind::Uint, convert: Some(2), .. }
    )
}

fn is_cooperative(expression: &Expression) -> bool {
    matches!(expression, Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. })
}

fn is_of_subgroup(expression: &Expression) -> bool {
    matches!(expression, Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. })
}

fn reads_subgroup(module: &Module, function: &Function) -> bool {
    let is_used = |binding: &Option<Binding>| {
        matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::NumSubgroups | BuiltIn::SubgroupId | BuiltIn::SubgroupSize | BuiltIn::SubgroupInvocationId
            ))
        )
    };
    function.arguments.iter().any(|argument| match &module.types[argument.ty].inner {
        TypeInner::Struct { members, .. } => members.iter().any(|member| is_used(&member.binding)),
        _ => is_used(&argument.binding),
    })
}

/// Returns the text with `@size` at each member after which the default offset of the next member, or of the struct's
/// end, differs from the offset in `module`.
fn with_sizes(text: &str, module: &Module, layouts: &Layouter) -> String {
    let predeclared = |handle: Handle<Type>| module.special_types.predeclared_types.values().any(|ty| *ty == handle);
    let mut structs =
        module.types.iter().filter(|(handle, _)| !predeclared(*handle)).filter_map(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, span } => Some(sizes(members, *span, module, layouts)),
            _ => None,
        });
    let mut sized = String::with_capacity(text.len());
    let mut of_members = Vec::new().into_iter();
    for line in text.split_inclusive('\n') {
        if line.starts_with("struct ") {
            of_members = structs.next().unwrap_or_default().into_iter();
        } else if line.starts_with(' ')
            && let Some(Some(size)) = of_members.next()
        {
            sized.push_str(&format!("    @size({size})"));
            sized.push_str(&line[3..]);
            continue;
        }
        sized.push_str(line);
    }
    sized
}

/// The `@size` in bytes that each member needs; `None` for a member that needs none.
fn sizes(members: &[StructMember], span: u32, module: &Module, layouts: &Layouter) -> Vec<Option<u32>> {
    let max_alignment = members.iter().map(|member| layouts[member.ty].alignment).max();
    let ends_open = |member: &StructMember| {
        matches!(module.types[member.ty].inner, TypeInner::Array { size: ArraySize::Dynamic, .. })
    };
    let size = |(at, member): (usize, &StructMember)| {
        let next = members.get(at + 1);
        let alignment = next.map(|next| layouts[next.ty].alignment).or(max_alignment)?;
        let by_itself = alignment.round_up(member.offset + layouts[member.ty].size);
        let wanted = next.map_or(span, |next| next.offset);
        (by_itself != wanted && !ends_open(member)).then_some(wanted - member.offset)
    };
    members.iter().enumerate().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_backend::naga::TypeInner;
    use anywarp_backend::naga::back::PipelineConstants;
    use anywarp_backend::naga::front::wgsl::parse_str;
    use anywarp_backend::naga::valid::Capabilities;

    fn module(text: &str) -> Validated {
        let module = Validated::new(parse_str(text).unwrap(), Capabilities::all()).unwrap();
        module.with_overrides("main", &PipelineConstants::default()).unwrap()
    }

    /// Offsets of the members and size, for all structs.
    fn places(module: &Module) -> Vec<(Vec<u32>, u32)> {
        let structs = module.types.iter().filter_map(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, span } => Some((members.iter().map(|member| member.offset).collect(), *span)),
            _ => None,
        });
        structs.collect()
    }

    #[test]
    fn members_stay_where_they_are() {
        let text = "struct Inner { a: vec3<f32>, b: f32, @size(24) c: vec2<u32> }
            struct Outer {
                first: u32, inner: Inner, list: array<Inner, 2>, @size(32) wide: i32, @align(32) aligned: vec3<i32>,
                @align(64) last: u32,
            }
            struct Open { @size(16) length: u32, items: array<Outer> }
            @group(0) @binding(0) var<storage, read_write> all: Open;
            @compute @workgroup_size(1) fn main() {
                let one = all.items[1];
                all.items[0] = one;
                all.length = u32(one.wide);
            }";
        let module = module(text);
        let written = wgsl(&module).unwrap();
        let again = parse_str(&written).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&written)));
        assert_eq!(places(&again), places(&module), "{written}");
        assert!(written.contains("@size(32) wide: i32,\n"), "{written}");
    }

    #[test]
    fn natural_layouts_are_left_alone() {
        let written = wgsl(&module(
            "struct Plain { a: u32, b: vec3<f32>, c: f32, d: vec2<u32> }
             @group(0) @binding(0) var<storage, read_write> all: Plain;
             @compute @workgroup_size(1) fn main() { all.a += 1u; }",
        ));
        let written = written.unwrap();
        assert!(!written.contains("@size"), "{written}");
    }

    #[test]
    fn extensions_of_expressions_are_enabled_once() {
        let directives = |text: &str| {
            let written = wgsl(&module(text)).unwrap();
            let lines = written.lines().filter_map(|line| line.strip_prefix("enable ")).map(str::to_owned);
            lines.collect::<Vec<_>>()
        };
        let kernel = |start: &str, arguments: &str, body: &str| {
            format!(
                "{start} @group(0) @binding(0) var<storage, read_write> data: array<f32>;
                 @compute @workgroup_size(64) fn main({arguments}) {{ {body} }}"
            )
        };
        let half = "enable f16;";
        for (text, wanted) in [
            (kernel("", "", "data[0] += 1.0;"), vec![]),
            (kernel(half, "", "data[0] = f32(f16(data[0]));"), vec!["f16;"]),
            (kernel(half, "", "data[0] = f32(1h);"), vec![]),
            (kernel(half, "", "var x = 1h; x += f16(data[0]); data[0] = f32(x);"), vec!["f16;"]),
            (kernel("", "", "data[0] = subgroupAdd(data[1]);"), vec!["subgroups;"]),
            (kernel("", "@builtin(subgroup_size) size: u32", "data[0] = f32(size);"), vec!["subgroups;"]),
            (kernel(half, "", "data[0] = f32(subgroupAdd(f16(data[1])));"), vec!["subgroups;", "f16;"]),
        ] {
            assert_eq!(directives(&text), wanted, "{text}");
        }
    }

    /// The decimal `f32` literals of a text, read as browsers read them: as `f64` first.
    fn floats(text: &str) -> Vec<f64> {
        let text = text.replace(GREATEST, "");
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        words.filter_map(|word| word.strip_suffix('f')?.parse().ok()).collect()
    }

    #[test]
    fn no_number_is_beyond_the_range_of_its_type() {
        let module = module(
            "const least = -3.40282347e38;
             const all = array(3.4028234663852886e38f, 3.4028233e38f, 1e-45f, 0.1f);
             var<private> greatest: vec2<f32> = vec2(0x1.fffffep+127);
             @group(0) @binding(0) var<storage, read_write> data: array<f32>;
             @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) at: u32) {
                 var n340282350000000000000000000000000000000f = all[at % 4u];
                 n340282350000000000000000000000000000000f += greatest.x + max(data[1], least);
                 data[0] = n340282350000000000000000000000000000000f;
             }",
        );
        let written = wgsl(&module).unwrap();
        assert_eq!(floats(&written), [3.402_823_3e38, 1e-45, 0.1], "{written}");
        assert_eq!(written.matches(GREATEST).count(), 3, "{written}");
        assert!(written.contains(&format!("-{GREATEST}")), "{written}");
        let again = parse_str(&written).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&written)));
        let has = |wanted: f32| {
            let functions = again.entry_points.iter().flat_map(|entry| entry.function.expressions.iter());
            let mut all = functions.chain(again.global_expressions.iter()).map(|(_, expression)| expression);
            all.any(|expression| *expression == Expression::Literal(Literal::F32(wanted)))
        };
        assert!(has(f32::MAX) && has(f32::MIN) && has(f32::from_bits(1)), "{written}");
    }

    #[test]
    fn arrays_of_overridden_lengths_say_what_they_are_of() {
        let module = module(
            "override size: u32 = 32u;
             var<workgroup> tile: array<u32, size>;
             var<workgroup> same: array<u32, 32>;
             @group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(size) fn main(@builtin(local_invocation_index) at: u32) {
                 tile[at] = data[at];
                 same[at] = tile[at];
                 workgroupBarrier();
                 data[at] = same[size - 1u - at] + tile[at];
             }",
        );
        let written = wgsl(&module).unwrap();
        parse_str(&written).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&written)));
        assert!(written.contains("var<workgroup> tile: array<u32, 32>;"), "{written}");
    }
}
