//! Hints to the processor's caches: the only unsafe code of the project. Nothing is read or written, so no result can depend on it.
//!
//! The reason, measured: packets are appended to the inboxes of all neighbours in turn, more streams than the processor foresees, and on large
//! fabrics each new cache line of them had to be waited for. The hint takes 12 % off a run at k = 32, and 20 % at k = 64; for queues of
//! thousands of packets it takes 7 % off (`benches/README.md`).
//!
//! Not for other processors than x86-64: the standard library has no stable hint for them, and nothing happens.

/// The slot `ahead` of the end of `items`, within its buffer or beyond it, will be written soon.
#[inline(always)]
pub fn for_writing<T>(items: &[T], ahead: usize) {
    let slot = items.as_ptr().wrapping_add(items.len() + ahead);
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "there is no safe form of it")]
    // SAFETY: the instruction takes any address, mapped or not: it does not fault, and changes nothing but caches (Intel SDM, volume 2,
    // PREFETCHh and PREFETCHW). The address is not computed within an allocation (`wrapping_add`).
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(slot.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slot;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_takes_any_place_and_changes_nothing() {
        let items = vec![1_u64, 2, 3];
        for ahead in [0, 1, 1 << 20, usize::MAX / 16, usize::MAX - 3] {
            for_writing(&items, ahead);
        }
        for_writing::<u64>(&[], 0);
        assert_eq!(items, [1, 2, 3]);
    }
}
