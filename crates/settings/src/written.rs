//! What is written in a configuration file: every value with its line, and everything that is wrong with it at once.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeString, DeTable, DeValue};
use toml::{Spanned, Value};

use crate::allowed::{check, shown};
use crate::catalogue::{Catalogue, catalogue};
use crate::error::{Mistake, Origin};
use crate::file::File;
use crate::layers::Layer;
use crate::load::Registered;
use crate::nearest::hint;

/// Reads the bytes of a file.
pub(crate) fn read(path: &Path, bytes: &[u8], registered: &Registered) -> (Layer, Vec<Mistake>) {
    let alone = |line: usize, message: &str| {
        let origin = Origin::File { path: path.to_owned(), line };
        (Layer::default(), vec![Mistake { origin, key: None, message: message.to_owned() }])
    };
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.contains(&0) {
        let zero = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
        return alone(lines_before(bytes, zero), "this is UTF-16 or no text at all; save the file as UTF-8");
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = lines_before(bytes, error.valid_up_to());
            return alone(line, "this is not UTF-8 text; save the file as UTF-8");
        }
    };
    // Editors on some systems begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        path,
        text,
        registered,
        catalogue: catalogue(),
        layer: Layer::default(),
        mistakes: Vec::new(),
    };
    reader.all();
    (reader.layer, reader.mistakes)
}

/// The line, from 1, in which a byte lies.
fn lines_before(bytes: &[u8], at: usize) -> usize {
    bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    registered: &'a Registered,
    catalogue: &'a Catalogue,
    layer: Layer,
    mistakes: Vec<Mistake>,
}

impl Reader<'_> {
    fn all(&mut self) {
        let (spans, errors) = DeTable::parse_recoverable(self.text);
        // Where lines are broken, what the rest means is a guess.
        if !errors.is_empty() {
            for error in errors {
                let message = match error.message() {
                    "" => "this line can't be read",
                    message => message,
                };
                self.mistake(error.span().unwrap_or_default(), None, message.to_owned());
            }
            return;
        }
        match self.text.parse::<toml::Table>() {
            Ok(values) => self.section("", spans.get_ref(), &values),
            Err(error) => {
                self.mistake(error.span().unwrap_or_default(), None, error.message().to_owned());
            }
        }
    }

    /// Walks a section; `spans` and `values` are the same table, once with places and once with values.
    fn section(&mut self, section: &str, spans: &DeTable<'_>, values: &toml::Table) {
        for (name, spanned) in spans {
            let Some(value) = values.get(name.get_ref().as_ref()) else { continue };
            let path = joined(section, name.get_ref());
            match (spanned.get_ref(), value) {
                (DeValue::Table(inner), Value::Table(values)) if self.catalogue.is_section(&path) => {
                    if self.catalogue.repeated(&path) {
                        let message = format!("write [[{path}]] with two brackets: there may be several");
                        self.mistake(name.span(), Some(path), message);
                    } else {
                        self.section(&path, inner, values);
                    }
                }
                (DeValue::Array(items), Value::Array(values)) if self.catalogue.repeated(&path) => {
                    self.repeated(&path, items, values);
                }
                _ if self.catalogue.is_section(&path) => {
                    let message = format!("`{path}` is {}, but must be a section: [{path}]", shown(value));
                    self.mistake(name.span(), Some(path), message);
                }
                _ => self.key(section, name, value),
            }
        }
    }

    fn key(&mut self, section: &str, name: &Spanned<DeString<'_>>, value: &Value) {
        let path = joined(section, name.get_ref());
        if let Some(chosen) = value.as_str().filter(|chosen| self.registered.has(&path, chosen)) {
            let origin = self.origin(name.span());
            self.layer.set_registered(&path, chosen, origin);
        } else if self.takes(section, name, value) {
            let origin = self.origin(name.span());
            self.layer.set(&joined(section, name.get_ref()), value.clone(), origin);
        }
    }

    /// Whether a section has this key, and it takes this value; else that is noted.
    fn takes(&mut self, section: &str, name: &Spanned<DeString<'_>>, value: &Value) -> bool {
        let path = joined(section, name.get_ref());
        let Some(key) = self.catalogue.key(&path) else {
            let what = if value.is_table() { "section" } else { "key" };
            let hint = hint(self.catalogue, section, name.get_ref());
            let place = if section.is_empty() { String::new() } else { format!(" in [{section}]") };
            let message = format!("there is no {what} `{}`{place}; {hint}", name.get_ref());
            self.mistake(name.span(), Some(path), message);
            return false;
        };
        match check(key, value) {
            Ok(()) => true,
            Err(mut message) => {
                for also in self.registered.names(&path) {
                    message.push_str(&format!(" or \"{also}\""));
                }
                self.mistake(name.span(), Some(path), message);
                false
            }
        }
    }

    /// The tables of a section that may stand several times. They are merged as a whole.
    fn repeated(&mut self, path: &str, items: &[Spanned<DeValue<'_>>], values: &[Value]) {
        let before = self.mistakes.len();
        for (at, (item, value)) in items.iter().zip(values).enumerate() {
            let (DeValue::Table(spans), Value::Table(table)) = (item.get_ref(), value) else {
                let message = format!("`{path}` holds {}, but must be sections: [[{path}]]", shown(value));
                self.mistake(item.span(), Some(path.to_owned()), message);
                continue;
            };
            let place = format!("{path}[{at}]");
            let origin = self.origin(item.span());
            self.layer.place(&place, origin);
            let known = self.mistakes.len();
            for (name, _) in spans {
                let Some(value) = table.get(name.get_ref().as_ref()) else { continue };
                self.takes(path, name, value);
                self.place(&place, name, spans);
            }
            if self.mistakes.len() == known
                && let Err((name, message)) = whole(path, value)
            {
                let span = spans.keys().find(|key| Some(key.get_ref().as_ref()) == name.as_deref());
                let span = span.map_or_else(|| item.span(), Spanned::span);
                self.mistake(span, Some(place), message);
            }
        }
        if self.mistakes.len() == before {
            let origin = self.origin(items.first().map(Spanned::span).unwrap_or_default());
            self.layer.set(path, Value::Array(values.to_vec()), origin);
        }
    }

    /// Notes where a key of a repeated section stands, and the keys below it.
    fn place(&mut self, section: &str, name: &Spanned<DeString<'_>>, within: &DeTable<'_>) {
        let path = joined(section, name.get_ref());
        let origin = self.origin(name.span());
        self.layer.place(&path, origin);
        let Some(DeValue::Table(below)) = within.get(name).map(Spanned::get_ref) else { return };
        for inner in below.keys() {
            self.place(&path, inner, below);
        }
    }

    fn origin(&self, span: Range<usize>) -> Origin {
        Origin::File { path: self.path.to_owned(), line: lines_before(self.text.as_bytes(), span.start) }
    }

    fn mistake(&mut self, span: Range<usize>, key: Option<String>, message: String) {
        let origin = self.origin(span);
        self.mistakes.push(Mistake { origin, key, message });
    }
}

/// Whether the structs take one table of a repeated section; else the key below it that they do not take, and why.
fn whole(path: &str, table: &Value) -> Result<(), (Option<String>, String)> {
    let mut file = Value::Array(vec![table.clone()]);
    for part in path.rsplit('.') {
        file = Value::Table(toml::Table::from_iter([(part.to_owned(), file)]));
    }
    serde_path_to_error::deserialize::<_, File>(file).map(drop).map_err(|error| {
        let inner = error.path().to_string();
        let below = inner.strip_prefix(&format!("{path}[0].")).map(str::to_owned);
        let name = below.as_ref().and_then(|below| below.split('.').next()).map(str::to_owned);
        let message = error.inner().message().to_owned();
        (
            name,
            below.map_or_else(
                || format!("[[{path}]]: {message}"),
                |below| format!("`{path}.{below}`: {message}"),
            ),
        )
    })
}

fn joined(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}
