//! Lines from a pipe: bounded, and of any bytes.

use std::io::{BufRead, Read};

/// Longest line that is kept, in bytes. Longer than any message may be, so that the limit on messages speaks first.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// A line as it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Text, without its end.
    Text(String),
    /// Bytes that are no UTF-8.
    NotText,
    /// Longer than [`LINE_BYTES_MAX`]; its rest was passed over.
    TooLong,
}

/// Reads the next line; none at the end.
pub(crate) fn next_line(reader: &mut impl BufRead) -> std::io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let read = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    let ended = bytes.last() == Some(&b'\n');
    if !ended && bytes.len() as u64 == LINE_BYTES_MAX {
        reader.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8(bytes).map_or(Line::NotText, Line::Text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_bytes_come_one_by_one() {
        let mut input = b"one\r\n\xff\xfe\n".to_vec();
        input.extend(std::iter::repeat_n(b'x', 5 << 20));
        input.extend_from_slice(b"\nlast");
        let mut reader = std::io::Cursor::new(input);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut reader).unwrap() {
            lines.push(line);
        }
        assert_eq!(
            lines,
            [Line::Text("one".into()), Line::NotText, Line::TooLong, Line::Text("last".into())]
        );
    }
}
