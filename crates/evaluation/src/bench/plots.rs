//! Latency, memory and writing against size, as SVG. A few lines on two logarithmic axes need no library.

use super::figures::{BenchReport, OtherFigures, SizeFigures};
use super::report::count;

/// Size of a picture and of the space around the lines in it, in pixels: left, right, top, bottom.
const SIZE: (f64, f64) = (640.0, 400.0);
const MARGINS: (f64, f64, f64, f64) = (70.0, 190.0, 40.0, 50.0);
/// Colours that people who see few colours tell apart (Okabe and Ito 2008).
const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// A line: its name, and pairs of size and value.
struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
}

/// Pictures of which there is something to draw: file name without ending, title, SVG.
#[must_use]
pub fn plots(report: &BenchReport) -> Vec<(&'static str, &'static str, String)> {
    let latency = with_others(
        report,
        vec![
            ours(report, "Bethink, p50", |s| s.recall.map(|r| r.times.p50_ms)),
            ours(report, "Bethink, p99", |s| s.recall.map(|r| r.times.p99_ms)),
            ours(report, "Bethink, writing, p99", |s| s.busy_recall.map(|r| r.times.p99_ms)),
        ],
        |other, _| Some(other.recall.p50_ms),
    );
    let wake = with_others(
        report,
        vec![ours(report, "Bethink, p50", |s| s.wake.map(|times| times.p50_ms))],
        |other, _| Some(other.open_ms),
    );
    let memory = with_others(
        report,
        vec![ours(report, "Bethink", |s| {
            let memory = s.memory?;
            Some(memory.awake.saturating_sub(memory.before) as f64 / 1_048_576.0)
        })],
        |other, _| Some(other.resident as f64 / 1_048_576.0),
    );
    let writing = with_others(
        report,
        vec![
            ours(report, "Bethink, p50", |s| s.remember.map(|r| r.one.p50_ms)),
            ours(report, "a plain append, p50", |s| s.remember.map(|r| r.append.p50_ms)),
            ours(report, "a whole turn, p50", |s| s.turn.map(|t| t.times.p50_ms)),
        ],
        |other, _| other.one.map(|times| times.p50_ms),
    );
    let drawn = [
        ("recall", "Recall, milliseconds", latency),
        ("wake", "From asleep to the first answer, milliseconds", wake),
        ("memory", "Resident memory of one space, MiB", memory),
        ("remember", "A durable statement, milliseconds", writing),
    ];
    let worth = drawn.into_iter().filter(|(_, _, curves)| curves.iter().any(|curve| curve.points.len() > 1));
    worth.map(|(name, title, curves)| (name, title, draw(title, &curves))).collect()
}

fn ours(report: &BenchReport, name: &str, value: fn(&SizeFigures) -> Option<f64>) -> Curve {
    let point = |size: &SizeFigures| Some((size.traces as f64, value(size)?));
    Curve { name: name.to_owned(), points: report.sizes.iter().filter_map(point).collect() }
}

fn with_others(
    report: &BenchReport,
    mut curves: Vec<Curve>,
    value: fn(&OtherFigures, usize) -> Option<f64>,
) -> Vec<Curve> {
    for name in report.others() {
        let point = |size: &SizeFigures| {
            let other = size.others.iter().find(|other| other.name == name)?;
            Some((size.traces as f64, value(other, size.traces)?))
        };
        let points = report.sizes.iter().filter_map(point).collect();
        curves.push(Curve { name, points });
    }
    curves.retain(|curve| !curve.points.is_empty());
    curves
}

/// A logarithmic axis over whole decades.
struct Axis {
    from: f64,
    to: f64,
    at: (f64, f64),
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, at: (f64, f64)) -> Self {
        let logs: Vec<f64> = values.filter(|value| *value > 0.0).map(f64::log10).collect();
        let from = logs.iter().fold(f64::INFINITY, |least, log| least.min(*log)).floor();
        let to = logs.iter().fold(f64::NEG_INFINITY, |most, log| most.max(*log)).ceil();
        if from.is_finite() && to > from { Self { from, to, at } } else { Self { from: 0.0, to: 1.0, at } }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.max(f64::MIN_POSITIVE).log10() - self.from) / (self.to - self.from);
        self.at.0 + share.clamp(0.0, 1.0) * (self.at.1 - self.at.0)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.from as i32..=self.to as i32).map(|decade| 10f64.powi(decade))
    }
}

fn draw(title: &str, curves: &[Curve]) -> String {
    let ((width, height), (left, right, top, bottom)) = (SIZE, MARGINS);
    let points = || curves.iter().flat_map(|curve| curve.points.iter());
    let across = Axis::over(points().map(|(x, _)| *x), (left, width - right));
    let up = Axis::over(points().map(|(_, y)| *y), (height - bottom, top));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{left}\" y=\"24\" font-size=\"15\">{title}</text>\n"
    );
    let mut put = |text: std::fmt::Arguments<'_>| crate::report::put(&mut svg, text);
    for value in across.decades() {
        let (x, y) = (across.place(value), height - bottom);
        put(format_args!("<path d=\"M{x:.1} {top}V{y}\" stroke=\"#ddd\"/>\n"));
        put(format_args!(
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            y + 18.0,
            count(value as usize)
        ));
    }
    for value in up.decades() {
        let (x, y) = (width - right, up.place(value));
        put(format_args!("<path d=\"M{left} {y:.1}H{x}\" stroke=\"#ddd\"/>\n"));
        let (x, y) = (left - 8.0, y + 4.0);
        put(format_args!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{value}</text>\n"));
    }
    let middle = (left + width - right) / 2.0;
    put(format_args!(
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">memories</text>\n",
        height - 12.0
    ));
    for (curve, number) in curves.iter().zip(0usize..) {
        let colour = COLOURS[number % COLOURS.len()];
        let places: Vec<String> = curve
            .points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", across.place(*x), up.place(*y)))
            .collect();
        put(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
            places.join(" ")
        ));
        for place in &places {
            let (x, y) = place.split_once(',').unwrap_or((place, "0"));
            put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>\n"));
        }
        let (x, y) = (width - right + 14.0, top + 20.0 * number as f64 + 10.0);
        put(format_args!(
            "<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\n",
            y - 9.0
        ));
        put(format_args!("<text x=\"{}\" y=\"{y}\">{}</text>\n", x + 16.0, escaped(&curve.name)));
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
