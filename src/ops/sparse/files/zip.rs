//! ZIP archives without encryption, of less than 4 GiB, whose members are stored or deflated.
//!
//! Source: PKWARE's APPNOTE.TXT, sections 4.3 and 4.4.

use std::io::{Read, Write};

use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// The sizes of these records without names and comments.
const END_SIZE: usize = 22;
const ENTRY_SIZE: usize = 46;
const LOCAL_SIZE: usize = 30;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// 1 January 1980, the first date of the format.
const DATE: u16 = 0x21;

/// An archive with the list of its members.
pub(super) struct Archive<'f> {
    file: &'f [u8],
    members: Vec<Member>,
}

struct Member {
    name: String,
    method: u16,
    crc: u32,
    /// The sizes of the data in the file and of the contents.
    packed: u32,
    size: u32,
    /// The place of the local header in the file.
    start: u32,
}

impl<'f> Archive<'f> {
    pub(super) fn open(file: &'f [u8]) -> Result<Self, String> {
        // Only a comment of less than 64 KiB follows the record.
        let last = file.len().checked_sub(END_SIZE).ok_or("expected a .npz archive, the file is too short")?;
        let first = last.saturating_sub(usize::from(u16::MAX));
        let end = (first..=last).rev().find(|at| file[*at..].starts_with(END));
        let end =
            end.ok_or("expected a .npz archive, found no list of its members: the file is truncated or no archive")?;
        let (count, mut at) = (u16_at(file, end + 10)?, u32_at(file, end + 16)?);
        if count == u16::MAX || at == u32::MAX {
            return Err("archives of 4 GiB or more are not supported: write a .mtx file".to_owned());
        }
        let mut members = Vec::new();
        for _ in 0..count {
            let start = at as usize;
            if !file.get(start..).is_some_and(|rest| rest.starts_with(ENTRY)) {
                return Err("the list of the archive's members is damaged: save it again".to_owned());
            }
            let [name, extra, comment] = [28, 30, 32].map(|field| u16_at(file, start + field));
            let name = bytes(file, start + ENTRY_SIZE, name?.into())?;
            members.push(Member {
                method: u16_at(file, start + 10)?,
                crc: u32_at(file, start + 16)?,
                packed: u32_at(file, start + 20)?,
                size: u32_at(file, start + 24)?,
                start: u32_at(file, start + 42)?,
                name: String::from_utf8_lossy(name).into_owned(),
            });
            let size = ENTRY_SIZE + name.len() + usize::from(extra?) + usize::from(comment?);
            at = u32::try_from(start + size).map_err(|_| truncated())?;
        }
        Ok(Self { file, members })
    }

    /// The contents of a member. Memory grows with the data that is unpacked, to at most 1032 times the file.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let member = self.members.iter().find(|member| member.name == name);
        let member = member.ok_or_else(|| {
            format!("expected an archive of scipy.sparse.save_npz, which has a member {name}, found none")
        })?;
        let start = member.start as usize;
        if !self.file.get(start..).is_some_and(|rest| rest.starts_with(LOCAL)) {
            return Err(format!("the header of {name} is damaged: save the archive again"));
        }
        let [name_size, extra] = [26, 28].map(|field| u16_at(self.file, start + field).map(usize::from));
        let packed = bytes(self.file, start + LOCAL_SIZE + name_size? + extra?, member.packed as usize)?;
        // A shorter text cannot be unpacked to so much: at most 258 bytes for two bits.
        if u64::from(member.size) > 1032 * (packed.len() as u64 + 1) {
            return Err(format!("the size of {name} is damaged: save the archive again"));
        }
        let mut contents = Vec::new();
        let limit = u64::from(member.size) + 1;
        let outcome = match member.method {
            STORED => packed.take(limit).read_to_end(&mut contents),
            DEFLATED => DeflateDecoder::new(packed).take(limit).read_to_end(&mut contents),
            method => return Err(format!("{name} is packed by method {method}: save it with scipy.sparse.save_npz")),
        };
        let mut crc = Crc::new();
        crc.update(&contents);
        if outcome.is_err() || contents.len() as u64 != u64::from(member.size) || crc.sum() != member.crc {
            return Err(format!("the data of {name} is damaged: save the archive again"));
        }
        Ok(contents)
    }
}

/// An archive of these names and contents.
pub(super) fn write(members: &[(&str, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let (mut file, mut list) = (Vec::new(), Vec::new());
    let small = |size: usize| u32::try_from(size).ok().filter(|size| *size < u32::MAX);
    let large = || "expected an archive of less than 4 GiB: write a .mtx file".to_owned();
    for (name, contents) in members {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(contents).and_then(|()| encoder.finish());
        let packed = packed.map_err(|error| format!("expected to pack {name}, {error}"))?;
        let mut crc = Crc::new();
        crc.update(contents);
        let start = small(file.len()).ok_or_else(large)?;
        let sizes = [crc.sum(), small(packed.len()).ok_or_else(large)?, small(contents.len()).ok_or_else(large)?];
        // The fields that both headers have: version 2.0, flags, method, time, date, checksum, sizes, length of the name.
        let mut both: Vec<u8> = [20, 0, DEFLATED, 0, DATE].iter().flat_map(|word: &u16| word.to_le_bytes()).collect();
        both.extend(sizes.iter().flat_map(|word| word.to_le_bytes()));
        both.extend((name.len() as u16).to_le_bytes());
        file.extend([LOCAL, &both, &[0; 2], name.as_bytes(), &packed].concat());
        list.extend([ENTRY, &20u16.to_le_bytes(), &both, &[0; 12], &start.to_le_bytes(), name.as_bytes()].concat());
    }
    let start = small(file.len()).ok_or_else(large)?;
    let count = (members.len() as u16).to_le_bytes();
    file.extend(&list);
    let size = small(list.len()).ok_or_else(large)?;
    file.extend([END, &[0; 4], &count, &count, &size.to_le_bytes(), &start.to_le_bytes(), &[0; 2]].concat());
    Ok(file)
}

fn bytes(file: &[u8], start: usize, length: usize) -> Result<&[u8], String> {
    start.checked_add(length).and_then(|end| file.get(start..end)).ok_or_else(truncated)
}

fn u16_at(file: &[u8], at: usize) -> Result<u16, String> {
    let found = bytes(file, at, 2)?;
    Ok(u16::from_le_bytes([found[0], found[1]]))
}

fn u32_at(file: &[u8], at: usize) -> Result<u32, String> {
    let found = bytes(file, at, 4)?;
    Ok(u32::from_le_bytes([found[0], found[1], found[2], found[3]]))
}

fn truncated() -> String {
    "the archive is truncated: save it again".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_back() {
        let members = [("a.npy", vec![7; 100_000]), ("b.npy", Vec::new()), ("c", b"text".to_vec())];
        let file = write(&members).unwrap();
        assert!(file.len() < 2000, "{}", file.len());
        let archive = Archive::open(&file).unwrap();
        for (name, contents) in &members {
            assert_eq!(archive.read(name).as_ref(), Ok(contents));
        }
        assert!(archive.read("d").unwrap_err().contains("a member d, found none"));
        let commented = [&file[..file.len() - 2], &[3, 0], b"end"].concat();
        assert_eq!(Archive::open(&commented).unwrap().read("c").unwrap(), b"text");
    }

    #[test]
    fn wrong_sizes_and_sums_are_refused() {
        let file = write(&[("a", vec![7; 1000])]).unwrap();
        let list = file.windows(4).rposition(|window| window == ENTRY).unwrap();
        for (field, value) in [(16, 0u32), (24, 999), (24, 1001), (24, u32::MAX), (20, u32::MAX)] {
            let mut other = file.clone();
            other[list + field..list + field + 4].copy_from_slice(&value.to_le_bytes());
            let message = Archive::open(&other).unwrap().read("a").unwrap_err();
            assert!(message.contains("damaged") || message.contains("truncated"), "{field}: {message}");
        }
    }
}
