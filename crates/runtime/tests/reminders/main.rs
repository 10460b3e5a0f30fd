//! Reminders from the wish to the acknowledgement, over recalls, restarts and clocks.
//!
//! A story is a list of steps on a simulated clock. What is told by a conversation that listens, or recalled, is compared.

#![expect(clippy::unwrap_used, reason = "a test that can't set its stage fails")]

mod world;

use std::sync::atomic::Ordering;
use std::time::Duration;

use bethink_clock::Clock;
use bethink_domain::{DUE_SCORE, RecallMode, Span};
use bethink_protocol::{Act, ListReminders, Raise, Scheduled, SetZone, Which, Wish};

use world::{World, at, letterbox, space};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reminder_comes_first_half_an_hour_later() {
    let world = World::new(Some("UTC")).await;
    let when = world.wish("Remind me to check the build in 30 minutes").await;
    assert_eq!(when, "Tuesday 1 December 2026 at 08:30 (UTC)");
    assert_eq!(world.due("what should I do?", RecallMode::Observe).await, [] as [&str; 0]);
    world.clock.advance(Span::from_seconds(30 * 60));
    let found = world.recall_of("ada", "what should I do?", RecallMode::Observe).await;
    assert_eq!(found.reminders[0].text.as_ref(), "check the build");
    assert_eq!(DUE_SCORE.to_bits(), 10f32.to_bits());
    // Somebody else's recall neither shows nor consumes it.
    assert!(world.recall_of("bo", "what should I do?", RecallMode::Learn).await.reminders.is_empty());
    assert_eq!(world.due("hello", RecallMode::Observe).await, ["check the build"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_changes_nothing_and_learning_lends_it_for_ten_minutes() {
    let world = World::new(Some("UTC")).await;
    world.wish("remind me to call Ann at 9").await;
    world.go_to("2026-12-01T09:00:00Z");
    for _ in 0..3 {
        assert_eq!(world.due("hi", RecallMode::Observe).await, ["call Ann"]);
    }
    assert_eq!(world.due("hi", RecallMode::Learn).await, ["call Ann"]);
    assert_eq!(world.due("hi", RecallMode::Learn).await, [] as [&str; 0], "it is lent");
    world.go_to("2026-12-01T09:10:00Z");
    assert_eq!(world.due("hi", RecallMode::Learn).await, ["call Ann (late) (again)"]);
    assert!(world.attend(Which::LastShown, Act::Done).await.starts_with("Done"));
    world.go_to("2026-12-02T09:00:00Z");
    assert_eq!(world.due("hi", RecallMode::Learn).await, [] as [&str; 0]);
    assert_eq!(world.list().await, ["call Ann done"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_stay_due_until_each_was_shown() {
    let world = World::new(Some("UTC")).await;
    for text in ["one", "two", "three", "four", "five"] {
        world.wish(&format!("remind me to do {text} at 9")).await;
    }
    world.go_to("2026-12-01T09:00:00Z");
    let first = world.due("hi", RecallMode::Learn).await;
    let second = world.due("hi", RecallMode::Learn).await;
    assert_eq!((first.len(), second.len()), (3, 2));
    let mut all: Vec<String> = first.into_iter().chain(second).collect();
    all.sort();
    assert_eq!(all, ["do five", "do four", "do one", "do three", "do two"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_acknowledges_for_every_door_and_is_tried_again_when_it_fails() {
    let world = World::new(Some("UTC")).await;
    let door = letterbox(&world);
    door.failures.store(2, Ordering::SeqCst);
    world.wish("remind me to call Ann at 9").await;
    world.go_to("2026-12-01T09:00:00Z");
    world.look().await;
    let first = door.taken.lock().unwrap()[0].0.clone();
    assert_eq!(door.texts(), ["call Ann"]);
    // While nobody took it, a recall shows it.
    assert_eq!(world.due("hi", RecallMode::Observe).await, ["call Ann (again)"]);
    world.look().await;
    assert_eq!(door.texts(), [] as [&str; 0], "not yet");
    world.go_to("2026-12-01T09:00:30Z");
    world.look().await;
    assert_eq!(door.texts(), ["call Ann (again)"]);
    world.go_to("2026-12-01T09:01:30Z");
    world.look().await;
    let last = door.taken.lock().unwrap()[0].0.clone();
    assert_eq!(door.texts(), ["call Ann (late) (again)"]);
    assert_eq!(first, last, "the name of a delivery stays");
    assert_eq!(world.due("hi", RecallMode::Observe).await, [] as [&str; 0], "acknowledged for all");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_missed_is_told_once_late_and_folded() {
    let mut world = World::new(Some("UTC")).await;
    world.wish("every day at 9 remind me to stretch").await;
    world.wish("remind me every hour to drink").await;
    world.wish("remind me to call Ann at 10").await;
    world.go_to("2026-12-04T08:30:00Z");
    world.restart().await;
    let door = letterbox(&world);
    world.look().await;
    let mut told = door.texts();
    told.sort();
    assert_eq!(told, ["call Ann (late)", "drink (late) (missed 71)", "stretch (late) (missed 2)"]);
    world.go_to("2026-12-04T09:00:00Z");
    world.look().await;
    let mut told = door.texts();
    told.sort();
    assert_eq!(told, ["drink", "stretch"], "the schedule goes on");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_add_and_lose_nothing() {
    let mut world = World::new(Some("UTC")).await;
    world.wish("every weekday at 8:30 remind me to stretch").await;
    world.wish("remind me to call Ann in 40 days").await;
    world.wish("remind me to renew the passport in 5 years").await;
    let before = world.list().await;
    for _ in 0..4 {
        world.restart().await;
        world.look().await;
        assert_eq!(world.list().await, before);
        // To ask twice for the same is to ask once.
        world.wish("every weekday at 8:30 remind me to stretch").await;
    }
    let door = letterbox(&world);
    world.look().await;
    assert_eq!(door.texts(), [] as [&str; 0], "far ones wait");
    world.go_to("2027-01-10T08:00:00Z");
    world.look().await;
    assert!(door.texts().contains(&"call Ann".to_owned()));
    world.go_to("2031-12-01T08:00:00Z");
    world.look().await;
    assert!(door.texts().iter().any(|text| text.starts_with("renew the passport")));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleeping_space_wakes_for_its_reminder() {
    let world = World::new(Some("UTC")).await;
    let door = letterbox(&world);
    world.wish("remind me to call Ann tomorrow at 9").await;
    assert_eq!(world.handle().next_due(), Some(at("2026-12-02T09:00:00Z")));
    world.clock.advance(Span::from_seconds(3_600));
    world.handle().tick().await;
    while !world.handle().census().await.is_empty() {
        tokio::task::yield_now().await;
    }
    world.go_to("2026-12-02T09:00:00Z");
    world.handle().tick().await;
    let told = async {
        loop {
            let texts = door.texts();
            if !texts.is_empty() {
                return texts;
            }
            tokio::task::yield_now().await;
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(20), told).await.unwrap();
    assert_eq!(told, ["call Ann"], "not late by the simulated clock");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_has_just_begun_wakes_who_comes_due() {
    let mut world = World::new(Some("UTC")).await;
    world.wish("remind me to call Ann at 9").await;
    world.wish("remind me to call Bo at 10").await;
    world.restart().await;
    let door = letterbox(&world);
    for (time, text) in [("2026-12-01T09:00:00Z", "call Ann"), ("2026-12-01T10:00:00Z", "call Bo")] {
        assert_eq!(world.handle().next_due(), Some(at(time)));
        world.go_to(time);
        world.handle().tick().await;
        assert_eq!(door.next().await, [text]);
        // The next one is known once this one was acknowledged.
        world.look().await;
    }
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_and_topics_make_due_what_waits_for_them() {
    let world = World::new(Some("UTC")).await;
    let door = letterbox(&world);
    world.wish("alert me when the deployment completes").await;
    world.wish("remind me to buy tickets when I mention Oslo").await;
    world.wish("next time we talk about the budget, after Friday, remind me to ask for the figures").await;
    let raise = |event: &str| Raise { event: event.to_owned(), at: world.clock.now() };
    let ada = space("ada");
    let count = |raise| world.handle().ask(&ada, |ports| &ports.reminders.raise, raise);
    assert_eq!(count(raise("deploy.failed")).await.unwrap(), 0);
    assert_eq!(count(raise("deploy.finished")).await.unwrap(), 1);
    assert_eq!(door.texts(), ["the deployment completes"]);
    assert_eq!(count(raise("deploy.finished")).await.unwrap(), 0, "once");
    assert_eq!(world.due("what about Bergen?", RecallMode::Learn).await, [] as [&str; 0]);
    assert_eq!(world.due("I fly to Oslo soon", RecallMode::Learn).await, ["buy tickets"]);
    assert_eq!(
        world.due("the budget is tight", RecallMode::Learn).await,
        [] as [&str; 0],
        "not before Friday"
    );
    world.go_to("2026-12-05T10:00:00Z");
    let due = world.due("the budget is tight", RecallMode::Observe).await;
    assert!(due.contains(&"ask for the figures".to_owned()), "{due:?}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_cancelled_snoozed_and_changed() {
    let world = World::new(Some("UTC")).await;
    world.wish("remind me to call the dentist at 9").await;
    world.wish("remind me to water the plants at 9").await;
    world.attend(Which::Named("dentist".into()), Act::Hold(true)).await;
    world.go_to("2026-12-01T09:00:00Z");
    assert_eq!(world.due("hi", RecallMode::Observe).await, ["water the plants"]);
    world.attend(Which::Named("dentist".into()), Act::Hold(false)).await;
    assert_eq!(world.due("hi", RecallMode::Observe).await, ["call the dentist", "water the plants"]);
    world.attend(Which::Named("plants".into()), Act::Cancel).await;
    let said = world.attend(Which::Named("dentist".into()), Act::Snooze("an hour".into())).await;
    assert!(said.contains("at 10:00"), "{said}");
    assert_eq!(world.due("hi", RecallMode::Observe).await, [] as [&str; 0]);
    let change = Act::Change { when: Some("4pm".into()), text: Some("ring the dentist".into()) };
    let said = world.attend(Which::Named("dentist".into()), change).await;
    assert!(said.contains("“ring the dentist”") && said.contains("16:00"), "{said}");
    assert_eq!(
        world.attend(Which::Named("gym".into()), Act::Done).await,
        "there is no open reminder about “gym”"
    );
    world.go_to("2026-12-01T16:00:00Z");
    assert_eq!(world.due("hi", RecallMode::Observe).await, ["ring the dentist"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn times_by_the_clock_follow_the_user() {
    let world = World::new(None).await;
    let asked = world.wish("remind me to call Ann at 5pm").await;
    assert!(asked.starts_with("zone?"), "{asked}");
    // Lengths of minutes need no zone.
    assert!(world.wish("remind me to stretch in 10 minutes").await.ends_with("(UTC)"));
    let wish = Wish::Utterance { text: "remind me to call Ann at 5pm".into(), answer: Some("Oslo".into()) };
    let Scheduled::Kept(told) = world.schedule("ada", wish).await.unwrap() else { panic!("it is known now") };
    assert_eq!(told.when, "Tuesday 1 December 2026 at 17:00 (Europe/Oslo)");
    assert_eq!(
        world.wish("remind me to call Bo on 5 May").await,
        "Wednesday 5 May 2027 at 09:00 (Europe/Oslo)"
    );
    let set = SetZone { zone: "Asia/Tokyo".into(), until: Some("friday".into()), at: world.clock.now() };
    let said = world.handle().ask(&space("ada"), |ports| &ports.reminders.set_zone, set).await.unwrap();
    assert!(said.contains("Asia/Tokyo") && said.contains("moved"), "{said}");
    // It is five in Tokyo.
    assert_eq!(world.due("hi", RecallMode::Observe).await, ["call Ann"]);
    let list = ListReminders { all: false, tags: Vec::new(), zone: None, limit: 9, at: world.clock.now() };
    let found = world.handle().ask(&space("ada"), |ports| &ports.reminders.list, list).await.unwrap();
    let bo = found.reminders.iter().find(|told| told.reminder.text.contains("Bo")).unwrap();
    assert_eq!(bo.when, "Wednesday 5 May 2027 at 09:00 (Europe/Oslo)", "by then they are home");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_jumps_skips_and_doubles_no_day() {
    for (zone, wish, from, days) in [
        ("America/New_York", "every day at 2:30am remind me to stretch", "2027-03-12T12:00:00Z", 5),
        ("America/New_York", "every day at 1:30am remind me to stretch", "2027-11-05T12:00:00Z", 5),
        ("Australia/Lord_Howe", "every day at 1:45am remind me to stretch", "2027-04-02T12:00:00Z", 5),
    ] {
        let world = World::new(Some(zone)).await;
        world.go_to(from);
        let door = letterbox(&world);
        world.wish(wish).await;
        let tz = jiff::tz::TimeZone::get(zone).unwrap();
        let mut dates = Vec::new();
        for _ in 0..days {
            let next = world.handle().next_due().unwrap();
            world.clock.set(next);
            world.look().await;
            assert_eq!(door.texts(), ["stretch"], "{zone} {wish}");
            let told = jiff::Timestamp::from_millisecond(next.as_millis()).unwrap();
            dates.push(tz.to_datetime(told).date());
        }
        let steps = dates.windows(2).all(|pair| pair[0].tomorrow().unwrap() == pair[1]);
        assert!(steps, "once a day: {dates:?} in {zone}");
        world.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_asks_keeps_lists_and_puts_off() {
    let world = World::new(Some("UTC")).await;
    let none: [&str; 0] = [];
    for (message, part) in [
        ("Remind me to call Ann", "When shall I remind you: “call Ann”?"),
        ("9am", "“call Ann”, Tuesday 1 December 2026 at 09:00 (UTC)"),
        ("remind me at 09:05 to stretch", "“stretch”, Tuesday 1 December 2026 at 09:05 (UTC)"),
        (
            "At 9 tomorrow send me the summary",
            "“send me the summary”, Wednesday 2 December 2026 at 09:00 (UTC)",
        ),
        ("what are my reminders?", "“stretch”, Tuesday 1 December 2026 at 09:05"),
        ("cancel the reminder about the summary", "Cancelled: “send me the summary”"),
        ("remind me to run yesterday", "That is past."),
    ] {
        let (due, reply) = world.say(message).await;
        assert!(reply.contains(part) && due == none, "{message}: {reply}");
    }
    // Asking to be told again is no wish.
    world.say("Breathing slowly helps me with stress.").await;
    let (_, reply) = world.say("Remind me — what was that thing that helps with stress?").await;
    assert!(reply.contains("Breathing slowly"), "{reply}");
    world.go_to("2026-12-01T09:00:00Z");
    let (due, _) = world.say("Hello!").await;
    assert_eq!(due, ["call Ann"], "small talk is told too");
    let (due, reply) = world.say("snooze that for an hour").await;
    assert!(due.is_empty() && reply.contains("“call Ann”") && reply.contains("10:00"), "{reply}");
    assert_eq!(world.list().await, ["stretch open", "call Ann open", "send me the summary cancelled"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_forgotten_reminds_of_nothing() {
    let mut world = World::new(Some("UTC")).await;
    let wish = Wish::Utterance { text: "remind me to call Ann at 9".into(), answer: None };
    let Scheduled::Kept(told) = world.schedule("ada", wish).await.unwrap() else { panic!("it is kept") };
    let forget = bethink_protocol::Forget { id: told.reminder.id, at: world.clock.now(), rehearse: false };
    world.handle().ask(&space("ada"), |ports| &ports.memory.forget, forget).await.unwrap();
    world.go_to("2026-12-01T09:00:00Z");
    assert_eq!(world.due("hi", RecallMode::Observe).await, [] as [&str; 0]);
    world.restart().await;
    assert_eq!(world.due("hi", RecallMode::Observe).await, [] as [&str; 0]);
    assert!(world.list().await.is_empty());
    world.end().await;
}
