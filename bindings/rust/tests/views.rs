//! Views saved and loaded; trees, however deep; copies; what is no view.

use foldcover::{Block, Cover, Error, Outcome, Rank, Tree, View};

const DEEP: usize = 100_000;

fn loaded(view: &[Tree]) -> Cover {
    let mut cover = Cover::new().unwrap();
    cover.load(view).unwrap();
    cover
}

/// Nested `DEEP` deep, to the left or to the right, all lines written.
fn deep(left: bool) -> Tree {
    let mut tree = Tree::leaf(1);
    for _ in 0..DEEP {
        tree = if left {
            Tree::split(tree, Tree::leaf(1), Some(1))
        } else {
            Tree::split(Tree::leaf(1), tree, Some(1))
        };
    }
    tree
}

#[test]
fn what_is_loaded_is_saved() {
    let views: [View; 6] = [
        vec![],
        vec![Tree::leaf(-3)],
        vec![Tree::leaf(0), Tree::merged(2, 7)],
        vec![Tree::leaf(1), Tree::split(Tree::merged(2, 1), Tree::merged(2, 2), None)],
        vec![Tree::split(
            Tree::split(Tree::leaf(1), Tree::leaf(2), Some(0)),
            Tree::merged(2, 3),
            Some(-4),
        )],
        (0..40).map(|bit| Tree::merged(1 << bit, bit)).collect(),
    ];
    let mut reused = Cover::new().unwrap();
    for view in views {
        assert_eq!(loaded(&view).save().unwrap(), view);
        reused.load(&view).unwrap();
        assert_eq!(reused.save().unwrap(), view);
    }
}

#[test]
fn a_close_goes_on_where_the_loaded_view_ends() {
    let mut cover = loaded(&[Tree::leaf(1), Tree::merged(2, 5)]);
    cover.close(4).unwrap();
    let pair = Tree::split(Tree::leaf(1), Tree::leaf(4), None);
    assert_eq!(cover.save().unwrap(), [Tree::split(Tree::merged(2, 5), pair, None)]);
}

#[test]
fn nesting_needs_no_stack() {
    let mut cover = loaded(&[Tree::leaf(1)]);
    for left in [true, false] {
        let view = vec![deep(left), deep(left)];
        assert_eq!(cover.load(&view), Err(Error::BadView));
        assert_eq!(cover.save().unwrap(), [Tree::leaf(1)]);
        let copy = view.clone();
        assert!(copy == view);
        assert!(format!("{:?}", copy[0]).len() > 10 * DEEP);
        assert!(copy[0] != Tree::leaf(1));
    }
}

#[test]
fn the_deepest_view_is_settled() {
    let mut tree = Tree::merged(2, 1);
    for bit in 1..48 {
        tree = Tree::split(tree, Tree::merged(1 << bit, 1), Some(1));
    }
    let mut cover = loaded(&[tree]);
    let settled = cover.settle(0, Rank::SmallestFirst).unwrap();
    assert_eq!((settled.merged.len(), settled.outcome), (47, Outcome::Stuck));
    assert_eq!(cover.save().unwrap(), [Tree::merged(1 << 48, 1)]);
}

#[test]
fn trees_are_equal_by_value() {
    let tree = |line| {
        Tree::split(
            Tree::merged(2, 1),
            Tree::split(Tree::leaf(1), Tree::leaf(2), line),
            None,
        )
    };
    assert_eq!(tree(Some(3)), tree(Some(3)));
    let others = [tree(None), tree(Some(4)), Tree::leaf(1), Tree::merged(4, 0)];
    for other in &others {
        assert_ne!(&tree(Some(3)), other);
        assert_eq!(&other.clone(), other);
    }
    assert_ne!(
        Tree::split(Tree::leaf(1), Tree::split(Tree::leaf(1), Tree::leaf(1), None), None),
        Tree::split(Tree::split(Tree::leaf(1), Tree::leaf(1), None), Tree::leaf(1), None),
    );
    assert_eq!(
        format!("{:?}", tree(Some(3))),
        "split(merged(2, 1), split(leaf(1), leaf(2), Some(3)), None)"
    );
}

#[test]
fn the_halves_of_a_split_can_be_read() {
    let Tree::Split(split) = Tree::split(Tree::leaf(1), Tree::merged(2, 3), Some(4)) else {
        panic!("a split")
    };
    assert_eq!(
        (&split.left, &split.right, split.line),
        (&Tree::leaf(1), &Tree::merged(2, 3), Some(4))
    );
    assert_eq!(split.clone(), split);
}

#[test]
fn a_copy_is_a_cover_of_its_own() {
    let mut cover = loaded(&[Tree::split(Tree::leaf(1), Tree::leaf(1), None)]);
    let before = cover.save();
    let mut copy = cover.clone();
    copy.close(1).unwrap();
    copy.write(Block::new(0, 2), 1).unwrap();
    assert_eq!(cover.save(), before);
    let after = copy.save();
    cover.reset();
    drop(cover);
    assert_eq!(copy.save(), after);
    assert_eq!(Cover::new().unwrap().clone().save(), Ok(vec![]));
}

#[test]
fn what_is_no_view_is_refused_and_nothing_changes() {
    let view = [Tree::split(Tree::leaf(1), Tree::leaf(1), Some(2))];
    let mut cover = loaded(&view);
    let most = 1 << 48;
    for (wrong, error) in [
        (vec![Tree::merged(0, 1)], Error::BadView),
        (vec![Tree::merged(-1, 1), Tree::leaf(1)], Error::BadView),
        (
            vec![Tree::split(Tree::merged(2, 1), Tree::merged(0, 1), None)],
            Error::BadView,
        ),
        (vec![Tree::merged(most + 1, 1)], Error::BadView),
        (vec![Tree::merged(3, 1)], Error::BadView),
        (vec![Tree::merged(2, 1), Tree::leaf(1)], Error::BadView),
        (vec![Tree::leaf(1), Tree::leaf(1)], Error::BadView),
        (
            vec![Tree::merged(2, 1), Tree::leaf(1), Tree::merged(4, 1)],
            Error::BadView,
        ),
        (
            vec![Tree::split(Tree::merged(2, 1), Tree::leaf(1), None)],
            Error::BadView,
        ),
        (
            vec![Tree::split(Tree::leaf(1), Tree::merged(2, 1), None)],
            Error::BadView,
        ),
        (vec![Tree::leaf(1), Tree::merged(most, 1)], Error::Overflow),
        (
            vec![Tree::split(Tree::merged(i64::MAX, 1), Tree::leaf(1), None)],
            Error::Overflow,
        ),
        (vec![Tree::leaf(i64::MIN)], Error::Overflow),
        (vec![Tree::leaf(i64::MAX), Tree::leaf(-1)], Error::Overflow),
    ] {
        assert_eq!(cover.load(&wrong), Err(error), "{wrong:?}");
        assert_eq!(cover.save().unwrap(), view);
    }
    let mut full = loaded(&[Tree::merged(most, 1)]);
    assert_eq!(full.close(1), Err(Error::Overflow));
}
