//! The memory that C gets: Rust's global allocator, whichever the program chose.

use std::alloc::{alloc, dealloc, Layout};
use std::ffi::c_void;
use std::ptr::null_mut;

use crate::ffi::Allocator;

/// Aligned for any object of C.
const ALIGN: usize = 16;

/// What fc_open is given.
pub const GLOBAL: Allocator = Allocator {
    allocate,
    release,
    context: null_mut(),
};

/// The layout of a block of `bytes`. Rust's allocators must not be asked for nothing.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGN).ok()
}

unsafe extern "C" fn allocate(_context: *mut c_void, bytes: usize) -> *mut c_void {
    match layout(bytes) {
        // SAFETY: the layout has a size above 0.
        Some(layout) => unsafe { alloc(layout) }.cast(),
        None => null_mut(),
    }
}

unsafe extern "C" fn release(_context: *mut c_void, memory: *mut c_void, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: C gives back what `allocate` gave for as many bytes, once; so the layout is the same, too.
        unsafe { dealloc(memory.cast(), layout) }
    }
}
