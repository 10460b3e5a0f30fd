//! What is done without anybody's asking leaves a file that the doctor finds nothing in, notices included.

use std::sync::atomic::Ordering;

use bethink_domain::{Finding, Timestamp};
use bethink_memory_store::{Checkup, examine_file};
use bethink_protocol::Measure;

use crate::harness::{World, day, space, told};

#[tokio::test]
async fn a_vector_that_is_made_at_waking_is_not_of_another_time() {
    let world = World::new();
    world.embedder_broken.store(true, Ordering::SeqCst);
    let awake = world.wake().await;
    awake.remember("The dentist is called Okonkwo", 0.0).await.expect("because it is stored without");
    awake.sleep().await;
    world.embedder_broken.store(false, Ordering::SeqCst);
    let awake = world.wake().await;
    loop {
        let measured = awake.memory.measure.ask(Measure { at: day(0.0) }).send().await;
        if told(measured).expect("because it only looks").unembedded == 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
    awake.sleep().await;
    let at: Timestamp = day(0.1);
    let checkup = Checkup { at, deep: true, repair: false, migrate: false, configured: None };
    let examination = examine_file(&world.path(), &space(), &checkup).expect("because nobody uses it");
    assert_eq!(examination.findings.listed(), [] as [Finding; 0]);
}
