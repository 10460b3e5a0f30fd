//! Sentence models of the BERT family, run by rten: the embedded one, all-MiniLM-L6-v2 with 8-bit weights, which is compiled
//! in, or one in a folder.

mod folder;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;

use bethink_domain::{EmbedderIdentity, UnitVector, VectorFault};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use crate::embedding::{Effort, EmbeddingError, EmbeddingModel};
use crate::wordpiece::{WORD_PIECES, WordPieces};
use windows::{Window, windows};

static GRAPH: &[u8] = include_bytes!("../model/minilm-l6-int8.onnx");
/// The name by which the graph knows the file of its weights.
const WEIGHTS: &str = "minilm-l6-int8.onnx.data";

const NAME: &str = "all-MiniLM-L6-v2-int8";
const DIMENSIONS: usize = 384;
/// The start of the weights' checksum in model/CHECKSUMS.sha256, which a test compares.
const REVISION: &str = "0d3125c50a5d";

/// Tokens that one run of the model may hold, padding included. Larger runs are no faster for each token, hold the
/// memory of their intermediate results (some 45 KB a token), and keep a waiting turn waiting.
const PADDED_TOKENS_MAX: usize = 512;

/// A sentence model. The embedded one needs no file and no network, and holds some 63 MB, of which 16 MB are pages of the
/// executable.
#[derive(Debug)]
pub struct MiniLm {
    model: Model,
    ids: NodeId,
    mask: NodeId,
    /// Some models of the family tell no segments apart.
    segments: Option<NodeId>,
    states: NodeId,
    vocabulary: Arc<WordPieces>,
    identity: EmbedderIdentity,
    modest: Arc<ThreadPool>,
    full: Arc<ThreadPool>,
}

impl MiniLm {
    /// Reads the model out of the executable, in some 30 ms.
    ///
    /// # Errors
    /// [`EmbeddingError::Load`] when the files that were compiled in don't fit together.
    pub fn load() -> Result<Self, EmbeddingError> {
        let fault = |error: &dyn std::fmt::Display| EmbeddingError::Load(error.to_string());
        let mut options = ModelOptions::with_all_ops();
        options
            .external_data_static(WEIGHTS, rten::include_external_data!("../model/minilm-l6-int8.onnx.data"));
        // Packed weights would save 4 ms for a message and cost 41 MB for as long as the process lives.
        options.prepack_weights(false);
        let model = options.load_static_slice(GRAPH).map_err(|error| fault(&error))?;
        Self::of(model, Arc::clone(&WORD_PIECES), Self::embedded())
    }

    /// Who the embedded model is, without loading it.
    #[must_use]
    pub fn embedded() -> EmbedderIdentity {
        EmbedderIdentity { model: NAME.into(), dimensions: DIMENSIONS as u16, revision: REVISION.into() }
    }

    /// A model with its vocabulary, under its identity.
    fn of(
        model: Model,
        vocabulary: Arc<WordPieces>,
        identity: EmbedderIdentity,
    ) -> Result<Self, EmbeddingError> {
        let node = |name: &str| {
            model.node_id(name).map_err(|_| EmbeddingError::Load(format!("the model has no node {name}")))
        };
        let states =
            ["last_hidden_state", "token_embeddings"].into_iter().find_map(|name| model.find_node(name));
        Ok(Self {
            ids: node("input_ids")?,
            mask: node("attention_mask")?,
            segments: model.find_node("token_type_ids"),
            states: states.map_or_else(|| node("last_hidden_state"), Ok)?,
            vocabulary,
            identity,
            modest: Arc::new(ThreadPool::with_num_threads(1)),
            full: Arc::new(ThreadPool::with_num_threads(2)),
            model,
        })
    }

    /// The mean over each window's tokens, [windows, dimensions], not yet of unit length.
    fn run(&self, windows: &[Window], effort: Effort) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let longest = windows.iter().map(|window| window.tokens.len()).max().unwrap_or(0);
        let shape = [windows.len(), longest];
        let token = |[row, column]: [usize; 2]| windows[row].tokens.get(column);
        let ids = NdTensor::from_fn(shape, |at| i32::from(*token(at).unwrap_or(&self.vocabulary.marks.pad)));
        let mask = NdTensor::from_fn(shape, |at| i32::from(token(at).is_some()));
        let segments = NdTensor::<i32, 2>::zeros(shape);

        let pool = match effort {
            Effort::Modest => &self.modest,
            Effort::Full => &self.full,
        };
        let mut inputs = vec![(self.ids, ids.view().into()), (self.mask, mask.view().into())];
        if let Some(node) = self.segments {
            inputs.push((node, segments.view().into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let fault = |error: &dyn std::fmt::Display| EmbeddingError::Inference(error.to_string());
        let [states] =
            self.model.run_n(inputs, [self.states], Some(options)).map_err(|error| fault(&error))?;
        let states: NdTensor<f32, 3> = states.try_into().map_err(|error| fault(&error))?;
        // A model that is being opened does not know its dimensions yet, and says them here.
        let expected = usize::from(self.identity.dimensions);
        if states.shape()[..2] != [windows.len(), longest] || ![0, states.shape()[2]].contains(&expected) {
            return Err(EmbeddingError::Inference(format!("unexpected shape {:?}", states.shape())));
        }
        Ok(windows.iter().enumerate().map(|(row, window)| mean(&states, row, window.tokens.len())).collect())
    }
}

impl EmbeddingModel for MiniLm {
    fn identity(&self) -> EmbedderIdentity {
        self.identity.clone()
    }

    /// A text of up to 254 word pieces is embedded whole. Of a longer one up to four windows are embedded, spread
    /// evenly from its start to its end, and their directions averaged by length. A text without a single known word piece
    /// has no vector: it would be the same for all such texts.
    fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        let mut all: Vec<Window> = texts
            .iter()
            .enumerate()
            .flat_map(|(text, content)| windows(&self.vocabulary, text, content))
            .collect();
        // Windows of like length share a run, so that little is padding.
        all.sort_by_key(|window| window.tokens.len());

        let mut sums: Vec<Result<Vec<f32>, VectorFault>> =
            vec![Ok(vec![0.0; usize::from(self.identity.dimensions)]); texts.len()];
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let (group, later) = rest.split_at(fitting(rest));
            rest = later;
            for (window, state) in group.iter().zip(self.run(group, effort)?) {
                add(&mut sums[window.text], UnitVector::new(state), window.tokens.len());
            }
        }
        Ok(sums.into_iter().map(|sum| UnitVector::new(sum?)).collect())
    }
}

/// How many of the windows, shortest first, fit into one run; at least one.
fn fitting(windows: &[Window]) -> usize {
    let fits = |(before, window): &(usize, &Window)| (before + 1) * window.tokens.len() <= PADDED_TOKENS_MAX;
    windows.iter().enumerate().take_while(fits).count().max(1)
}

/// One window without a direction spoils its text: half a meaning is the wrong meaning.
fn add(sum: &mut Result<Vec<f32>, VectorFault>, window: Result<UnitVector, VectorFault>, tokens: usize) {
    match (sum.as_mut(), window) {
        (Ok(sum), Ok(vector)) => {
            for (total, value) in sum.iter_mut().zip(vector.as_slice()) {
                *total += value * tokens as f32;
            }
        }
        (Ok(_), Err(fault)) => *sum = Err(fault),
        (Err(_), _) => {}
    }
}

/// The mean of the first `tokens` states of a row; padding has no share in it.
fn mean(states: &NdTensor<f32, 3>, row: usize, tokens: usize) -> Vec<f32> {
    let mut total = vec![0.0f32; states.shape()[2]];
    for token in 0..tokens {
        let state = states.slice((row, token));
        for (sum, value) in total.iter_mut().zip(state.iter()) {
            *sum += value;
        }
    }
    total.iter().map(|sum| sum / tokens as f32).collect()
}
