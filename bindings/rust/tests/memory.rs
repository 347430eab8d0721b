//! When there is no memory: an error, and nothing has changed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

use foldcover::{Cover, Error, Rank};

thread_local! {
    /// How many more times memory is given on this thread.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

struct Stingy;

// SAFETY: it is the system's allocator, or nothing.
unsafe impl GlobalAlloc for Stingy {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let left = LEFT.with(Cell::get);
        LEFT.with(|cell| cell.set(left.saturating_sub(1)));
        if left == 0 {
            return null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static STINGY: Stingy = Stingy;

/// What the call answers when memory is given `times` times only.
fn with_memory<T>(times: u64, call: impl FnOnce() -> T) -> T {
    LEFT.with(|cell| cell.set(times));
    let answer = call();
    LEFT.with(|cell| cell.set(u64::MAX));
    answer
}

/// Call with ever more memory until it succeeds; before that the cover is as it was. How often it failed.
fn until_it_succeeds(cover: &mut Cover, call: impl Fn(&mut Cover) -> Result<(), Error>) -> u64 {
    let before = cover.save().unwrap();
    for times in 0.. {
        match with_memory(times, || call(cover)) {
            Ok(()) => return times,
            Err(error) => assert_eq!(error, Error::NoMemory),
        }
        assert_eq!(cover.save().unwrap(), before);
    }
    unreachable!()
}

#[test]
fn every_call_that_finds_no_memory_says_so_and_changes_nothing() {
    assert_eq!(with_memory(0, Cover::new).err(), Some(Error::NoMemory));
    let mut cover = Cover::new().unwrap();
    assert!(until_it_succeeds(&mut cover, |cover| cover.close(1)) > 0);
    for _ in 1..64 {
        cover.close(1).unwrap();
    }
    let mut fresh = cover.clone();
    assert!(until_it_succeeds(&mut fresh, |cover| cover.wanted(1, Rank::SmallestFirst).map(|_| ())) > 0);
    assert!(until_it_succeeds(&mut fresh, |cover| cover.try_clone().map(|_| ())) > 0);
    assert!(until_it_succeeds(&mut fresh, |cover| cover.cover().map(|_| ())) > 0);
    for block in cover.wanted(1, Rank::SmallestFirst).unwrap() {
        cover.write(block, 1).unwrap();
    }
    let (mut named, mut own) = (cover.clone(), cover.clone());
    assert!(until_it_succeeds(&mut named, |cover| cover.settle(1, Rank::SmallestFirst).map(|_| ())) > 0);
    assert!(
        until_it_succeeds(&mut own, |cover| cover
            .settle_by(1, |one, other, _| one < other)
            .map(|_| ()))
            > 0
    );
    assert_eq!((named.lines(), own.lines()), (32, 32));
}

#[test]
fn a_quiet_settle_takes_no_memory() {
    let mut cover = Cover::new().unwrap();
    for _ in 0..64 {
        cover.close(1).unwrap();
    }
    assert!(with_memory(0, || cover.settle(64, Rank::SmallestFirst)).is_ok());
    assert!(with_memory(0, || cover.wanted(64, Rank::AgeOverSize)).is_ok());
    assert!(with_memory(0, || cover.write(foldcover::Block::new(0, 2), 1)).is_ok());
    assert_eq!(with_memory(0, || cover.zoom(foldcover::Block::new(0, 64)).count()), 64);
}
