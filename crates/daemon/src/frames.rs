//! Lines of JSON with a limit on their length.

use bethink_api::FRAME_BYTES_MAX;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Why no line came.
#[derive(Debug)]
pub(crate) enum LineFault {
    /// The other side closed, or the connection broke.
    Closed,
    /// The line is longer than [`FRAME_BYTES_MAX`].
    TooLong,
}

/// Reads one line into `line`, without its end.
pub(crate) async fn read_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> Result<(), LineFault> {
    line.clear();
    loop {
        let chunk = reader.fill_buf().await.map_err(|_| LineFault::Closed)?;
        if chunk.is_empty() {
            return Err(LineFault::Closed);
        }
        let (taken, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end, true),
            None => (chunk.len(), false),
        };
        if line.len() + taken > FRAME_BYTES_MAX {
            return Err(LineFault::TooLong);
        }
        line.extend_from_slice(&chunk[..taken]);
        reader.consume(taken + usize::from(ended));
        if ended {
            return Ok(());
        }
    }
}

/// Writes a value as one line.
pub(crate) fn to_line(value: &impl serde::Serialize) -> Vec<u8> {
    // The shapes hold only strings, numbers and lists of them, which always have a JSON form.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
