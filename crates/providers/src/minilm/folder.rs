//! A model in a folder: `model.onnx` or `model.rten`, `vocab.txt`, and what tells how it is to be used.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_domain::EmbedderIdentity;
use ring::digest::{Context, SHA256};
use rten::ModelOptions;
use serde_json::Value;

use super::MiniLm;
use super::windows::Window;
use crate::embedding::{Effort, EmbeddingError};
use crate::wordpiece::WordPieces;

/// Longest vocabulary that is read, in bytes: thirty times a usual one.
const VOCABULARY_BYTES_MAX: u64 = 8 << 20;
/// Bytes of the checksum that are told, in hexadecimal digits.
const REVISION_BYTES: usize = 6;

impl MiniLm {
    /// Opens the model in a folder: `model.onnx` (with `model.onnx.data` if its weights are apart) or `model.rten`, and
    /// `vocab.txt`, the word pieces of an uncased model whose vectors are means over tokens. Reads all of it once, for
    /// the checksum that is its revision.
    ///
    /// # Errors
    /// [`EmbeddingError::Load`] that names the file and what is wrong with it.
    pub fn open(folder: &Path) -> Result<Self, EmbeddingError> {
        let fault = |path: &Path, why: &dyn std::fmt::Display| {
            EmbeddingError::Load(format!("{}: {why}", path.display()))
        };
        let graph = ["model.onnx", "model.rten"]
            .map(|name| folder.join(name))
            .into_iter()
            .find(|path| path.is_file());
        let graph = graph.ok_or_else(|| fault(folder, &"there is no model.onnx and no model.rten"))?;
        refuse_other_pooling(folder)?;
        let spelled = folder.join("vocab.txt");
        let text = short_text(&spelled).map_err(|why| fault(&spelled, &why))?;
        let vocabulary = WordPieces::read(&text).map_err(|why| fault(&spelled, &why))?;
        let mut parts = vec![graph.clone(), spelled];
        parts.extend(Some(folder.join("model.onnx.data")).filter(|path| path.is_file()));
        let revision = checksum(&parts).map_err(|(path, why)| fault(&path, &why))?;
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(false);
        let model = options.load_file(&graph).map_err(|error| fault(&graph, &error))?;
        let identity =
            EmbedderIdentity { model: name(folder).into(), dimensions: 0, revision: revision.into() };
        let mut opened = Self::of(model, Arc::new(vocabulary), identity)?;
        let marks = opened.vocabulary.marks;
        let probe = Window { text: 0, tokens: vec![marks.begin, marks.unknown, marks.end] };
        let vector = opened.run(&[probe], Effort::Modest)?.into_iter().next().unwrap_or_default();
        opened.identity.dimensions =
            u16::try_from(vector.len()).map_err(|_| fault(&graph, &"its vectors are too long"))?;
        Ok(opened)
    }
}

/// The model's own name, if the folder tells it, or the folder's.
fn name(folder: &Path) -> String {
    let told = json(&folder.join("config.json"))
        .and_then(|config| config["_name_or_path"].as_str().map(str::to_owned))
        .and_then(|path| path.trim_end_matches('/').rsplit('/').next().map(str::to_owned))
        .filter(|name| !name.is_empty() && name != ".");
    told.or_else(|| Some(folder.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "folder".to_owned())
}

/// Refuses a model that says its vectors are made in another way than as a mean.
fn refuse_other_pooling(folder: &Path) -> Result<(), EmbeddingError> {
    let path = folder.join("1_Pooling").join("config.json");
    match json(&path) {
        Some(config) if config["pooling_mode_mean_tokens"] == false => Err(EmbeddingError::Load(format!(
            "{}: its vectors are no means over tokens; only such models can be used",
            path.display()
        ))),
        _ => Ok(()),
    }
}

fn json(path: &Path) -> Option<Value> {
    serde_json::from_str(&short_text(path).ok()?).ok()
}

fn short_text(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read =
        file.take(VOCABULARY_BYTES_MAX + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if read as u64 > VOCABULARY_BYTES_MAX {
        return Err(format!("it is longer than {VOCABULARY_BYTES_MAX} bytes"));
    }
    Ok(text)
}

/// The start of the checksum of all files, in their order.
fn checksum(paths: &[PathBuf]) -> Result<String, (PathBuf, std::io::Error)> {
    let mut context = Context::new(&SHA256);
    let mut part = vec![0u8; 1 << 20];
    for path in paths {
        let mut file = File::open(path).map_err(|error| (path.clone(), error))?;
        loop {
            match file.read(&mut part).map_err(|error| (path.clone(), error))? {
                0 => break,
                bytes => context.update(&part[..bytes]),
            }
        }
    }
    let digest = context.finish();
    Ok(digest.as_ref()[..REVISION_BYTES].iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::EmbeddingModel;

    /// A folder with the embedded model's files.
    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("model");
        let copy = |from: &str, to: &str| std::fs::copy(model.join(from), dir.path().join(to)).unwrap();
        copy("minilm-l6-int8.onnx", "model.onnx");
        copy("minilm-l6-int8.onnx.data", "minilm-l6-int8.onnx.data");
        copy("vocab.txt", "vocab.txt");
        dir
    }

    #[test]
    fn a_folder_gives_the_vectors_of_the_model_in_it() {
        let dir = folder();
        let (opened, embedded) = (MiniLm::open(dir.path()).unwrap(), MiniLm::load().unwrap());
        let of = |model: &MiniLm| {
            let vectors = model.embed(&["Where are my spectacles?"], Effort::Modest).unwrap();
            vectors.into_iter().next().unwrap().unwrap()
        };
        assert!(of(&opened).cosine(&of(&embedded)) > 0.9999);
        assert_eq!(opened.identity().dimensions, 384);
        assert_ne!(opened.identity(), embedded.identity());
    }

    #[test]
    fn the_identity_follows_the_name_and_every_file() {
        let dir = folder();
        let identity = || MiniLm::open(dir.path()).unwrap().identity();
        let before = identity();
        assert_eq!(before, identity());
        std::fs::write(dir.path().join("config.json"), "{\"_name_or_path\": \"makers/small-sentences\"}")
            .unwrap();
        let named = identity();
        assert_eq!((&*named.model, &named.revision), ("small-sentences", &before.revision));
        let vocabulary = std::fs::read_to_string(dir.path().join("vocab.txt")).unwrap();
        std::fs::write(dir.path().join("vocab.txt"), format!("{vocabulary}zzz\n")).unwrap();
        assert_ne!(identity().revision, named.revision);
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_name() {
        let refused = |dir: &Path, part: &str| {
            let error = MiniLm::open(dir).expect_err("because the folder is wrong").to_string();
            assert!(error.contains(part), "{part}: {error}");
        };
        refused(Path::new("/nowhere/at/all"), "no model.onnx");
        let dir = folder();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\nHello\n");
        refused(dir.path(), "capitals");
        write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\nhello\n");
        refused(dir.path(), "[SEP]");
        std::fs::create_dir(dir.path().join("1_Pooling")).unwrap();
        write("1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": false}");
        refused(dir.path(), "no means");
        let dir = folder();
        std::fs::write(dir.path().join("model.onnx"), "no model").unwrap();
        refused(dir.path(), "model.onnx");
    }
}
