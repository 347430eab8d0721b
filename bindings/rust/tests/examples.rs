//! The worked examples of the rule, and each operation as others rely on it.

use foldcover::{Block, Cover, Error, Outcome, Rank, Settled, Tree};

const RANK: Rank = Rank::SmallestFirst;

fn block(start: i64, size: i64) -> Block {
    Block::new(start, size)
}

fn pair(line: Option<i64>) -> Tree {
    Tree::split(Tree::leaf(1), Tree::leaf(1), line)
}

/// The host's loop: close, write what is wanted, settle. The cover, the lines written, the settles.
fn host(closes: usize, budget: i64, rank: Rank) -> (Cover, Vec<Block>, Vec<Settled>) {
    let (mut cover, mut written, mut settles) = (Cover::new().unwrap(), vec![], vec![]);
    for _ in 0..closes {
        cover.close(1).unwrap();
        loop {
            let asked = cover.wanted(budget, rank).unwrap();
            if asked.is_empty() {
                break;
            }
            for block in asked {
                assert!(cover.write(block, 1).unwrap());
                written.push(block);
            }
        }
        settles.push(cover.settle(budget, rank).unwrap());
    }
    (cover, written, settles)
}

#[test]
fn nine_closes_with_a_budget_of_eight_write_five_lines_in_one_edit() {
    let (cover, written, settles) = host(9, 8, RANK);
    assert_eq!(
        cover.cover().unwrap(),
        [block(0, 4), block(4, 2), block(6, 2), block(8, 1)]
    );
    assert_eq!(written.len(), 5);
    assert_eq!(settles.iter().filter(|settled| !settled.merged.is_empty()).count(), 1);
    let merged = vec![block(0, 2), block(2, 2), block(4, 2), block(6, 2), block(0, 4)];
    assert_eq!(
        settles.last(),
        Some(&Settled {
            merged,
            outcome: Outcome::Settled
        })
    );
    assert_eq!((cover.units(), cover.lines(), cover.weight()), (9, 4, 4));
    assert_eq!(format!("{cover:?}"), "Cover { units: 9, lines: 4, weight: 4, .. }");
}

#[test]
fn a_budget_of_three_is_stuck_at_seven_units() {
    let (cover, _, settles) = host(7, 3, RANK);
    assert_eq!(cover.cover().unwrap(), [block(0, 4), block(4, 2), block(6, 1)]);
    assert_eq!(settles.last().map(|settled| settled.outcome), Some(Outcome::Stuck));
}

#[test]
fn the_coarsest_view_of_fifteen_units_has_four_lines() {
    for budget in [0, -1, i64::MIN] {
        let (cover, _, _) = host(15, budget, RANK);
        let sizes: Vec<i64> = cover.cover().unwrap().iter().map(|block| block.size).collect();
        assert_eq!(sizes, [8, 4, 2, 1]);
    }
}

#[test]
fn a_budget_of_any_size_fits_what_weighs_less() {
    let (cover, written, settles) = host(15, i64::MAX, RANK);
    assert_eq!((cover.lines(), written.len()), (15, 0));
    assert!(settles.iter().all(|settled| *settled
        == Settled {
            merged: vec![],
            outcome: Outcome::Fits
        }));
}

#[test]
fn wanted_asks_in_rounds_and_halves_come_before_their_parent() {
    let mut cover = Cover::new().unwrap();
    for _ in 0..8 {
        cover.close(1).unwrap();
    }
    let mut rounds = vec![];
    loop {
        let asked = cover.wanted(1, RANK).unwrap();
        if asked.is_empty() {
            break;
        }
        for block in &asked {
            cover.write(*block, 1).unwrap();
        }
        rounds.push(asked);
    }
    assert_eq!(
        rounds,
        [
            vec![block(0, 2), block(2, 2), block(4, 2), block(6, 2)],
            vec![block(0, 4), block(4, 4)],
            vec![block(0, 8)],
        ]
    );
}

#[test]
fn the_ranks_differ() {
    let (by_size, by_age) = (host(9, 8, RANK).2, host(9, 8, Rank::AgeOverSize).2);
    assert_eq!(
        by_age[8].merged,
        [block(0, 2), block(2, 2), block(4, 2), block(0, 4), block(6, 2)]
    );
    assert_eq!(
        by_size[8].merged,
        [block(0, 2), block(2, 2), block(4, 2), block(6, 2), block(0, 4)]
    );
    assert_eq!(Rank::default(), RANK);
}

#[test]
fn a_pair_without_its_line_is_never_merged() {
    let mut cover = Cover::new().unwrap();
    cover.load(&[pair(None)]).unwrap();
    assert_eq!(
        cover.settle(1, RANK),
        Ok(Settled {
            merged: vec![],
            outcome: Outcome::Stuck
        })
    );
    assert_eq!(cover.save().unwrap(), [pair(None)]);
}

#[test]
fn a_line_is_written_once() {
    let mut cover = Cover::new().unwrap();
    cover.close(1).unwrap();
    cover.close(1).unwrap();
    assert_eq!(cover.write(block(0, 2), 5), Ok(true));
    assert_eq!(cover.save().unwrap(), [pair(Some(5))]);
    for other in [
        block(0, 2),
        block(0, 1),
        block(1, 2),
        block(0, 4),
        block(-1, 2),
        block(0, 0),
        block(i64::MAX, i64::MAX),
    ] {
        assert_eq!(cover.write(other, 9), Ok(false));
    }
    assert_eq!(cover.save().unwrap(), [pair(Some(5))]);
}

#[test]
fn weights_may_be_negative() {
    let mut cover = Cover::new().unwrap();
    for weight in [-5, 3, -2, 9] {
        cover.close(weight).unwrap();
    }
    assert_eq!(cover.weight(), 5);
    assert_eq!(cover.settle(5, RANK).unwrap().outcome, Outcome::Fits);
    assert_eq!(cover.wanted(4, RANK).unwrap(), [block(0, 2), block(2, 2)]);
    cover.write(block(0, 2), -7).unwrap();
    let merged = vec![block(0, 2)];
    assert_eq!(
        cover.settle(4, RANK),
        Ok(Settled {
            merged,
            outcome: Outcome::Settled
        })
    );
    assert_eq!(cover.weight(), 0);
}

#[test]
fn a_budget_below_zero_may_be_above_its_own_low_water() {
    let mut cover = Cover::new().unwrap();
    cover.close(-4).unwrap(); // more than -5, and at most -3
    assert_eq!(
        cover.settle(-5, RANK),
        Ok(Settled {
            merged: vec![],
            outcome: Outcome::Settled
        })
    );
}

#[test]
fn zoom_reads_units_whatever_is_shown() {
    let (cover, _, _) = host(5, 2, RANK);
    let units: Vec<Block> = cover.zoom(block(1, 3)).collect();
    assert_eq!(units, [block(1, 1), block(2, 1), block(3, 1)]);
    for outside in [
        block(0, 0),
        block(-1, 2),
        block(4, 2),
        block(5, 1),
        block(2, -1),
        block(i64::MAX, i64::MAX),
    ] {
        assert_eq!(cover.zoom(outside).count(), 0, "{outside:?}");
    }
}

#[test]
fn it_grows_and_can_be_emptied() {
    let mut cover = Cover::new().unwrap();
    for round in 0..2 {
        assert_eq!((cover.units(), cover.cover().unwrap()), (0, vec![]), "round {round}");
        for weight in 0..100_000 {
            cover.close(weight % 7).unwrap();
        }
        assert_eq!((cover.units(), cover.lines()), (100_000, 100_000));
        let blocks = cover.cover().unwrap();
        assert!(blocks.iter().zip(0..).all(|(shown, unit)| *shown == block(unit, 1)));
        assert_eq!(
            cover.wanted(-1, RANK).unwrap().len(),
            100_000 - 100_000_u32.count_ones() as usize
        );
        cover.reset();
    }
}

#[test]
fn a_cover_moves_to_another_thread() {
    let (mut cover, _, _) = host(9, 8, RANK);
    let cover = std::thread::spawn(move || {
        cover.close(1).unwrap();
        cover
    })
    .join()
    .unwrap();
    assert_eq!(cover.units(), 10);
}

#[test]
fn beyond_64_bits_is_an_error_and_nothing_has_changed() {
    let mut cover = Cover::new().unwrap();
    assert_eq!(cover.close(i64::MIN), Err(Error::Overflow));
    cover.close(i64::MAX - 3).unwrap();
    cover.close(-2).unwrap();
    let before = cover.save().unwrap();
    assert_eq!(cover.close(2), Err(Error::Overflow));
    assert_eq!(cover.write(block(0, 2), 2), Err(Error::Overflow));
    assert_eq!(cover.write(block(0, 2), i64::MIN), Err(Error::Overflow));
    assert_eq!(cover.save().unwrap(), before);
    assert_eq!(cover.write(block(0, 2), 1), Ok(true));
    assert_eq!(cover.weight(), i64::MAX - 5);
}

#[test]
fn errors_say_what_happened() {
    let boxed: Box<dyn std::error::Error> = Box::new(Error::NoMemory);
    assert_eq!(boxed.to_string(), "no memory for the view");
    for error in [Error::Overflow, Error::BadView, Error::Damaged] {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn a_block_knows_where_it_stops() {
    assert_eq!(block(4, 4).stop(), 8);
    assert_eq!(block(i64::MAX, 1).stop(), i64::MAX);
}
