//! The ceiling of an echo on a card: bare kernels that exchange words with the host, without a ring, and what each part of
//! a ring's protocol adds to them.
//!
//! The words of the host lie on the card or in host memory, those of the kernel in host memory. Every word of every reply is
//! checked.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use anywarp_backend::{
    Access, Backend, BindingClass, BindingInfo, Bound, Grid, HostRange, MemoryId, MemoryKind, Program, Recording,
    Region, ResourceId, Validated,
};
use anywarp_wgsl::reflect::layout_of;

use super::{Random, quantiles};

/// The difference of a reply from its message.
const KEY: u32 = 0x5a5a_5a5a;

/// The words of each memory.
const WORDS: usize = 64;

/// A bare kernel: its name, its number of words each way, and the statements of a poll.
struct Rung {
    name: &'static str,
    words: usize,
    poll: &'static str,
}

const RUNGS: [Rung; 5] = [
    Rung {
        name: "a word each way",
        words: 1,
        poll: "if lane == 0u {
            let word = atomicLoad(&inbox[0]);
            if word != last { atomicStore(&outbox[0], word ^ key); last = word; }
        }",
    },
    Rung {
        name: "a word, and a look at a word of the host every 32 polls",
        words: 1,
        poll: "if lane == 0u {
            let word = atomicLoad(&inbox[0]);
            var stop = 0u;
            if polls % 32u == 0u { stop = atomicLoad(&control[0]); }
            if stop != 0u { return; }
            if word != last { atomicStore(&outbox[0], word ^ key); last = word; }
        }",
    },
    Rung {
        name: "four words that one invocation moves",
        words: 4,
        poll: "if lane == 0u {
            let a = atomicLoad(&inbox[0]);
            let b = atomicLoad(&inbox[1]);
            let c = atomicLoad(&inbox[2]);
            let d = atomicLoad(&inbox[3]);
            if a != last && a == b && b == c && c == d {
                atomicStore(&outbox[3], d ^ key);
                atomicStore(&outbox[2], c ^ key);
                atomicStore(&outbox[1], b ^ key);
                atomicStore(&outbox[0], a ^ key);
                last = a;
            }
        }",
    },
    Rung {
        name: "four words that four invocations move, with barriers",
        words: 4,
        poll: "var word = 0u;
        if lane < 4u { word = atomicLoad(&inbox[lane]); shared_words[lane] = word; }
        let all = workgroupUniformLoad(&shared_words);
        if all[0] != last && all[0] == all[1] && all[1] == all[2] && all[2] == all[3] {
            workgroupBarrier();
            if lane < 4u { atomicStore(&outbox[lane], word ^ key); }
            last = all[0];
        }",
    },
    Rung {
        name: "four words that a subgroup moves",
        words: 4,
        poll: "var word = 0u;
        if lane < 4u { word = atomicLoad(&inbox[lane]); }
        let first = subgroupBroadcastFirst(word);
        if subgroupAll(lane >= 4u || word == first) && first != last {
            if lane < 4u { atomicStore(&outbox[lane], word ^ key); }
            last = first;
        }",
    },
];

/// Measures all rungs on the first CUDA device.
pub(super) fn ladder(messages: usize) -> Result<(), String> {
    let candidate = anywarp_cuda::candidates().into_iter().next().ok_or("no CUDA device")?;
    let device = candidate.open(anywarp_cuda::Options::default()).map_err(|error| error.to_string())?;
    for kind in [MemoryKind::Inbox, MemoryKind::Exchange] {
        RUNGS.iter().try_for_each(|rung| echo(&*device, rung, kind, messages))?;
    }
    stores(&*device)
}

/// The time of the host's stores to the card, of slots of four words one after the other.
fn stores(device: &dyn Backend) -> Result<(), String> {
    const SLOTS: usize = 1 << 16;
    let (memory, range) = exchange(device, MemoryKind::Inbox, 4 * SLOTS)?;
    let mut times: Vec<Duration> = (0..9)
        .map(|round| {
            let start = Instant::now();
            range.words().iter().for_each(|word| word.store(round, Ordering::Relaxed));
            fence(Ordering::SeqCst);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let time = times[times.len() / 2].as_secs_f64() * 1e9 / SLOTS as f64;
    println!("ceiling of the card: the host stores four words in {time:.1} ns");
    drop(range);
    device.free(memory);
    Ok(())
}

/// Exchange memory and its words.
fn exchange(device: &dyn Backend, kind: MemoryKind, words: usize) -> Result<(MemoryId, HostRange), String> {
    let memory = device.allocate(words as u64 * 4, kind, "bare").map_err(|error| error.to_string())?;
    let mapped = device.map(memory).and_then(|ticket| ticket.wait());
    let range = mapped.and_then(|()| device.host(memory)).map_err(|error| error.to_string())?;
    Ok((memory, range))
}

fn echo(device: &dyn Backend, rung: &Rung, kind: MemoryKind, messages: usize) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let program = program(device, rung)?;
    let kernel = device.compile(&program).map_err(|error| text(&error))?.kernel;
    let (inbox, inbox_words) = exchange(device, kind, WORDS)?;
    let (outbox, outbox_words) = exchange(device, MemoryKind::Exchange, WORDS)?;
    let (control, control_words) = exchange(device, MemoryKind::Exchange, WORDS)?;
    let region = |memory| Region { memory, offset: 0, bytes: WORDS as u64 * 4 };
    let bound = |memory| Bound::Memory { region: region(memory), access: Access::Write };
    let mut recording = Recording::new();
    let bounds = [bound(inbox), bound(outbox), bound(control)];
    recording.dispatch(kernel, &program.name, Grid::Groups([1, 1, 1]), bounds, &[], &[]);
    recording.resident = Some(Region { bytes: 8, ..region(control) });
    let ticket = device.submit(&recording).map_err(|error| text(&error))?;

    let (there, back) = (inbox_words.words(), outbox_words.words());
    let (mut random, mut times, mut word) = (Random(7), Vec::with_capacity(messages), 0);
    let arrives = |word: u32, start: Instant| {
        while !(0..rung.words).all(|at| back[at].load(Ordering::Relaxed) == word ^ KEY) {
            if start.elapsed() > Duration::from_secs(10) {
                return Err(format!("no reply of the bare kernel: {}", rung.name));
            }
        }
        Ok(())
    };
    // The kernel answers to the zeros at first.
    arrives(word, Instant::now())?;
    for number in 0..messages + messages / 10 {
        random.pause();
        word = word.wrapping_add(0x9e37_79b9);
        let start = Instant::now();
        for own in &there[..rung.words] {
            own.store(word, Ordering::Relaxed);
        }
        fence(Ordering::SeqCst);
        arrives(word, start)?;
        if number >= messages / 10 {
            times.push(start.elapsed());
        }
    }
    control_words.words()[0].store(1, Ordering::Release);
    ticket.wait().map_err(|error| text(&error))?;
    drop((inbox_words, outbox_words, control_words));
    [inbox, outbox, control].into_iter().for_each(|memory| device.free(memory));
    device.discard(kernel);
    let place = if kind == MemoryKind::Inbox { "the card" } else { "the card, words in host memory" };
    quantiles(&format!("ceiling of {place}: {}", rung.name), times);
    Ok(())
}

fn program(device: &dyn Backend, rung: &Rung) -> Result<Program, String> {
    let text = format!(
        "const key = {KEY}u;
        @group(0) @binding(0) var<storage, read_write> inbox: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> outbox: array<atomic<u32>>;
        @group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
        var<workgroup> shared_words: array<u32, 4>;
        @compute @workgroup_size(32) fn bare(@builtin(local_invocation_index) lane: u32) {{
            var last = atomicLoad(&outbox[0]) ^ key;
            for (var polls = 0u; polls < 32768u; polls++) {{ {} }}
        }}",
        rung.poll
    );
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.to_string())?;
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| {
        let binding = variable.binding.as_ref()?;
        Some(BindingInfo {
            name: variable.name.clone()?,
            resource: ResourceId { group: binding.group, binding: binding.binding },
            class: BindingClass::Storage,
            access: Access::Write,
            layout: layout_of(&module, variable.ty)?,
        })
    });
    let bindings = bindings.collect();
    let module = Validated::new(module, device.caps().shader).map_err(|error| error.to_string())?;
    Ok(Program {
        name: Arc::from("bare"),
        module,
        entry_point: "bare".to_owned(),
        workgroup_size: [32, 1, 1],
        bindings,
        immediate: None,
        workgroup_storage: 16,
        source: None,
        leave: Default::default(),
        proofs: None,
    })
}
