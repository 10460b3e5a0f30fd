//! Times as text.

use bethink_domain::Timestamp;

/// A text is not a time with a zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; write it as 2026-03-14T08:15:00Z")]
pub struct TimeFault(pub String);

/// Writes an instant as RFC 3339 in UTC, to the millisecond. Instants that no calendar holds are clamped.
#[must_use]
pub fn rfc3339(at: Timestamp) -> String {
    let clamped = jiff::Timestamp::from_millisecond(at.as_millis())
        .unwrap_or_else(|_| if at.as_millis() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX });
    clamped.to_string()
}

/// Reads an RFC 3339 time with a zone or `Z`.
///
/// # Errors
/// [`TimeFault`] when it is none.
pub fn from_rfc3339(text: &str) -> Result<Timestamp, TimeFault> {
    let at: jiff::Timestamp = text.trim().parse().map_err(|_| TimeFault(text.chars().take(40).collect()))?;
    Ok(Timestamp::from_millis(at.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_survives_its_text() {
        for ms in [0, 1_772_439_300_000, -62_135_596_800_000, 1_772_439_300_123] {
            let at = Timestamp::from_millis(ms);
            assert_eq!(from_rfc3339(&rfc3339(at)), Ok(at));
        }
    }

    #[test]
    fn a_time_without_zone_or_calendar_is_refused() {
        for text in ["", "2025-13-45", "2026-03-14T08:15:00", "yesterday", "2026-02-30T00:00:00Z"] {
            assert!(from_rfc3339(text).is_err(), "{text}");
        }
        let _ = rfc3339(Timestamp::from_millis(i64::MAX));
        let _ = rfc3339(Timestamp::from_millis(i64::MIN));
    }
}
