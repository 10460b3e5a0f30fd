//! Every key there is, read from the file that is shipped: `config/bethink.toml`.
//!
//! The shipped file is the one place where a key's default and meaning are written for people; tests hold it equal to
//! the structs. A key is a line `name = default` under its section, with its comment above. A key without a default is
//! a line `# name = example`. A section that may stand several times, as `[[agents]]`, is commented out as a whole.

use std::sync::LazyLock;

/// The file that is shipped.
pub(crate) const SHIPPED: &str = include_str!("../../../config/bethink.toml");

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Integer,
    Float,
    Text,
    /// Texts.
    List,
    /// Keys of its own, as a table within a repeated section.
    Table,
}

/// A key.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    /// With its section: `memory.depth.general`.
    pub(crate) path: String,
    pub(crate) kind: Kind,
    /// None: absent unless somebody sets it.
    pub(crate) default: Option<toml::Value>,
    /// What it is, in the words of the shipped file.
    pub(crate) about: String,
    /// It stands in a section that may stand several times.
    pub(crate) repeated: bool,
}

/// A section.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) path: String,
    pub(crate) about: String,
    /// It may stand several times: `[[agents]]`.
    pub(crate) repeated: bool,
}

/// All sections and keys, in the order of the shipped file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalogue {
    pub(crate) sections: Vec<Section>,
    pub(crate) keys: Vec<Key>,
}

/// The catalogue of the shipped file.
pub(crate) fn catalogue() -> &'static Catalogue {
    static READ: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::read(SHIPPED));
    &READ
}

impl Key {
    /// Its name without the section.
    pub(crate) fn name(&self) -> &str {
        last(&self.path)
    }

    /// Its section.
    pub(crate) fn section(&self) -> &str {
        section_of(&self.path)
    }

    /// The environment variable that sets it, where one can.
    pub(crate) fn variable(&self) -> Option<String> {
        (!self.repeated).then(|| format!("BETHINK__{}", self.path.replace('.', "__").to_uppercase()))
    }
}

/// The part after the last dot.
pub(crate) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The part before the last dot; empty at the top.
pub(crate) fn section_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(section, _)| section)
}

impl Kind {
    pub(crate) fn of(value: &toml::Value) -> Self {
        match value {
            toml::Value::Boolean(_) => Self::Boolean,
            toml::Value::Integer(_) => Self::Integer,
            toml::Value::Float(_) => Self::Float,
            toml::Value::String(_) | toml::Value::Datetime(_) => Self::Text,
            toml::Value::Array(_) => Self::List,
            toml::Value::Table(_) => Self::Table,
        }
    }

    /// Whether a value of a file is of this kind. Whole numbers are numbers too, but a number in quotes is a text.
    pub(crate) fn takes(self, value: &toml::Value) -> bool {
        match (self, value) {
            (Self::Float, toml::Value::Integer(_)) => true,
            (Self::Text, toml::Value::Datetime(_)) => false,
            (Self::List, toml::Value::Array(items)) => items.iter().all(toml::Value::is_str),
            _ => Self::of(value) == self,
        }
    }

    /// The kind in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Boolean => "true or false",
            Self::Integer => "a whole number",
            Self::Float => "a number",
            Self::Text => "a text in quotes",
            Self::List => "a list of texts, such as [\"a\", \"b\"]",
            Self::Table => "keys in braces",
        }
    }
}

impl Catalogue {
    /// The key of this path.
    pub(crate) fn key(&self, path: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.path == path)
    }

    /// The section of this path that may stand several times.
    pub(crate) fn repeated(&self, path: &str) -> bool {
        self.sections.iter().any(|section| section.repeated && section.path == path)
    }

    /// Whether this is a section, or holds some.
    pub(crate) fn is_section(&self, path: &str) -> bool {
        let below = |found: &str| found.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        self.sections.iter().any(|section| section.path == path || below(&section.path))
    }

    /// Keys that stand directly in a section.
    pub(crate) fn keys_of<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a Key> {
        self.keys.iter().filter(move |key| key.section() == section)
    }

    fn read(shipped: &str) -> Self {
        let mut catalogue = Self::default();
        let mut comment: Vec<&str> = Vec::new();
        // Keys below a header that stands for one value, as `# [extensions.settings]`, are examples.
        let mut examples = false;
        for line in shipped.lines() {
            let bare = line.strip_prefix("# ");
            if line.trim().is_empty() {
                comment.clear();
            } else if let Some(path) = header_of(bare.unwrap_or(line)) {
                let repeated = bare.is_some_and(|bare| bare.starts_with("[["));
                examples = bare.is_some() && !repeated;
                let about = std::mem::take(&mut comment).join(" ");
                if examples {
                    let (path, default) = (path.to_owned(), None);
                    catalogue.keys.push(Key { path, kind: Kind::Table, default, about, repeated: true });
                } else {
                    catalogue.sections.push(Section { path: path.to_owned(), about, repeated });
                }
            } else if let Some((name, value)) = assignment(bare.unwrap_or(line)) {
                let section = catalogue.sections.last().filter(|_| !examples);
                let Some(Section { path, repeated, .. }) = section else { continue };
                let (path, repeated) = (format!("{path}.{name}"), *repeated);
                let about = std::mem::take(&mut comment).join(" ");
                let (kind, default) = (Kind::of(&value), bare.is_none().then_some(value));
                catalogue.keys.push(Key { path, kind, default, about, repeated });
            } else if let Some(text) = line.strip_prefix('#') {
                comment.push(text.trim_start_matches(['#', ' ']));
            }
        }
        catalogue
    }
}

/// The path of a section's header.
fn header_of(line: &str) -> Option<&str> {
    let path = line.strip_prefix('[')?.strip_suffix(']')?;
    let path = path.strip_prefix('[').and_then(|path| path.strip_suffix(']')).unwrap_or(path);
    let plain = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '.');
    (!path.is_empty() && path.chars().all(plain)).then_some(path)
}

/// Name and value of a line that sets a key.
fn assignment(line: &str) -> Option<(&str, toml::Value)> {
    let (name, _) = line.split_once(" = ")?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let mut table: toml::Table = line.parse().ok()?;
    Some((name, table.remove(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_with_their_section_and_comment() {
        let text = "# All keys.\n\n# About one.\n[one]\n# First,\n# and more.\nfirst = 3\n# Second.\n# second = \"x\"\n\n\
                    [one.two]\nthird = 0.5\n\n# Many:\n# [[many]]\n# # Its name.\n# name = \"a\"\n# [many.rest]\n\
                    # free = 1\n";
        let catalogue = Catalogue::read(text);
        let sections: Vec<_> =
            catalogue.sections.iter().map(|it| (it.path.as_str(), it.about.as_str(), it.repeated)).collect();
        assert_eq!(sections, [("one", "About one.", false), ("one.two", "", false), ("many", "Many:", true)]);
        let keys: Vec<_> = catalogue
            .keys
            .iter()
            .map(|key| (key.path.as_str(), key.kind, key.default.is_some(), key.about.as_str()))
            .collect();
        assert_eq!(
            keys,
            [
                ("one.first", Kind::Integer, true, "First, and more."),
                ("one.second", Kind::Text, false, "Second."),
                ("one.two.third", Kind::Float, true, ""),
                ("many.name", Kind::Text, false, "Its name."),
                ("many.rest", Kind::Table, false, ""),
            ]
        );
        assert_eq!(catalogue.keys[2].variable().as_deref(), Some("BETHINK__ONE__TWO__THIRD"));
        assert_eq!(catalogue.keys[3].variable(), None);
    }
}
