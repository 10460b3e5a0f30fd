//! Clauses: sentences told apart by what they do, by the phrases that lead them.

use std::ops::Range;

use super::SpeechAct;
use crate::phrases::lexicon::{Found, Stop};
use crate::phrases::{PhraseKind, Reading, covered, lexicons};

/// A sentence or clause and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) act: SpeechAct,
    /// What is said, in bytes of the message.
    pub(crate) span: Range<usize>,
}

/// A stretch of one sentence under examination.
#[derive(Debug, Clone)]
struct Stretch {
    span: Range<usize>,
    tokens: Range<usize>,
    asked: bool,
}

/// What decides over what a sentence does; of phrases of equal length the earlier in this list.
const LEADERS: [PhraseKind; 9] = [
    PhraseKind::Store,
    PhraseKind::Intention,
    PhraseKind::Standing,
    PhraseKind::Preamble,
    PhraseKind::Telling,
    PhraseKind::Question,
    PhraseKind::Request,
    PhraseKind::Quoted,
    PhraseKind::Correction,
];
/// What a sentence may consist of and still say nothing.
const EMPTY_KINDS: [PhraseKind; 3] = [PhraseKind::SmallTalk, PhraseKind::Praise, PhraseKind::Opener];
/// A time before a request is no longer than this.
const TIME_TOKENS_MAX: usize = 10;

/// The clauses of a message, in order.
pub(crate) fn clauses(text: &str, reading: &Reading) -> Vec<Clause> {
    let mut found = Vec::new();
    for sentence in &reading.sentences {
        let span = unlisted(text, sentence.span.clone());
        let stretch = Stretch { asked: asks(&text[span.clone()]), span, tokens: sentence.tokens.clone() };
        let examined = Examined::new(text, reading, stretch);
        match examined.split() {
            Some((before, after)) => found.extend([before.clause(), after.clause()]),
            None => found.push(examined.clause()),
        }
    }
    found
}

struct Examined<'a> {
    text: &'a str,
    reading: &'a Reading,
    stretch: Stretch,
    /// The phrases of the stretch.
    found: Vec<Found>,
}

impl<'a> Examined<'a> {
    fn new(text: &'a str, reading: &'a Reading, stretch: Stretch) -> Self {
        let mut found = Vec::new();
        lexicons(reading.language())
            .for_each(|lexicon| lexicon.find(&reading.tokens, stretch.tokens.clone(), &mut found));
        Self { text, reading, stretch, found }
    }

    fn clause(&self) -> Clause {
        let Stretch { span, tokens, asked } = &self.stretch;
        let whole = |act| Clause { act, span: span.clone() };
        if is_quoted(&self.text[span.clone()]) {
            return whole(SpeechAct::Quotation);
        }
        if tokens.is_empty() || self.says_nothing(tokens.clone()) {
            return whole(SpeechAct::SmallTalk);
        }
        if self.is_scheduled() {
            return whole(SpeechAct::Intention);
        }
        let Some(leader) = self.leader() else { return self.unled() };
        match leader.entry.kind {
            PhraseKind::Store => self.store_request(leader),
            PhraseKind::Intention => whole(SpeechAct::Intention),
            PhraseKind::Question => whole(SpeechAct::Question),
            PhraseKind::Request => whole(SpeechAct::Request),
            PhraseKind::Preamble => whole(SpeechAct::SmallTalk),
            _ if *asked => whole(SpeechAct::Question),
            PhraseKind::Quoted => whole(SpeechAct::Quotation),
            PhraseKind::Correction => self.payload(SpeechAct::Correction, leader.payload),
            PhraseKind::Standing => self.payload(SpeechAct::Statement, leader.payload),
            _ => self.unled(),
        }
    }

    /// A sentence that no phrase decides.
    fn unled(&self) -> Clause {
        let Stretch { span, tokens, asked } = &self.stretch;
        let text = &self.text[span.clone()];
        let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
        if *asked || bare.ends_with(['吗', '呢', '嗎', '么', 'か', '까']) {
            return Clause { act: SpeechAct::Question, span: span.clone() };
        }
        // A lone word says nothing by itself: it looks for something.
        if tokens.len() == 1 {
            return Clause { act: SpeechAct::Request, span: span.clone() };
        }
        Clause { act: SpeechAct::Statement, span: self.without_openers() }
    }

    fn store_request(&self, leader: &Found) -> Clause {
        let Stretch { span, asked, .. } = &self.stretch;
        let polite = self.reading.tokens[leader.tokens.clone()]
            .iter()
            .any(|token| POLITE.contains(&token.text.as_str()));
        if *asked && !polite {
            return Clause { act: SpeechAct::Question, span: span.clone() };
        }
        let clause = self.payload(SpeechAct::StoreRequest, leader.payload);
        if clause.span.is_empty() { Clause { act: SpeechAct::Request, span: span.clone() } } else { clause }
    }

    /// What is said from a token on; nothing if that is small talk.
    fn payload(&self, act: SpeechAct, token: usize) -> Clause {
        let Stretch { span, tokens, .. } = &self.stretch;
        let rest = token.max(tokens.start)..tokens.end;
        let nothing = Clause { act, span: span.end..span.end };
        if rest.is_empty() || self.says_nothing(rest.clone()) {
            return nothing;
        }
        if rest.start == tokens.start {
            return Clause { act, span: span.clone() };
        }
        let word = |token: usize| self.reading.tokens[token].word;
        let inside = word(rest.start) == word(rest.start - 1);
        let Some(start) = self.reading.words().get(word(rest.start) + usize::from(inside)) else {
            return nothing;
        };
        Clause { act, span: with_marks_before(self.text, span.start, start.span.start)..span.end }
    }

    fn says_nothing(&self, tokens: Range<usize>) -> bool {
        let languages = crate::words::language::Language::KNOWN.into_iter();
        languages
            .into_iter()
            .any(|language| covered(&self.reading.tokens, tokens.clone(), language, &EMPTY_KINDS))
    }

    /// The longest phrase that leads the stretch and decides what it does.
    fn leader(&self) -> Option<&Found> {
        let rank = |found: &Found| LEADERS.iter().position(|kind| *kind == found.entry.kind);
        let leading = self.found.iter().filter_map(|found| Some((found, rank(found)?)));
        leading.max_by_key(|(found, rank)| (found.tokens.len(), usize::MAX - rank)).map(|(found, _)| found)
    }

    fn has(&self, kind: PhraseKind) -> bool {
        self.found.iter().any(|found| found.entry.kind == kind)
    }

    /// A deed with a time, or a time and then a request: "turn on the lamp at 9", "at 9 tomorrow send me the summary".
    fn is_scheduled(&self) -> bool {
        let tokens = self.stretch.tokens.clone();
        if self.has(PhraseKind::Deed) && self.has(PhraseKind::Time) {
            return true;
        }
        lexicons(self.reading.language()).any(|lexicon| {
            let all = &self.reading.tokens;
            let mut at = lexicon.leads(all, tokens.clone()).last().copied().unwrap_or(tokens.start);
            let start = at;
            while at < tokens.end.min(start + TIME_TOKENS_MAX) {
                let digits = all[at].text.starts_with(|c: char| c.is_ascii_digit());
                match lexicon.longest(PhraseKind::Time, all, at, tokens.end) {
                    Some(time) => at = time.end,
                    None if digits && at > start => at += 1,
                    None => break,
                }
            }
            let begins = |kind| lexicon.longest(kind, all, at, tokens.end).is_some();
            at > start && (begins(PhraseKind::Deed) || begins(PhraseKind::Request))
        })
    }

    /// The stretch without what only opens it: "Hi, my name is Ana" tells "my name is Ana".
    fn without_openers(&self) -> Range<usize> {
        let Stretch { span, tokens, .. } = &self.stretch;
        let words = self.reading.words();
        let mut start = span.start;
        for lexicon in lexicons(self.reading.language()) {
            for lead in lexicon.leads(&self.reading.tokens, tokens.clone()).into_iter().skip(1) {
                let (Some(next), Some(last)) =
                    (self.reading.tokens.get(lead), self.reading.tokens.get(lead - 1))
                else {
                    continue;
                };
                let (from, to) = (words[last.word].span.end, words[next.word].span.start);
                if lead < tokens.end
                    && from <= to
                    && self.text[from..to].contains([',', '!', ':', ';', '–', '—', '.', '，'])
                {
                    start = start.max(with_marks_before(self.text, from, to));
                }
            }
        }
        start..span.end
    }

    /// Splits where a telling clause is followed by one that asks: "I have a dog, what does it eat?"
    fn split(&self) -> Option<(Self, Self)> {
        let Stretch { span, tokens, asked } = &self.stretch;
        if tokens.len() < 4 || self.leader().is_some_and(|leader| !self.may_precede(leader)) {
            return None;
        }
        let at = (tokens.start + 2..tokens.end.saturating_sub(1)).find(|at| self.breaks_before(*at))?;
        let words = self.reading.words();
        let gap =
            words[self.reading.tokens[at - 1].word].span.end..words[self.reading.tokens[at].word].span.start;
        let middle = with_marks_before(self.text, gap.start, gap.end);
        let stretch = |span: Range<usize>, tokens, asked| Stretch { span, tokens, asked };
        let front = span.start..span.start + self.text[span.start..gap.start].trim_end().len();
        let before = Self::new(self.text, self.reading, stretch(front, tokens.start..at, false));
        let after = Self::new(self.text, self.reading, stretch(middle..span.end, at..tokens.end, *asked));
        Some((before, after))
    }

    /// Whether a clause led by a phrase may stand before one that asks.
    fn may_precede(&self, leader: &Found) -> bool {
        matches!(leader.entry.kind, PhraseKind::Telling | PhraseKind::Correction | PhraseKind::Preamble)
    }

    /// Whether a new clause that asks begins at a token, after a mark.
    fn breaks_before(&self, at: usize) -> bool {
        let tokens = &self.reading.tokens;
        if !tokens[at - 1].closes {
            return false;
        }
        let Stretch { tokens: all, asked, .. } = &self.stretch;
        let words = self.reading.words();
        let opened =
            self.text[words[tokens[at - 1].word].span.end..words[tokens[at].word].span.start].contains('¿');
        lexicons(self.reading.language()).any(|lexicon| {
            let preamble = lexicon
                .longest(PhraseKind::Preamble, tokens, all.start, at)
                .is_some_and(|stop| stop.end == at);
            let tells = lexicon.leads(tokens, all.start..at).into_iter().any(|lead| {
                let leads = |kind| lexicon.longest(kind, tokens, lead, at).is_some();
                leads(PhraseKind::FirstPerson) && !leads(PhraseKind::Subordinate)
            });
            let asks = |stop: Option<Stop<'_>>, least: usize| stop.is_some_and(|stop| stop.end - at >= least);
            (preamble || tells)
                && (opened
                    || lexicon.leads(tokens, at..all.end).into_iter().any(|lead| {
                        let longest = |kind| lexicon.longest(kind, tokens, lead, all.end);
                        asks(longest(PhraseKind::Question), if *asked { 1 } else { 3 })
                            || asks(longest(PhraseKind::Request), 2)
                            || asks(longest(PhraseKind::Intention), 2)
                            || asks(longest(PhraseKind::Store), 2)
                    }))
        })
    }
}

/// Words that make a question of a request: "can you remember that …?"
const POLITE: [&str; 13] = [
    "can", "could", "will", "would", "kannst", "konntest", "konnen", "puedes", "podrias", "puede", "peux",
    "pourrais", "pouvez",
];

fn asks(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '؟'));
    end.ends_with(['?', '？', '؟']) || sentence.starts_with('¿')
}

/// Quoted lines, blocks of code.
fn is_quoted(sentence: &str) -> bool {
    sentence.starts_with('>') || sentence.starts_with("```")
}

/// A sentence without the bullet or number of a list before it.
fn unlisted(text: &str, span: Range<usize>) -> Range<usize> {
    let sentence = &text[span.clone()];
    let digits = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = sentence.len() - digits.len() < 4 && digits.len() < sentence.len();
    let rest = match digits.strip_prefix(['.', ')']) {
        Some(rest) if numbered => rest,
        _ => sentence.strip_prefix(['-', '*', '•', '–']).unwrap_or(sentence),
    };
    if !rest.starts_with(' ') {
        return span;
    }
    span.end - rest.trim_start().len()..span.end
}

/// Where what starts at a word really starts: with the quotes, brackets and signs right before it.
fn with_marks_before(text: &str, from: usize, word: usize) -> usize {
    let gap = &text[from..word];
    let kept = gap.chars().rev().take_while(|c| {
        matches!(c, '"' | '“' | '„' | '«' | '(' | '[' | '¿' | '¡' | '#' | '$' | '€' | '£' | '\'' | '‘' | '+')
    });
    word - kept.map(char::len_utf8).sum::<usize>()
}
