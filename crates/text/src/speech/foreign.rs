//! Questions without a question mark in scripts that have no phrase lists, by their question words.

/// Particles that make a question at the end of a sentence.
const ENDINGS: [&str; 8] = ["吗", "嗎", "呢", "么", "麼", "か", "까", "ไหม"];
/// Question words, wherever they stand.
const ANYWHERE: [&str; 52] = [
    "什么",
    "什麼",
    "哪里",
    "哪裡",
    "哪儿",
    "哪个",
    "哪個",
    "哪",
    "谁",
    "誰",
    "怎么",
    "怎麼",
    "怎样",
    "为何",
    "多少",
    "几点",
    "几个",
    "几岁",
    "何",
    "どこ",
    "いつ",
    "なぜ",
    "どう",
    "どれ",
    "どの",
    "だれ",
    "いくら",
    "いくつ",
    "どちら",
    "어디",
    "누구",
    "뭐",
    "무엇",
    "무슨",
    "언제",
    "왜",
    "어떻게",
    "어떤",
    "얼마",
    "อะไร",
    "ไหน",
    "ใคร",
    "เมื่อไหร่",
    "เมื่อไร",
    "ทำไม",
    "อย่างไร",
    "ยังไง",
    "เท่าไหร่",
    "เท่าไร",
    "กี่",
    "หรือไม่",
    "หรือเปล่า",
];
/// What makes "anything", "somebody", "always" of a question word before it.
const VAGUE: [&str; 14] =
    ["か", "も", "で", "ぞ", "都", "也", "나", "든", "ก็", "せ", "回か", "度も", "日か", "年か"];
/// What makes "nothing" or a clause of knowing of a question word behind it.
const NEGATED: [&str; 6] = ["没", "沒", "知道", "无论", "不管", "任"];
/// Question words with which a sentence begins.
const FIRST: [&str; 68] = [
    "где",
    "куда",
    "откуда",
    "кто",
    "что",
    "чей",
    "чья",
    "чьё",
    "как",
    "когда",
    "почему",
    "зачем",
    "сколько",
    "какой",
    "какая",
    "какое",
    "какие",
    "какого",
    "какую",
    "каком",
    "кому",
    "кого",
    "чем",
    "де",
    "куди",
    "хто",
    "що",
    "як",
    "коли",
    "чому",
    "скільки",
    "який",
    "яка",
    "ماذا",
    "لماذا",
    "هل",
    "أين",
    "اين",
    "وين",
    "متى",
    "كيف",
    "كم",
    "لمن",
    "أي",
    "ما هو",
    "ما هي",
    "ما اسم",
    "ما اسمي",
    "من هو",
    "من هي",
    "من أنا",
    "من انا",
    "من أنت",
    "क्या",
    "कहाँ",
    "कहां",
    "कौन",
    "कब",
    "क्यों",
    "कैसे",
    "कितना",
    "कितने",
    "מה",
    "איפה",
    "מי",
    "מתי",
    "למה",
    "איך",
];

/// Whether a sentence asks by its words alone. A sentence of two clauses that begins with a question word tells
/// something: "Когда я был маленьким, …".
pub(super) fn asks_without_mark(sentence: &str) -> bool {
    let bare = sentence.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '\u{e31}'..='\u{e4e}'));
    if bare.is_ascii() {
        return false;
    }
    if ENDINGS.into_iter().any(|ending| bare.ends_with(ending)) {
        return true;
    }
    let lower = bare.to_lowercase();
    let begins =
        |word: &str| lower.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let one_clause = !lower.contains([',', '،', '—', ':']);
    (one_clause && FIRST.into_iter().any(begins)) || ANYWHERE.into_iter().any(|word| has_asking(bare, word))
}

/// Whether a question word stands in a sentence and asks.
fn has_asking(sentence: &str, word: &str) -> bool {
    sentence.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&sentence[..at], &sentence[at + word.len()..]);
        let vague = VAGUE.into_iter().any(|vague| behind.starts_with(vague));
        let negated = NEGATED.into_iter().any(|negated| before.ends_with(negated));
        !(vague || negated)
    })
}
