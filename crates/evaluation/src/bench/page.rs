//! `docs/benchmarks.md`, made from the figures alone.

use super::figures::BenchReport;
use super::report::{Row, count};

/// What stands above the figures.
const HEAD: &str = "# Benchmarks

Made by `bethink bench --write docs/benchmarks.md`; do not edit. The figures are of one run on one machine, and each stands beside what
the machine cost by itself in the same minutes: a plain append to a file on the same disk, and a loop that does nothing for as long.
";

/// What is measured, and how.
const HOW: &str = "
## How it is measured

- **Data.** Made-up statements with names, places, days and things, their words spread by Zipf's law, and made-up vectors of 384 components
  in 512 groups of skewed sizes; the same in every run (`crates/evaluation/src/bench/made.rs`). A fourth is episodic, the rest semantic.
- **Recall** asks a question about one of them, by words and meaning, for 8 memories, through the actor that owns the space, beyond
  embedding the question. *The right one first* counts how often the statement asked about heads the answer. *Of the ten nearest, found*
  asks by meaning alone, and compares with an exact scan over vectors of 32-bit floats.
- **A durable statement** is acknowledged when it is on disk and the next recall finds it; its vector is given. One client waits for each,
  in turn with plain appends; 64 clients share commits. Bytes are those that the process had written to its disks.
- **A whole turn** goes from the message to the end that says it is durable, without a language model.
- **Asleep to first answer** closes the file, opens it, reads the space and recalls; the file is in the system's page cache.
- **Resident bytes a memory**: a process of its own wakes the space and recalls a hundred times; what it held before is taken off.
- Another way is a process of its own, over the same data, and takes turns with Bethink.
";

impl BenchReport {
    /// The page, with the plots that lie in a folder beside it, where there is one.
    #[must_use]
    pub fn page(&self, plots: Option<&str>) -> String {
        let mut text = format!("{HEAD}\n{}\n", self.about());
        if !self.sizes.is_empty() {
            text.push_str("\n## Bethink\n\n");
            let heading: Vec<String> = self.sizes.iter().map(|size| count(size.traces)).collect();
            text.push_str(&table("memories", &heading, &self.rows()));
        }
        for name in self.others() {
            let (heading, rows) = self.other_rows(&name);
            text.push_str(&format!("\n## Another way: {name}\n\n"));
            text.push_str(&table("memories", &heading, &rows));
        }
        if let Some(import) = self.imported() {
            text.push_str(&format!("\n## Importing\n\n{import}\n"));
        }
        if let Some(folder) = plots {
            text.push_str("\n## Against size\n\n");
            for (name, title, _) in super::plots::plots(self) {
                text.push_str(&format!("![{title}]({folder}/{name}.svg)\n\n"));
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text.push_str(HOW);
        for what in &self.not_measured {
            text.push_str(&format!("- Not measured: {what}.\n"));
        }
        text
    }
}

fn table(title: &str, heading: &[String], rows: &[Row]) -> String {
    let mut text = format!("| {title} |");
    heading.iter().for_each(|name| text.push_str(&format!(" {name} |")));
    text.push_str("\n|---|");
    heading.iter().for_each(|_| text.push_str("---:|"));
    text.push('\n');
    for row in rows {
        let label = match row.label.strip_prefix("  ") {
            Some(label) => format!("– {label}"),
            None => row.label.clone(),
        };
        text.push_str(&format!("| {label} |"));
        row.cells.iter().for_each(|cell| text.push_str(&format!(" {} |", cell.as_deref().unwrap_or("–"))));
        text.push('\n');
    }
    text
}
