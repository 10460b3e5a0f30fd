//! What a user would notice.

use bethink_domain::TraceKind;
use bethink_protocol::{Measure, Survey};

use crate::harness::{World, day, told};
use crate::story::check;

#[tokio::test]
async fn what_was_told_is_known_after_a_restart() {
    check(
        "
        day 0  remember tablet I take my blood pressure tablet every morning after breakfast.
               = new
        day 0  remember glasses My reading glasses are on the bedside table.
               = new
        restart
        day 3  recall When do I take my blood pressure tablet?
               = tablet
        day 3  recall What did I tell you about my yacht?
               = nothing, never_known
        day 3  list
               = glasses tablet
        ",
    )
    .await;
}

#[tokio::test]
async fn the_same_again_is_evidence_not_another_trace() {
    check(
        "
        day 0    remember a I am allergic to penicillin.
                 = new
        day 200  remember b i am allergic to PENICILLIN
                 = same as a
        day 200  event c We walked along the river today
                 = new
        day 200.5 event d we walked along the river today!
                 = same as c
        day 202  event e We walked along the river today
                 = new
        day 202  show a
                 = age 202 uses 0 evidence 2 priority 0.00 stability 30.0 strength 0.10; encoding evidence
        ",
    )
    .await;
}

#[tokio::test]
async fn use_strengthens_and_never_makes_young() {
    check(
        "
        lab
        day 0   event a The boiler was serviced by Ruth Okafor
                = new
        day 2   learn Who serviced the boiler?
                = a
        day 2   credit a
                = done
        day 2   credit a
                = done
        day 2   show a
                = age 2 uses 1 evidence 1 priority 0.10 stability 5.4 strength 0.50; encoding credit
        restart
        day 2.5 credit a
                = done
        day 2.5 correct a
                = done
        day 2.5 show a
                = age 2.5 uses 1 evidence 1 priority 0.00 stability 5.4 strength 0.46; encoding credit correction
        day 4   learn Who serviced the boiler?
                = a
        day 5.5 credit a
                = recall RECALL is unknown, or older than a day
        ",
    )
    .await;
}

#[tokio::test]
async fn a_turn_credits_what_it_used() {
    check(
        "
        lab
        day 0  event a The spare key hangs behind the pantry door
               = new
        day 1  turn a a
               = done
        day 1  show a
               = age 1 uses 1 evidence 1 priority 0.10 stability 5.4 strength 0.50; encoding credit
        ",
    )
    .await;
}

#[tokio::test]
async fn the_faded_is_offered_and_use_restores_it() {
    check(
        "
        lab
        day 0   event a The plumber said the stopcock sticks in winter
                = new
        day 6   recall What did the plumber say about the stopcock?
                = a
        day 8   recall What did the plumber say about the stopcock?
                = nothing, once_known a
        day 8   list
                = -
        day 8   faded What did the plumber say about the stopcock?
                = a
        day 8   turn a
                = done
        restart
        day 9   recall What did the plumber say about the stopcock?
                = a
        ",
    )
    .await;
}

#[tokio::test]
async fn the_pinned_stays() {
    check(
        "
        lab
        day 0     event a The alarm code hint is grandmother's birthday
                  = new
        day 1     pin a
                  = done
        day 3000  recall What is the alarm code hint?
                  = a
        day 3000  unpin a
                  = done
        day 3000  recall What is the alarm code hint?
                  = nothing, once_known a
        ",
    )
    .await;
}

#[tokio::test]
async fn an_edit_is_what_is_known_from_then_on() {
    check(
        "
        day 0   remember a The meeting room is on the third floor
                = new
        day 10  edit a The workshop moved to the cellar
                = The workshop moved to the cellar
        day 10  recall Has the workshop moved to the cellar?
                = a
        day 10  recall meeting room third floor
                = nothing, never_known
        restart
        day 10  recall Has the workshop moved to the cellar?
                = a
        day 10  show a
                = age 0 uses 0 evidence 1 priority 0.00 stability 30.0 strength 0.70; encoding edit
        ",
    )
    .await;
}

#[tokio::test]
async fn a_word_for_word_question_comes_first() {
    check(
        "
        day 0  remember a The red bicycle is in the garage
               = new
        day 0  remember b The red bicycle of the neighbour is in the yard
               = new
        day 1  recall the red bicycle of the neighbour is in the yard
               = b
        ",
    )
    .await;
}

#[tokio::test]
async fn what_says_nothing_is_refused() {
    check(
        "
        day 0  remember a
               = the text is empty
        day 0  credit a
               = recall RECALL is unknown, or older than a day
        day 0  show a
               = there is no trace ID
        day 0  forget a
               = there is no trace ID
        ",
    )
    .await;
}

#[tokio::test]
async fn a_clock_that_went_back_loses_no_order() {
    let world = World::new();
    let awake = world.wake().await;
    let mut ids = Vec::new();
    for (number, days) in [10.0, 10.1, 3.0, 3.1, 10.2, 11.0].into_iter().enumerate() {
        let stored = awake.remember(&format!("Fact {number} is about marker{number}"), days).await;
        ids.push(stored.expect("because the disk has room").id);
    }
    assert!(ids.is_sorted(), "ids grow whatever the clock says");
    let figures =
        told(awake.memory.measure.ask(Measure { at: day(11.0) }).send().await).expect("because it looks");
    assert!((figures.clock_back.as_days() - 7.1).abs() < 0.01, "{figures:?}");
    assert_eq!(figures.journal_entries, 7, "six statements, and the clock once");
    awake.sleep().await;
    let awake = world.wake().await;
    let again =
        told(awake.memory.measure.ask(Measure { at: day(11.0) }).send().await).expect("because it looks");
    assert_eq!(again, figures);
}

#[tokio::test]
async fn an_overview_shows_each_kind_strongest_first() {
    let world = World::new();
    let awake = world.wake().await;
    for number in 0..5 {
        awake
            .remember(&format!("Fact {number} is about marker{number}"), f64::from(number))
            .await
            .expect("because there is room");
    }
    let survey = Survey { per_group: 2, at: day(40.0) };
    let overview = told(awake.memory.survey.ask(survey).send().await).expect("because it only looks");
    assert_eq!((overview.total, overview.groups.len()), (5, 1));
    let group = &overview.groups[0];
    assert_eq!((group.kind, group.more), (TraceKind::Semantic, 3));
    let shown: Vec<&str> = group.traces.iter().map(|trace| &*trace.text).collect();
    assert_eq!(shown, ["Fact 4 is about marker4", "Fact 3 is about marker3"]);
}
