//! The uniform `places`: the counts and strides of a launch's arrays, in 32 bits each.
//!
//! One list of [`Field`]s determines the text and the values: the text declares a struct with the names of the fields,
//! and the launch maps the same list to their values. So no code depends on the order of the fields.

use smallvec::SmallVec;

use super::preface::Slot;

/// One value of the uniform `places`. A slot is given by its index in the list from which the text is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<C> {
    /// A number that only one operator needs, such as the number of elements.
    Count(C),
    /// The start of a slot's elements within its binding, in cells: elements, or vectors of four elements.
    First(usize),
    /// The size of an axis.
    Size(Dimensions, usize),
    /// The stride of an axis in the array of a slot, in cells as for `First`: dimensions, slot, axis.
    Step(Dimensions, usize, usize),
}

/// The fields of `places` in one variant of a kernel.
pub(crate) type Fields<C> = SmallVec<[Field<C>; 16]>;

/// The numbers that only one operator needs, such as the number of elements.
pub(crate) trait Count: Copy {
    /// The name of the number in the text.
    fn name(self, slots: &[Slot]) -> String;
}

impl<C: Count> Field<C> {
    /// The name of the field in the text.
    pub(crate) fn name(self, slots: &[Slot]) -> String {
        match self {
            Self::Count(count) => count.name(slots),
            Self::First(slot) => first(&slots[slot].name),
            Self::Size(of, axis) => of.size(axis),
            Self::Step(of, slot, axis) => of.step(&slots[slot].name, axis),
        }
    }
}

/// The name of a [`Field::First`] in the text.
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

    /// The name of a [`Field::Size`] in the text.
    pub(crate) fn size(self, axis: usize) -> String {
        format!("size_{}_{axis}", self.letter())
    }

    /// The name of a [`Field::Step`] in the text.
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
