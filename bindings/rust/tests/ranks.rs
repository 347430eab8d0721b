//! Ranks that are closures: they are asked, they may panic, they may be absurd.

use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};

use foldcover::{Block, Cover, Outcome, Rank};

/// `units` units of weight 1, every line written with weight 1.
fn written(units: i64) -> Cover {
    let mut cover = Cover::new().unwrap();
    for _ in 0..units {
        cover.close(1).unwrap();
    }
    for block in cover.wanted(-1, Rank::SmallestFirst).unwrap() {
        cover.write(block, 1).unwrap();
    }
    let mut size = 2;
    while size <= units {
        for start in (0..units).step_by(usize::try_from(size).unwrap()) {
            cover.write(Block::new(start, size), 1).unwrap();
        }
        size *= 2;
    }
    cover
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    (*panic.downcast::<&str>().expect("a text")).to_string()
}

#[test]
fn a_closure_that_says_what_a_named_rank_says_does_the_same() {
    for units in [1, 7, 40, 64, 100] {
        for budget in [-1, 0, 1, 8, 20] {
            let (mut named, mut own) = (written(units), written(units));
            let by_size = |one: Block, other: Block, _: i64| one.size < other.size;
            assert_eq!(
                own.wanted_by(budget, by_size),
                named.wanted(budget, Rank::SmallestFirst)
            );
            assert_eq!(
                own.settle_by(budget, by_size),
                named.settle(budget, Rank::SmallestFirst)
            );
            assert_eq!(own.save(), named.save());

            let (mut named, mut own) = (written(units), written(units));
            let by_age = |one: Block, other: Block, units: i64| {
                i128::from(units - one.start) * i128::from(other.size)
                    > i128::from(units - other.start) * i128::from(one.size)
            };
            assert_eq!(own.wanted_by(budget, by_age), named.wanted(budget, Rank::AgeOverSize));
            assert_eq!(own.settle_by(budget, by_age), named.settle(budget, Rank::AgeOverSize));
            assert_eq!(own.save(), named.save());
        }
    }
}

#[test]
fn a_closure_sees_blocks_and_units_and_may_remember() {
    let (mut cover, mut asked) = (written(8), 0);
    let settled = cover
        .settle_by(6, |one, other, units| {
            asked += 1;
            assert!(units == 8 && one.size >= 2 && other.size >= 2 && one != other);
            one.start > other.start
        })
        .unwrap();
    assert!(asked > 0);
    assert_eq!(settled.outcome, Outcome::Settled);
    assert_eq!(settled.merged.first(), Some(&Block::new(6, 2)));
}

#[test]
fn a_view_within_the_budget_asks_nothing() {
    let mut cover = written(8);
    let settled = cover
        .settle_by(8, |_, _, _| unreachable!("nothing to compare"))
        .unwrap();
    assert_eq!((settled.outcome, settled.merged.len()), (Outcome::Fits, 0));
    assert_eq!(
        cover.wanted_by(8, |_, _, _| unreachable!("nothing to compare")),
        Ok(vec![])
    );
}

#[test]
fn a_panic_comes_out_and_the_cover_is_as_it_was() {
    for patience in 0..60 {
        let mut cover = written(33);
        let before = cover.save().unwrap();
        let asked = Cell::new(0);
        let rank = |one: Block, other: Block, _: i64| {
            asked.set(asked.get() + 1);
            assert!(asked.get() <= patience, "out of patience");
            one.start > other.start
        };
        let settling = catch_unwind(AssertUnwindSafe(|| cover.settle_by(0, rank)));
        let calls = asked.get();
        if calls <= patience {
            assert_eq!(settling.expect("no panic").unwrap().outcome, Outcome::Stuck);
            continue;
        }
        assert_eq!(calls, patience + 1, "not asked again after the panic");
        assert_eq!(message(settling.expect_err("a panic")), "out of patience");
        assert_eq!(cover.save().unwrap(), before);

        asked.set(0);
        let asking = catch_unwind(AssertUnwindSafe(|| cover.wanted_by(0, rank)));
        assert_eq!(message(asking.expect_err("a panic")), "out of patience");
        assert_eq!(cover.save().unwrap(), before);

        let mut untouched = written(33);
        assert_eq!(
            cover.settle(9, Rank::AgeOverSize),
            untouched.settle(9, Rank::AgeOverSize)
        );
        assert_eq!(cover.save(), untouched.save());
    }
}

#[test]
fn a_closure_that_is_no_order_at_all_does_no_harm() {
    for seed in 1..40_u64 {
        let mut cover = written(100);
        let (before, mut state) = (cover.lines(), seed);
        let settled = cover
            .settle_by(20, |_, _, _| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state >> 63 == 1
            })
            .unwrap();
        assert_eq!(cover.units(), 100);
        assert_eq!(cover.lines(), before - i64::try_from(settled.merged.len()).unwrap());
        let saved = cover.save().unwrap();
        let mut again = Cover::new().unwrap();
        again.load(&saved).unwrap();
        assert_eq!(
            (again.units(), again.lines(), again.weight()),
            (100, cover.lines(), cover.weight())
        );
    }
}
