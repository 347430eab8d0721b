#![doc = include_str!("../README.md")]
//!
//! # Where things are
//!
//! [`Cover`] has the operations, [`Block`], [`Rank`], [`Outcome`] and [`Settled`] are what goes in and comes out,
//! [`Tree`] is a view saved, [`Error`] is why a call did nothing. Everything else is private: `ffi` (the header,
//! declared), `memory` (what C allocates from), `asked` (your own rank on its way through C), `nodes` (trees to C and
//! back).

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod asked;
mod cover;
mod error;
mod ffi;
mod memory;
mod nodes;
mod tree;
mod words;

pub use cover::Cover;
pub use error::Error;
pub use tree::{Split, Tree, View};
pub use words::{Block, Outcome, Rank, Settled};
