//! The kernel: the inputs of invocations, then the entry point's body.

use naga::{AddressSpace, Binding, BuiltIn, Expression, TypeInner};

use super::error::{Result, TranslateError};
use super::names::FunctionKey;
use super::parameters::Parameters;
use super::writer::{FunctionWriter, ModuleWriter};

/// The number of invocations of a subgroup.
const SUBGROUP: u32 = 32;

/// The parameter of a looped kernel: the number of workgroups, or the address of that number.
pub(super) const GROUPS: &str = "struct aw_Groups { u32 x; u32 y; u32 z; const u32* counts; };\n";

/// The parameter of a kernel with limited loops, and the functions that count iterations and report the end of the
/// budget.
pub(super) const STATUS: &str = "\
struct aw_Status { u32* record; u32 launch; };
static __device__ __noinline__ void aw_report(u32* record, u32 launch, u32 line) {
    if (atomicCAS(&record[0], 0u, launch) == 0u) { record[1] = line; }
}
static __device__ __forceinline__ bool aw_spent(u32& steps, const aw_Status& status, u32 line) {
    if (steps != 0u) { steps -= 1u; return false; }
    aw_report(status.record, status.launch, line);
    return true;
}
";

/// The function that zeroes a workgroup variable. The numbers of iterations are constants, so that the compiler turns
/// the loops into plain stores.
pub(super) const CLEAR: &str = "\
template <u32 COUNT, typename T>
static __device__ __forceinline__ void aw_clear(T& variable, u32 first) {
    constexpr u32 quads = u32(sizeof(T) / 16u);
    uint4* const quad = reinterpret_cast<uint4*>(&variable);
    #pragma unroll 8
    for (u32 i = 0u; i < quads / COUNT; i++) { quad[i * COUNT + first] = uint4{0u, 0u, 0u, 0u}; }
    if constexpr (quads % COUNT != 0u) {
        if (first < quads % COUNT) { quad[quads / COUNT * COUNT + first] = uint4{0u, 0u, 0u, 0u}; }
    }
    if constexpr (sizeof(T) % 4u == 0u) {
        constexpr u32 words = u32(sizeof(T) % 16u / 4u);
        u32* const word = reinterpret_cast<u32*>(&variable) + quads * 4u;
        for (u32 i = first; i < words; i += COUNT) { word[i] = 0u; }
    } else {
        constexpr u32 bytes = u32(sizeof(T) % 16u);
        unsigned char* const byte = reinterpret_cast<unsigned char*>(&variable) + quads * 16u;
        for (u32 i = first; i < bytes; i += COUNT) { byte[i] = 0; }
    }
}
";

impl<'a> ModuleWriter<'a> {
    /// Returns whether the kernel uses workgroup memory.
    pub(super) fn has_workgroup_memory(&self) -> bool {
        self.module.global_variables.iter().any(|(_, variable)| variable.space == AddressSpace::WorkGroup)
    }

    /// Returns the kernel and, if blocks loop over workgroups, the function for one workgroup.
    pub(super) fn entry(&mut self, position: usize, parameters: &Parameters) -> Result<String> {
        let (module, info) = (self.module, self.info);
        let function = &module.entry_points[position].function;
        let mut writer = FunctionWriter::new(self, FunctionKey::Entry, function, info.get_entry_point(position));
        writer.dynamic_variables();
        writer.clear_workgroup_memory();
        writer.private_variables()?;
        writer.inputs()?;
        writer.local_variables()?;
        writer.body(&function.body)?;
        let body = writer.out;

        let [x, y, z] = self.program.workgroup_size;
        let invocations = x.saturating_mul(y).saturating_mul(z);
        let head = format!(
            "extern \"C\" __global__ void __launch_bounds__({invocations}) {}({})",
            self.names.entry,
            parameters.kernel.join(", ")
        );
        if !self.options.form.looped {
            return Ok(format!("{head} {{\n{body}}}\n"));
        }
        let mut declared = parameters.function.clone();
        declared.extend(["const vec3<u32> aw_group".to_owned(), "const vec3<u32> aw_counts".to_owned()]);
        let mut given = parameters.names.clone();
        given.extend(["vec3<u32>{aw_x, aw_y, aw_z}".to_owned(), "aw_counts".to_owned()]);
        // In the kernel's text, no workgroup runs if the number of workgroups in a dimension exceeds the device's limit,
        // which is one below the largest `u32`.
        //
        // The next workgroup of the same block uses the same workgroup memory, so all threads wait for each other first.
        let wait = if self.has_workgroup_memory() { "        __syncthreads();\n" } else { "" };
        Ok(format!(
            "static __device__ __forceinline__ void aw_turn({}) {{\n{body}}}\n{}{head} {{
    const bool aw_known = aw_groups.counts == nullptr;
    const vec3<u32> aw_counts = vec3<u32>{{
        aw_known ? aw_groups.x : aw_groups.counts[0],
        aw_known ? aw_groups.y : aw_groups.counts[1],
        aw_known ? aw_groups.z : aw_groups.counts[2]}};
    const u32 aw_most = 0xffffffffu;
    const bool aw_above = aw_counts.x == aw_most || aw_counts.y == aw_most || aw_counts.z == aw_most;
    const u64 aw_plane = u64(aw_counts.x) * aw_counts.y;
    const u64 aw_total = aw_above ? 0 : aw_plane * aw_counts.z;
    for (u64 aw_number = blockIdx.x; aw_number < aw_total; aw_number += gridDim.x) {{
        const u32 aw_z = u32(aw_number / aw_plane);
        const u64 aw_rest = aw_number - aw_z * aw_plane;
        const u32 aw_y = u32(aw_rest / aw_counts.x);
        const u32 aw_x = u32(aw_rest - u64(aw_y) * aw_counts.x);
        aw_turn({});
{wait}    }}\n}}\n",
            declared.join(", "),
            super::lines::OWN_LINES,
            given.join(", "),
        ))
    }
}

impl FunctionWriter<'_, '_> {
    fn clear_workgroup_memory(&mut self) {
        let module = self.m.module;
        let [x, y, z] = self.m.program.workgroup_size;
        let count = x.saturating_mul(y).saturating_mul(z);
        let first = self.local_index();
        let mut cleared = false;
        for (handle, variable) in module.global_variables.iter() {
            if variable.space == AddressSpace::WorkGroup && !self.info[handle].is_empty() {
                let name = self.m.names.global(handle).to_owned();
                self.bare(&format!("aw_clear<{count}u>({name}, {first});"));
                cleared = true;
            }
        }
        if cleared {
            self.bare("__syncthreads();");
        }
    }

    /// Declares the entry point's arguments.
    fn inputs(&mut self) -> Result<()> {
        let function = self.function;
        let module = self.m.module;
        for (index, argument) in function.arguments.iter().enumerate() {
            let used = function.expressions.iter().any(|(handle, expression)| {
                matches!(expression, Expression::FunctionArgument(at) if *at == index as u32)
                    && self.info[handle].ref_count > 0
            });
            if !used {
                continue;
            }
            let value = match (&argument.binding, &module.types[argument.ty].inner) {
                (Some(binding), _) => self.input(binding)?,
                (None, TypeInner::Struct { members, .. }) => {
                    let mut values = Vec::with_capacity(members.len());
                    for member in members {
                        let missing = || TranslateError::invalid("an input that is not a built-in value");
                        values.push(self.input(member.binding.as_ref().ok_or_else(missing)?)?);
                    }
                    format!("{}{{{}}}", self.m.type_name(argument.ty), values.join(", "))
                }
                _ => return Err(TranslateError::invalid("an input that is not a built-in value")),
            };
            let (ty, name) = (self.m.type_name(argument.ty), self.argument(index as u32));
            self.bare(&format!("const {ty} {name} = {value};"));
        }
        Ok(())
    }

    fn input(&self, binding: &Binding) -> Result<String> {
        let Binding::BuiltIn(builtin) = binding else {
            return Err(TranslateError::unsupported("an input with a @location"));
        };
        let size = self.m.program.workgroup_size;
        let invocations = size.iter().fold(1_u32, |product, extent| product.saturating_mul(*extent));
        let index = self.local_index();
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => vector(|d| {
                let group = self.group(d);
                match size[d] {
                    1 => group,
                    extent => format!("{group} * {extent}u + {}", local(size, d)),
                }
            }),
            BuiltIn::LocalInvocationId => vector(|d| local(size, d)),
            BuiltIn::LocalInvocationIndex => index,
            BuiltIn::WorkGroupId => vector(|d| self.group(d)),
            BuiltIn::WorkGroupSize => vector(|d| format!("{}u", size[d])),
            BuiltIn::NumWorkGroups if self.m.options.form.looped => "aw_counts".to_owned(),
            BuiltIn::NumWorkGroups => vector(|d| format!("gridDim.{}", LETTERS[d])),
            BuiltIn::NumSubgroups => format!("{}u", invocations.div_ceil(SUBGROUP)),
            BuiltIn::SubgroupId => format!("({index}) / {SUBGROUP}u"),
            BuiltIn::SubgroupSize => format!("{SUBGROUP}u"),
            BuiltIn::SubgroupInvocationId => format!("({index}) % {SUBGROUP}u"),
            other => return Err(TranslateError::unsupported(format!("the built-in value {other:?}"))),
        })
    }

    /// Returns the expression for the invocation's index in its workgroup.
    fn local_index(&self) -> String {
        let size = self.m.program.workgroup_size;
        match size {
            [_, 1, 1] => local(size, 0),
            [_, _, 1] => format!("{} + {}u * {}", local(size, 0), size[0], local(size, 1)),
            [x, y, _] => {
                format!("{} + {x}u * ({} + {y}u * {})", local(size, 0), local(size, 1), local(size, 2))
            }
        }
    }

    fn group(&self, dimension: usize) -> String {
        let name = if self.m.options.form.looped { "aw_group" } else { "blockIdx" };
        format!("{name}.{}", LETTERS[dimension])
    }
}

const LETTERS: [&str; 3] = ["x", "y", "z"];

fn local(size: [u32; 3], dimension: usize) -> String {
    if size[dimension] == 1 { "0u".to_owned() } else { format!("threadIdx.{}", LETTERS[dimension]) }
}

fn vector(component: impl Fn(usize) -> String) -> String {
    format!("vec3<u32>{{{}, {}, {}}}", component(0), component(1), component(2))
}
