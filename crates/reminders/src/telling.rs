//! What is said of reminders: absolute times with their zone, in the user's way of writing them.

use bethink_domain::recurrence::{Frequency, Recurrence};
use bethink_domain::{DueReminder, Reminder, Stage, Timestamp, When};
use bethink_protocol::{Question, Told};
use jiff::ZonedDateTime;
use jiff::civil::Weekday;

use crate::transitions::{Zones, zone_of};

/// How the user writes times.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// The user's zone.
    pub(crate) zones: Zones,
    /// am and pm.
    pub(crate) twelve_hour: bool,
    /// Something stays in the background that tells reminders at their time.
    pub(crate) stays: bool,
}

impl Manner {
    /// A time, absolutely: `Wednesday 2 December 2026 at 09:00 (Europe/Oslo)`.
    pub(crate) fn time(&self, at: Timestamp) -> String {
        self.time_in(at, &self.zones)
    }

    fn time_in(&self, at: Timestamp, zones: &Zones) -> String {
        match jiff::Timestamp::from_millisecond(at.as_millis()) {
            Ok(instant) => self.zoned(&instant.to_zoned_datetime(zones.at(at).clone())),
            Err(_) => "a time beyond the calendar".to_owned(),
        }
    }

    fn zoned(&self, time: &ZonedDateTime) -> String {
        let clock = if self.twelve_hour { "%-I:%M %P" } else { "%H:%M" };
        let seconds = if time.second() == 0 || self.twelve_hour { "" } else { ":%S" };
        time.strftime(&format!("%A %-d %B %Y at {clock}{seconds} (%Q)")).to_string()
    }

    /// When a reminder comes, as far as that is known.
    pub(crate) fn when(&self, reminder: &Reminder) -> String {
        let trigger = &reminder.trigger;
        let mut parts = Vec::new();
        if let Some(event) = &trigger.event {
            parts.push(format!("when “{event}” is raised"));
        }
        if let Some(context) = &trigger.context {
            parts.push(format!("when we talk about “{context}”"));
        }
        let zone = match &trigger.when {
            Some(When::Wall(wall)) => zone_of(wall, &self.zones),
            _ => self.zones.clone(),
        };
        if let Some(at) = reminder.due_at {
            let time = self.time_in(at, &zone);
            parts.push(if parts.is_empty() { time } else { format!("not before {time}") });
        }
        if let Some(rule) = trigger.rule() {
            parts.push(format!("and {}", rule_words(rule, self.twelve_hour)));
        }
        parts.join(", ")
    }

    /// A reminder with what is said of it when it is kept.
    pub(crate) fn kept(&self, reminder: Reminder, known: bool) -> Told {
        let when = self.when(&reminder);
        let already = if known { "I already have that: " } else { "" };
        let mut said = format!("{already}I'll remind you: “{}”, {when}.", reminder.text);
        if reminder.trigger.by_time_alone() && !self.stays {
            said.push_str(
                " That is if Bethink is running then (`bethink serve` keeps it running), else when you next open it.",
            );
        }
        Told { reminder, when, said, known }
    }

    /// A reminder as it stands, for lists.
    pub(crate) fn listed(&self, reminder: Reminder) -> Told {
        let when = self.when(&reminder);
        let state = match reminder.stage {
            Stage::Open if reminder.held => " (held back)".to_owned(),
            Stage::Open => String::new(),
            closed => format!(" ({})", closed.name()),
        };
        let said = format!("{}: “{}”, {when}{state}", reminder.id, reminder.text);
        Told { reminder, when, said, known: true }
    }

    /// A reminder that something was done with.
    pub(crate) fn changed(&self, reminder: Reminder, deed: &str) -> Told {
        let when = self.when(&reminder);
        let said = match reminder.stage {
            Stage::Open => format!("{deed}: “{}”, {when}.", reminder.text),
            _ => format!("{deed}: “{}”.", reminder.text),
        };
        Told { reminder, when, said, known: true }
    }

    /// What is shown when a reminder is due.
    pub(crate) fn due(&self, due: &DueReminder) -> String {
        self.time(due.due_at)
    }
}

/// A question, without readings to choose from.
pub(crate) fn question(kind: &'static str, said: impl Into<String>) -> Question {
    Question { kind, said: said.into(), options: Vec::new() }
}

/// A rule in words: "every month on the last Friday at 09:00".
pub(crate) fn rule_words(rule: &Recurrence, twelve_hour: bool) -> String {
    let unit = match rule.frequency {
        Frequency::Secondly => "second",
        Frequency::Minutely => "minute",
        Frequency::Hourly => "hour",
        Frequency::Daily => "day",
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
        Frequency::Yearly => "year",
    };
    let mut words = match rule.interval {
        0 | 1 => format!("every {unit}"),
        2 => format!("every other {unit}"),
        several => format!("every {several} {unit}s"),
    };
    let mut add = |lead: &str, list: Vec<String>| {
        if !list.is_empty() {
            words.push_str(lead);
            words.push_str(&listed(&list));
        }
    };
    let name = |day: Weekday| DAYS[usize::from(day.to_monday_zero_offset().unsigned_abs()) % 7].to_owned();
    let day = |(nth, day): &(Option<i8>, Weekday)| match nth {
        None => name(*day),
        Some(nth) => format!("the {} {}", counted(i16::from(*nth)), name(*day)),
    };
    add(" on ", rule.days.iter().map(day).collect());
    add(" on the ", rule.month_days.iter().map(|day| counted(i16::from(*day))).collect());
    add(" on day ", rule.year_days.iter().map(ToString::to_string).collect());
    add(" in week ", rule.weeks.iter().map(ToString::to_string).collect());
    let month = |month: &i8| MONTHS[usize::from(month.unsigned_abs().saturating_sub(1)) % 12].to_owned();
    add(" in ", rule.months.iter().map(month).collect());
    let clock = if twelve_hour { "%-I:%M %P" } else { "%H:%M" };
    add(" at ", rule.times.iter().map(|time| time.strftime(clock).to_string()).collect());
    if let Some(count) = rule.count {
        words.push_str(&format!(", {count} times"));
    }
    if let Some(until) = rule.until {
        words.push_str(&format!(", until {}", until.strftime("%-d %B %Y")));
    }
    words
}

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn counted(nth: i16) -> String {
    let ending = |n: i16| match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    match nth {
        -1 => "last".to_owned(),
        nth if nth < 0 => format!("{}{} last", -nth, ending(-nth)),
        nth => format!("{nth}{}", ending(nth)),
    }
}

fn listed(list: &[String]) -> String {
    match list {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_said_in_words() {
        for (rule, words) in [
            ("FREQ=DAILY", "every day"),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TH", "every other week on Thursday"),
            ("FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9", "every month on the last Friday at 09:00"),
            ("FREQ=MONTHLY;BYMONTHDAY=1,-2", "every month on the 1st and 2nd last"),
            ("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "every year on the 4th Thursday in November"),
            ("FREQ=MINUTELY;INTERVAL=15;COUNT=3", "every 15 minutes, 3 times"),
            (
                "FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20270601",
                "every week on Monday, Wednesday and Friday, until 1 June 2027",
            ),
        ] {
            assert_eq!(rule_words(&Recurrence::parse_rrule(rule).unwrap(), false), words);
        }
    }
}
