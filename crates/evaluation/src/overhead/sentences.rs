//! Sentences that a person might say of their life, from patterns and lists; the same in every run.

use std::collections::HashSet;

use bethink_clock::Entropy;
use bethink_domain::SpaceId;

use crate::stage::space_named;

const PEOPLE: &str = "Alma Bruno Celia Dario Edith Fabian Greta Hugo Ines Jonas Katja Leon Maren Nils Odette Pavel \
    Quirin Rosa Selma Tarek Ulla Viktor Wanda Xenia Yusuf Zoe Amina Boris Carla Dmitri Elena Farid Gloria Henrik Ilse Jasper \
    Kiran Lotte Matteo Noor Otto Petra Rafael Signe Tomasz Ursula Valentin Wilma";
const KIN: &str = "sister brother aunt uncle cousin nephew niece neighbour dentist landlord boss colleague teacher \
    doctor plumber accountant flatmate godmother";
const THINGS: &str = "umbrella passport drill tent violin kettle suitcase ladder camera microscope raincoat bicycle \
    lantern notebook telescope wrench teapot blanket charger compass thermos scarf printer vase hammer globe toaster \
    skateboard helmet kayak lamp rucksack guitar mirror basket heater sledge hammock stapler magnifier barometer \
    sewing-machine corkscrew tripod snorkel chessboard accordion wheelbarrow trampoline birdhouse";
const PLACES: &str = "attic cellar garage shed kitchen balcony hallway pantry study laundry-room greenhouse workshop \
    library boathouse wardrobe conservatory loft porch caravan allotment office bathroom cloakroom barn";
const TOWNS: &str = "Ghent Turin Bergen Porto Leipzig Cork Malmo Nantes Gdansk Graz Utrecht Bilbao Tampere Brno Split \
    Aarhus Cardiff Lausanne Riga Seville Trieste Kyoto Quito Halifax Perth Montevideo Accra Hanoi Tbilisi Reykjavik";
const DAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday";
const MONTHS: &str = "January February March April May June July August September October November December";
const FOODS: &str = "lentils pancakes gooseberries trout polenta rhubarb couscous olives walnuts parsnips dumplings \
    marzipan halloumi sardines beetroot kimchi apricots chestnuts risotto porridge fennel mangoes pickles sourdough";
const PURSUITS: &str = "pottery fencing choir carpentry chess sailing origami climbing beekeeping judo calligraphy \
    astronomy knitting archery ballet rowing badminton birdwatching photography gardening curling juggling";
const TOPICS: &str = "photosynthesis tides inflation magnetism glaciers vaccines democracy printing gravity comets \
    sonnets fermentation volcanoes rainbows algebra earthquakes insulin batteries satellites cubism";
const COLOURS: &str = "red blue green yellow purple orange grey white black turquoise";

/// Names in braces stand for a word of the list; `{number}` for 2 to 99.
const TOLD: [&str; 32] = [
    "The {colour} {thing} is in the {place} behind the {thing}.",
    "My {kin} {person} lives in {town} and loves {food}.",
    "{person} and {person} are coming to dinner on {day}, and I will make {food}.",
    "I lent the {thing} to {person} in {month}.",
    "My {kin} started {pursuit} in {town} last {month}.",
    "I have an appointment with my {kin} on {day} the {number}th of {month}.",
    "{person} is allergic to {food} but not to {food}.",
    "We are flying to {town} in {month} with {person}.",
    "The spare key of the {place} hangs beside the {colour} {thing}.",
    "My {kin} paid {number} euros for a {thing} in {town}.",
    "Every {day} I do {pursuit} with {person} in the {place}.",
    "{person} turns {number} in {month} and wants a {thing}.",
    "I sold the {colour} {thing} to my {kin} for {number} euros.",
    "The {thing} broke on {day} while {person} was in the {place}.",
    "I can't stand {food}, but {person} eats {food} every {day}.",
    "My {kin} moved from {town} to {town} in {month}.",
    "{person} works in {town} and commutes {number} kilometres by {colour} van.",
    "The code of the {place} in {town} is written inside the {thing}.",
    "I keep {food} and {food} in the {place} for {person}.",
    "On {day} {person} teaches {pursuit} to {number} children.",
    "I met {person} at a {pursuit} class in {town}.",
    "My {kin} is afraid of flying, so {person} drives to {town}.",
    "The {place} needs {colour} paint before {person} visits in {month}.",
    "I promised {person} to repair the {thing} by {day}.",
    "{person} gave my {kin} a {colour} {thing} in {month}.",
    "Our street in {town} has {number} houses, and {person} owns the {colour} one.",
    "I gave up {pursuit} in {month} because of my knee, {person} did not.",
    "The train to {town} leaves at {number} past seven on {day}.",
    "My {kin} left {number} boxes with {food} in the {place}.",
    "{person} swapped the {thing} for a {thing} in {town}.",
    "I prefer {food} to {food} since {month}.",
    "My {pursuit} club meets in the {place} of {person} on {day}.",
];

const ASKED: [&str; 20] = [
    "Where did I put the {colour} {thing}?",
    "Who has my {thing}?",
    "When is {person} coming with the {thing}?",
    "What is {person} allergic to?",
    "Where does my {kin} live these days?",
    "How old is {person} going to be in {month}?",
    "What did I tell you about {person} and {town}?",
    "Which day do I do {pursuit} with {person}?",
    "Do you remember what I keep in the {place}?",
    "When are we going to {town}?",
    "How much did the {thing} cost?",
    "Who teaches {pursuit} on {day}?",
    "What is written inside the {thing} in {town}?",
    "Should I give {person} a {thing} or {food}? Compare the two.",
    "What are the pros and cons of moving to {town}?",
    "What is the capital of the country where {town} lies?",
    "How do {topic} work, in {number} words?",
    "Can you explain {topic} and {topic}?",
    "I bought {number} jars of {food} for my {kin} on {day}.",
    "Thanks, and where is {person} at the moment?",
];

/// So many statements, each different from all others.
pub(crate) fn statements(count: usize) -> Vec<String> {
    let mut known = HashSet::new();
    let mut all = Vec::with_capacity(count);
    let told = Sentences::new("told", &TOLD);
    // The patterns allow for millions, so that a new one is always near.
    for number in 0.. {
        if all.len() == count {
            break;
        }
        let sentence = told.sentence(number);
        if known.insert(sentence.clone()) {
            all.push(sentence);
        }
    }
    all
}

/// So many messages: questions about what [`statements`] tell, general ones, a few statements.
pub(crate) fn messages(count: usize) -> Vec<String> {
    let asked = Sentences::new("asked", &ASKED);
    (0..count as u64).map(|number| asked.sentence(number)).collect()
}

struct Sentences {
    chance: Entropy,
    space: SpaceId,
    name: &'static str,
    patterns: &'static [&'static str],
}

impl Sentences {
    fn new(name: &'static str, patterns: &'static [&'static str]) -> Self {
        Self { chance: Entropy::seeded(17), space: space_named("sentences"), name, patterns }
    }

    fn sentence(&self, number: u64) -> String {
        let mut draws = 0;
        let mut draw = |below: usize| {
            draws += 1;
            (self.chance.draw(&self.space, self.name, number, draws) % below as u64) as usize
        };
        let mut rest = self.patterns[draw(self.patterns.len())];
        let mut sentence = String::new();
        while let Some((before, slot, after)) = next_slot(rest) {
            sentence.push_str(before);
            match words(slot) {
                Some(words) => sentence.push_str(words[draw(words.len())]),
                None => sentence.push_str(&(2 + draw(98)).to_string()),
            }
            rest = after;
        }
        sentence.push_str(rest);
        sentence
    }
}

/// What is before the first slot of a pattern, the slot's name, and what is after.
fn next_slot(pattern: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = pattern.split_once('{')?;
    let (slot, after) = rest.split_once('}')?;
    Some((before, slot, after))
}

/// The list of a slot; none for a number.
fn words(slot: &str) -> Option<Vec<&'static str>> {
    let list = match slot {
        "person" => PEOPLE,
        "kin" => KIN,
        "thing" => THINGS,
        "place" => PLACES,
        "town" => TOWNS,
        "day" => DAYS,
        "month" => MONTHS,
        "food" => FOODS,
        "pursuit" => PURSUITS,
        "topic" => TOPICS,
        "colour" => COLOURS,
        _ => return None,
    };
    Some(list.split_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{ASKED, TOLD, messages, next_slot, statements, words};

    #[test]
    fn statements_are_all_different_and_the_same_in_every_run() {
        let all = statements(10_000);
        let distinct: HashSet<&String> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (10_000, 10_000));
        assert_eq!(all[..50], statements(50));
        assert!(all.iter().chain(&messages(500)).all(|sentence| !sentence.contains(['{', '}', '_'])));
    }

    #[test]
    fn every_slot_has_a_list() {
        for pattern in TOLD.iter().chain(&ASKED) {
            let mut rest = *pattern;
            while let Some((_, slot, after)) = next_slot(rest) {
                assert!(slot == "number" || words(slot).is_some(), "{slot} in {pattern}");
                rest = after;
            }
        }
    }
}
