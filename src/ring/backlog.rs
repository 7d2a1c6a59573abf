//! Messages that wait on the host because their inbox is full, in the order of their priorities.

use std::collections::VecDeque;

/// The number of messages of high priority that may overtake a waiting message of normal priority.
pub(super) const AGE: u32 = 8;

/// The urgency of a message: see [`Actor::tell_with`](super::Actor::tell_with).
///
/// Messages of high priority go first where messages wait on the host ([`RingBuilder::backlog`]). After every 8 of
/// them, one of normal priority goes, so none waits for ever. Messages that are in the inbox are not overtaken. Those
/// of one thread to one actor with the same priority are handled in their order.
///
/// [`RingBuilder::backlog`]: super::RingBuilder::backlog
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Priority {
    /// The priority of [`tell`](super::Actor::tell) and [`ask`](super::Actor::ask).
    #[default]
    Normal,
    /// Before messages of normal priority.
    High,
}

/// Two queues, of which one goes first.
#[derive(Debug)]
pub(super) struct Backlog<T> {
    normal: VecDeque<T>,
    high: VecDeque<T>,
    /// The messages that have overtaken the oldest one of normal priority.
    passed: u32,
}

impl<T> Default for Backlog<T> {
    fn default() -> Self {
        Self { normal: VecDeque::new(), high: VecDeque::new(), passed: 0 }
    }
}

impl<T> Backlog<T> {
    pub(super) fn len(&self) -> usize {
        self.normal.len() + self.high.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn push(&mut self, priority: Priority, message: T) {
        match priority {
            Priority::Normal => self.normal.push_back(message),
            Priority::High => self.high.push_back(message),
        }
    }

    /// Takes the message that goes next.
    pub(super) fn pop(&mut self) -> Option<T> {
        let waits = !self.normal.is_empty();
        if self.high.is_empty() || (waits && self.passed >= AGE) {
            self.passed = 0;
            return self.normal.pop_front();
        }
        self.passed += u32::from(waits);
        self.high.pop_front()
    }

    /// Takes the message that gives way to a new one of this priority: the oldest one of normal priority, or else the
    /// oldest one. `None` if all that wait are more urgent than the new one.
    pub(super) fn gives_way(&mut self, priority: Priority) -> Option<T> {
        if let Some(oldest) = self.normal.pop_front() {
            self.passed = 0;
            return Some(oldest);
        }
        if priority == Priority::High { self.high.pop_front() } else { None }
    }

    /// All messages, those of high priority first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.high.iter().chain(&self.normal)
    }

    /// Takes all messages, those of high priority first.
    pub(super) fn take(&mut self) -> impl Iterator<Item = T> + use<T> {
        let Self { normal, high, .. } = std::mem::take(self);
        high.into_iter().chain(normal)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(Priority),
        Pop,
        GivesWay(Priority),
    }

    fn step() -> impl Strategy<Value = Step> {
        let priority = prop_oneof![Just(Priority::Normal), Just(Priority::High)];
        prop_oneof![
            4 => priority.clone().prop_map(Step::Push),
            3 => Just(Step::Pop),
            1 => priority.prop_map(Step::GivesWay),
        ]
    }

    proptest! {
        /// Each priority is a queue, high goes first, and no message of normal priority is overtaken by more than [`AGE`].
        #[test]
        fn each_priority_is_a_queue(steps in prop::collection::vec(step(), 1..300)) {
            let mut backlog = Backlog::default();
            let (mut normal, mut high) = (VecDeque::new(), VecDeque::new());
            let mut overtaken = 0;
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push(priority) => {
                        backlog.push(priority, number);
                        if priority == Priority::High { high.push_back(number) } else { normal.push_back(number) }
                    }
                    Step::Pop => match backlog.pop() {
                        Some(popped) if high.front() == Some(&popped) => {
                            high.pop_front();
                            overtaken += u32::from(!normal.is_empty());
                            prop_assert!(overtaken <= AGE, "{overtaken}");
                        }
                        Some(popped) => {
                            prop_assert_eq!(normal.pop_front(), Some(popped));
                            prop_assert!(high.is_empty() || overtaken == AGE, "{overtaken} and {high:?}");
                            overtaken = 0;
                        }
                        None => prop_assert!(normal.is_empty() && high.is_empty()),
                    },
                    Step::GivesWay(priority) => {
                        let wanted = match normal.pop_front() {
                            Some(oldest) => {
                                overtaken = 0;
                                Some(oldest)
                            }
                            None if priority == Priority::High => high.pop_front(),
                            None => None,
                        };
                        prop_assert_eq!(backlog.gives_way(priority), wanted);
                    }
                }
                prop_assert_eq!(backlog.len(), normal.len() + high.len());
                prop_assert_eq!(backlog.is_empty(), normal.is_empty() && high.is_empty());
            }
            let left: Vec<_> = backlog.iter().copied().collect();
            prop_assert_eq!(&left, &high.into_iter().chain(normal).collect::<Vec<_>>());
            prop_assert_eq!(backlog.take().collect::<Vec<_>>(), left);
            prop_assert!(backlog.is_empty());
        }
    }
}
