//! Times of day: "8:30 pm", "half past eight", "noon", "0630".

use jiff::civil;

use super::lexicon::{Sense, sense};
use super::number::whole;
use super::token::{Kind, Token};

/// A time of day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) second: i8,
    /// Which half of the day is known: it was said, or the hour tells.
    pub(super) certain: bool,
}

/// A time that can't be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Impossible;

impl Clock {
    fn new(hour: i64, minute: i64, second: i64, meridiem: Option<bool>) -> Result<Self, Impossible> {
        let hour = match meridiem {
            Some(afternoon) if (1..=12).contains(&hour) => hour % 12 + if afternoon { 12 } else { 0 },
            // "15 pm" is 15:00; "15 am" and "0 pm" are nothing.
            Some(true) if (13..24).contains(&hour) => hour,
            Some(false) if hour == 0 => 0,
            Some(_) => return Err(Impossible),
            None if hour < 24 => hour,
            None => return Err(Impossible),
        };
        let small = |value: i64| i8::try_from(value).ok().filter(|value| (0..60).contains(value));
        let certain = meridiem.is_some() || hour == 0 || hour > 12;
        let (Some(minute), Some(second), Ok(hour)) = (small(minute), small(second), i8::try_from(hour))
        else {
            return Err(Impossible);
        };
        Ok(Self { hour, minute, second, certain })
    }

    pub(super) fn time(self) -> civil::Time {
        civil::Time::new(self.hour, self.minute, self.second, 0).unwrap_or(civil::Time::MIN)
    }

    /// The same in the other half of the day.
    pub(super) fn twelve_later(self) -> Self {
        Self { hour: (self.hour + 12) % 24, certain: true, ..self }
    }
}

type Read = Option<(Result<Clock, Impossible>, usize)>;

/// Reads a time of day. After "at" (`led`) a bare hour is one, and so are four digits.
pub(super) fn clock(tokens: &[Token], at: usize, led: bool) -> Read {
    let token = tokens.get(at)?;
    if token.kind == Kind::Word && sense(&token.text, Sense::Part) == Some(1) {
        return Some((Clock::new(12, 0, 0, Some(true)), at + 1));
    }
    past_or_to(tokens, at).or_else(|| digits(tokens, at, led)).or_else(|| in_words(tokens, at, led))
}

fn meridiem(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    let token = tokens.get(at)?;
    let glued = token.glued;
    match token.text.as_str() {
        "am" => Some((false, at + 1)),
        "pm" => Some((true, at + 1)),
        "a" if glued => Some((false, at + 1)),
        "p" if glued => Some((true, at + 1)),
        _ => None,
    }
}

/// "half past eight", "a quarter to nine", "20 min past eight", "ten to six".
fn past_or_to(tokens: &[Token], at: usize) -> Read {
    let article = usize::from(tokens.get(at).is_some_and(|t| t.is("a")));
    let (minutes, mut next) = if tokens.get(at).is_some_and(|t| t.is("half")) {
        (30, at + 1)
    } else if tokens.get(at + article).is_some_and(|t| t.is("quarter")) {
        (15, at + article + 1)
    } else {
        whole(tokens, at).filter(|(minutes, _)| (1..60).contains(minutes))?
    };
    if tokens.get(next).is_some_and(|t| sense(&t.text, Sense::Second) == Some(60)) {
        next += 1;
    }
    let past = match tokens.get(next)?.text.as_str() {
        "past" | "after" => true,
        "to" | "til" | "till" | "before" => false,
        _ => return None,
    };
    let (hour, mut after) = hour_alone(tokens, next + 1)?;
    let half = meridiem(tokens, after);
    if let Some((_, end)) = half {
        after = end;
    }
    let said = Clock::new(hour, 0, 0, half.map(|(half, _)| half));
    let shifted = said.map(|said| {
        let sum = i64::from(said.hour) * 60 + if past { minutes } else { -minutes };
        let sum = sum.rem_euclid(24 * 60);
        Clock {
            hour: i8::try_from(sum / 60).unwrap_or(0),
            minute: i8::try_from(sum % 60).unwrap_or(0),
            ..said
        }
    });
    Some((shifted, after))
}

fn hour_alone(tokens: &[Token], at: usize) -> Option<(i64, usize)> {
    let token = tokens.get(at)?;
    if token.kind == Kind::Word && sense(&token.text, Sense::Part) == Some(1) {
        return Some((12, at + 1));
    }
    if token.is("midnight") {
        return Some((0, at + 1));
    }
    if token.is("a") || token.is("an") {
        return None;
    }
    whole(tokens, at)
        .filter(|(hour, next)| (0..=24).contains(hour) && super::length::unit(tokens, *next).is_none())
}

fn digits(tokens: &[Token], at: usize, led: bool) -> Read {
    let token = tokens.get(at)?;
    let value = token.number()?;
    let minutes = |sep: char| {
        let colon = tokens.get(at + 1).filter(|t| t.sign(sep) && t.glued)?;
        let minute = tokens.get(at + 2).filter(|t| t.glued && t.text.len() == 2)?;
        let _ = colon;
        minute.number()
    };
    if let Some(minute) = minutes(':') {
        let mut next = at + 3;
        let seconds = tokens.get(next).filter(|t| t.sign(':') && t.glued).and(tokens.get(next + 1));
        let second = seconds.filter(|t| t.glued && t.text.len() == 2).and_then(Token::number);
        if second.is_some() {
            next += 2;
            // Fractions of seconds are more than a clock shows.
            let fraction = tokens.get(next).is_some_and(|t| t.sign('.') && t.glued);
            if fraction && tokens.get(next + 1).is_some_and(|t| t.glued && t.number().is_some()) {
                next += 2;
            }
        }
        return Some(finish(
            tokens,
            (value, minute, second.unwrap_or(0)),
            next,
            token.text.len() == 2 && value < 10,
        ));
    }
    if let Some(minute) = minutes('.') {
        let half = meridiem(tokens, at + 3);
        let date = tokens.get(at + 3).is_some_and(|t| t.sign('.') && t.glued);
        if (half.is_some() || led) && !date && value < 24 {
            return Some(finish(tokens, (value, minute, 0), at + 3, false));
        }
    }
    // "7h30" and "18h"
    if let Some(hours) = tokens.get(at + 1).filter(|t| t.is("h") && t.glued)
        && let Some(minute) =
            tokens.get(at + 2).filter(|t| t.glued && t.text.len() == 2).and_then(Token::number)
    {
        let _ = hours;
        return Some(finish(tokens, (value, minute, 0), at + 3, false));
    }
    if token.text.len() >= 3 && token.text.len() <= 4 {
        let four = token.text.len() == 4;
        let half = meridiem(tokens, at + 1);
        if (led || half.is_some()) && super::length::unit(tokens, at + 1).is_none_or(|_| half.is_some()) {
            return Some(finish(tokens, (value / 100, value % 100, 0), at + 1, four));
        }
        return None;
    }
    if meridiem(tokens, at + 1).is_some() {
        return Some(finish(tokens, (value, 0, 0), at + 1, false));
    }
    if tokens.get(at + 1).is_some_and(|t| t.is("oclock")) {
        return Some(finish(tokens, (value, 0, 0), at + 2, false));
    }
    let unit = super::length::unit(tokens, at + 1).is_some();
    (led && !unit && (0..=24).contains(&value)).then(|| finish(tokens, (value, 0, 0), at + 1, false))
}

fn finish(
    tokens: &[Token],
    (hour, minute, second): (i64, i64, i64),
    next: usize,
    padded: bool,
) -> (Result<Clock, Impossible>, usize) {
    let half = meridiem(tokens, next);
    let next = half.map_or(next, |(_, next)| next);
    let clock = Clock::new(hour, minute, second, half.map(|(half, _)| half));
    // "06:30" and "0630" are of a clock with 24 hours.
    let clock = clock.map(|clock| Clock { certain: clock.certain || padded, ..clock });
    (clock, next)
}

/// "seven twenty-seven", "nine thirty", "six pm", "eight o'clock".
fn in_words(tokens: &[Token], at: usize, led: bool) -> Read {
    let token = tokens.get(at).filter(|t| t.kind == Kind::Word && !t.is("a") && !t.is("an"))?;
    let hour = sense(&token.text, Sense::Number).filter(|hour| (1..=12).contains(hour))?;
    if ["few", "several", "couple"].contains(&token.text.as_str()) {
        return None;
    }
    let next = at + 1;
    if tokens.get(next).is_some_and(|t| t.is("oclock")) {
        return Some(finish(tokens, (hour, 0, 0), next + 1, false));
    }
    let zero = tokens.get(next).is_some_and(|t| t.is("oh") || t.is("o"));
    let from = next + usize::from(zero);
    let minute = whole(tokens, from).filter(|(minute, end)| {
        let fits = if zero { (1..10).contains(minute) } else { (10..60).contains(minute) };
        let word = tokens[from].kind == Kind::Word;
        fits && word && super::length::unit(tokens, *end).is_none()
    });
    if let Some((minute, end)) = minute {
        return Some(finish(tokens, (hour, minute, 0), end, false));
    }
    if meridiem(tokens, next).is_some() {
        return Some(finish(tokens, (hour, 0, 0), next, false));
    }
    let unit = super::length::unit(tokens, next).is_some();
    (led && !unit).then(|| finish(tokens, (hour, 0, 0), next, false))
}
