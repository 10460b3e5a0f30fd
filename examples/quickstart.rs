//! Remember something, ask for it, and print the answer: `cargo run -p bethink --example quickstart [DIR]`.

use std::path::Path;

use bethink::testing::Home;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "this is what it is for")]
async fn main() -> Result<(), bethink::Error> {
    // Without a directory, memory goes to a temporary one and is gone afterwards.
    let home = Home::new();
    let given = std::env::args_os().nth(1);
    let answer = run(given.as_deref().map_or(home.path(), Path::new)).await?;
    println!("{answer}");
    Ok(())
}

/// The whole of it.
pub(crate) async fn run(data_dir: &Path) -> Result<String, bethink::Error> {
    let bethink = bethink::Runtime::builder().data_dir(data_dir).start().await?;
    bethink.remember("My reading glasses are on the bedside table.").await?;
    let reply = bethink.ask("Where are my spectacles?").await?;
    bethink.shutdown().await?;
    Ok(reply.text)
}
