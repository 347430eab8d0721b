//! The words of the rule that are plain values: blocks, outcomes, ranks, and what settle did.

use std::ffi::c_int;

use crate::error::Error;
use crate::ffi;

/// The units `start .. start + size`. A block of a view is a power of two of them, at a multiple of its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C)]
pub struct Block {
    /// The first unit.
    pub start: i64,
    /// How many units.
    pub size: i64,
}

impl Block {
    /// The units `start .. start + size`.
    pub const fn new(start: i64, size: i64) -> Self {
        Self { start, size }
    }

    /// The first unit after it; the largest number where that is beyond 64 bits.
    pub const fn stop(self) -> i64 {
        self.start.saturating_add(self.size)
    }
}

/// How settle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The view was within the budget: nothing was done.
    Fits,
    /// It was above, and weighs at most half the budget now.
    Settled,
    /// No pair is ready, and it weighs more than half the budget. Report it; nothing is lost.
    Stuck,
}

impl Outcome {
    pub(crate) fn from_c(outcome: c_int) -> Result<Self, Error> {
        match outcome {
            ffi::FC_FITS => Ok(Self::Fits),
            ffi::FC_SETTLED => Ok(Self::Settled),
            ffi::FC_STUCK => Ok(Self::Stuck),
            _ => Err(Error::Damaged),
        }
    }
}

/// The order in which settle takes ready pairs; on equal keys the older goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rank {
    /// By size, then start.
    #[default]
    SmallestFirst,
    /// By (units - start) / size, exactly, the largest first, then start.
    AgeOverSize,
}

impl Rank {
    pub(crate) const fn to_c(self) -> u32 {
        match self {
            Self::SmallestFirst => ffi::FC_SMALLEST_FIRST,
            Self::AgeOverSize => ffi::FC_AGE_OVER_SIZE,
        }
    }
}

/// What settle did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The blocks that it merged, in order.
    pub merged: Vec<Block>,
    /// How it ended.
    pub outcome: Outcome,
}
