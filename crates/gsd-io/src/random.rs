//! Randomness from the system: run ids, marks, tokens.

/// `digits` random lower-case hexadecimal digits.
pub fn hex(digits: usize) -> String {
    let mut bytes = vec![0u8; digits.div_ceil(2)];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => panic!("the system gives no random bytes: {errno}"),
        }
    }
    let mut text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn draws_what_was_asked_for() {
        let (a, b) = (hex(33), hex(33));
        assert_eq!(a.len(), 33);
        assert!(a.bytes().all(|b| b.is_ascii_hexdigit()));
        assert_ne!(a, b);
    }
}
