use super::random::Random;
use super::*;

/// A device with planted times and noise: 3 % on every round, and one round in ten takes three times as long.
struct Simulated {
    costs: Vec<Duration>,
    plans: Vec<Plan>,
    random: Random,
    elapsed: Duration,
    checked: Vec<usize>,
    /// The number of rounds of each candidate.
    rounds: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    Fine,
    Fails,
    Wrong,
    /// Passes the check, then never ends.
    Hangs,
    /// Passes the check and four rounds, then fails.
    FailsLater,
}

const COMPILING: Duration = Duration::from_millis(20);

impl Simulated {
    fn new(candidates: &[Candidate], cost: impl Fn(&[f64]) -> f64, seed: u64) -> Self {
        let costs = candidates.iter().map(|candidate| Duration::from_secs_f64(cost(candidate.values()) * 1e-6));
        let plans = vec![Plan::Fine; candidates.len()];
        let random = Random(!seed);
        let rounds = vec![0; candidates.len()];
        Self { costs: costs.collect(), plans, random, elapsed: Duration::ZERO, checked: Vec::new(), rounds }
    }

    fn uniform(&mut self) -> f64 {
        (self.random.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The ratio of a candidate's true time to that of the best one without faults.
    fn regret(&self, candidate: usize) -> f64 {
        let fine = self.costs.iter().zip(&self.plans).filter(|(_, plan)| **plan == Plan::Fine);
        let best = fine.map(|(cost, _)| cost).min().unwrap();
        self.costs[candidate].as_secs_f64() / best.as_secs_f64()
    }
}

impl Judge for Simulated {
    fn check(&mut self, candidate: usize) -> Result<(), Dropped> {
        assert!(!self.checked.contains(&candidate), "{candidate} is checked twice");
        assert!(candidate == 0 || self.checked.first() == Some(&0), "the default is checked first");
        self.checked.push(candidate);
        self.elapsed += COMPILING;
        match self.plans[candidate] {
            Plan::Fails => Err(Dropped::Failed("no memory".to_owned())),
            Plan::Wrong => Err(Dropped::Wrong("element 3".to_owned())),
            _ => Ok(()),
        }
    }

    fn time(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Dropped> {
        assert!(self.checked.contains(&candidate), "{candidate} is measured before its check");
        let noise = 1.0 + 0.06 * (self.uniform() - 0.5);
        let disturbance = if self.uniform() < 0.1 { 3.0 } else { 1.0 };
        self.rounds[candidate] += 1;
        match self.plans[candidate] {
            Plan::Hangs => {
                self.elapsed += limit;
                return Err(Dropped::Slow(limit));
            }
            Plan::FailsLater if self.rounds[candidate] > 4 => return Err(Dropped::Failed("lost".to_owned())),
            Plan::Fails | Plan::Wrong => panic!("{candidate} is measured in spite of its check"),
            _ => {}
        }
        let time = self.costs[candidate].mul_f64(noise * disturbance);
        self.elapsed += time;
        Ok(time)
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

/// 5 x 5 x 4 candidates.
fn candidates() -> Vec<Candidate> {
    let powers = |first: u32, count: u32| (first..first + count).map(|power| f64::from(1_u32 << power));
    let all = powers(2, 5)
        .flat_map(|tile| powers(5, 5).flat_map(move |wg| powers(0, 4).map(move |each| vec![tile, wg, each])));
    let default = vec![8.0, 64.0, 1.0];
    let others: Vec<Vec<f64>> = all.filter(|values| *values != default).collect();
    std::iter::once(default).chain(others).map(Candidate::of).collect()
}

/// A cost with its optimum at TILE=32 WG=128 EACH=4, far from the default.
fn valley(values: &[f64]) -> f64 {
    let away = |value: f64, best: f64| (value / best).log2().powi(2);
    200.0 * (1.0 + 0.1 * away(values[0], 32.0) + 0.15 * away(values[1], 128.0) + 0.07 * away(values[2], 4.0))
}

/// A cost without any structure.
fn rough(values: &[f64]) -> f64 {
    let seed = values.iter().fold(7, |seed, value| Random(seed ^ value.to_bits()).next());
    100.0 + (Random(seed).next() % 300) as f64
}

/// The number of seeds, of 100, for which the result is within 3 % of the best, within the budget.
fn successes(search: &Search, cost: fn(&[f64]) -> f64, plant: impl Fn(&mut Simulated)) -> usize {
    let candidates = candidates();
    let good = |seed: u64| {
        let mut device = Simulated::new(&candidates, cost, seed);
        plant(&mut device);
        let found = search.clone().seed(seed).find(&candidates, &mut device).unwrap();
        assert_eq!(device.plans[found.winner], Plan::Fine, "seed {seed}");
        // One check and one round may end after the budget.
        assert!(device.elapsed <= search.budget + Duration::from_millis(25), "{:?} with seed {seed}", device.elapsed);
        device.regret(found.winner) <= CLOSE
    };
    (0..100).filter(|seed| good(*seed)).count()
}

const ALL: [Strategy; 4] =
    [Strategy::Exhaustive, Strategy::Random(99), Strategy::SuccessiveHalving, Strategy::CoordinateDescent];

#[test]
fn the_best_candidate_is_found_in_spite_of_noise() {
    let search = Search::new().budget(Duration::from_secs(5));
    for strategy in ALL {
        let found = successes(&search.clone().strategy(strategy), valley, |_| {});
        assert!(found >= 99, "{strategy:?} in the valley: {found}");
    }
    for strategy in &ALL[..3] {
        let found = successes(&search.clone().strategy(*strategy), rough, |_| {});
        assert!(found >= 99, "{strategy:?} on rough ground: {found}");
    }
}

#[test]
fn wrong_and_hanging_candidates_never_win() {
    let search = Search::new().budget(Duration::from_secs(5));
    let plant = |device: &mut Simulated| {
        // Every second candidate has a fault, and would be by far the fastest.
        let plans = [Plan::Fails, Plan::Wrong, Plan::Hangs, Plan::FailsLater];
        for at in (1..device.plans.len()).step_by(2) {
            device.plans[at] = plans[at / 2 % 4];
            device.costs[at] /= 20;
        }
    };
    for strategy in &ALL[..3] {
        let found = successes(&search.clone().strategy(*strategy), valley, plant);
        assert!(found >= 99, "{strategy:?}: {found}");
    }
    // Faults on all sides may confine a descent, but a fault does not win.
    successes(&search.strategy(Strategy::CoordinateDescent), valley, plant);
}

#[test]
fn dropped_candidates_have_their_reason() {
    let candidates = candidates();
    let mut device = Simulated::new(&candidates, valley, 1);
    device.plans[1..4].copy_from_slice(&[Plan::Fails, Plan::Wrong, Plan::Hangs]);
    let found = Search::new().find(&candidates, &mut device).unwrap();
    let reason = |at: usize| found.trials[at].dropped.as_ref().unwrap().to_string();
    assert_eq!((reason(1), reason(2)), ("failed: no memory".to_owned(), "wrong: element 3".to_owned()));
    assert!(reason(3).starts_with("slow: longer than "), "{}", reason(3));
    assert_eq!(found.ended, Ended::Finished);
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let candidates = candidates();
    for strategy in ALL {
        let run = |seed| {
            let mut device = Simulated::new(&candidates, rough, 5);
            Search::new().strategy(strategy).seed(seed).find(&candidates, &mut device).unwrap()
        };
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4), "{strategy:?}");
    }
}

#[test]
fn the_default_wins_ties() {
    let candidates = candidates();
    for (cost, wins) in [(100.0, true), (110.0, false)] {
        let cost = |values: &[f64]| if values == candidates[0].values() { cost } else { 100.0 };
        for seed in 0..20 {
            let mut device = Simulated::new(&candidates, cost, seed);
            let found = Search::new().rounds(51).seed(seed).find(&candidates[..8], &mut device).unwrap();
            assert_eq!(found.winner == 0, wins, "seed {seed}");
        }
    }
}

#[test]
fn a_small_budget_leaves_candidates_out() {
    let candidates = candidates();
    for strategy in ALL {
        for budget in [0, 1, 50, 300] {
            let mut device = Simulated::new(&candidates, valley, 2);
            let search = Search::new().strategy(strategy).budget(Duration::from_millis(budget));
            let found = search.find(&candidates, &mut device).unwrap();
            let tried = found.trials.iter().filter(|trial| !trial.times.is_empty()).count();
            assert!(!found.trials[0].times.is_empty() && tried <= 1 + budget as usize / 20, "{tried} in {budget} ms");
            assert!(device.costs[found.winner] <= device.costs[0], "{strategy:?} {budget} ms");
        }
    }
}

#[test]
fn a_candidate_close_to_the_bound_ends_the_search() {
    let candidates = candidates();
    let best = valley(&[32.0, 128.0, 4.0]);
    let run = |bound: f64| {
        let mut device = Simulated::new(&candidates, valley, 3);
        let search = Search::new().bound(Duration::from_secs_f64(bound * 1e-6));
        let found = search.find(&candidates, &mut device).unwrap();
        (found.ended, device.regret(found.winner), device.elapsed)
    };
    let ((ended, regret, early), (unreached, _, late)) = (run(best), run(best / 2.0));
    assert_eq!((ended, unreached), (Ended::Bound, Ended::Finished));
    assert!(regret <= CLOSE && early < late, "{regret} {early:?} {late:?}");
}

#[test]
fn a_default_that_fails_is_an_error() {
    let candidates = candidates();
    for (plan, said) in [(Plan::Fails, "no memory"), (Plan::Wrong, "element 3"), (Plan::FailsLater, "lost")] {
        let mut device = Simulated::new(&candidates, valley, 3);
        device.plans[0] = plan;
        let error = Search::new().find(&candidates, &mut device).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    let mut device = Simulated::new(&[], valley, 3);
    assert!(Search::new().find(&[], &mut device).is_err());
}

#[test]
fn extreme_options_do_not_panic() {
    let candidates = candidates();
    for strategy in [Strategy::Random(0), Strategy::Random(usize::MAX), Strategy::Exhaustive] {
        let mut device = Simulated::new(&candidates, valley, 3);
        let search = Search::new().strategy(strategy).rounds(0).slowest(f64::INFINITY).bound(Duration::MAX);
        search.clone().budget(Duration::MAX).find(&candidates, &mut device).unwrap();
        let mut device = Simulated::new(&candidates, valley, 3);
        search.slowest(f64::NAN).bound(Duration::ZERO).find(&candidates[..1], &mut device).unwrap();
    }
}

#[test]
fn medians_are_in_the_middle() {
    let median = |micros: &[u64]| {
        let times = micros.iter().map(|micros| Duration::from_micros(*micros)).collect();
        Trial { times, dropped: None }.median().map(|time| time.as_micros())
    };
    assert_eq!(
        (median(&[]), median(&[5]), median(&[9, 1, 4]), median(&[9, 1, 4, 6])),
        (None, Some(5), Some(4), Some(4))
    );
}

/// A candidate that was lucky while it was compared with others does not win.
#[test]
fn a_second_look_finds_luck() {
    struct Lucky(u32, Duration);
    impl Judge for Lucky {
        fn check(&mut self, _: usize) -> Result<(), Dropped> {
            Ok(())
        }
        fn time(&mut self, candidate: usize, _: Duration) -> Result<Duration, Dropped> {
            self.1 += Duration::from_micros(100);
            self.0 += u32::from(candidate == 1);
            Ok(Duration::from_micros(if candidate == 1 && self.0 <= 9 { 80 } else { 100 }))
        }
        fn elapsed(&self) -> Duration {
            self.1
        }
    }
    let two = &candidates()[..2];
    let search = Search::new().strategy(Strategy::Exhaustive).rounds(9);
    let found = search.find(two, &mut Lucky(0, Duration::ZERO)).unwrap();
    assert_eq!((found.winner, found.trials[1].median()), (0, Some(Duration::from_micros(80))));
    // Its luck holds as long as it is looked at.
    assert_eq!(search.rounds(3).find(two, &mut Lucky(0, Duration::ZERO)).unwrap().winner, 1);
}
