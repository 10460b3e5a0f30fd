//! How a server ends.

use tokio::sync::Notify;

use super::*;
use crate::client::SocketDoor;
use crate::door::{DoorFuture, Responses};
use bethink_api::{Request, SpaceName};

/// Answers once it is allowed to.
struct Slow {
    asked: Arc<Notify>,
    allowed: Arc<Notify>,
}

impl Door for Slow {
    fn call(&self, _: SpaceName, _: Request) -> DoorFuture<'_, Result<Responses, Fault>> {
        let (asked, allowed) = (Arc::clone(&self.asked), Arc::clone(&self.allowed));
        Box::pin(async move {
            asked.notify_one();
            allowed.notified().await;
            let (sender, responses) = mpsc::channel(1);
            sender.try_send(Ok(Response::Ok)).map_err(|_| crate::door::closed())?;
            Ok(responses)
        })
    }
}

fn me() -> SpaceName {
    SpaceName { agent: "bethink".to_owned(), user: "me".to_owned() }
}

#[tokio::test]
async fn what_was_asked_is_answered_before_the_door_closes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let (asked, allowed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = Slow { asked: Arc::clone(&asked), allowed: Arc::clone(&allowed) };
    let server = serve(&path, Arc::new(slow)).unwrap();
    let door = SocketDoor::connect(&path).await.unwrap();
    let answer = tokio::spawn(async move { door.ask(me(), Request::Measure).await });
    asked.notified().await;
    let draining = tokio::spawn(server.drain(Duration::from_secs(20)));
    tokio::task::yield_now().await;
    allowed.notify_one();
    assert!(matches!(answer.await.unwrap(), Ok(Response::Ok)), "the answer still comes");
    assert!(draining.await.unwrap(), "nothing was cut off");
    assert!(!path.exists(), "and the socket is gone");
}

#[tokio::test]
async fn what_takes_too_long_is_cut_off_at_the_deadline() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let (asked, allowed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let server = serve(&path, Arc::new(Slow { asked: Arc::clone(&asked), allowed })).unwrap();
    let door = SocketDoor::connect(&path).await.unwrap();
    let answer = tokio::spawn(async move { door.ask(me(), Request::Measure).await });
    asked.notified().await;
    assert!(!server.drain(Duration::from_millis(50)).await, "one was cut off");
    let fault = answer.await.unwrap().unwrap_err();
    assert_eq!(fault.kind, FaultKind::Gone, "and its client knows that it may not be stored");
}
