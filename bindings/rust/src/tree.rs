//! Views as trees: what is saved and loaded.
//!
//! Rule: nothing recurses. A tree may be nested as deep as memory allows, so walking, comparing, copying, printing and
//! dropping it all take turns with a list of what is still to do.

use std::fmt;

/// Trees, newest first.
pub type View = Vec<Tree>;

/// A block of a view, and how it is shown.
pub enum Tree {
    /// A unit, shown with its title.
    Leaf {
        /// What the title weighs.
        weight: i64,
    },
    /// A block shown as one line.
    Merged {
        /// Its units, at least 1; in an aligned view a power of two above 1.
        size: i64,
        /// What the line weighs.
        weight: i64,
    },
    /// A block shown as its two halves.
    Split(Box<Split>),
}

/// Two halves, and the line of the whole once it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The older half.
    pub left: Tree,
    /// The newer half.
    pub right: Tree,
    /// What the block's own line weighs; `None` before the host has written it.
    pub line: Option<i64>,
}

const NOTHING: Tree = Tree::Leaf { weight: 0 };

impl Tree {
    /// A unit whose title weighs `weight`.
    pub const fn leaf(weight: i64) -> Self {
        Self::Leaf { weight }
    }

    /// A block of `size` units shown as one line.
    pub const fn merged(size: i64, weight: i64) -> Self {
        Self::Merged { size, weight }
    }

    /// A block shown as its halves, the older one first.
    pub fn split(left: Self, right: Self, line: Option<i64>) -> Self {
        Self::Split(Box::new(Split { left, right, line }))
    }

    /// This tree and all below it: each Split before its newer half, and that before its older half.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Self> {
        let mut ahead = vec![self];
        std::iter::from_fn(move || {
            let tree = ahead.pop()?;
            if let Self::Split(split) = tree {
                ahead.push(&split.left);
                ahead.push(&split.right);
            }
            Some(tree)
        })
    }
}

impl Clone for Tree {
    fn clone(&self) -> Self {
        let nodes: Vec<&Self> = self.nodes().collect();
        let mut trees = Vec::new();
        for node in nodes.into_iter().rev() {
            let copy = match node {
                Self::Leaf { weight } => Self::leaf(*weight),
                Self::Merged { size, weight } => Self::merged(*size, *weight),
                Self::Split(split) => {
                    let newer = trees.pop().unwrap_or(NOTHING);
                    Self::split(trees.pop().unwrap_or(NOTHING), newer, split.line)
                }
            };
            trees.push(copy);
        }
        trees.pop().unwrap_or(NOTHING)
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        // Which nodes follow is a matter of which came before, so equal nodes one by one are an equal tree.
        self.nodes().zip(other.nodes()).all(|pair| match pair {
            (Self::Leaf { weight }, Self::Leaf { weight: its }) => weight == its,
            (
                Self::Merged { size, weight },
                Self::Merged {
                    size: its_size,
                    weight: its,
                },
            ) => (size, weight) == (its_size, its),
            (Self::Split(split), Self::Split(its)) => split.line == its.line,
            _ => false,
        })
    }
}

impl Eq for Tree {}

/// As the call that makes it: `split(leaf(1), leaf(1), None)`.
impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Piece<'tree> {
            Tree(&'tree Tree),
            Comma,
            End(Option<i64>),
        }
        let mut ahead = vec![Piece::Tree(self)];
        while let Some(piece) = ahead.pop() {
            match piece {
                Piece::Tree(Self::Leaf { weight }) => write!(f, "leaf({weight})")?,
                Piece::Tree(Self::Merged { size, weight }) => write!(f, "merged({size}, {weight})")?,
                Piece::Tree(Self::Split(split)) => {
                    f.write_str("split(")?;
                    ahead.push(Piece::End(split.line));
                    ahead.push(Piece::Tree(&split.right));
                    ahead.push(Piece::Comma);
                    ahead.push(Piece::Tree(&split.left));
                }
                Piece::Comma => f.write_str(", ")?,
                Piece::End(line) => write!(f, ", {line:?})")?,
            }
        }
        Ok(())
    }
}

impl Drop for Split {
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        let take = |half: &mut Tree, doomed: &mut Vec<Box<Split>>| {
            if let Tree::Split(split) = std::mem::replace(half, NOTHING) {
                doomed.push(split);
            }
        };
        take(&mut self.left, &mut doomed);
        take(&mut self.right, &mut doomed);
        while let Some(mut split) = doomed.pop() {
            take(&mut split.left, &mut doomed);
            take(&mut split.right, &mut doomed);
            // Dropped here, with two lines as its halves.
        }
    }
}
