//! Lexicon: the phrase lists of a language as one tree of words.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::PhraseKind;
use super::tokens::{Token, tokens};
use crate::words::language::Language;
use crate::words::words;

/// A line of a phrase list.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kind: PhraseKind,
    /// `^`: holds only at the start of a sentence, or after openers ("ok", "please").
    leads: bool,
    /// `$`: holds only at the end of a sentence or clause.
    ends: bool,
    /// `!`: takes the words out of the reach of shorter phrases of its kind.
    shields: bool,
}

/// A phrase found: which line, and which tokens.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) entry: &'static Entry,
    pub(crate) tokens: Range<usize>,
    /// The token with which begins what is said, where the phrase only announces it.
    pub(crate) payload: usize,
}

/// A phrase that ends at a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) end: usize,
    payload: usize,
}

/// The phrase lists of one language.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    nodes: Vec<Node>,
    entries: Vec<Entry>,
}

#[derive(Debug, Default)]
struct Node {
    next: HashMap<String, usize>,
    any: Option<usize>,
    /// Index of the entry, and how many words of it announce the payload.
    entries: Vec<(usize, usize)>,
}

/// Nobody says more before coming to the point.
const OPENERS_MAX: usize = 8;

/// A way through a pattern: its words, where `None` is any one word.
type Path = Vec<Option<String>>;

const LANGUAGES: [Language; 5] =
    [Language::English, Language::German, Language::Spanish, Language::French, Language::Other];

/// In the order of [`LANGUAGES`]. What holds in every language is in the last.
static LEXICONS: LazyLock<[Lexicon; 5]> = LazyLock::new(|| {
    [
        Lexicon::parse(include_str!("../../data/en/phrases.txt"), Language::English),
        Lexicon::parse(include_str!("../../data/de/phrases.txt"), Language::German),
        Lexicon::parse(include_str!("../../data/es/phrases.txt"), Language::Spanish),
        Lexicon::parse(include_str!("../../data/fr/phrases.txt"), Language::French),
        Lexicon::parse(include_str!("../../data/other/phrases.txt"), Language::Other),
    ]
});

impl Entry {
    pub(crate) fn shields(&self) -> bool {
        self.shields
    }
}

/// The lists of one language.
pub(crate) fn lexicon(language: Language) -> &'static Lexicon {
    let place = LANGUAGES.iter().position(|known| *known == language);
    &LEXICONS[place.unwrap_or(LANGUAGES.len() - 1)]
}

impl Lexicon {
    /// Reads sections of lines, `[kind]` above each; `#` begins a remark.
    fn parse(data: &'static str, language: Language) -> Self {
        let mut lexicon = Self { nodes: vec![Node::default()], entries: Vec::new() };
        let mut kind = None;
        for line in data.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[') {
                kind = PhraseKind::named(name.trim_end_matches(']'));
                debug_assert!(kind.is_some(), "unknown section {line}");
            } else if let Some(kind) = kind {
                lexicon.add(kind, line, language);
            }
        }
        lexicon
    }

    fn add(&mut self, kind: PhraseKind, line: &'static str, language: Language) {
        let pattern = line.trim_start_matches(['!', '^']);
        let marks = &line[..line.len() - pattern.len()];
        let pattern = pattern.trim_end_matches('$');
        let (announcing, payload) = pattern.split_once('/').unwrap_or((pattern, ""));
        let index = self.entries.len();
        let (leads, shields) = (marks.contains('^'), marks.contains('!'));
        self.entries.push(Entry { kind, leads, ends: line.ends_with('$'), shields });
        let payloads = paths(payload, language);
        for path in paths(announcing, language) {
            for payload in &payloads {
                let steps = path.iter().chain(payload).cloned();
                let node = steps.fold(0, |node, step| self.step(node, step));
                debug_assert!(node > 0, "{line} holds everywhere");
                self.nodes[node].entries.push((index, path.len()));
            }
        }
    }

    fn step(&mut self, node: usize, step: Option<String>) -> usize {
        let fresh = self.nodes.len();
        let next = match step {
            Some(word) => *self.nodes[node].next.entry(word).or_insert(fresh),
            None => *self.nodes[node].any.get_or_insert(fresh),
        };
        if next == fresh {
            self.nodes.push(Node::default());
        }
        next
    }

    /// Calls `visit` with every phrase that begins at a token and ends before `end`.
    pub(crate) fn visit<'a>(
        &'a self,
        tokens: &[Token],
        at: usize,
        end: usize,
        visit: &mut dyn FnMut(Stop<'a>),
    ) {
        self.walk(&self.nodes[0], (at, at), &tokens[..end], visit);
    }

    /// Goes on from a node with the token at `place`, of a phrase that began at `start`.
    fn walk<'a>(
        &'a self,
        node: &Node,
        (start, place): (usize, usize),
        tokens: &[Token],
        visit: &mut dyn FnMut(Stop<'a>),
    ) {
        let Some(token) = tokens.get(place) else { return };
        for next in node.next.get(&token.text).into_iter().chain(&node.any) {
            let next = &self.nodes[*next];
            for (entry, announcing) in &next.entries {
                let entry = &self.entries[*entry];
                if !entry.ends || place + 1 == tokens.len() || token.closes {
                    visit(Stop { entry, end: place + 1, payload: start + announcing });
                }
            }
            self.walk(next, (start, place + 1), tokens, visit);
        }
    }

    /// The longest phrase of a kind that begins at a token.
    pub(crate) fn longest(
        &self,
        kind: PhraseKind,
        tokens: &[Token],
        at: usize,
        end: usize,
    ) -> Option<Stop<'_>> {
        let mut longest: Option<Stop<'_>> = None;
        self.visit(tokens, at, end, &mut |stop| {
            let longer = longest
                .is_none_or(|other| stop.end > other.end || (stop.end == other.end && stop.entry.shields));
            if stop.entry.kind == kind && longer {
                longest = Some(stop);
            }
        });
        longest.filter(|stop| !stop.entry.shields)
    }

    /// Where a phrase that leads a sentence may begin: at its start, and after each opener.
    pub(crate) fn leads(&self, tokens: &[Token], sentence: Range<usize>) -> Vec<usize> {
        let mut leads = vec![sentence.start];
        let mut at = sentence.start;
        while leads.len() <= OPENERS_MAX
            && let Some(opener) = self.longest(PhraseKind::Opener, tokens, at, sentence.end)
        {
            leads.push(opener.end);
            at = opener.end;
        }
        leads
    }

    /// The phrases of one sentence. Of each kind the leftmost and then the longest; none overlap.
    pub(crate) fn find(&'static self, tokens: &[Token], sentence: Range<usize>, found: &mut Vec<Found>) {
        let leads = self.leads(tokens, sentence.clone());
        let mut free_from = [sentence.start; PhraseKind::ALL.len()];
        for at in sentence.clone() {
            let mut best: [Option<Stop<'static>>; PhraseKind::ALL.len()] = [None; PhraseKind::ALL.len()];
            self.visit(tokens, at, sentence.end, &mut |stop| {
                let place = &mut best[stop.entry.kind as usize];
                let longer = place.is_none_or(|other| {
                    stop.end > other.end || (stop.end == other.end && stop.entry.shields)
                });
                if longer && (!stop.entry.leads || leads.contains(&at)) {
                    *place = Some(stop);
                }
            });
            for stop in best.into_iter().flatten() {
                if at < free_from[stop.entry.kind as usize] {
                    continue;
                }
                free_from[stop.entry.kind as usize] = stop.end;
                if !stop.entry.shields {
                    found.push(Found { entry: stop.entry, tokens: at..stop.end, payload: stop.payload });
                }
            }
        }
    }
}

/// Every way through a pattern of words, `(one|other|)` and `*` for at most one word.
fn paths(pattern: &str, language: Language) -> Vec<Path> {
    let mut rest = pattern;
    alternatives(&mut rest, language)
}

/// Reads alternatives up to the bracket that closes them.
fn alternatives(rest: &mut &str, language: Language) -> Vec<Path> {
    let words_of = |text: &str| -> Path {
        tokens(&words(text), language).into_iter().map(|token| Some(token.text)).collect()
    };
    let mut read = Vec::new();
    let mut current = vec![vec![]];
    loop {
        let (text, sign) = match rest.split_once(['(', '*', '|', ')']) {
            Some((text, after)) => {
                let sign = rest.as_bytes()[text.len()];
                *rest = after;
                (text, sign)
            }
            None => (std::mem::take(rest), b')'),
        };
        current = longer(&current, &[words_of(text)]);
        match sign {
            b'(' => current = longer(&current, &alternatives(rest, language)),
            b'*' => current = longer(&current, &[vec![], vec![None]]),
            b'|' => read.append(&mut std::mem::replace(&mut current, vec![vec![]])),
            _ => {
                read.append(&mut current);
                return read;
            }
        }
    }
}

/// Each path followed by each alternative.
fn longer(paths: &[Path], alternatives: &[Path]) -> Vec<Path> {
    let followed = |path: &Path| {
        let each = alternatives.iter().map(|more| path.iter().chain(more).cloned().collect());
        each.collect::<Vec<Path>>()
    };
    paths.iter().flat_map(followed).collect()
}
