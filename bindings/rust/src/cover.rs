//! One view, held in C and changed in place.

use std::any::Any;
use std::ffi::c_int;
use std::fmt;
use std::panic::resume_unwind;
use std::ptr::{null, null_mut, NonNull};

use crate::asked::Asked;
use crate::error::{check, Error};
use crate::ffi::{self, Node};
use crate::memory::GLOBAL;
use crate::nodes::{to_nodes, to_view};
use crate::tree::{Tree, View};
use crate::words::{Block, Outcome, Rank, Settled};

/// A view, empty at first.
///
/// Weights are in whatever unit the host counts: tokens, bytes, or 1 for each line. After an error or a panic the cover
/// is as it was.
///
/// It may move to another thread ([`Send`]), but not be shared by two ([`Sync`]), since C promises to work for one at a
/// time only:
///
/// ```compile_fail,E0277
/// fn shared<T: Sync>() {}
/// shared::<foldcover::Cover>();
/// ```
pub struct Cover {
    view: NonNull<ffi::View>,
}

// SAFETY: nothing but this Cover points to the view. C keeps no state outside of it, knows no threads, and has its
// memory from Rust's global allocator, which takes back on one thread what it gave on another.
unsafe impl Send for Cover {}

impl Cover {
    /// An empty cover.
    pub fn new() -> Result<Self, Error> {
        // SAFETY: the allocator keeps the header's promises (memory.rs); C copies it.
        let view = unsafe { ffi::fc_open(&GLOBAL) };
        NonNull::new(view).map(|view| Self { view }).ok_or(Error::NoMemory)
    }

    /// A cover of its own that shows the same.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut copy = Self::new()?;
        copy.put(&self.nodes()?)?;
        Ok(copy)
    }

    /// How many units the view covers.
    pub fn units(&self) -> i64 {
        // SAFETY: the view is open.
        unsafe { ffi::fc_units(self.view.as_ptr()) }
    }

    /// How many lines it shows.
    pub fn lines(&self) -> i64 {
        // SAFETY: the view is open.
        unsafe { ffi::fc_lines(self.view.as_ptr()) }
    }

    /// What the shown lines weigh together.
    pub fn weight(&self) -> i64 {
        // SAFETY: the view is open.
        unsafe { ffi::fc_weight(self.view.as_ptr()) }
    }

    /// Append a unit whose title weighs `weight`. Amortised constant.
    pub fn close(&mut self, weight: i64) -> Result<(), Error> {
        // SAFETY: the view is open, and ours alone.
        check(unsafe { ffi::fc_close(self.view.as_ptr(), weight) })
    }

    /// Note that the line of `block` exists and what it weighs. Whether that changed anything: only where the block is
    /// a [`Split`](crate::Split) of this view without a line.
    pub fn write(&mut self, block: Block, weight: i64) -> Result<bool, Error> {
        let mut wrote = 0;
        // SAFETY: the view is open, and ours alone.
        check(unsafe { ffi::fc_write(self.view.as_ptr(), block, weight, &mut wrote) })?;
        Ok(wrote != 0)
    }

    /// The lines that settle will certainly need, in the order of merging: halves before their parent.
    ///
    /// Write them, as many at once as you like, and ask again until the answer is empty: a few rounds, since lines
    /// weigh more in truth than the 0 that is assumed here.
    pub fn wanted(&mut self, budget: i64, rank: Rank) -> Result<Vec<Block>, Error> {
        // SAFETY: the view is open, and ours alone.
        check(unsafe { ffi::fc_wanted(self.view.as_ptr(), budget, rank.to_c()) })?;
        self.asked()
    }

    /// [`wanted`](Self::wanted) by a rank of your own, as in [`settle_by`](Self::settle_by).
    pub fn wanted_by(
        &mut self,
        budget: i64,
        mut before: impl FnMut(Block, Block, i64) -> bool,
    ) -> Result<Vec<Block>, Error> {
        let view = self.view.as_ptr();
        // SAFETY: the view is open, and ours alone; `through` gives a door that fits its context.
        let done =
            Asked::new(&mut before).through(|door, context| unsafe { ffi::fc_wanted_by(view, budget, door, context) });
        check(done.unwrap_or_else(|panic| resume_unwind(panic)))?;
        self.asked()
    }

    /// Merge ready pairs, top-ranked first, until the view weighs at most half the budget (rounded down), once it
    /// weighs more than `budget`.
    pub fn settle(&mut self, budget: i64, rank: Rank) -> Result<Settled, Error> {
        let (merged, mut outcome) = (self.merges(budget)?, 0);
        // SAFETY: the view is open, and ours alone.
        check(unsafe { ffi::fc_settle(self.view.as_ptr(), budget, rank.to_c(), &mut outcome) })?;
        self.settled(outcome, merged)
    }

    /// Settle by a rank of your own: `before(one, other, units)` says whether the key of `one` is less than that of
    /// `other`. On equal keys the older goes first.
    ///
    /// It must be pure and a strict weak order; otherwise the order of the merges means nothing, though all else holds.
    ///
    /// # Panics
    ///
    /// With what the closure panics with; the cover is as it was then.
    pub fn settle_by(
        &mut self,
        budget: i64,
        mut before: impl FnMut(Block, Block, i64) -> bool,
    ) -> Result<Settled, Error> {
        // Within the budget C asks nothing, so nothing can go wrong.
        let saved = if self.weight() > budget {
            self.nodes()?
        } else {
            Vec::new()
        };
        let merged = self.merges(budget)?;
        let (view, mut outcome) = (self.view.as_ptr(), 0);
        // SAFETY: the view is open, and ours alone; `through` gives a door that fits its context.
        let done = Asked::new(&mut before)
            .through(|door, context| unsafe { ffi::fc_settle_by(view, budget, door, context, &mut outcome) });
        match done {
            Ok(status) => check(status)?,
            Err(panic) => self.put_back(&saved, panic),
        }
        self.settled(outcome, merged)
    }

    /// The units of the range, oldest first, as blocks of size 1; none where it is empty or leaves `0 .. units`.
    pub fn zoom(&self, block: Block) -> impl Iterator<Item = Block> {
        // SAFETY: the view is open.
        let inside = unsafe { ffi::fc_zoom(self.view.as_ptr(), block) };
        (inside.start..inside.stop()).map(|unit| Block::new(unit, 1))
    }

    /// The shown blocks, oldest first.
    pub fn cover(&self) -> Result<Vec<Block>, Error> {
        let count = usize::try_from(self.lines()).map_err(|_| Error::Damaged)?;
        let mut blocks = room(count)?;
        // SAFETY: the view is open; there is room for `count` blocks, and no weights are asked for.
        check(unsafe { ffi::fc_cover(self.view.as_ptr(), blocks.as_mut_ptr(), null_mut(), count) })?;
        // SAFETY: C wrote as many as it has lines.
        unsafe { blocks.set_len(count) };
        Ok(blocks)
    }

    /// The view as trees, newest first.
    pub fn save(&self) -> Result<View, Error> {
        to_view(&self.nodes()?)
    }

    /// Take over a view: trees, newest first. It must be aligned, as all are to which these operations lead; else it is
    /// [`Error::BadView`].
    pub fn load(&mut self, view: &[Tree]) -> Result<(), Error> {
        self.put(&to_nodes(view)?)
    }

    /// Make it empty again; its memory is kept.
    pub fn reset(&mut self) {
        // SAFETY: the view is open, and ours alone.
        unsafe { ffi::fc_reset(self.view.as_ptr()) }
    }

    /// The blocks that the last call of C answered.
    fn answer(&self) -> &[Block] {
        let mut blocks = null();
        // SAFETY: the view is open.
        match unsafe { ffi::fc_blocks(self.view.as_ptr(), &mut blocks) } {
            0 => &[],
            // SAFETY: C says that so many are there, until a call that takes the view to change it.
            count => unsafe { std::slice::from_raw_parts(blocks, count) },
        }
    }

    fn asked(&self) -> Result<Vec<Block>, Error> {
        let mut asked = room(self.answer().len())?;
        asked.extend_from_slice(self.answer());
        Ok(asked)
    }

    /// Room for what settle will merge, made before: nothing may fail once it has merged. Each merge removes a line.
    fn merges(&self, budget: i64) -> Result<Vec<Block>, Error> {
        if self.weight() <= budget {
            return Ok(Vec::new());
        }
        room(usize::try_from(self.lines()).map_err(|_| Error::Damaged)?)
    }

    fn settled(&self, outcome: c_int, mut merged: Vec<Block>) -> Result<Settled, Error> {
        merged.extend_from_slice(self.answer());
        Ok(Settled {
            merged,
            outcome: Outcome::from_c(outcome)?,
        })
    }

    fn nodes(&self) -> Result<Vec<Node>, Error> {
        // SAFETY: the view is open.
        let count = unsafe { ffi::fc_nodes(self.view.as_ptr()) };
        let mut nodes = room(count)?;
        // SAFETY: the view is open, and there is room for `count` nodes.
        check(unsafe { ffi::fc_save(self.view.as_ptr(), nodes.as_mut_ptr(), count) })?;
        // SAFETY: C wrote all the nodes that it has.
        unsafe { nodes.set_len(count) };
        Ok(nodes)
    }

    fn put(&mut self, nodes: &[Node]) -> Result<(), Error> {
        // SAFETY: the view is open, and ours alone; C checks the nodes.
        check(unsafe { ffi::fc_load(self.view.as_ptr(), nodes.as_ptr(), nodes.len()) })
    }

    /// Undo what C did since these nodes were saved, and go on panicking.
    fn put_back(&mut self, saved: &[Node], panic: Box<dyn Any + Send>) -> ! {
        // It came from this view, so it is sound, and there is room.
        self.put(saved).expect("a saved view can be put back");
        resume_unwind(panic)
    }
}

/// A vector with room for `count` things, or the error that says why not.
fn room<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut things = Vec::new();
    things.try_reserve_exact(count).map_err(|_| Error::NoMemory)?;
    Ok(things)
}

impl Drop for Cover {
    fn drop(&mut self) {
        // SAFETY: the view is open, and nobody uses it any more.
        unsafe { ffi::fc_free(self.view.as_ptr()) }
    }
}

/// Panics where there is no memory; [`try_clone`](Cover::try_clone) says so.
impl Clone for Cover {
    fn clone(&self) -> Self {
        self.try_clone().expect("memory for a copy of the cover")
    }
}

impl fmt::Debug for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cover")
            .field("units", &self.units())
            .field("lines", &self.lines())
            .field("weight", &self.weight())
            .finish_non_exhaustive()
    }
}
