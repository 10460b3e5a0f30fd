//! `torture`: kills the owner of a memory at any moment, over and over, and looks whether anything that was confirmed is
//! gone.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::Context;
use bethink_api::{Fault, FaultKind};
use bethink_clock::Entropy;
use bethink_domain::{AgentName, SpaceId, UserName};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::output::Output;

/// Users among whom the clients are shared out: several write to one space, and several spaces are open.
const USERS: usize = 3;
/// The longest that an owner lives after its clients began, in milliseconds. Long enough for hundreds of commits.
const LIFE_MS_MAX: u64 = 1_500;
/// Statements that one client has to tell in one run; more than an owner lives for.
const TELLS: usize = 4_000;
/// How long a process may take to begin, or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is done.
pub(crate) struct Ordeal {
    pub(crate) runs: usize,
    pub(crate) clients: usize,
    pub(crate) seed: u64,
    /// With the embedded model, which takes most of the time that an owner lives.
    pub(crate) vectors: bool,
}

/// Where the tortured memory is, and whether it has vectors.
#[derive(Debug, Clone)]
struct Data {
    path: PathBuf,
    vectors: bool,
}

/// What came of it.
#[derive(Debug, Default)]
struct Toll {
    confirmed: HashMap<String, HashSet<String>>,
    lost: Vec<String>,
    doubled: Vec<String>,
    worst_start: Duration,
}

/// Kills and looks, in a directory of its own.
pub(crate) async fn run(output: Output, ordeal: Ordeal, scratch: &Path) -> anyhow::Result<ExitCode> {
    if !(1..=64).contains(&ordeal.clients) {
        let message = format!("{} clients; there can be 1 to 64", ordeal.clients);
        return Err(Fault::new(FaultKind::Usage, message).into());
    }
    let path = scratch.join(format!("bethink-torture-{}", std::process::id()));
    let data = Data { path, vectors: ordeal.vectors };
    let result = suffer(output, &ordeal, &data).await;
    // Kept when something was lost, for whoever looks into it.
    let kept = !matches!(&result, Ok(toll) if toll.lost.is_empty() && toll.doubled.is_empty());
    if !kept {
        drop(std::fs::remove_dir_all(&data.path));
    }
    let toll = result?;
    let confirmed: usize = toll.confirmed.values().map(HashSet::len).sum();
    output.object(&serde_json::json!({
        "runs": ordeal.runs, "clients": ordeal.clients, "seed": ordeal.seed, "confirmed": confirmed,
        "lost": toll.lost.len(), "doubled": toll.doubled.len(),
        "worst_start_ms": toll.worst_start.as_millis(),
    }))?;
    output.line(&format!(
        "{} kills among {} clients: {confirmed} statements confirmed, {} lost, {} doubled; the slowest start after a kill \
         took {} ms.",
        ordeal.runs,
        ordeal.clients,
        toll.lost.len(),
        toll.doubled.len(),
        toll.worst_start.as_millis()
    ))?;
    for text in toll.lost.iter().chain(&toll.doubled).take(10) {
        output.line(&format!("  {text}"))?;
    }
    if kept {
        output.line(&format!("What is left of it is in {}.", data.path.display()))?;
        return Ok(ExitCode::from(FaultKind::Failed.exit_code()));
    }
    Ok(ExitCode::SUCCESS)
}

async fn suffer(output: Output, ordeal: &Ordeal, data: &Data) -> anyhow::Result<Toll> {
    let mut toll = Toll::default();
    let begun = Instant::now();
    for round in 0..ordeal.runs {
        let started = Instant::now();
        let mut owner = serve(data).await?;
        toll.worst_start = toll.worst_start.max(started.elapsed());
        let mut clients = JoinSet::new();
        let end = CancellationToken::new();
        for client in 0..ordeal.clients {
            clients.spawn(tell(data.clone(), round, client, end.clone()));
        }
        tokio::time::sleep(life(ordeal.seed, round, 0)).await;
        owner.kill().await.context("the owner could not be killed")?;
        // Meanwhile one of the clients takes the memory over, and is killed as its owner.
        tokio::time::sleep(life(ordeal.seed, round, 1)).await;
        end.cancel();
        let mut fresh: HashMap<String, HashSet<String>> = HashMap::new();
        while let Some(told) = clients.join_next().await {
            let (user, texts) = told??;
            fresh.entry(user).or_default().extend(texts);
        }
        look(data, &fresh, &mut toll).await?;
        for (user, texts) in fresh {
            toll.confirmed.entry(user).or_default().extend(texts);
        }
        if round % 10 == 9 {
            let left = begun.elapsed().mul_f64((ordeal.runs - round - 1) as f64 / (round + 1) as f64);
            output.note(&format!("{} of {} runs, {} s left", round + 1, ordeal.runs, left.as_secs()));
        }
    }
    let all = std::mem::take(&mut toll.confirmed);
    look(data, &all, &mut toll).await?;
    toll.confirmed = all;
    Ok(toll)
}

/// How long an owner lives, the first or the second of a round: the same for the same seed.
fn life(seed: u64, round: usize, which: u64) -> Duration {
    let space = SpaceId {
        agent: AgentName::new("torture").expect("because the name is short and printable"),
        user: UserName::new("owner").expect("because the name is short and printable"),
    };
    let drawn = Entropy::seeded(seed).draw(&space, "kill", round as u64, which);
    Duration::from_millis(drawn % LIFE_MS_MAX)
}

/// This program, with memory in the given place.
fn bethink(data: &Data, user: &str) -> anyhow::Result<Command> {
    let program = std::env::current_exe().context("this program has no path")?;
    let mut command = Command::new(program);
    command.arg("--data-dir").arg(&data.path).args(["--user", user, "--json"]);
    if !data.vectors {
        command.args(["--set", "embedding.provider=none"]);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    Ok(command)
}

/// Starts an owner, and waits until it serves.
async fn serve(data: &Data) -> anyhow::Result<Child> {
    let mut owner = bethink(data, "user0")?.arg("serve").spawn().context("no owner could be started")?;
    let out = owner.stdout.take().context("an owner has an output")?;
    let mut lines = BufReader::new(out).lines();
    match timeout(PATIENCE, lines.next_line()).await {
        Ok(Ok(Some(line))) if line.contains("serving") => Ok(owner),
        _ => Err(Fault::new(FaultKind::Data, "the owner does not start on what a kill left behind").into()),
    }
}

/// Tells statements until it is killed; gives those that were confirmed.
async fn tell(
    data: Data,
    round: usize,
    client: usize,
    end: CancellationToken,
) -> anyhow::Result<(String, Vec<String>)> {
    let user = format!("user{}", client % USERS);
    let mut child = bethink(&data, &user)?.args(["remember", "--stdin"]).spawn()?;
    let mut input = child.stdin.take().context("a client has an input")?;
    let mut lines = BufReader::new(child.stdout.take().context("a client has an output")?).lines();
    let telling = tokio::spawn(async move {
        for n in 0..TELLS {
            let line = format!("Client {client} said {n} in run {round}, marked R{round}C{client}N{n}.\n");
            if input.write_all(line.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let mut confirmed = Vec::new();
    let mut killed = false;
    loop {
        let line = tokio::select! {
            line = timeout(PATIENCE, lines.next_line()) => line,
            () = end.cancelled(), if !killed => {
                killed = true;
                child.kill().await.context("a client could not be killed")?;
                continue;
            }
        };
        // What is still in the pipe was confirmed too; a line that was cut in half confirms nothing.
        let Ok(Ok(Some(line))) = line else { break };
        let Ok(object) = serde_json::from_str::<serde_json::Value>(&line) else { break };
        confirmed.extend(object["text"].as_str().map(str::to_owned));
    }
    telling.abort();
    if !killed {
        child.kill().await.context("a client could not be ended")?;
    }
    Ok((user, confirmed))
}

/// Looks for what was confirmed, and for what is there twice.
async fn look(
    data: &Data,
    confirmed: &HashMap<String, HashSet<String>>,
    toll: &mut Toll,
) -> anyhow::Result<()> {
    for (user, texts) in confirmed {
        let listing = bethink(data, user)?.args(["memory", "list", "--all"]).output();
        let listing = timeout(PATIENCE * 5, listing).await.context("a list takes too long")??;
        if !listing.status.success() {
            return Err(
                Fault::new(FaultKind::Data, format!("the memory of {user} can't be read any more")).into()
            );
        }
        let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
        let mut there = HashSet::new();
        for line in listing.lines() {
            let object: serde_json::Value = serde_json::from_str(line)?;
            let text = object["text"].as_str().unwrap_or_default().to_owned();
            if !there.insert(text.clone()) {
                toll.doubled.push(text);
            }
        }
        toll.lost.extend(texts.iter().filter(|text| !there.contains(*text)).cloned());
    }
    Ok(())
}
