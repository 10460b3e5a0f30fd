//! Made-up statements, questions and vectors: the same for the same number, in every program.
//!
//! This file needs nothing but the standard library, since programs that are measured beside Bethink include it.
//!
//! Words follow Zipf's law over a vocabulary of common nouns and a long tail of names; sentences are as long as what
//! people say of themselves. Vectors lie in [`CLUSTERS`] groups of skewed sizes, in [`LATENT`] dimensions of
//! [`DIMENSIONS`], and have length 1: as hard for an index as those of sentences, and free.

/// Components of a vector, as those of the embedded model.
pub(super) const DIMENSIONS: usize = 384;
/// Dimensions in which vectors really differ.
pub(super) const LATENT: usize = 32;
/// Groups of vectors; the largest holds some hundred times as many as the smallest.
pub(super) const CLUSTERS: u64 = 512;
/// Length of what is a vector's own, relative to what it shares with its group.
const SPREAD: f32 = 0.7;
/// Length of what sets a question apart from the statement that it is about.
const ASKED: f32 = 0.4;

/// Questions whose nearest statements are known.
pub(super) const KNOWN: usize = 100;
/// Of each, so many.
pub(super) const NEAREST: usize = 10;

/// The number of the statement that the k-th question is about, of so many statements: spread over all of them.
#[must_use]
pub(super) fn asked(k: usize, statements: usize) -> u64 {
    (k as u64).wrapping_mul(7_919 * 13) % statements.max(1) as u64
}

/// Makes them.
pub(super) struct Maker {
    /// Latent dimension after latent dimension.
    directions: Vec<f32>,
    /// Cumulative shares of groups.
    groups: Vec<f64>,
    nouns: Vec<f64>,
    names: Vec<f64>,
}

impl Default for Maker {
    fn default() -> Self {
        Self::new()
    }
}

impl Maker {
    /// The only one there is: nothing about it can be chosen.
    #[must_use]
    pub(super) fn new() -> Self {
        let mut chance = Chance::of(1, 0);
        Self {
            directions: (0..LATENT * DIMENSIONS).map(|_| chance.normal()).collect(),
            groups: zipf(CLUSTERS as usize, 0.75),
            nouns: zipf(NOUNS.len(), 0.9),
            names: zipf(NAMES_MAX, 0.8),
        }
    }

    /// The n-th statement.
    #[must_use]
    pub(super) fn statement(&self, n: u64) -> String {
        let mut chance = Chance::of(2, n);
        let (said, _) = SAYINGS[chance.below(SAYINGS.len() as u64) as usize];
        self.fill(said, n)
    }

    /// A question about the n-th statement.
    #[must_use]
    pub(super) fn question(&self, n: u64) -> String {
        let mut chance = Chance::of(2, n);
        let (_, asked) = SAYINGS[chance.below(SAYINGS.len() as u64) as usize];
        self.fill(asked, n)
    }

    /// The n-th vector.
    #[must_use]
    pub(super) fn vector(&self, n: u64) -> Vec<f32> {
        self.outward(&self.latent(n))
    }

    /// The vector of a question about the n-th statement.
    #[must_use]
    pub(super) fn asking(&self, n: u64) -> Vec<f32> {
        let mut chance = Chance::of(4, n);
        let latent = self.latent(n).map(|value| value + ASKED * chance.normal());
        self.outward(&latent)
    }

    fn latent(&self, n: u64) -> [f32; LATENT] {
        let mut own = Chance::of(3, n);
        let group = pick(&self.groups, own.fraction()) as u64;
        let mut shared = Chance::of(5, group);
        std::array::from_fn(|_| shared.normal() + SPREAD * own.normal())
    }

    fn outward(&self, latent: &[f32; LATENT]) -> Vec<f32> {
        let mut vector = vec![0f32; DIMENSIONS];
        for (weight, direction) in latent.iter().zip(self.directions.chunks_exact(DIMENSIONS)) {
            for (value, part) in vector.iter_mut().zip(direction) {
                *value += weight * part;
            }
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }

    /// Fills the places of a pattern; a statement and its question are filled alike.
    fn fill(&self, pattern: &str, n: u64) -> String {
        let mut text = String::with_capacity(120);
        let mut parts = pattern.split('#');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let mut letters = part.chars();
            let slot = letters.next().unwrap_or('?');
            self.put(slot, n, &mut text);
            text.push_str(letters.as_str());
        }
        text
    }

    fn put(&self, slot: char, n: u64, text: &mut String) {
        let mut chance = Chance::of(slot.into(), n);
        let one = |chance: &mut Chance, list: &[&'static str]| list[chance.below(list.len() as u64) as usize];
        match slot {
            'P' | 'Q' => {
                text.push_str(one(&mut chance, FIRST_NAMES));
                text.push(' ');
                text.push_str(&surname(pick(&self.names, chance.fraction()) as u64));
            }
            'R' => text.push_str(one(&mut chance, RELATIONS)),
            'L' => text.push_str(&town(chance.below(TOWN_STARTS.len() as u64 * TOWN_ENDS.len() as u64))),
            'S' => {
                text.push_str(&surname(pick(&self.names, chance.fraction()) as u64));
                text.push(' ');
                text.push_str(one(&mut chance, WAYS));
            }
            'N' | 'M' => text.push_str(NOUNS[pick(&self.nouns, chance.fraction())]),
            'A' => text.push_str(one(&mut chance, ADJECTIVES)),
            'D' => {
                let (day, month) = (chance.below(28) + 1, one(&mut chance, MONTHS));
                text.push_str(&format!("{day} {month}"));
            }
            'Y' => text.push_str(&format!("{}", 1960 + chance.below(66))),
            'W' => text.push_str(one(&mut chance, WEEKDAYS)),
            'C' => text.push_str(&format!("{}", chance.below(990) + 10)),
            'H' => text.push_str(one(&mut chance, HOBBIES)),
            'J' => text.push_str(one(&mut chance, JOBS)),
            other => text.push(other),
        }
    }
}

/// Cumulative shares of ranks, the r-th weighing 1/(r+1)^s.
fn zipf(count: usize, s: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let mut shares: Vec<f64> = (1..=count)
        .map(|rank| {
            sum += (rank as f64).powf(-s);
            sum
        })
        .collect();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

fn pick(shares: &[f64], fraction: f64) -> usize {
    shares.partition_point(|share| *share < fraction).min(shares.len() - 1)
}

/// Surnames that there are.
const NAMES_MAX: usize = NAME_STARTS.len() * NAME_MIDDLES.len() * NAME_ENDS.len();

fn surname(number: u64) -> String {
    // A large step, so that frequent names are not all alike.
    let number = number.wrapping_mul(7_919) % NAMES_MAX as u64;
    let (starts, middles) = (NAME_STARTS.len() as u64, NAME_MIDDLES.len() as u64);
    let start = NAME_STARTS[(number % starts) as usize];
    let middle = NAME_MIDDLES[(number / starts % middles) as usize];
    let end = NAME_ENDS[(number / starts / middles) as usize];
    format!("{start}{middle}{end}")
}

fn town(number: u64) -> String {
    let starts = TOWN_STARTS.len() as u64;
    format!("{}{}", TOWN_STARTS[(number % starts) as usize], TOWN_ENDS[(number / starts) as usize])
}

/// Numbers that look drawn and are the same in every run (SplitMix64).
pub(super) struct Chance(u64);

impl Chance {
    /// A stream of its own for each kind and number.
    #[must_use]
    pub(super) fn of(kind: u64, number: u64) -> Self {
        Self(
            kind.wrapping_mul(0xD134_2543_DE82_EF95)
                ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                ^ 0x5851_F42D,
        )
    }

    /// 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// 0 to `bound`, without it.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound.max(1)
    }

    /// 0 to 1, without it.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normally distributed, mean 0 and variance 1 (Box and Muller 1958).
    pub(super) fn normal(&mut self) -> f32 {
        let (u, v) = (1.0 - self.fraction(), self.fraction());
        ((-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()) as f32
    }
}

/// Statements, and a question about each. `#` and a letter is a place: P, Q a person, R a relation, L a town, S a street,
/// N, M a thing, A what it is like, D a day, Y a year, W a weekday, C a number, H a pastime, J a trade.
const SAYINGS: &[(&str, &str)] = &[
    ("My #R #P lives at #C #S in #L.", "Where does my #R #P live?"),
    ("I lent the #A #N to #P on #D.", "Whom did I lend the #A #N?"),
    ("#P told me that the #N in #L broke down last #W.", "What did #P say about the #N?"),
    ("I keep the #N behind the #A #M in the house on #S.", "Where do I keep the #N?"),
    ("We are going to #L with #P on #D to look at a #A #N.", "What are we doing in #L with #P?"),
    ("My #R #P has taken up #H and practises every #W in #L.", "What does my #R #P practise?"),
    ("The #N from #L cost me #C pounds, and #P thought that was too much.", "What did the #N from #L cost?"),
    ("I was born in #L in #Y, next door to #P, who later became a #J.", "Where was I born, near #P?"),
    ("#P, our #J, can only come on #Ws, because of the #A #N at #C #S.", "When can #P, our #J, come?"),
    (
        "Remember that #P does not eat anything with #N, and that the #M must stay outside.",
        "What does #P not eat?",
    ),
    ("I promised #P to bring the #A #N and two #Ms to #L on #D.", "What did I promise #P?"),
    ("My #R works as a #J at a #N shop on #S in #L.", "Where does my #R work as a #J?"),
    (
        "When I was at school in #L, #P and I built a #A #N out of an old #M.",
        "What did #P and I build in #L?",
    ),
    (
        "The appointment with #P about the #N is on #D at #C #S.",
        "When is the appointment with #P about the #N?",
    ),
    ("I prefer the #A #N to the one that #P bought in #L.", "Which #N do I prefer to the one of #P?"),
    ("#P and #Q met in #L in #Y and have run a #N workshop on #S ever since.", "How did #P meet #Q?"),
    ("The key to the #N hangs next to the #A #M, #P has the spare one.", "Who has the spare key to the #N?"),
    ("On #D we had to leave #L early, since #P had lost the #N on #S.", "Why did we leave #L early?"),
    ("My #R gave me a #A #N for my birthday in #Y; it came from #P in #L.", "What did my #R give me in #Y?"),
    ("I have been doing #H with #P since #Y, mostly near #L.", "Since when have I been doing #H with #P?"),
    (
        "The #J on #S says the #N needs a new #M before #D, #P recommended him.",
        "What does the #N need before #D?",
    ),
    (
        "Our neighbour #P at #C #S has a #A #N that the children of #Q love.",
        "What does our neighbour #P have?",
    ),
    ("I can't stand #A #Ns, ever since #P dropped one on my foot in #L.", "What did #P drop on my foot?"),
    ("#P owes me #C pounds for the #N that we bought together in #L.", "How much does #P owe me for the #N?"),
];

const FIRST_NAMES: &[&str] = &[
    "Ada", "Amir", "Anna", "Arlo", "Astrid", "Bea", "Bruno", "Carla", "Cedric", "Clara", "Colin", "Dara",
    "Dina", "Edith", "Elif", "Emil", "Enid", "Erik", "Esme", "Farid", "Fiona", "Frida", "Gavin", "Greta",
    "Hana", "Hugo", "Ida", "Ines", "Ivan", "Jonas", "Juno", "Kemal", "Kira", "Lars", "Leila", "Lena",
    "Lotte", "Mabel", "Malik", "Mara", "Milo", "Nadia", "Nils", "Nora", "Olga", "Omar", "Oscar", "Paula",
    "Petra", "Quinn", "Rana", "Rhys", "Rosa", "Runa", "Selma", "Silas", "Tara", "Theo", "Tilda", "Uma",
    "Vera", "Viktor", "Wanda", "Yara", "Yusuf", "Zora",
];
const NAME_STARTS: &[&str] = &[
    "Ald", "Ash", "Bel", "Black", "Brad", "Bram", "Brook", "Cal", "Car", "Clay", "Col", "Cran", "Dar", "Den",
    "Dun", "Ed", "El", "Fair", "Fen", "Gar", "Glen", "Gran", "Hal", "Har", "Hart", "Haw", "Hol", "Kel",
    "Ken", "Kirk", "Lang", "Lin", "Mar", "Mel", "Nor", "Oak", "Pem", "Quar", "Rad", "Rav", "Ros", "Row",
    "Sel", "Shel", "Stan", "Thorn", "Wal", "War", "Whit", "Win",
];
const NAME_MIDDLES: &[&str] = &[
    "a", "be", "ber", "bo", "da", "der", "di", "e", "fer", "gan", "i", "la", "le", "ling", "ma", "mer", "na",
    "ning", "o", "ra", "ri", "ro", "sa", "ster", "ta", "ver",
];
const NAME_ENDS: &[&str] = &[
    "by", "dale", "den", "ford", "gate", "ham", "hurst", "ley", "low", "man", "more", "ney", "sby", "sen",
    "shaw", "son", "stead", "ston", "ter", "wick", "win", "wood", "worth", "yard",
];
const TOWN_STARTS: &[&str] = &[
    "Aber", "Alder", "Ample", "Barn", "Birch", "Bourne", "Bright", "Castle", "Cold", "Crow", "Deep", "East",
    "Elm", "Farn", "Ferry", "Gold", "Grim", "Hazel", "High", "Iron", "King", "Lake", "Long", "Mill", "Moor",
    "Nether", "New", "North", "Old", "Otter", "Port", "Raven", "Red", "Sand", "Silver", "South", "Stone",
    "Swan", "Upper", "West", "White", "Wolf",
];
const TOWN_ENDS: &[&str] = &[
    "bank", "beck", "bridge", "brook", "burgh", "bury", "combe", "cross", "field", "fleet", "grove", "haven",
    "head", "hill", "holm", "mere", "minster", "mouth", "pool", "port", "ridge", "stoke", "thorpe", "ton",
    "vale", "water", "well", "wick",
];
const WAYS: &[&str] = &["Street", "Road", "Lane", "Avenue", "Close", "Hill", "Square", "Terrace"];
const MONTHS: &[&str] = &[
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
const WEEKDAYS: &[&str] = &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const RELATIONS: &[&str] = &[
    "aunt",
    "brother",
    "colleague",
    "cousin",
    "daughter",
    "father",
    "flatmate",
    "friend",
    "grandmother",
    "grandson",
    "husband",
    "mother",
    "nephew",
    "niece",
    "sister",
    "son",
    "uncle",
    "wife",
];
const ADJECTIVES: &[&str] = &[
    "old",
    "green",
    "heavy",
    "broken",
    "wooden",
    "small",
    "blue",
    "expensive",
    "borrowed",
    "square",
    "rusty",
    "quiet",
    "yellow",
    "foreign",
    "second-hand",
    "striped",
    "narrow",
    "bright",
    "leaking",
    "grey",
    "folding",
    "painted",
    "electric",
    "white",
    "round",
    "spare",
    "dusty",
    "tall",
    "new",
    "red",
];
const HOBBIES: &[&str] = &[
    "archery",
    "baking",
    "birdwatching",
    "bookbinding",
    "chess",
    "choir singing",
    "climbing",
    "fencing",
    "fishing",
    "gardening",
    "juggling",
    "kayaking",
    "knitting",
    "orienteering",
    "painting",
    "pottery",
    "rowing",
    "sailing",
    "sewing",
    "skating",
    "swimming",
    "tango",
    "weaving",
    "woodcarving",
];
const JOBS: &[&str] = &[
    "baker",
    "beekeeper",
    "bookkeeper",
    "builder",
    "carpenter",
    "chemist",
    "dentist",
    "electrician",
    "farmer",
    "gardener",
    "glazier",
    "joiner",
    "lawyer",
    "librarian",
    "locksmith",
    "midwife",
    "nurse",
    "painter",
    "pilot",
    "plumber",
    "potter",
    "roofer",
    "surveyor",
    "tailor",
    "teacher",
    "translator",
    "vet",
    "watchmaker",
];
const NOUNS: &[&str] = &[
    "car",
    "book",
    "bicycle",
    "table",
    "lamp",
    "boiler",
    "piano",
    "camera",
    "garden",
    "tent",
    "ladder",
    "kettle",
    "radio",
    "coat",
    "clock",
    "boat",
    "drill",
    "mirror",
    "printer",
    "sofa",
    "violin",
    "jacket",
    "fridge",
    "carpet",
    "guitar",
    "oven",
    "trailer",
    "map",
    "blender",
    "vase",
    "helmet",
    "saw",
    "desk",
    "umbrella",
    "heater",
    "basket",
    "telescope",
    "chair",
    "pump",
    "suitcase",
    "cello",
    "hammer",
    "bench",
    "greenhouse",
    "toaster",
    "mower",
    "quilt",
    "scooter",
    "shelf",
    "barrel",
    "anvil",
    "binoculars",
    "candle",
    "cupboard",
    "doll",
    "easel",
    "fence",
    "flute",
    "generator",
    "hammock",
    "harp",
    "hose",
    "icebox",
    "jigsaw",
    "kayak",
    "kiln",
    "kite",
    "lantern",
    "loom",
    "magnet",
    "mattress",
    "microscope",
    "motorbike",
    "needle",
    "organ",
    "paddle",
    "parasol",
    "pendulum",
    "piccolo",
    "pillow",
    "plough",
    "projector",
    "pulley",
    "pushchair",
    "raft",
    "rake",
    "razor",
    "recorder",
    "rug",
    "saddle",
    "samovar",
    "scale",
    "scarf",
    "sewing machine",
    "shovel",
    "sideboard",
    "sledge",
    "spade",
    "spindle",
    "stove",
    "surfboard",
    "tandem",
    "tapestry",
    "teapot",
    "thermometer",
    "toboggan",
    "tractor",
    "trampoline",
    "tripod",
    "trombone",
    "trumpet",
    "turntable",
    "typewriter",
    "wardrobe",
    "wheelbarrow",
    "whistle",
    "windmill",
    "wok",
    "wrench",
    "xylophone",
    "zither",
    "accordion",
    "aquarium",
    "barometer",
    "bagpipe",
    "bellows",
    "birdcage",
    "bookcase",
    "canoe",
    "chandelier",
    "chisel",
    "churn",
    "compass",
    "crossbow",
    "cutlery",
    "decanter",
    "dinghy",
    "dresser",
    "extension lead",
    "filing cabinet",
    "fountain",
    "gramophone",
    "grindstone",
    "hourglass",
    "hutch",
    "inkwell",
    "jukebox",
    "lathe",
    "lectern",
    "mandolin",
    "metronome",
    "mortar",
    "oboe",
    "pergola",
    "plumb line",
    "rocking chair",
    "sextant",
    "snorkel",
    "spinning wheel",
    "stapler",
    "sundial",
    "tarpaulin",
    "theodolite",
    "trellis",
    "ukulele",
    "vice",
    "weathervane",
    "winch",
    "workbench",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_sentences_of_a_person_and_hardly_ever_the_same() {
        let maker = Maker::new();
        let texts: Vec<String> = (0..20_000).map(|n| maker.statement(n)).collect();
        let different: std::collections::HashSet<&String> = texts.iter().collect();
        assert!(different.len() >= 19_998, "{}", different.len());
        for text in &texts[..200] {
            assert!((30..160).contains(&text.len()) && !text.contains('#'), "{text}");
        }
        assert_eq!(maker.statement(7), Maker::new().statement(7));
    }

    #[test]
    fn a_question_names_what_its_statement_tells() {
        let maker = Maker::new();
        for n in 0..50 {
            let (told, asked) = (maker.statement(n), maker.question(n));
            let words: Vec<&str> = asked.split(' ').filter(|word| word.len() > 4).collect();
            assert!(words.iter().any(|word| told.contains(word.trim_end_matches('?'))), "{told} / {asked}");
        }
    }

    #[test]
    fn vectors_have_length_one_and_questions_lie_near() {
        let maker = Maker::new();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        for n in 0..20 {
            let vector = maker.vector(n);
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-4);
            assert!(dot(&vector, &maker.asking(n)) > 0.7);
        }
        let sizes = maker.groups[0] / (maker.groups[511] - maker.groups[510]);
        assert!(sizes > 100.0, "groups are of skewed sizes: {sizes}");
    }
}
