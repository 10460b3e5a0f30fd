//! Older changes of a trace, folded: a record a trace.

use bethink_domain::{Cause, Folded, Timestamp};
use serde::{Deserialize, Serialize};

use super::ledger::{CauseV1, MECHANISMS, QUANTITIES, place};
use super::{RecordFault, decode, encode};

const WHAT: &str = "folded history";

#[derive(Serialize, Deserialize)]
struct FoldedV1 {
    quantity: u8,
    before: f32,
    after: f32,
    times: u32,
    first_ms: i64,
    first: CauseV1,
    last_ms: i64,
    last: CauseV1,
    mechanisms: Vec<u8>,
}

/// At most one fold a quantity and one code a mechanism, which stays well below the longest record.
pub(crate) fn encode_folded(folded: &[Folded]) -> Vec<u8> {
    let record = |fold: &Folded| FoldedV1 {
        quantity: place(&QUANTITIES, &fold.quantity),
        before: fold.before,
        after: fold.after,
        times: fold.times,
        first_ms: fold.first.0.as_millis(),
        first: CauseV1::from(fold.first.1),
        last_ms: fold.last.0.as_millis(),
        last: CauseV1::from(fold.last.1),
        mechanisms: fold.mechanisms.iter().map(|name| place(&MECHANISMS, name)).collect(),
    };
    encode(1, &folded.iter().map(record).collect::<Vec<_>>())
}

pub(crate) fn decode_folded(bytes: &[u8]) -> Result<Vec<Folded>, RecordFault> {
    let records: Vec<FoldedV1> = decode(WHAT, bytes)?;
    let mechanism = |code: u8| MECHANISMS.get(usize::from(code)).copied();
    let folded = |record: FoldedV1| {
        Some(Folded {
            quantity: QUANTITIES.get(usize::from(record.quantity)).copied()?,
            before: record.before,
            after: record.after,
            times: record.times,
            first: (Timestamp::from_millis(record.first_ms), Cause::from(record.first)),
            last: (Timestamp::from_millis(record.last_ms), Cause::from(record.last)),
            mechanisms: record.mechanisms.into_iter().map(mechanism).collect::<Option<_>>()?,
        })
    };
    records.into_iter().map(folded).collect::<Option<_>>().ok_or(RecordFault::Garbled { what: WHAT })
}

#[cfg(test)]
mod tests {
    use bethink_domain::{Quantity, TurnId};

    use super::*;

    #[test]
    fn a_fold_has_these_bytes_for_ever() {
        let folds = vec![Folded {
            quantity: Quantity::Uses,
            before: 0.0,
            after: 1.0,
            times: 300,
            first: (Timestamp::from_millis(1), Cause::Turn(TurnId::from_raw(5))),
            last: (Timestamp::from_millis(-1), Cause::Command),
            mechanisms: vec!["credit"],
        }];
        let bytes = encode_folded(&folds);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(hex.starts_with("810103000000000000803fac0202000501030102"), "{hex}");
        assert_eq!(decode_folded(&bytes), Ok(folds));
        assert_eq!(decode_folded(&[1, 1, 77]), Err(RecordFault::Garbled { what: WHAT }));
    }
}
