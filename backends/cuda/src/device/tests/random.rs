//! Random recordings on random streams, in random orders of execution, compared with sequential execution.

use anywarp_testing::random;

use super::*;

const WORDS: usize = 64;
const BYTES: u64 = 4 * WORDS as u64;
const STREAMS: usize = 5;
const SEEDS: u64 = 1000;
const ROUNDS: usize = 60;

struct Random(random::Random);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// Returns a range of words, as start and count; one range in three is the whole cell.
    fn range(&mut self) -> (usize, usize) {
        if self.below(3) == 0 {
            return (0, WORDS);
        }
        // Bindings begin at multiples of 16 bytes.
        let start = 4 * self.below(WORDS / 4);
        (start, 4 + 4 * self.below((WORDS - start) / 4))
    }
}

/// A memory, with its expected contents.
struct Cell {
    memory: MemoryId,
    words: [u32; WORDS],
}

struct Game {
    device: Arc<CudaDevice>,
    random: Random,
    mixer: KernelId,
    cells: Vec<Cell>,
    up: Vec<MemoryId>,
    uploads: usize,
    tickets: Vec<Ticket>,
    seed: u64,
}

/// A command on cells, for replay on the host.
#[derive(Clone, Copy)]
enum Act {
    Fill { to: usize, at: (usize, usize), value: u32 },
    Copy { from: usize, start: usize, to: usize, at: (usize, usize) },
    Mix { from: usize, start: usize, to: usize, at: (usize, usize), value: u32 },
}

impl Game {
    fn new(seed: u64) -> Self {
        let device = open();
        if seed > 0 {
            fake::disorder(device.raw_context(), seed);
        }
        let mixer = mixer(&device);
        let mut game = Self {
            device,
            random: Random(random::Random::new(seed)),
            mixer,
            cells: vec![],
            up: vec![],
            uploads: 0,
            tickets: vec![],
            seed,
        };
        for _ in 0..4 {
            let cell = game.cell();
            game.cells.push(cell);
            game.up.push(game.device.allocate(BYTES, MemoryKind::Upload, "").unwrap());
        }
        game
    }

    fn cell(&self) -> Cell {
        Cell { memory: self.device.allocate(BYTES, MemoryKind::Device, "").unwrap(), words: [0; WORDS] }
    }

    fn region(&self, cell: usize, (start, count): (usize, usize)) -> Region {
        Region { memory: self.cells[cell].memory, offset: 4 * start as u64, bytes: 4 * count as u64 }
    }

    fn act(&mut self) -> Act {
        let (to, at, value) = (self.random.below(4), self.random.range(), self.random.below(1 << 20) as u32);
        let from = (to + 1 + self.random.below(3)) % 4;
        let start = 4 * self.random.below((WORDS - at.1) / 4 + 1);
        match self.random.below(4) {
            0 => Act::Fill { to, at, value },
            1 => Act::Copy { from, start, to, at },
            _ => Act::Mix { from, start, to, at, value },
        }
    }

    fn record(&self, recording: &mut Recording, act: Act) {
        match act {
            Act::Fill { to, at, value } => recording.fill(self.region(to, at), value),
            Act::Copy { from, start, to, at } => recording.copy(self.region(from, (start, at.1)), self.region(to, at)),
            Act::Mix { from, start, to, at, value } => {
                let memory = |region, access| Bound::Memory { region, access };
                let bounds = [
                    memory(self.region(from, (start, at.1)), Access::Read),
                    memory(self.region(to, at), Access::Write),
                    Bound::Inline(0..4),
                ];
                let grid = Grid::Groups([1, 1, 1]);
                recording.dispatch(self.mixer, &"mix".into(), grid, bounds, &value.to_le_bytes(), &[]);
            }
        }
    }

    /// Applies the command to the host's copy.
    fn expect(&mut self, act: Act) {
        match act {
            Act::Fill { to, at: (at, count), value } => self.cells[to].words[at..at + count].fill(value),
            Act::Copy { from, start, to, at: (at, count) } => {
                let source = self.cells[from].words;
                self.cells[to].words[at..at + count].copy_from_slice(&source[start..start + count]);
            }
            Act::Mix { from, start, to, at: (at, count), value } => {
                let source = self.cells[from].words;
                for (word, x) in self.cells[to].words[at..at + count].iter_mut().zip(&source[start..]) {
                    *word = (word.rotate_left(5) ^ x.wrapping_mul(0x9e37_79b1)).wrapping_add(value);
                }
            }
        }
    }

    fn submit(&mut self, recording: &Recording) {
        self.tickets.push(self.device.submit(recording).unwrap());
    }

    fn recording(&mut self) {
        let mut recording = Recording::new();
        recording.stream = self.random.below(STREAMS) as u32;
        for _ in 0..=self.random.below(4) {
            if self.random.below(6) == 0 {
                self.upload(&mut recording);
            }
            let act = self.act();
            self.record(&mut recording, act);
            self.expect(act);
        }
        self.submit(&recording);
    }

    /// Copies from the host to a whole cell.
    fn upload(&mut self, recording: &mut Recording) {
        // Memory that the recording already reads must not be written again.
        let (up, to) = (self.up[self.uploads % self.up.len()], self.random.below(4));
        self.uploads += 1;
        self.device.map(up).unwrap().wait().unwrap();
        let mut host = self.device.host(up).unwrap();
        for (index, bytes) in host.bytes_mut().chunks_exact_mut(4).enumerate().take(WORDS) {
            let value = self.random.below(1 << 30) as u32;
            bytes.copy_from_slice(&value.to_le_bytes());
            self.cells[to].words[index] = value;
        }
        drop(host);
        self.device.unmap(up).unwrap();
        recording.copy(whole(up, BYTES), whole(self.cells[to].memory, BYTES));
    }

    /// Submits one recording repeatedly, on changing streams.
    fn kept(&mut self) {
        let mut recording = Recording::kept();
        let acts: Vec<Act> = (0..3).map(|_| self.act()).collect();
        acts.iter().for_each(|act| self.record(&mut recording, *act));
        for _ in 0..5 {
            if self.random.below(3) == 0 {
                recording.stream = self.random.below(STREAMS) as u32;
            }
            self.submit(&recording);
            acts.iter().for_each(|act| self.expect(*act));
            if self.random.below(2) == 0 {
                self.recording();
            }
        }
    }

    fn check(&mut self) {
        let (cell, stream) = (self.random.below(4), self.random.below(STREAMS) as u32);
        let back = self.device.allocate(BYTES, MemoryKind::Readback, "").unwrap();
        let mut recording = Recording::new();
        recording.stream = stream;
        if self.random.below(2) == 0 {
            let act = self.act();
            self.record(&mut recording, act);
            self.expect(act);
        }
        recording.copy(whole(self.cells[cell].memory, BYTES), whole(back, BYTES));
        let ticket = self.device.submit(&recording).unwrap();
        // Some reads are waited for later.
        let wanted = self.cells[cell].words;
        if self.random.below(2) == 0 {
            self.recording();
        }
        self.device.map(back).unwrap().wait().unwrap();
        let host = self.device.host(back).unwrap();
        let found: Vec<u32> =
            host.bytes().chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(found[..WORDS], wanted, "seed {}", self.seed);
        drop(host);
        self.device.free(back);
        self.tickets.push(ticket);
    }

    fn round(&mut self) {
        match self.random.below(20) {
            0 => {
                let place = self.random.below(4);
                self.device.free(self.cells[place].memory);
                self.cells[place] = self.cell();
            }
            1 => self.kept(),
            2 | 3 => self.check(),
            4 | 5 if !self.tickets.is_empty() => {
                let chosen = self.random.below(self.tickets.len());
                self.tickets.swap_remove(chosen).wait().unwrap();
            }
            6 if !self.tickets.is_empty() => {
                let chosen = self.random.below(self.tickets.len());
                drop(self.tickets.swap_remove(chosen));
            }
            7 if self.random.below(4) == 0 => self.device.queue.drain("test").unwrap(),
            _ => self.recording(),
        }
    }
}

#[test]
fn all_orders_end_as_one_after_the_other() {
    for seed in 0..SEEDS {
        let mut game = Game::new(seed);
        for _ in 0..ROUNDS {
            game.round();
        }
        for ticket in std::mem::take(&mut game.tickets) {
            ticket.wait().unwrap();
        }
        for place in 0..4 {
            let (memory, words) = (game.cells[place].memory, game.cells[place].words);
            assert_eq!(read(&game.device, memory), Ok(words[0]), "seed {seed}, cell {place}");
            game.check();
        }
        game.device.queue.drain("test").unwrap();
        assert!(!game.device.queue.lock().concurrent, "seed {seed}");
    }
}
