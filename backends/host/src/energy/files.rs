//! Counters of microjoules in Linux's files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Counters whose sum is the energy of a device.
#[derive(Debug)]
pub(super) struct Counters(Mutex<Vec<Counter>>);

#[derive(Debug)]
struct Counter {
    file: PathBuf,
    /// The microjoules at which the counter begins again at zero; `None` if it never does.
    range: Option<u64>,
    /// The latest reading, and the sum of all differences.
    last: u64,
    sum: u64,
}

impl Counters {
    /// The counters of all processor packages.
    pub(super) fn of_processors() -> Option<Self> {
        Self::of_packages(Path::new("/sys/class/powercap"))
    }

    fn of_packages(folder: &Path) -> Option<Self> {
        // `intel-rapl:0` is a package, on AMD's processors as well; `intel-rapl:0:1` is a part of it.
        let is_package = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.strip_prefix("intel-rapl:").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let packages = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(is_package);
        Self::of(packages.map(|path| (path.join("energy_uj"), number(&path.join("max_energy_range_uj")))))
    }

    /// The counter of a card, by its place on the PCI bus.
    pub(super) fn of_card(place: &str) -> Option<Self> {
        let monitors = Path::new("/sys/bus/pci/devices").join(place.to_lowercase()).join("hwmon");
        let monitors = fs::read_dir(monitors).ok()?.flatten();
        Self::of(monitors.map(|entry| (entry.path().join("energy1_input"), None)))
    }

    fn of(files: impl Iterator<Item = (PathBuf, Option<u64>)>) -> Option<Self> {
        let counters: Vec<Counter> =
            files.filter_map(|(file, range)| Some(Counter { last: number(&file)?, sum: 0, file, range })).collect();
        (!counters.is_empty()).then_some(Self(Mutex::new(counters)))
    }

    pub(super) fn joules(&self) -> Option<f64> {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = 0;
        for counter in &mut *counters {
            let now = number(&counter.file)?;
            counter.sum += match counter.range {
                Some(range) if now < counter.last => range.saturating_sub(counter.last).saturating_add(now),
                _ => now.saturating_sub(counter.last),
            };
            counter.last = now;
            sum += counter.sum;
        }
        Some(sum as f64 / 1e6)
    }
}

fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packages are added up, parts of a package are not, and a counter that begins again goes on.
    #[test]
    fn packages_are_added_up_beyond_the_range_of_their_counters() {
        let folder = std::env::temp_dir().join(format!("anywarp-energy-{}", std::process::id()));
        let write = |package: &str, file: &str, text: &str| {
            fs::create_dir_all(folder.join(package)).unwrap();
            fs::write(folder.join(package).join(file), text).unwrap();
        };
        for package in ["intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"] {
            write(package, "energy_uj", "1000000\n");
            write(package, "max_energy_range_uj", "5000000\n");
        }
        write("dtpm", "energy_uj", "7");
        let counters = Counters::of_packages(&folder).unwrap();
        assert_eq!(counters.joules(), Some(0.0));
        write("intel-rapl:0", "energy_uj", "3500000");
        write("intel-rapl:1", "energy_uj", "2000000");
        write("intel-rapl:0:0", "energy_uj", "3000000");
        assert_eq!(counters.joules(), Some(3.5));
        write("intel-rapl:0", "energy_uj", "500000");
        assert_eq!(counters.joules(), Some(5.5));
        fs::remove_file(folder.join("intel-rapl:1/energy_uj")).unwrap();
        assert_eq!(counters.joules(), None);
        fs::remove_dir_all(&folder).unwrap();
        assert!(Counters::of_packages(&folder).is_none());
    }
}
