//! The receiver of a kernel's reports: the checker or the observer.

use crate::abi::{Frame, LANES, Slot, convention};
use crate::checker::Checker;
use crate::observer::Observer;

/// One 32-bit value for each of the eight lanes of a lane group.
pub(crate) type Lanes = [u32; LANES];

/// The receiver of a kernel's reports while it runs; a pointer to it is [`Frame::receiver`].
pub(crate) enum Receiver {
    /// Mistakes are searched for.
    Checker(Checker),
    /// Accesses and branches are counted.
    Observer(Observer),
}

convention! {
    /// Receives the report of check `number` from the machine code of lane group `group`, for the lanes in the bit mask
    /// `active`.
    ///
    /// # Safety
    /// `frame` is the frame that the kernel was called with, its `receiver` a [`Receiver`] that is not in use elsewhere;
    /// `operands` points to as many [`Lanes`] as the check has operands.
    [pub(crate) unsafe] fn report(
        frame: *mut Frame,
        number: u32,
        group: u32,
        active: u32,
        operands: *const Lanes,
    ) {
        if active == 0 {
            return;
        }
        // SAFETY: the caller passes a valid frame, a receiver that is not in use elsewhere, and all operands.
        unsafe {
            let slots = (*frame).slots;
            let Some(receiver) = (*frame).receiver.cast::<Receiver>().as_mut() else { return };
            let slot = |binding: u32| -> Slot { slots.add(binding as usize).read() };
            match receiver {
                Receiver::Checker(checker) => {
                    let operands = std::slice::from_raw_parts(operands, checker.operands(number));
                    checker.report(number, group, active, operands, &slot);
                }
                Receiver::Observer(observer) => {
                    let operands = std::slice::from_raw_parts(operands, observer.operands(number));
                    observer.report(number, group, active, operands, &slot);
                }
            }
        }
    }
}
