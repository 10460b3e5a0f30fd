//! Clauses: sentences told apart by what they do, by the phrases that lead them.

use std::ops::Range;

use super::SpeechAct;
use super::foreign::asks_without_mark;
use crate::phrases::lexicon::{Found, Lexicon, Stop};
use crate::phrases::tokens::Token;
use crate::phrases::{PhraseKind, Reading, covered, lexicons};
use crate::words::language::{Language, is_stop};

/// A sentence or clause and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) act: SpeechAct,
    /// What is said, in bytes of the message.
    pub(crate) span: Range<usize>,
    /// Whether something of the sentence before it was left out.
    pub(crate) cut: bool,
}

/// A stretch of one sentence under examination.
#[derive(Debug, Clone)]
struct Stretch {
    span: Range<usize>,
    tokens: Range<usize>,
    asked: bool,
    /// Whether it is a point of a list.
    listed: bool,
}

/// What decides over what a sentence does; of phrases of equal length the earlier in this list.
const LEADERS: [PhraseKind; 10] = [
    PhraseKind::Store,
    PhraseKind::Forget,
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
        let listed = span != sentence.span;
        let asked = asks(&text[span.clone()]);
        let stretch = Stretch { asked, span, tokens: sentence.tokens.clone(), listed };
        let mut examined = Examined::new(text, reading, stretch);
        // "Guess what, I got the job!": what only announces stands alone, and what follows is read for itself.
        if let Some((preamble, rest)) = examined.announced() {
            found.push(preamble);
            examined = rest;
        }
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
        let Stretch { span, tokens, asked, .. } = &self.stretch;
        let whole = |act| Clause { act, span: span.clone(), cut: false };
        if is_quoted(&self.text[span.clone()]) {
            return whole(SpeechAct::Quotation);
        }
        if tokens.is_empty() || self.says_nothing(tokens.clone()) {
            return whole(SpeechAct::SmallTalk);
        }
        if self.is_scheduled() {
            return whole(SpeechAct::Intention);
        }
        if self.contradicts() {
            return whole(SpeechAct::Correction);
        }
        let Some(leader) = self.leader() else { return self.unled() };
        match leader.entry.kind {
            PhraseKind::Store => self.store_request(leader),
            PhraseKind::Forget => whole(SpeechAct::ForgetRequest),
            PhraseKind::Intention => whole(SpeechAct::Intention),
            // "👪 is my family": a picture may be what is spoken of.
            PhraseKind::Question if !asked && self.follows_picture(leader) => self.unled(),
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
        let Stretch { span, tokens, asked, listed } = &self.stretch;
        let whole = |act| Clause { act, span: span.clone(), cut: false };
        if *asked || asks_without_mark(&self.text[span.clone()]) {
            return whole(SpeechAct::Question);
        }
        // A lone word says nothing by itself: it looks for something, or is one of many.
        if tokens.len() == 1 {
            return whole(if *listed { SpeechAct::Quotation } else { SpeechAct::Request });
        }
        let bare = |lexicon: &Lexicon| {
            let leads = lexicon.leads(&self.reading.tokens, tokens.clone());
            leads.last().is_some_and(|lead| lead + 1 >= tokens.end && *lead > tokens.start)
        };
        // "Great guy."
        if tokens.len() == 2 && lexicons(self.reading.language()).any(bare) {
            return whole(SpeechAct::SmallTalk);
        }
        let kept = self.without_openers();
        Clause { act: SpeechAct::Statement, cut: kept.start > span.start, span: kept }
    }

    /// "Not Rex, Max.": what was meant instead.
    fn contradicts(&self) -> bool {
        let Stretch { tokens, asked, .. } = &self.stretch;
        let said = &self.reading.tokens[tokens.clone()];
        if *asked || !(3..=5).contains(&said.len()) || !NOT.contains(&said[0].text.as_str()) || said[0].closes
        {
            return false;
        }
        let common = |token: &Token| Language::KNOWN.into_iter().any(|known| is_stop(&token.text, known));
        let parted = (1..said.len() - 1).filter(|at| said[*at].closes).count() == 1;
        parted && !said[1..].iter().any(common)
    }

    /// Whether a phrase that asks by its verb alone stands behind a picture.
    fn follows_picture(&self, leader: &Found) -> bool {
        let Stretch { span, tokens, .. } = &self.stretch;
        let verb = leader.tokens.start == tokens.start
            && COPULAS.contains(&self.reading.tokens[tokens.start].text.as_str());
        let start = self.reading.words()[self.reading.tokens[tokens.start].word].span.start;
        let before = self.text.get(span.start..start).unwrap_or_default();
        verb && before.chars().any(|c| u32::from(c) >= FIRST_PICTURE)
    }

    /// What only announces, and what it announces.
    fn announced(&self) -> Option<(Clause, Self)> {
        let Stretch { span, tokens, asked, listed } = &self.stretch;
        let leader = self.leader().filter(|leader| leader.entry.kind == PhraseKind::Preamble)?;
        let at = leader.tokens.end;
        if at >= tokens.end || self.says_nothing(tokens.clone()) || self.is_scheduled() {
            return None;
        }
        let (front, back) = self.parted_at(at);
        let rest = Stretch { span: back..span.end, tokens: at..tokens.end, asked: *asked, listed: *listed };
        let preamble = Clause { act: SpeechAct::SmallTalk, span: span.start..front, cut: false };
        Some((preamble, Self::new(self.text, self.reading, rest)))
    }

    /// Where what is before a token ends, and what begins with it starts.
    fn parted_at(&self, token: usize) -> (usize, usize) {
        let word = |token: usize| &self.reading.words()[self.reading.tokens[token].word].span;
        let gap = word(token - 1).end..word(token).start;
        let closing = self.text[gap.clone()].chars().take_while(|c| "])\"”»’'!".contains(*c));
        let front = gap.start + closing.map(char::len_utf8).sum::<usize>();
        (front, with_marks_before(self.text, front, gap.end))
    }

    fn store_request(&self, leader: &Found) -> Clause {
        let Stretch { span, asked, .. } = &self.stretch;
        let polite = self.reading.tokens[leader.tokens.clone()]
            .iter()
            .any(|token| POLITE.contains(&token.text.as_str()));
        if *asked && !polite {
            return Clause { act: SpeechAct::Question, span: span.clone(), cut: false };
        }
        let clause = self.payload(SpeechAct::StoreRequest, leader.payload);
        if clause.span.is_empty() {
            Clause { act: SpeechAct::Request, span: span.clone(), cut: false }
        } else {
            clause
        }
    }

    /// What is said from a token on; nothing if that is small talk.
    fn payload(&self, act: SpeechAct, token: usize) -> Clause {
        let Stretch { span, tokens, .. } = &self.stretch;
        let rest = token.max(tokens.start)..tokens.end;
        let nothing = Clause { act, span: span.end..span.end, cut: true };
        if rest.is_empty() || self.says_nothing(rest.clone()) {
            return nothing;
        }
        if rest.start == tokens.start {
            return Clause { act, span: span.clone(), cut: false };
        }
        let word = |token: usize| self.reading.tokens[token].word;
        let inside = word(rest.start) == word(rest.start - 1);
        let Some(start) = self.reading.words().get(word(rest.start) + usize::from(inside)) else {
            return nothing;
        };
        let start = with_marks_before(self.text, span.start, start.span.start);
        Clause { act, span: start..span.end, cut: true }
    }

    fn says_nothing(&self, tokens: Range<usize>) -> bool {
        Language::KNOWN
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
        let Stretch { span, tokens, asked, listed } = &self.stretch;
        if tokens.len() < 4 || self.leader().is_some_and(|leader| !self.may_precede(leader)) {
            return None;
        }
        let at = (tokens.start + 2..tokens.end.saturating_sub(1)).find(|at| self.breaks_before(*at))?;
        let (front, middle) = self.parted_at(at);
        let stretch = |span: Range<usize>, tokens, asked| Stretch { span, tokens, asked, listed: *listed };
        let before = Self::new(self.text, self.reading, stretch(span.start..front, tokens.start..at, false));
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
                        // "… but I'm not sure": a doubt belongs to what is told.
                        let doubts = !asked
                            && (longest(PhraseKind::FirstPerson).is_some()
                                || tokens[..all.end]
                                    .get(lead)
                                    .is_some_and(|token| DOUBTS.contains(&token.text.as_str())));
                        (!doubts && asks(longest(PhraseKind::Question), if *asked { 1 } else { 3 }))
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

/// Words that say what is not so.
const NOT: [&str; 4] = ["not", "nicht", "no", "pas"];
/// Verbs with which a sentence may go on behind a picture.
const COPULAS: [&str; 10] = ["is", "are", "was", "were", "ist", "sind", "es", "son", "est", "sont"];
/// Words with which a doubt begins that names no one.
const DOUBTS: [&str; 12] =
    ["not", "no", "unsure", "keine", "weiss", "nicht", "creo", "ni", "aucune", "pas", "perhaps", "maybe"];
/// Symbols and pictures have higher numbers than the letters and marks of texts.
const FIRST_PICTURE: u32 = 0x1F000;

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
