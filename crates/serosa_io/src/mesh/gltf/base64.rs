//! Base64, as data is written into addresses.

/// The bytes of a text, or the place of what is no base64 in it. Blanks are passed over.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0u32, 0);
    for (i, &byte) in text.iter().enumerate() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b' ' | b'\n' | b'\r' | b'\t' => continue,
            _ => return Err(i),
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_4648_are_read() {
        let cases = [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYmFy", "foobar"),
            ("Zm\n9v", "foo"),
        ];
        for (text, wanted) in cases {
            assert_eq!(decode(text.as_bytes()).unwrap(), wanted.as_bytes());
        }
        assert_eq!(decode(b"Zm9*"), Err(3));
        assert_eq!(decode(b"//79"), Ok(vec![0xff, 0xfe, 0xfd]));
    }
}
