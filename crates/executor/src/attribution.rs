//! Which of the shown traces a reply really used.

use std::collections::HashSet;

use bethink_domain::TraceId;
use bethink_providers::Entered;
use bethink_text::Language;

use crate::stems::{Stems, content_stems};

/// Share of a trace's own content words that a reply must hold.
const SHARE: f32 = 0.30;
/// And at least so many of them, or all where there are fewer.
const WORDS_MIN: usize = 2;

/// A trace was used when its tag is cited, or when the reply holds at least 30 % of its content words that were not
/// in the question: at least two of them, or all if there are fewer. In the order in which they were shown.
pub(crate) fn attribution(reply: &str, question: &str, shown: &[Entered], cited: &[String]) -> Vec<TraceId> {
    let (mut in_reply, mut in_question) = (Stems::of(reply), Stems::of(question));
    let used = shown.iter().filter(|entered| {
        cited.contains(&entered.tag) || covers(&entered.recalled.text, &mut in_reply, &mut in_question)
    });
    used.map(|entered| entered.recalled.id).collect()
}

fn covers(trace: &str, in_reply: &mut Stems<'_>, in_question: &mut Stems<'_>) -> bool {
    let language = Language::detect_with(trace, in_reply.language());
    let asked = in_question.in_language(language);
    let content = content_stems(trace, language).into_iter();
    let own: HashSet<String> = content.filter(|stem| !asked.contains(stem)).collect();
    let said = in_reply.in_language(language);
    let covered = own.iter().filter(|stem| said.contains(*stem)).count();
    let needed = ((own.len() as f32 * SHARE).ceil() as usize).max(WORDS_MIN.min(own.len()));
    !own.is_empty() && covered >= needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::testing::entered;

    /// Which tags of `m1`, `m2` … count as used.
    fn check(question: &str, traces: &[&str], reply: &str, cited: &[&str], used: &[u64]) {
        let shown: Vec<Entered> =
            traces.iter().enumerate().map(|(n, text)| entered(n as u64 + 1, text)).collect();
        let cited: Vec<String> = cited.iter().map(|tag| (*tag).to_owned()).collect();
        let ids: Vec<u64> =
            attribution(reply, question, &shown, &cited).into_iter().map(TraceId::raw).collect();
        assert_eq!(ids, used, "{question} / {reply}");
    }

    const TABLET: &str = "I take my blood pressure tablet every morning after breakfast.";

    #[test]
    fn a_trace_is_used_when_cited_or_when_its_own_words_come_back() {
        let ask = "When do I take my medicine?";
        check(ask, &[TABLET], "Each morning, after breakfast.", &[], &[1]);
        check(ask, &[TABLET], "You take it.", &["m1"], &[1]);
        check(ask, &[TABLET], "You take your medicine, I think.", &[], &[]);
        check(ask, &[TABLET], "In the morning.", &[], &[]);
        check(
            ask,
            &[TABLET, "The glasses are on the table."],
            "You take the tablet after breakfast.",
            &[],
            &[1],
        );
        check(ask, &[TABLET], "", &[], &[]);
        check(ask, &[], "Anything.", &["m1"], &[]);
    }

    #[test]
    fn words_of_the_question_prove_nothing() {
        let ask = "Where are my reading glasses?";
        check(ask, &["My reading glasses"], "Your reading glasses are lost.", &[], &[]);
        check(ask, &["My reading glasses are upstairs."], "Your reading glasses? Upstairs.", &[], &[1]);
        check(ask, &["My reading glasses are upstairs."], "No idea about your reading glasses.", &[], &[]);
        check(ask, &["Glasses: bedside table"], "By the table.", &[], &[]);
        check(ask, &["Glasses: bedside table"], "On the bedside table.", &[], &[1]);
    }

    #[test]
    fn stems_and_scripts_are_met_alike() {
        check(
            "Was koche ich?",
            &["Ich backe gern Apfelkuchen mit Zimt."],
            "Apfelkuchen mit Zimt.",
            &[],
            &[1],
        );
        check("?", &["She walks two dogs"], "Walking the dog", &[], &[1]);
        check("?", &["私は毎朝薬を飲みます"], "毎朝薬を飲みます", &[], &[1]);
    }
}
