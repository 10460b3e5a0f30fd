//! Figures as tables: a row for each thing, a column for each size.

use super::figures::{BenchReport, OtherFigures, SizeFigures};
use crate::score::Times;

/// One thing that is told of every size; none where it was not measured.
pub(super) struct Row {
    pub(super) label: String,
    pub(super) cells: Vec<Option<String>>,
}

impl BenchReport {
    /// A table; ends with a line break.
    #[must_use]
    pub fn human(&self) -> String {
        let mut text = format!("{}\n", self.about());
        if !self.sizes.is_empty() {
            let heading: Vec<String> = self.sizes.iter().map(|size| count(size.traces)).collect();
            text.push_str(&lines("memories", &heading, &self.rows()));
        }
        for name in self.others() {
            let (heading, rows) = self.other_rows(&name);
            text.push('\n');
            text.push_str(&lines(&name, &heading, &rows));
        }
        if let Some(import) = self.imported() {
            text.push_str(&format!("\n{import}\n"));
        }
        for what in &self.not_measured {
            text.push_str(&format!("\nnot measured: {what}\n"));
        }
        text
    }

    /// The machine and its disk, in a sentence or two.
    pub(super) fn about(&self) -> String {
        let machine = &self.machine;
        format!(
            "Bethink {}, {}: {}, {} cores, {} MiB, {}, {}. Appending 1 KiB and waiting for the disk: p50 {}, p99 {} ms.",
            self.program,
            self.day,
            machine.processor,
            machine.cores,
            machine.memory_mib,
            machine.system,
            machine.file_system,
            ms(self.append.p50_ms),
            ms(self.append.p99_ms),
        )
    }

    /// Rows of which at least one size tells something.
    pub(super) fn rows(&self) -> Vec<Row> {
        let told = |(label, cell): &Told| Row {
            label: (*label).to_owned(),
            cells: self.sizes.iter().map(cell).collect(),
        };
        ROWS.iter().map(told).filter(|row| row.cells.iter().any(Option::is_some)).collect()
    }

    /// Other ways that were measured, by name.
    pub(super) fn others(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for other in self.sizes.iter().flat_map(|size| &size.others) {
            if !names.contains(&other.name) {
                names.push(other.name.clone());
            }
        }
        names
    }

    /// Sizes at which another way was measured, and rows of it.
    pub(super) fn other_rows(&self, name: &str) -> (Vec<String>, Vec<Row>) {
        let of = |size: &SizeFigures| size.others.iter().find(|other| other.name == name).cloned();
        let there: Vec<(usize, OtherFigures)> =
            self.sizes.iter().filter_map(|size| Some((size.traces, of(size)?))).collect();
        let heading = there.iter().map(|(traces, _)| count(*traces)).collect();
        let row = |(label, cell): &OtherTold| Row {
            label: (*label).to_owned(),
            cells: there.iter().map(|(traces, other)| cell(*traces, other)).collect(),
        };
        let rows: Vec<Row> =
            OTHER_ROWS.iter().map(row).filter(|row| row.cells.iter().any(Option::is_some)).collect();
        (heading, rows)
    }

    /// What an import was like, in a sentence.
    pub(super) fn imported(&self) -> Option<String> {
        let import = self.import?;
        let cores = import.cores.map(|cores| format!(", {cores:.2} cores busy")).unwrap_or_default();
        Some(format!(
            "Importing {} statements with the configured embedder: {:.1} s, {:.0} a second; the model was at work for \
             {:.1} % of the time{cores}.",
            count(import.statements),
            import.seconds,
            import.statements as f64 / import.seconds.max(f64::MIN_POSITIVE),
            import.embedding_share * 100.0,
        ))
    }
}

type Told = (&'static str, fn(&SizeFigures) -> Option<String>);

const ROWS: &[Told] = &[
    ("recall, p50 / p99 ms", |s| s.recall.map(|r| pair(&r.times))),
    ("  an idle loop as long, p99 ms", |s| s.recall.map(|r| ms(r.idle.p99_ms))),
    ("  of the ten nearest, found", |s| s.recall.map(|r| format!("{:.3}", r.recall_at_10))),
    ("  the right one first", |s| s.recall.map(|r| format!("{:.3}", r.first))),
    ("recall beside a writer, p50 / p99 ms", |s| s.busy_recall.map(|r| pair(&r.times))),
    ("  statements a second meanwhile", |s| s.busy_recall.map(|r| whole(r.statements_per_second))),
    ("a durable statement, p50 / p99 ms", |s| s.remember.map(|r| pair(&r.one))),
    ("  a plain append in turn with it", |s| s.remember.map(|r| pair(&r.append))),
    ("  appends in one statement, p50", |s| s.remember.map(|r| format!("{:.2}", r.appends_per_statement()))),
    ("  64 clients, statements a second", |s| s.remember.map(|r| whole(r.statements_per_second))),
    ("  KiB written for a statement", |s| {
        let one = s.remember?.bytes_per_statement?;
        Some(kib(one))
    }),
    ("  the same with 64 clients", |s| s.remember?.shared_bytes_per_statement.map(kib)),
    ("  bytes written in an idle hour", |s| s.remember?.idle_hour_bytes.map(|bytes| bytes.to_string())),
    ("  KiB written by falling asleep", |s| s.remember?.sleep_bytes.map(|bytes| kib(bytes as f64))),
    ("a whole turn, p50 / p99 ms", |s| s.turn.map(|t| pair(&t.times))),
    ("  KiB written for a turn", |s| s.turn?.bytes_per_turn.map(kib)),
    ("asleep to first answer, p50 / p99 ms", |s| s.wake.map(|times| pair(&times))),
    ("resident bytes a memory", |s| {
        let memory = s.memory?;
        Some(whole(memory.awake.saturating_sub(memory.before) as f64 / s.traces as f64))
    }),
    ("  the most that the process had, MiB", |s| s.memory.map(|m| whole(m.peak as f64 / 1_048_576.0))),
    ("file, bytes a memory", |s| s.file.map(|f| whole(f.bytes as f64 / s.traces as f64))),
    ("  file against keys and values", |s| {
        s.file.map(|f| format!("{:.2}", f.bytes as f64 / f.payload.max(1) as f64))
    }),
    ("  made in seconds, 1,000 a commit", |s| s.file?.built_seconds.map(|seconds| format!("{seconds:.1}"))),
];

type OtherTold = (&'static str, fn(usize, &OtherFigures) -> Option<String>);

const OTHER_ROWS: &[OtherTold] = &[
    ("recall, p50 / p99 ms", |_, o| Some(pair(&o.recall))),
    ("  of the ten nearest, found", |_, o| Some(format!("{:.3}", o.recall_at_10))),
    ("  the right one first", |_, o| Some(format!("{:.3}", o.first))),
    ("a durable statement, p50 / p99 ms", |_, o| o.one.map(|times| pair(&times))),
    ("  64 clients, statements a second", |_, o| o.statements_per_second.map(whole)),
    ("start to first answer, ms", |_, o| Some(ms(o.open_ms))),
    ("resident bytes a memory", |n, o| Some(whole(o.resident as f64 / n as f64))),
    ("files, bytes a memory", |n, o| o.file.map(|bytes| whole(bytes as f64 / n as f64))),
];

/// Width of labels and of cells.
const WIDTHS: (usize, usize) = (40, 18);

fn lines(title: &str, heading: &[String], rows: &[Row]) -> String {
    let (label, cell) = WIDTHS;
    let mut text = format!("{title:label$}");
    heading.iter().for_each(|name| text.push_str(&format!("{name:>cell$}")));
    text.push('\n');
    for row in rows {
        text.push_str(&format!("{:label$}", row.label));
        row.cells
            .iter()
            .for_each(|told| text.push_str(&format!("{:>cell$}", told.as_deref().unwrap_or("-"))));
        text.push('\n');
    }
    text
}

fn pair(times: &Times) -> String {
    format!("{} / {}", ms(times.p50_ms), ms(times.p99_ms))
}

/// Three figures are more than any of them deserves.
fn ms(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn whole(value: f64) -> String {
    count(value.round().max(0.0) as usize)
}

fn kib(bytes: f64) -> String {
    format!("{:.1}", bytes / 1_024.0)
}

/// A number with a comma after each three digits.
pub(super) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
