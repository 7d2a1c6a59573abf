//! The hardware resources of a kernel, as the assembler reports them.

/// The resources of a kernel that are known without a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The number of 32-bit registers per invocation.
    pub registers: u32,
    /// Stack per invocation in bytes, including called functions.
    pub stack_bytes: u32,
    /// The number of bytes that spilled registers store.
    pub spill_stores: u32,
    /// The number of bytes that spilled registers load.
    pub spill_loads: u32,
    /// Shared memory declared in the kernel, in bytes, without dynamic shared memory.
    pub shared_bytes: u32,
    /// Constant memory in bytes: parameters, and constants of the code. Zero where the assembler does not report the
    /// size.
    pub constant_bytes: u32,
}

impl Usage {
    /// Returns the usage as words, for a cache.
    pub(crate) fn to_words(self) -> [u32; 6] {
        let Self { registers, stack_bytes, spill_stores, spill_loads, shared_bytes, constant_bytes } = self;
        [registers, stack_bytes, spill_stores, spill_loads, shared_bytes, constant_bytes]
    }

    /// Returns the usage from the words of [`to_words`](Self::to_words).
    pub(crate) fn from_words(words: [u32; 6]) -> Self {
        let [registers, stack_bytes, spill_stores, spill_loads, shared_bytes, constant_bytes] = words;
        Self { registers, stack_bytes, spill_stores, spill_loads, shared_bytes, constant_bytes }
    }
}

/// Separates the assembler's lines (of `-v`) from a log: returns the usage of the module's kernel, if the lines report
/// one, and the rest of the log.
///
/// Spills of functions that were not inlined are added up; the stack size is the kernel's cumulative one.
pub(crate) fn split(log: &str) -> (Option<Usage>, String) {
    let mut usage = Usage::default();
    let (mut reported, mut rest) = (false, String::new());
    for line in log.lines() {
        let Some(said) = assembler(line) else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        for (number, what) in said.split(',').filter_map(numbered) {
            match what {
                "registers" => {
                    reported = true;
                    usage.registers = usage.registers.max(number);
                }
                "bytes stack frame" | "bytes cumulative stack size" => {
                    usage.stack_bytes = usage.stack_bytes.max(number);
                }
                "bytes spill stores" => usage.spill_stores += number,
                "bytes spill loads" => usage.spill_loads += number,
                "bytes smem" => usage.shared_bytes = usage.shared_bytes.max(number),
                _ if what.starts_with("bytes cmem") => usage.constant_bytes += number,
                _ => {}
            }
        }
    }
    (reported.then_some(usage), rest.trim().to_owned())
}

/// Returns the assembler's message in a line, if the line has one that is not an error.
fn assembler(line: &str) -> Option<&str> {
    let frame = || {
        let numbers = line.starts_with(' ') && line.contains("bytes stack frame");
        numbers.then_some(line)
    };
    let reported = line.strip_prefix("ptxas").and_then(|rest| {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("info").or(rest.strip_prefix('.').map(|_| rest))?;
        Some(rest.trim_start().trim_start_matches([':', '.']))
    });
    reported.or_else(frame)
}

/// Splits `80 bytes stack frame` or `Used 55 registers` into the number and the words after it.
fn numbered(part: &str) -> Option<(u32, &str)> {
    let part = part.trim();
    let part = part.strip_prefix("Used ").or_else(|| part.strip_prefix("used ")).unwrap_or(part);
    let (number, what) = part.split_once(' ')?;
    Some((number.parse().ok()?, what.trim()))
}

#[cfg(test)]
mod tests {
    use super::{Usage, split};

    #[test]
    fn a_log_of_version_13() {
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'main_' for 'sm_75'
ptxas info    : Function properties for main_
ptxas         .     80 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 55 registers, used 1 barriers, 96 bytes cumulative stack size, 256 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 32.791 ms
";
        let expected = Usage {
            registers: 55,
            stack_bytes: 96,
            spill_stores: 4,
            spill_loads: 8,
            shared_bytes: 256,
            constant_bytes: 380,
        };
        assert_eq!(split(log), (Some(expected), String::new()));
        assert_eq!(Usage::from_words(expected.to_words()), expected);
    }

    #[test]
    fn a_log_of_version_12_between_warnings() {
        let log = "\
k.wgsl(4): warning #177-D: variable \"unused\" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    80 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, 256 bytes smem, 556 bytes cmem[0]
";
        let (usage, rest) = split(log);
        assert_eq!(usage.map(|usage| (usage.registers, usage.stack_bytes, usage.constant_bytes)), Some((32, 80, 556)));
        assert_eq!(rest, "k.wgsl(4): warning #177-D: variable \"unused\" was declared but never referenced");
    }

    #[test]
    fn errors_and_other_texts_stay() {
        let error = "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)";
        assert_eq!(split(error), (None, error.to_owned()));
        assert_eq!(split(""), (None, String::new()));
        assert_eq!(split("ptxas"), (None, "ptxas".to_owned()));
    }
}
