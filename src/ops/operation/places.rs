//! The uniform `places`: the counts and strides of a launch's arrays, in 32 bits each.
//!
//! One list of [`Field`]s serves both sides. The text declares a struct with their names; the launch maps the same list
//! to values. Neither depends on a fixed order.

use smallvec::SmallVec;

use super::preface::Slot;

/// One value of `places`. Slots are numbered as in the list from which the text is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<C> {
    /// A number of a single operator.
    Count(C),
    /// The start of a slot's elements within its binding, in cells.
    First(usize),
    /// The size of an axis.
    Size(Dimensions, usize),
    /// The stride of an axis in the array of a slot, in cells: dimensions, slot, axis.
    Step(Dimensions, usize, usize),
}

/// The fields of one form of a kernel.
pub(crate) type Fields<C> = SmallVec<[Field<C>; 16]>;

/// The numbers of a single operator.
pub(crate) trait Count: Copy {
    /// The name in the text.
    fn name(self, slots: &[Slot]) -> String;
}

impl<C: Count> Field<C> {
    /// The name in the text.
    pub(crate) fn name(self, slots: &[Slot]) -> String {
        match self {
            Self::Count(count) => count.name(slots),
            Self::First(slot) => first(&slots[slot].name),
            Self::Size(of, axis) => of.size(axis),
            Self::Step(of, slot, axis) => of.step(&slots[slot].name, axis),
        }
    }
}

/// The name of [`Field::First`].
pub(crate) fn first(array: &str) -> String {
    format!("first_{array}")
}

/// The set of axes to which coordinates refer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimensions {
    /// The elements of an elementwise operation.
    Operation,
    /// The results of a reduction.
    Results,
    /// The elements of each result of a reduction.
    Reduced,
}

impl Dimensions {
    fn letter(self) -> char {
        match self {
            Self::Operation => 'c',
            Self::Results => 'o',
            Self::Reduced => 'r',
        }
    }

    /// The name of [`Field::Size`].
    pub(crate) fn size(self, axis: usize) -> String {
        format!("size_{}_{axis}", self.letter())
    }

    /// The name of [`Field::Step`].
    pub(crate) fn step(self, array: &str, axis: usize) -> String {
        format!("step_{}_{array}_{axis}", self.letter())
    }
}

#[cfg(test)]
mod tests {
    use super::super::preface::Access;
    use super::super::types::ElementType;
    use super::*;

    #[derive(Clone, Copy)]
    struct Elements;

    impl Count for Elements {
        fn name(self, _: &[Slot]) -> String {
            "n".to_owned()
        }
    }

    #[test]
    fn no_two_fields_have_one_name() {
        let element = ElementType::parse("f32").unwrap();
        let slot = |name: &str| {
            let (name, access) = (name.to_owned(), Access::Strided);
            Slot { name, element, access, read: true, written: false }
        };
        let slots = [slot("x"), slot("x_1"), slot("c_x")];
        let mut fields = vec![Field::Count(Elements)];
        for (at, _) in slots.iter().enumerate() {
            fields.push(Field::First(at));
            for of in [Dimensions::Operation, Dimensions::Results, Dimensions::Reduced] {
                fields.extend((0..2).map(|axis| Field::Step(of, at, axis)));
            }
        }
        fields.extend((0..2).map(|axis| Field::Size(Dimensions::Operation, axis)));
        let mut names: Vec<String> = fields.iter().map(|field| field.name(&slots)).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
