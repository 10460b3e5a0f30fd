//! From domain types to shapes.

use bethink_domain as domain;
use serde_json::json;

use crate::reminder::recalled_due;
use crate::response::{
    Change, FoldedChange, HistoryEntry, OverviewGroup, Recalled, Recollection, Remembered, ToolUse, Trace,
    Turn,
};
use crate::time::rfc3339;

fn ids(ids: &[domain::TraceId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// Shapes one recalled trace.
#[must_use]
pub fn recalled(from: &domain::Recalled) -> Recalled {
    Recalled {
        id: from.id.to_string(),
        kind: from.kind.name().to_owned(),
        text: from.text.to_string(),
        score: from.score,
        relevance: from.relevance,
        strength: from.strength,
        at: rfc3339(from.occurred_at),
        recorded_at: rfc3339(from.recorded_at),
        source: from.source.name().to_owned(),
        faded: from.faded,
        faded_at: from.faded_at.map(rfc3339),
        due: None,
    }
}

/// Shapes an answer to a cue.
#[must_use]
pub fn recollection(from: &domain::Recollection) -> Recollection {
    Recollection {
        recall_id: from.recall.map(|id| id.to_string()),
        traces: from.reminders.iter().map(recalled_due).chain(from.traces.iter().map(recalled)).collect(),
        feeling: from.feeling.knowing.name().to_owned(),
        faded_at: from.feeling.faded.map(|(_, at)| rfc3339(at)),
        below_threshold: from.feeling.below_threshold,
        considered: from.feeling.considered,
    }
}

/// Shapes what became of a statement.
#[must_use]
pub fn remembered(from: &bethink_protocol::Remembered) -> Remembered {
    Remembered {
        id: from.id.to_string(),
        text: from.text.clone(),
        new: from.new,
        masked: from.masked.iter().map(|kind| (*kind).to_owned()).collect(),
        embedded: from.embedded,
    }
}

fn cause(cause: domain::Cause) -> String {
    match cause {
        domain::Cause::Turn(id) => format!("turn {id}"),
        domain::Cause::Recall(id) => format!("recall {id}"),
        domain::Cause::Cycle(number) => format!("cycle {number}"),
        domain::Cause::Command => "command".to_owned(),
        domain::Cause::Clock => "clock went back".to_owned(),
    }
}

fn history(entry: &domain::JournalEntry) -> HistoryEntry {
    let change = |c: &domain::Change| Change {
        quantity: c.quantity.name().to_owned(),
        before: c.before,
        after: c.after,
    };
    HistoryEntry {
        at: rfc3339(entry.at),
        cause: cause(entry.cause),
        mechanism: entry.mechanism.to_owned(),
        changes: entry.changes.iter().map(change).collect(),
    }
}

fn folded(from: &domain::Folded) -> FoldedChange {
    FoldedChange {
        quantity: from.quantity.name().to_owned(),
        before: from.before,
        after: from.after,
        times: from.times,
        since: rfc3339(from.first.0),
        first_cause: cause(from.first.1),
        until: rfc3339(from.last.0),
        last_cause: cause(from.last.1),
        mechanisms: from.mechanisms.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// Shapes a trace.
#[must_use]
pub fn trace(from: &domain::TraceView) -> Trace {
    let trace = &from.trace;
    Trace {
        id: trace.id.to_string(),
        kind: trace.kind.name().to_owned(),
        text: trace.text.to_string(),
        speaker: trace.speaker.as_deref().map(ToOwned::to_owned),
        source: trace.source.name().to_owned(),
        confidence: trace.confidence,
        importance: trace.importance,
        at: rfc3339(trace.occurred_at),
        recorded_at: rfc3339(trace.recorded_at),
        credited_at: trace.credited_at.map(rfc3339),
        uses: trace.stability.uses,
        evidence: trace.evidence.0,
        strength: from.strength,
        stability_days: from.stability_days,
        priority: trace.priority,
        faded: from.faded,
        kept: from.kept.map(ToOwned::to_owned),
        pinned: trace.pinned,
        provisional: trace.provisional,
        embedded: trace.embedded,
        revision: trace.revision,
        folded: from.folded.iter().map(folded).collect(),
        history: from.history.iter().map(history).collect(),
    }
}

/// Shapes an overview.
#[must_use]
pub(crate) fn groups(from: &domain::Overview) -> Vec<OverviewGroup> {
    let group = |g: &domain::OverviewGroup| OverviewGroup {
        kind: g.kind.name().to_owned(),
        traces: g.traces.iter().map(recalled).collect(),
        more: g.more,
    };
    from.groups.iter().map(group).collect()
}

impl From<&domain::Overview> for crate::Response {
    fn from(from: &domain::Overview) -> Self {
        Self::Overview { groups: groups(from), total: from.total }
    }
}

fn end(end: &domain::TurnEnd) -> String {
    match end {
        domain::TurnEnd::Done => "done".to_owned(),
        domain::TurnEnd::NotRemembered(why) => format!("not remembered: {why}"),
        domain::TurnEnd::Failed(why) => format!("failed: {why}"),
        domain::TurnEnd::Cancelled => "cancelled".to_owned(),
    }
}

fn section_name(section: domain::Section) -> &'static str {
    match section {
        domain::Section::Instructions => "instructions",
        domain::Section::Conversation => "conversation",
        domain::Section::Context => "context",
        domain::Section::Message => "message",
        domain::Section::Tools => "tools",
    }
}

fn scored(from: &domain::Recalled) -> serde_json::Value {
    json!({
        "id": from.id.to_string(),
        "kind": from.kind.name(),
        "text": &*from.text,
        "at": rfc3339(from.occurred_at),
        "score": from.score,
        "relevance": from.relevance,
        "strength": from.strength,
        "terms": {
            "cosine": from.terms.cosine,
            "words": from.terms.words,
            "coverage": from.terms.coverage,
            "subject": from.terms.subject,
            "priority": from.terms.priority,
        },
    })
}

fn tool_use(from: &domain::ToolUse) -> ToolUse {
    ToolUse { step: from.step, name: from.name.clone(), failed: from.failed, shown: ids(&from.shown) }
}

/// Shapes the record of a turn.
#[must_use]
pub fn turn(record: &domain::TurnRecord, exchange: Option<&domain::Exchange>) -> Turn {
    let section = |s: &domain::SectionUse| json!({ "name": section_name(s.section), "budget": s.budget, "tokens": s.tokens });
    Turn {
        turn: record.turn.to_string(),
        at: rfc3339(record.at),
        message: exchange.map(|e| e.message.clone()),
        reply: exchange.map(|e| e.reply.clone()),
        intent: record.decision.intent.name().to_owned(),
        rule: record.decision.rule.to_string(),
        purpose: record.purpose.name().to_owned(),
        depth: record.depth,
        feeling: record.knowing.name().to_owned(),
        recalled: record.recalled.iter().map(scored).collect(),
        shown: ids(&record.shown),
        used: ids(&record.used),
        encoded: ids(&record.encoded),
        model: record.model.clone(),
        sections: record.sections.iter().map(section).collect(),
        reply_tokens: record.reply_tokens,
        tools: record.tools.iter().map(tool_use).collect(),
        ms: json!({
            "embed": record.times.embed_ms,
            "recall": record.times.recall_ms,
            "execute": record.times.execute_ms,
        }),
        end: end(&record.end),
    }
}
