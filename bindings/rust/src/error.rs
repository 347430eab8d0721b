//! What may go wrong. After any error the cover is as it was.

use std::ffi::c_int;
use std::fmt;

use crate::ffi;

/// Why a call did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The allocator gave nothing, or the view would have more than 2^31 nodes.
    NoMemory,
    /// More than 2^48 units, or weights that add up to more than 64 bits hold.
    Overflow,
    /// The trees to load are no aligned view: a size that is no power of two up to 2^48, unequal halves, or a tree that
    /// is not smaller than the next older one.
    BadView,
    /// The view's memory was changed from outside, by unsafe code elsewhere in the program.
    Damaged,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoMemory => "no memory for the view",
            Self::Overflow => "more than 2^48 units, or weights that add up to more than 64 bits",
            Self::BadView => {
                "not an aligned view: sizes are powers of two up to 2^48, halves are equal, and trees shrink from the \
                 oldest on"
            }
            Self::Damaged => "the view's memory was changed from outside",
        })
    }
}

impl std::error::Error for Error {}

/// What a call of C returned, as a result.
pub(crate) fn check(status: c_int) -> Result<(), Error> {
    match status {
        ffi::FC_OK => Ok(()),
        ffi::FC_NO_MEMORY => Err(Error::NoMemory),
        ffi::FC_OVERFLOW => Err(Error::Overflow),
        ffi::FC_BAD_VIEW => Err(Error::BadView),
        // No argument that this crate gives is bad, as long as the view counts its lines and nodes rightly.
        _ => Err(Error::Damaged),
    }
}
