//! Stories of embedders behind HTTP.

use bethink_testkit::{Act, ModelServer};

use super::*;
use crate::embedding::EmbeddingProvider;

fn embedder(server: &ModelServer) -> RemoteEmbedder {
    let config = EmbeddingConfig {
        provider: EmbeddingProvider::Openai,
        model: "small".to_owned(),
        base_url: Some(format!("{}/v1", server.url())),
        dimensions: Some(2),
        texts_max: 2,
        timeout_seconds: 3,
        retries_max: 1,
        ..EmbeddingConfig::default()
    };
    RemoteEmbedder::new(config, ApiKey::NotConfigured, Entropy::seeded(7)).unwrap()
}

fn body(vectors: &[&str]) -> Act {
    Act::Body(format!(r#"{{"data":[{}]}}"#, vectors.join(",")))
}

#[test]
fn vectors_come_in_the_order_of_the_texts_and_of_unit_length() {
    let server = ModelServer::playing([
        body(&[r#"{"index":1,"embedding":[0,2]}"#, r#"{"index":0,"embedding":[3,4]}"#]),
        body(&[r#"{"index":0,"embedding":[0,0]}"#]),
    ]);
    let found = embedder(&server).embed(&["one", " ", "two", "three"], Effort::Modest).unwrap();
    let unit = |values: [f32; 2]| UnitVector::new(values.to_vec());
    assert_eq!(found, [unit([3.0, 4.0]), Err(VectorFault::Empty), unit([0.0, 1.0]), Err(VectorFault::Zero)]);
    let inputs: Vec<Value> = server.seen().iter().map(|seen| seen.json()["input"].clone()).collect();
    assert_eq!(inputs, [json!(["one", "two"]), json!(["three"])]);
    assert!(server.seen().iter().all(|seen| seen.path == "/v1/embeddings"));
}

#[test]
fn what_is_no_answer_gives_no_vector() {
    let check = |act: Act, part: &str| {
        let server = ModelServer::playing([act]);
        let error = embedder(&server).embed(&["one"], Effort::Modest).unwrap_err().to_string();
        assert!(error.contains(part), "{part:?}: {error}");
    };
    check(body(&[r#"{"index":0,"embedding":[1,2,3]}"#]), "3 components");
    check(body(&[r#"{"index":0,"embedding":[1,null]}"#]), "no number");
    check(body(&[r#"{"index":0,"embedding":[1,1e99]}"#]), "no number");
    check(body(&[]), "0 vectors for 1 texts");
    check(body(&[r#"{"index":5,"embedding":[1,2]}"#]), "which vector is whose");
    check(Act::Body("<html>".to_owned()), "another form");
    check(Act::refuse(401), "does not accept the key");
    check(Act::refuse(404), "small");
    check(Act::Silence, "3");
    check(Act::Flood, "more than");
}

#[test]
fn a_busy_server_is_asked_again_and_a_refusal_is_not() {
    let good = || body(&[r#"{"index":0,"embedding":[3,4]}"#]);
    let check = |first: Act, requests: usize| {
        let server = ModelServer::playing([first, good()]);
        let found = embedder(&server).embed(&["one"], Effort::Modest);
        assert_eq!((found.is_ok(), server.seen().len()), (requests == 2, requests));
    };
    check(Act::refuse(429), 2);
    check(Act::refuse(503), 2);
    check(Act::Close, 2);
    check(Act::refuse(400), 1);
    check(Act::refuse(401), 1);
}
