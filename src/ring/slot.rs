//! The format of slots, in which messages and replies travel, and the order in which both sides use them.
//!
//! A slot is a row of words of 32 bits, each of which is written and read as a whole, in no particular order. The
//! highest bit of every word is the *phase*: it changes with each lap over the slots. A message has arrived when all of
//! its words have the phase of the current lap, so nothing orders the words among each other: neither fences, nor a
//! head or tail that both sides access. The highest bits of the payload travel in a word of their own.
//!
//! | word | lowest 31 bits |
//! |---|---|
//! | 0 | kind of the message, and a number |
//! | 1.. | the highest bits of each 31 payload words, from the lowest bit up; one such word for up to 31 |
//! | then | the lowest 31 bits of the payload words |
//!
//! A long message is one with a long slot: no word outside of the slot belongs to it, because relaxed accesses could not
//! order a descriptor behind the words that it describes.
//!
//! Slots begin at multiples of four words, or of eight: no slot lies in more lines of a bus or a cache than it must.
//!
//! The argument for relaxed accesses: the reader of a word has seen the previous lap's value there, and by coherence of
//! single words sees it again or the new one. A writer writes a slot again only after it has seen the reply to the
//! message that was in the slot, and the reply depends on all words of that message.

use smallvec::SmallVec;

/// The most words in a payload, 4 KiB.
pub(crate) const MAX_PAYLOAD: usize = 1024;

/// The words of a payload up to which no memory is allocated for it on the host, 112 bytes.
pub(crate) const SHORT: usize = 28;

/// The words of the least payload, so that a state moves in parts of some length. Its slot has four words.
pub(crate) const LEAST: usize = 2;

/// The payload words whose highest bits lie in one word.
pub(crate) const GROUP: usize = 31;

/// The number of words that carry the highest bits of a payload.
#[inline]
pub(crate) fn groups(payload: usize) -> usize {
    // Without a division for short messages, of which a call may send many.
    if payload <= GROUP { 1 } else { payload.div_ceil(GROUP) }
}

/// The words of a slot before its payload.
#[inline]
pub(crate) fn head(payload: usize) -> usize {
    1 + groups(payload)
}

/// The bit of a word that carries the phase.
const PHASE: u32 = 1 << 31;

/// Words that two sides access at the same time, each word atomically.
pub(crate) trait Words {
    /// The word at this index.
    fn load(&self, at: usize) -> u32;

    /// Replaces the word at this index.
    fn store(&self, at: usize, word: u32);

    /// Replaces the words from this index on, one by one.
    fn store_all(&self, at: usize, words: &[u32]) {
        words.iter().enumerate().for_each(|(index, word)| self.store(at + index, *word));
    }

    /// The words from this index on, loaded one by one.
    fn load_all<const COUNT: usize>(&self, at: usize) -> [u32; COUNT] {
        std::array::from_fn(|index| self.load(at + index))
    }
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message for the handler.
    Call,
    /// Asks for a part of the actor's state.
    ReadState,
    /// Replaces a part of the actor's state.
    WriteState,
}

/// The header of a message: its kind, and the number of the part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) part: u32,
}

impl Header {
    pub(crate) const CALL: Self = Self { kind: Kind::Call, part: 0 };

    #[inline]
    fn bits(self) -> u32 {
        (self.part << 2 | self.kind as u32) & !PHASE
    }
}

/// The slots of one actor in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    /// The index of the first word.
    pub(crate) first: usize,
    /// The number of slots, a power of two.
    pub(crate) count: u32,
    /// The words of a payload, at most [`MAX_PAYLOAD`].
    pub(crate) payload: usize,
}

impl Slots {
    /// The indices of the words of the slot for the message with this number.
    #[inline]
    pub(crate) fn at(self, number: u32) -> usize {
        self.first + (number & (self.count - 1)) as usize * self.stride()
    }

    /// The number of words from a slot to the next one.
    #[inline]
    pub(crate) fn stride(self) -> usize {
        stride(self.payload)
    }

    /// The number of words of all slots.
    pub(crate) fn words(self) -> usize {
        self.count as usize * self.stride()
    }

    /// The phase of the words of the message with this number. Zeroed memory has the phase before that of number 0.
    #[inline]
    fn phase(self, number: u32) -> u32 {
        // The number of slots is a power of two: this bit of the number changes with each lap.
        u32::from(number & self.count == 0) * PHASE
    }

    /// Writes the message with this number; payload words that are not given are zero.
    #[inline]
    pub(crate) fn write(self, words: &impl Words, number: u32, header: Header, payload: &[u32]) {
        if self.payload == LEAST {
            return self.write_least(words, number, header, payload);
        }
        self.write_longer(words, number, header, payload);
    }

    /// Writes a message that is longer than the least one.
    fn write_longer(self, words: &impl Words, number: u32, header: Header, payload: &[u32]) {
        if self.payload <= SHORT {
            return self.write_short(words, number, header, payload);
        }
        let (at, phase) = (self.at(number), self.phase(number));
        let first = at + head(self.payload);
        for group in 0..groups(self.payload) {
            let mut highest = 0;
            for index in group * GROUP..self.payload.min((group + 1) * GROUP) {
                let word = payload.get(index).copied().unwrap_or_default();
                highest |= (word >> 31) << (index - group * GROUP);
                words.store(first + index, word & !PHASE | phase);
            }
            words.store(at + 1 + group, highest | phase);
        }
        words.store(at, header.bits() | phase);
    }

    /// Writes a message of the least length. There may be millions of them a second, so each instruction counts.
    #[inline]
    fn write_least(self, words: &impl Words, number: u32, header: Header, payload: &[u32]) {
        let phase = self.phase(number);
        let word = |index: usize| payload.get(index).copied().unwrap_or_default();
        let (first, second) = (word(0), word(1));
        let highest = first >> 31 | second >> 31 << 1;
        let own = [header.bits(), highest, first & !PHASE, second & !PHASE].map(|word| word | phase);
        words.store_all(self.at(number), &own);
    }

    /// Writes a message whose highest bits fit into one word.
    fn write_short(self, words: &impl Words, number: u32, header: Header, payload: &[u32]) {
        let phase = self.phase(number);
        let (mut own, mut highest) = ([phase; 2 + SHORT], phase);
        let payload = &payload[..payload.len().min(self.payload)];
        for (index, (own, word)) in own.iter_mut().skip(2).zip(payload).enumerate() {
            highest |= (word >> 31) << index;
            *own |= word & !PHASE;
        }
        (own[0], own[1]) = (header.bits() | phase, highest);
        words.store_all(self.at(number), own.get(..2 + self.payload).unwrap_or_default());
    }

    /// Whether the first word of the message with this number has arrived; other words may follow.
    #[inline]
    pub(crate) fn begins(self, words: &impl Words, number: u32) -> bool {
        words.load(self.at(number)) & PHASE == self.phase(number)
    }

    /// Whether all words of the message with this number have arrived.
    #[inline]
    fn has(self, words: &impl Words, number: u32) -> bool {
        if self.payload == LEAST {
            return self.read_least(words, number).is_some();
        }
        let (at, phase) = (self.at(number), self.phase(number));
        // Without a branch for each word.
        let wrong = (at..at + head(self.payload) + self.payload).fold(0, |wrong, at| wrong | (words.load(at) ^ phase));
        wrong & PHASE == 0
    }

    /// The payload of a message of the least length; `None` if it has not arrived.
    #[inline]
    fn read_least(self, words: &impl Words, number: u32) -> Option<[u32; LEAST]> {
        let phase = self.phase(number);
        let [header, highest, first, second] = words.load_all::<{ 2 + LEAST }>(self.at(number));
        let wrong = (header ^ phase) | (highest ^ phase) | (first ^ phase) | (second ^ phase);
        (wrong & PHASE == 0).then_some([first & !PHASE | highest << 31, second & !PHASE | highest >> 1 << 31])
    }

    /// Reads the payload of the message with this number; `None` if it has not arrived.
    pub(crate) fn read(self, words: &impl Words, number: u32) -> Option<Payload> {
        if self.payload == LEAST {
            return self.read_least(words, number).map(|own| Payload::from_slice(&own));
        }
        let (at, phase) = (self.at(number), self.phase(number));
        if words.load(at) & PHASE != phase {
            return None;
        }
        let mut payload = Payload::with_capacity(self.payload);
        let (first, mut wrong) = (at + head(self.payload), 0);
        for group in 0..groups(self.payload) {
            let mut highest = words.load(at + 1 + group);
            wrong |= highest ^ phase;
            for index in group * GROUP..self.payload.min((group + 1) * GROUP) {
                let found = words.load(first + index);
                wrong |= found ^ phase;
                payload.push(found & !PHASE | highest << 31);
                highest >>= 1;
            }
        }
        (wrong & PHASE == 0).then_some(payload)
    }
}

/// The number of words from a slot with this payload to the next one.
#[inline]
pub(crate) fn stride(payload: usize) -> usize {
    match head(payload) + payload {
        0..=4 => 4,
        width => width.next_multiple_of(8),
    }
}

/// The words of a payload: as many as the slot holds, or those that are not zero up to the last one.
pub(crate) type Payload = SmallVec<[u32; SHORT]>;

/// The host's side of one actor: numbers of the next message and of the next reply. No other side knows them.
///
/// Numbers wrap. As many messages as there are slots are under way at most, so the difference of the two is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mailbox {
    inbox: Slots,
    outbox: Slots,
    sent: u32,
    taken: u32,
}

impl Mailbox {
    /// Returns a mailbox whose first message has the number `first`, a multiple of twice the number of slots, so that
    /// zeroed memory has the phase of the lap before.
    pub(crate) fn new(inbox: Slots, outbox: Slots, first: u32) -> Self {
        Self { inbox, outbox, sent: first, taken: first }
    }

    /// The number of messages without a reply.
    #[inline]
    pub(crate) fn under_way(&self) -> u32 {
        self.sent.wrapping_sub(self.taken)
    }

    /// The number of free slots.
    #[inline]
    pub(crate) fn room(&self) -> u32 {
        self.inbox.count.saturating_sub(self.under_way())
    }

    /// Whether there is no slot for another message.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.room() == 0
    }

    /// The number of the next message.
    pub(crate) fn sent(&self) -> u32 {
        self.sent
    }

    /// The number of the message whose reply comes next.
    pub(crate) fn taken(&self) -> u32 {
        self.taken
    }

    /// Writes the next message; returns whether there was a slot for it.
    #[inline]
    pub(crate) fn send(&mut self, words: &impl Words, header: Header, payload: &[u32]) -> bool {
        if self.is_full() {
            return false;
        }
        self.inbox.write(words, self.sent, header, payload);
        self.sent = self.sent.wrapping_add(1);
        true
    }

    /// The payload of a message without a reply, which is the `place`th of these; `None` beyond the last one.
    pub(crate) fn message(&self, words: &impl Words, place: u32) -> Option<Payload> {
        if place >= self.under_way() {
            return None;
        }
        self.inbox.read(words, self.taken.wrapping_add(place))
    }

    /// Writes an empty reply to the next message in the kernel's place, and takes it; returns its number. No kernel
    /// runs, and a later one begins behind this message.
    pub(crate) fn answer(&mut self, words: &impl Words) -> Option<u32> {
        if self.under_way() == 0 {
            return None;
        }
        let number = self.taken;
        // The next lap over the slots must find this lap's phase.
        self.outbox.write(words, number, Header::CALL, &[]);
        self.taken = number.wrapping_add(1);
        Some(number)
    }

    /// Gives up all messages without a reply; no kernel reads or answers this actor's messages any more.
    pub(crate) fn abandon(&mut self) {
        self.taken = self.sent;
    }

    /// Takes the next reply, if it has arrived.
    pub(crate) fn take(&mut self, words: &impl Words) -> Option<Payload> {
        if self.under_way() == 0 {
            return None;
        }
        let reply = self.outbox.read(words, self.taken)?;
        self.taken = self.taken.wrapping_add(1);
        Some(reply)
    }

    /// Takes up to `most` replies that have arrived without reading them; returns their number.
    #[inline]
    pub(crate) fn pass(&mut self, words: &impl Words, most: u32) -> u32 {
        let most = most.min(self.under_way());
        let arrived = (0..most).take_while(|place| self.outbox.has(words, self.taken.wrapping_add(*place))).count();
        self.taken = self.taken.wrapping_add(arrived as u32);
        arrived as u32
    }
}
