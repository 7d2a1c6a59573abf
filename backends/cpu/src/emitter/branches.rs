//! The order of blocks in memory, and their branches.

use super::encode::{Distance, Encoder};
use super::inst::Inst;
use super::reg::{Base, Cc, Cond, Mem, Reg, Rm, Rmi, Size};
use crate::codegen::Target;

/// The way in which a block ends.
#[derive(Debug)]
pub(super) enum End {
    /// By a return or a trap.
    None,
    Jump(usize),
    Branch(Cond, usize, usize),
    /// By a table of targets; the first successor is that for numbers behind the table.
    Table {
        index: Reg,
        table: Reg,
        at: Reg,
        successors: Vec<usize>,
    },
}

/// The code of a block without its branch.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) code: Encoder,
    pub(super) end: End,
    pub(super) cold: bool,
    pub(super) starts_loop: bool,
}

/// The code of a function, whose distances to constants are still missing.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub(super) code: Vec<u8>,
    pub(super) distances: Vec<Distance>,
    pub(super) names: Vec<(u32, Target)>,
}

/// A jump at the end of a block, to a place in the order.
#[derive(Clone, Copy, Debug)]
struct Jump {
    cc: Option<Cc>,
    to: usize,
    /// Whether the distance has four bytes instead of one.
    long: bool,
}

impl Jump {
    fn length(self) -> usize {
        match (self.long, self.cc) {
            (false, _) => 2,
            (true, None) => 5,
            (true, Some(_)) => 6,
        }
    }
}

/// Puts blocks in order, those that are rarely run last, with the shortest branches.
pub(super) fn join(mut chunks: Vec<Chunk>) -> Joined {
    let targets: Vec<usize> = (0..chunks.len()).map(|block| threaded(&chunks, block)).collect();
    for chunk in &mut chunks {
        match &mut chunk.end {
            End::None => {}
            End::Jump(to) => *to = targets[*to],
            End::Branch(_, yes, no) => {
                (*yes, *no) = (targets[*yes], targets[*no]);
                if yes == no {
                    chunk.end = End::Jump(*yes);
                }
            }
            End::Table { successors, .. } => {
                for to in successors {
                    *to = targets[*to];
                }
            }
        }
    }
    let reached = reached(&chunks);
    let in_order = |cold: bool| {
        let chunks = &chunks;
        let reached = &reached;
        (0..chunks.len()).filter(move |block| reached[*block] && chunks[*block].cold == cold)
    };
    // The function starts with its first block.
    let first = chunks.first().is_some_and(|chunk| chunk.cold).then_some(0);
    let order: Vec<usize> =
        first.into_iter().chain(in_order(false)).chain(in_order(true).filter(|block| Some(*block) != first)).collect();
    let mut places = vec![usize::MAX; chunks.len()];
    for (place, block) in order.iter().enumerate() {
        places[*block] = place;
    }
    let mut jumps: Vec<Vec<Jump>> =
        order.iter().enumerate().map(|(place, block)| jumps(&mut chunks[*block], place, &places)).collect();
    let starts = distances(&chunks, &order, &mut jumps);
    write(&mut chunks, &order, &jumps, &starts, &places)
}

/// The block at which a jump to `block` arrives: blocks that only jump are left out.
fn threaded(chunks: &[Chunk], block: usize) -> usize {
    let mut at = block;
    // A loop without instructions would have no end.
    for _ in 0..chunks.len() {
        match chunks[at].end {
            End::Jump(to) if chunks[at].code.bytes.is_empty() && at != 0 => at = to,
            _ => break,
        }
    }
    at
}

fn reached(chunks: &[Chunk]) -> Vec<bool> {
    let mut reached = vec![false; chunks.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut reached[block], true) {
            continue;
        }
        match &chunks[block].end {
            End::None => {}
            End::Jump(to) => open.push(*to),
            End::Branch(_, yes, no) => open.extend([*yes, *no]),
            End::Table { successors, .. } => open.extend(successors),
        }
    }
    reached
}

/// The jumps at the end of a block.
fn jumps(chunk: &mut Chunk, place: usize, places: &[usize]) -> Vec<Jump> {
    let jump = |cc: Option<Cc>, to: usize| Jump { cc, to: places[to], long: false };
    let next = |to: usize| places[to] == place + 1;
    match &chunk.end {
        End::None | End::Table { .. } => Vec::new(),
        End::Jump(to) => {
            if next(*to) {
                Vec::new()
            } else {
                vec![jump(None, *to)]
            }
        }
        End::Branch(cond, yes, no) => {
            let (cond, yes, no) = if next(*yes) { (cond.not(), *no, *yes) } else { (*cond, *yes, *no) };
            let mut list = match cond {
                Cond::If(cc) => vec![jump(Some(cc), yes)],
                Cond::Either(a, b) => vec![jump(Some(a), yes), jump(Some(b), yes)],
                Cond::Both(a, b) => {
                    // The last jump continues with the other successor if that is not next.
                    return if next(no) {
                        let over = Jump { cc: Some(a.not()), to: places[no], long: false };
                        vec![over, jump(Some(b), yes)]
                    } else {
                        vec![jump(Some(a.not()), no), jump(Some(b.not()), no), jump(None, yes)]
                    };
                }
            };
            if !next(no) {
                list.push(jump(None, no));
            }
            list
        }
    }
}

/// The number of bytes before a block that starts a loop, so that few lines of the cache contain it.
const LOOP_ALIGNMENT: usize = 32;

/// The length of the code of a table: the load of its address, of an entry, an addition, and a jump.
fn table_length(end: &End) -> usize {
    match end {
        End::Table { .. } => table(end).0.len(),
        _ => 0,
    }
}

/// Decides which jumps are short; returns the start of each block. Jumps only become longer, so this ends.
fn distances(chunks: &[Chunk], order: &[usize], jumps: &mut [Vec<Jump>]) -> Vec<usize> {
    loop {
        let mut starts = Vec::with_capacity(order.len() + 1);
        let mut at: usize = 0;
        for (block, jumps) in order.iter().zip(&*jumps) {
            let chunk = &chunks[*block];
            if chunk.starts_loop && !chunk.cold {
                at = at.next_multiple_of(LOOP_ALIGNMENT);
            }
            starts.push(at);
            at += chunk.code.bytes.len() + table_length(&chunk.end);
            at += jumps.iter().map(|jump| jump.length()).sum::<usize>();
        }
        starts.push(at);
        let mut changed = false;
        for (place, block) in order.iter().enumerate() {
            let mut from = starts[place] + chunks[*block].code.bytes.len();
            for jump in &mut jumps[place] {
                from += jump.length();
                let distance = starts[jump.to] as i64 - from as i64;
                if !jump.long && i8::try_from(distance).is_err() {
                    jump.long = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return starts;
        }
    }
}

/// Instructions without effect, by length.
const NOTHING: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

fn write(chunks: &mut [Chunk], order: &[usize], jumps: &[Vec<Jump>], starts: &[usize], places: &[usize]) -> Joined {
    let mut joined = Joined::default();
    let mut tables = Vec::new();
    for (place, block) in order.iter().enumerate() {
        while joined.code.len() < starts[place] {
            let missing = (starts[place] - joined.code.len()).min(NOTHING.len());
            joined.code.extend_from_slice(NOTHING[missing - 1]);
        }
        let chunk = &mut chunks[*block];
        let start = starts[place] as u32;
        joined.distances.extend(chunk.code.distances.iter().map(|one| Distance { at: one.at + start, ..*one }));
        joined.names.extend(chunk.code.names.iter().map(|(at, target)| (at + start, *target)));
        joined.code.append(&mut chunk.code.bytes);
        if let End::Table { successors, .. } = &chunk.end {
            let (code, at) = table(&chunk.end);
            tables.push((joined.code.len(), at, successors.clone()));
            joined.code.extend(code);
        }
        for jump in &jumps[place] {
            let end = joined.code.len() + jump.length();
            let distance = starts[jump.to] as i64 - end as i64;
            match (jump.long, jump.cc) {
                (false, None) => joined.code.extend_from_slice(&[0xeb, distance as u8]),
                (false, Some(cc)) => joined.code.extend_from_slice(&[0x70 | cc as u8, distance as u8]),
                (true, None) => joined.code.push(0xe9),
                (true, Some(cc)) => joined.code.extend_from_slice(&[0x0f, 0x80 | cc as u8]),
            }
            if jump.long {
                joined.code.extend_from_slice(&(distance as i32).to_le_bytes());
            }
        }
    }
    for (start, [default, own], successors) in tables {
        let to = starts[places[successors[0]]] as i64;
        patch(&mut joined.code, start + default, to - (start + default + 4) as i64);
        while joined.code.len() % 4 != 0 {
            joined.code.push(0xcc);
        }
        let table = joined.code.len();
        patch(&mut joined.code, start + own, table as i64 - (start + own + 4) as i64);
        for successor in &successors[1..] {
            let distance = starts[places[*successor]] as i64 - table as i64;
            joined.code.extend_from_slice(&(distance as i32).to_le_bytes());
        }
    }
    joined
}

fn patch(code: &mut [u8], at: usize, value: i64) {
    code[at..at + 4].copy_from_slice(&(value as i32).to_le_bytes());
}

/// The code of a branch by a table, and the positions of the distances to the default target and to the table.
fn table(end: &End) -> (Vec<u8>, [usize; 2]) {
    let End::Table { index, table, at, successors } = end else { return (Vec::new(), [0; 2]) };
    let mut code = Encoder::new(super::encode::Frame::default());
    let count = successors.len() as i32 - 1;
    code.instruction(&Inst::Cmp { size: Size::S32, a: Rm::Reg(*index), b: Rmi::Imm(count) });
    code.bytes.extend_from_slice(&[0x0f, 0x80 | Cc::AE as u8, 0, 0, 0, 0]);
    let default = code.bytes.len() - 4;
    let mem = Mem::at(Base::Constant(0));
    code.instruction(&Inst::Lea { size: Size::S64, to: *table, mem });
    let own = code.bytes.len() - 4;
    let entry = Mem { base: Base::Reg(*table), index: Some((*index, 2)), offset: 0 };
    code.instruction(&Inst::Extend { signed: true, from: Size::S32, into: Size::S64, to: *at, a: Rm::Mem(entry) });
    let b = Rmi::Rm(Rm::Reg(*table));
    code.instruction(&Inst::Alu { op: super::inst::Alu::Add, size: Size::S64, to: *at, a: *at, b });
    // An indirect jump.
    if at.number() >= 8 {
        code.bytes.push(0x41);
    }
    code.bytes.extend_from_slice(&[0xff, 0xe0 | at.number() & 7]);
    (code.bytes, [default, own])
}
