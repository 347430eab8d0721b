//! A rank of the caller's own, on its way through C.
//!
//! Rule: a panic never unwinds through C. It is caught here, C comes to its end without asking again, and the panic
//! goes on from there.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use crate::ffi::Before;
use crate::words::Block;

/// A closure that C may ask, and what it panicked with.
pub struct Asked<'closure, F> {
    before: &'closure mut F,
    panicked: Option<Box<dyn Any + Send>>,
}

impl<'closure, F: FnMut(Block, Block, i64) -> bool> Asked<'closure, F> {
    pub fn new(before: &'closure mut F) -> Self {
        Self { before, panicked: None }
    }

    /// Call C with the door to the closure and the context that belongs to it. What C returned, or the panic.
    pub fn through(mut self, call: impl FnOnce(Before, *mut c_void) -> c_int) -> Result<c_int, Box<dyn Any + Send>> {
        let status = call(door::<F>, ptr::from_mut(&mut self).cast());
        self.panicked.map_or(Ok(status), Err)
    }
}

/// What C calls. `context` is the `Asked` of a call of `through` that has not returned.
unsafe extern "C" fn door<F>(context: *mut c_void, one: Block, other: Block, units: i64) -> c_int
where
    F: FnMut(Block, Block, i64) -> bool,
{
    // SAFETY: `through` gave this pointer away and does not touch what is behind it before C has returned; C asks one
    // thing at a time, and the closure cannot reach C, since it does not have the view that C works on.
    let asked = unsafe { &mut *context.cast::<Asked<'_, F>>() };
    if asked.panicked.is_some() {
        return 0;
    }
    // Unwind safe: whoever called goes on panicking, as if nothing had been caught, once the cover is put back.
    match catch_unwind(AssertUnwindSafe(|| (asked.before)(one, other, units))) {
        Ok(goes_first) => c_int::from(goes_first),
        Err(panic) => {
            asked.panicked = Some(panic);
            0
        }
    }
}
