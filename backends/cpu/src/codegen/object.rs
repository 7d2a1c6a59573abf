//! Machine code before it is linked: the form in which it can be kept on disk.

use cranelift_codegen::binemit::Reloc;

/// The compiled functions of a kernel: the kernel itself, then its callees.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(super) functions: Vec<Piece>,
    pub(super) sizes: Sizes,
}

/// The memory in bytes that a kernel needs, as in [`Code`](super::Code).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) frame_bytes: usize,
    pub(super) workgroup_bytes: usize,
}

/// One compiled function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) alignment: u32,
    pub(crate) code: Vec<u8>,
    pub(crate) references: Vec<Reference>,
}

/// A place in machine code that receives an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) offset: u32,
    pub(crate) kind: Reloc,
    pub(crate) target: Target,
    pub(crate) addend: i64,
}

/// The thing whose address a place receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A place in the function itself.
    Own(u32),
    /// A function of the kernel, by its number.
    Function(u32),
    /// A function of this crate: see [`Helper`](super::helper::Helper).
    Helper(u32),
}

/// The kinds of references that x86-64 and aarch64 have without position-independent code. Files have their indices.
const KINDS: [Reloc; 7] = [
    Reloc::Abs8,
    Reloc::X86PCRel4,
    Reloc::X86CallPCRel4,
    Reloc::X86CallPLTRel4,
    Reloc::Arm64Call,
    Reloc::Aarch64AdrPrelPgHi21,
    Reloc::Aarch64AddAbsLo12Nc,
];

impl Object {
    /// The bytes of a file; `None` for a kind of reference that files do not have.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut number = |value: u64| bytes.extend_from_slice(&value.to_le_bytes());
        number(self.sizes.frame_bytes as u64);
        number(self.sizes.workgroup_bytes as u64);
        number(self.functions.len() as u64);
        for Piece { alignment, code, references } in &self.functions {
            number(u64::from(*alignment));
            number(references.len() as u64);
            for Reference { offset, kind, target, addend } in references {
                number(u64::from(*offset));
                number(KINDS.iter().position(|known| known == kind)? as u64);
                let (space, index) = match *target {
                    Target::Own(offset) => (0, offset),
                    Target::Function(function) => (1, function),
                    Target::Helper(helper) => (2, helper),
                };
                number(space);
                number(u64::from(index));
                number(addend.cast_unsigned());
            }
            number(code.len() as u64);
        }
        for piece in &self.functions {
            bytes.extend_from_slice(&piece.code);
        }
        Some(bytes)
    }

    /// The object of a file; `None` if these are not the bytes of one.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut number = || {
            let (first, behind) = rest.split_first_chunk::<8>()?;
            rest = behind;
            Some(u64::from_le_bytes(*first))
        };
        let small = |value: u64| u32::try_from(value).ok();
        let sizes = Sizes { frame_bytes: number()?.try_into().ok()?, workgroup_bytes: number()?.try_into().ok()? };
        let mut functions = Vec::new();
        let mut lengths = Vec::new();
        for _ in 0..number()? {
            let alignment = small(number()?)?;
            let mut references = Vec::new();
            for _ in 0..number()? {
                let offset = small(number()?)?;
                let kind = *KINDS.get(usize::try_from(number()?).ok()?)?;
                let (space, index) = (number()?, small(number()?)?);
                let target = match space {
                    0 => Target::Own(index),
                    1 => Target::Function(index),
                    2 => Target::Helper(index),
                    _ => return None,
                };
                references.push(Reference { offset, kind, target, addend: number()?.cast_signed() });
            }
            lengths.push(usize::try_from(number()?).ok()?);
            functions.push(Piece { alignment, code: Vec::new(), references });
        }
        for (piece, length) in functions.iter_mut().zip(lengths) {
            let (code, behind) = rest.split_at_checked(length)?;
            piece.code = code.to_vec();
            rest = behind;
        }
        (rest.is_empty() && !functions.is_empty()).then_some(Self { functions, sizes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object() -> Object {
        let reference = |offset, target| Reference { offset, kind: Reloc::Abs8, target, addend: -4 };
        let references = vec![reference(1, Target::Own(2)), reference(9, Target::Function(1))];
        let kernel = Piece { alignment: 16, code: vec![1, 2, 3], references };
        let callee = Piece { alignment: 1, code: vec![4; 20], references: vec![reference(5, Target::Helper(7))] };
        Object { functions: vec![kernel, callee], sizes: Sizes { frame_bytes: 64, workgroup_bytes: 1 << 14 } }
    }

    #[test]
    fn objects_survive_as_bytes() {
        let bytes = object().to_bytes().unwrap();
        assert_eq!(Object::of_bytes(&bytes), Some(object()));
        let mut foreign = object();
        foreign.functions[0].references[0].kind = Reloc::Arm32Call;
        assert_eq!(foreign.to_bytes(), None);
    }

    #[test]
    fn damaged_bytes_are_no_object() {
        let bytes = object().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Object::of_bytes(&bytes[..length]), None, "{length}");
        }
        assert_eq!(Object::of_bytes(&[&bytes[..], &[0]].concat()), None);
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x80;
            assert_ne!(Object::of_bytes(&other), Some(object()), "{at}");
        }
    }
}
