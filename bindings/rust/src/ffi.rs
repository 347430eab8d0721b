//! The header `c/foldcover.h`, declared: all of it, name for name.
//!
//! Rule: nothing but declarations. That they say what the header says is tested (`tests/header.rs` reads both); that
//! the structs lie in memory as C lays them is checked on every build, by `layout.c` there and by the constants at the
//! end here. What a call means, and what it asks of its caller, stands in the header.

#![allow(dead_code)] // the whole header, used or not

use std::ffi::{c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};

use crate::words::Block;

pub const FC_OK: c_int = 0;
pub const FC_NO_MEMORY: c_int = 1;
pub const FC_OVERFLOW: c_int = 2;
pub const FC_BAD_VIEW: c_int = 3;
pub const FC_BAD_ARGUMENT: c_int = 4;
pub const FC_DAMAGED: c_int = 5;

pub const FC_FITS: c_int = 0;
pub const FC_SETTLED: c_int = 1;
pub const FC_STUCK: c_int = 2;

pub const FC_SMALLEST_FIRST: u32 = 0;
pub const FC_AGE_OVER_SIZE: u32 = 1;

pub const FC_LEAF: u32 = 1;
pub const FC_MERGED: u32 = 2;
pub const FC_SPLIT: u32 = 3;
pub const FC_WRITTEN: u32 = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Node {
    pub size: i64,
    pub weight: i64,
    pub kind: u32,
    pub span: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Allocator {
    pub allocate: unsafe extern "C" fn(context: *mut c_void, bytes: usize) -> *mut c_void,
    pub release: unsafe extern "C" fn(context: *mut c_void, memory: *mut c_void, bytes: usize),
    pub context: *mut c_void,
}

/// Known to C only.
#[repr(C)]
pub struct View {
    _bytes: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

pub type Before = unsafe extern "C" fn(context: *mut c_void, one: Block, other: Block, units: i64) -> c_int;

extern "C" {
    pub fn fc_abi() -> u32;

    pub fn fc_open(memory: *const Allocator) -> *mut View;
    pub fn fc_free(view: *mut View);
    pub fn fc_reset(view: *mut View);

    pub fn fc_units(view: *const View) -> i64;
    pub fn fc_lines(view: *const View) -> i64;
    pub fn fc_weight(view: *const View) -> i64;
    pub fn fc_nodes(view: *const View) -> usize;

    pub fn fc_close(view: *mut View, weight: i64) -> c_int;
    pub fn fc_close_all(view: *mut View, weights: *const i32, count: usize) -> usize;
    pub fn fc_ready(view: *const View) -> usize;
    pub fn fc_write(view: *mut View, block: Block, weight: i64, wrote: *mut c_int) -> c_int;

    pub fn fc_settle(view: *mut View, budget: i64, rank: u32, outcome: *mut c_int) -> c_int;
    pub fn fc_settle_by(
        view: *mut View,
        budget: i64,
        before: Before,
        context: *mut c_void,
        outcome: *mut c_int,
    ) -> c_int;

    pub fn fc_wanted(view: *mut View, budget: i64, rank: u32) -> c_int;
    pub fn fc_wanted_by(view: *mut View, budget: i64, before: Before, context: *mut c_void) -> c_int;

    pub fn fc_blocks(view: *const View, blocks: *mut *const Block) -> usize;
    pub fn fc_zoom(view: *const View, block: Block) -> Block;
    pub fn fc_cover(view: *const View, blocks: *mut Block, weights: *mut i64, room: usize) -> c_int;

    pub fn fc_save(view: *const View, nodes: *mut Node, room: usize) -> c_int;
    pub fn fc_load(view: *mut View, nodes: *const Node, count: usize) -> c_int;
}

// The same numbers as in layout.c.
const _: () = {
    use std::mem::{offset_of, size_of};

    assert!(size_of::<Block>() == 16);
    assert!(offset_of!(Block, start) == 0);
    assert!(offset_of!(Block, size) == 8);

    assert!(size_of::<Node>() == 24);
    assert!(offset_of!(Node, size) == 0);
    assert!(offset_of!(Node, weight) == 8);
    assert!(offset_of!(Node, kind) == 16);
    assert!(offset_of!(Node, span) == 20);

    assert!(size_of::<Allocator>() == 3 * size_of::<*mut c_void>());
    assert!(offset_of!(Allocator, allocate) == 0);
    assert!(offset_of!(Allocator, release) == size_of::<*mut c_void>());
    assert!(offset_of!(Allocator, context) == 2 * size_of::<*mut c_void>());
};
