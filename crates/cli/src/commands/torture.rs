//! `torture`: kills the owner of a memory at any moment, over and over, and looks whether anything that was confirmed is
//! gone, whether anything forgotten is back, and what the doctor says.

mod reminding;

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
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
/// Statements that one client has to tell in one run; more than an owner lives for.
const TELLS: usize = 4_000;
/// How long a process may take to begin, or to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Runs on one memory, after which the next begins with none: looking through it takes as long as it has grown.
const RUNS_A_MEMORY: usize = 20;
/// Findings of the doctor that a kill may leave behind.
const EXCUSED: &[&str] = &["leftover"];

/// What is done.
pub(crate) struct Ordeal {
    pub(crate) runs: usize,
    pub(crate) clients: usize,
    pub(crate) seed: u64,
    /// The longest that an owner lives after its clients began, in milliseconds.
    pub(crate) life_ms: u64,
    /// With the embedded model, which takes most of the time that an owner lives.
    pub(crate) vectors: bool,
    /// Kill conversations around the time at which reminders are due, in place of all this.
    pub(crate) reminders: bool,
}

/// Where the tortured memory is, and whether it has vectors.
#[derive(Debug, Clone)]
struct Data {
    path: PathBuf,
    vectors: bool,
}

/// Confirmed statements of each user, and their ids.
type Confirmed = HashMap<String, HashMap<String, String>>;

/// What came of it.
#[derive(Debug, Default)]
struct Toll {
    confirmed: usize,
    forgotten: usize,
    lost: Vec<String>,
    doubled: Vec<String>,
    revived: Vec<String>,
    /// What the doctor found wrong.
    disagreements: Vec<String>,
    worst_start: Duration,
}

impl Toll {
    fn bad(&self) -> impl Iterator<Item = &String> {
        self.lost.iter().chain(&self.doubled).chain(&self.revived).chain(&self.disagreements)
    }
}

/// Kills and looks, in a directory of its own.
pub(crate) async fn run(output: Output, ordeal: Ordeal, scratch: &Path) -> anyhow::Result<ExitCode> {
    if ordeal.reminders {
        return reminding::run(output, ordeal.runs, ordeal.seed, scratch).await;
    }
    let usage = |message: String| Err(Fault::new(FaultKind::Usage, message).into());
    if !(1..=64).contains(&ordeal.clients) {
        return usage(format!("{} clients; there can be 1 to 64", ordeal.clients));
    }
    if !(1..=600_000).contains(&ordeal.life_ms) {
        return usage(format!("a life of {} ms; it can be 1 to 600000", ordeal.life_ms));
    }
    let path = scratch.join(format!("bethink-torture-{}", std::process::id()));
    let data = Data { path, vectors: ordeal.vectors };
    let result = suffer(output, &ordeal, &data).await;
    // Kept when something was lost, for whoever looks into it.
    let kept = !matches!(&result, Ok(toll) if toll.bad().next().is_none());
    if !kept {
        drop(std::fs::remove_dir_all(&data.path));
    }
    let toll = result?;
    tell_toll(output, &ordeal, &toll)?;
    if kept {
        output.line(&format!("What is left of it is in {}.", data.path.display()))?;
        return Ok(ExitCode::from(FaultKind::Failed.exit_code()));
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_toll(output: Output, ordeal: &Ordeal, toll: &Toll) -> anyhow::Result<()> {
    output.object(&serde_json::json!({
        "runs": ordeal.runs, "clients": ordeal.clients, "seed": ordeal.seed, "life_ms": ordeal.life_ms,
        "confirmed": toll.confirmed, "forgotten": toll.forgotten, "lost": toll.lost.len(),
        "doubled": toll.doubled.len(), "revived": toll.revived.len(),
        "disagreements": toll.disagreements.len(), "worst_start_ms": toll.worst_start.as_millis(),
    }))?;
    output.line(&format!(
        "{} kills among {} clients: {} statements confirmed, {} lost, {} doubled; {} forgotten, {} came back; the doctor \
         found {} things wrong. The slowest start after a kill took {} ms.",
        ordeal.runs,
        ordeal.clients,
        toll.confirmed,
        toll.lost.len(),
        toll.doubled.len(),
        toll.forgotten,
        toll.revived.len(),
        toll.disagreements.len(),
        toll.worst_start.as_millis()
    ))?;
    for text in toll.bad().take(10) {
        output.line(&format!("  {text}"))?;
    }
    Ok(())
}

async fn suffer(output: Output, ordeal: &Ordeal, data: &Data) -> anyhow::Result<Toll> {
    let mut toll = Toll::default();
    let begun = Instant::now();
    let mut known = Confirmed::new();
    for round in 0..ordeal.runs {
        let fresh = one_round(ordeal, data, round, &mut known, &mut toll).await?;
        look(data, &fresh, &mut toll).await?;
        examine(data, &mut toll).await?;
        toll.confirmed += fresh.values().map(HashMap::len).sum::<usize>();
        for (user, texts) in fresh {
            known.entry(user).or_default().extend(texts);
        }
        let last = round + 1 == ordeal.runs;
        if last || (round + 1) % RUNS_A_MEMORY == 0 {
            look(data, &known, &mut toll).await?;
            if toll.bad().next().is_some() {
                return Ok(toll);
            }
            known.clear();
            drop(std::fs::remove_dir_all(&data.path));
        }
        let left = begun.elapsed().mul_f64((ordeal.runs - round - 1) as f64 / (round + 1) as f64);
        let line = format!("{} of {} runs, {} s left", round + 1, ordeal.runs, left.as_secs());
        if std::io::stderr().is_terminal() {
            output.overwrite(&line, last);
        } else if round % 10 == 9 {
            output.note(&line);
        }
    }
    Ok(toll)
}

/// An owner is killed among its clients, and then whoever of them became the owner; gives what was confirmed meanwhile.
async fn one_round(
    ordeal: &Ordeal,
    data: &Data,
    round: usize,
    known: &mut Confirmed,
    toll: &mut Toll,
) -> anyhow::Result<Confirmed> {
    let started = Instant::now();
    let mut owner = serve(data).await?;
    toll.worst_start = toll.worst_start.max(started.elapsed());
    let mut clients = JoinSet::new();
    let end = CancellationToken::new();
    for client in 0..ordeal.clients {
        clients.spawn(tell(data.clone(), round, client, end.clone()));
    }
    // One of the statements of earlier rounds is forgotten meanwhile, confirmed or not.
    let victim = known.iter().next().and_then(|(user, texts)| {
        texts.iter().next().map(|(text, id)| (user.clone(), text.clone(), id.clone()))
    });
    let forgetting = victim.map(|(user, text, id)| {
        known.entry(user.clone()).or_default().remove(&text);
        tokio::spawn(forget(data.clone(), user, text, id, end.clone()))
    });
    tokio::time::sleep(life(ordeal, round, 0)).await;
    owner.kill().await.context("the owner could not be killed")?;
    // Meanwhile one of the clients takes the memory over, and is killed as its owner.
    tokio::time::sleep(life(ordeal, round, 1)).await;
    end.cancel();
    let mut fresh = Confirmed::new();
    while let Some(told) = clients.join_next().await {
        let (user, texts) = told??;
        fresh.entry(user).or_default().extend(texts);
    }
    if let Some(forgetting) = forgetting
        && let Some((user, text)) = forgetting.await??
    {
        toll.forgotten += 1;
        if list(data, &user).await?.contains(&text) {
            toll.revived.push(text);
        }
    }
    Ok(fresh)
}

/// How long an owner lives, the first or the second of a round: the same for the same seed.
fn life(ordeal: &Ordeal, round: usize, which: u64) -> Duration {
    let space = SpaceId {
        agent: AgentName::new("torture").expect("because the name is short and printable"),
        user: UserName::new("owner").expect("because the name is short and printable"),
    };
    let drawn = Entropy::seeded(ordeal.seed).draw(&space, "kill", round as u64, which);
    Duration::from_millis(drawn % ordeal.life_ms)
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
) -> anyhow::Result<(String, HashMap<String, String>)> {
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
    let mut confirmed = HashMap::new();
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
        let [text, id] = ["text", "id"].map(|key| object[key].as_str().map(str::to_owned));
        confirmed.extend(text.zip(id));
    }
    telling.abort();
    if !killed {
        child.kill().await.context("a client could not be ended")?;
    }
    Ok((user, confirmed))
}

/// Forgets a statement; gives it when that was confirmed.
async fn forget(
    data: Data,
    user: String,
    text: String,
    id: String,
    end: CancellationToken,
) -> anyhow::Result<Option<(String, String)>> {
    let child = bethink(&data, &user)?.args(["forget", &id, "--yes"]).output();
    let ended = tokio::select! {
        ended = timeout(PATIENCE, child) => ended,
        // Killed with its future.
        () = end.cancelled() => return Ok(None),
    };
    let Ok(Ok(output)) = ended else { return Ok(None) };
    Ok(output.status.success().then_some((user, text)))
}

/// Looks for what was confirmed, and for what is there twice.
async fn look(data: &Data, confirmed: &Confirmed, toll: &mut Toll) -> anyhow::Result<()> {
    for (user, texts) in confirmed {
        let mut there = HashSet::new();
        for text in list(data, user).await? {
            if !there.insert(text.clone()) {
                toll.doubled.push(text);
            }
        }
        toll.lost.extend(texts.keys().filter(|text| !there.contains(*text)).cloned());
    }
    Ok(())
}

/// Everything that is remembered of a user.
async fn list(data: &Data, user: &str) -> anyhow::Result<Vec<String>> {
    let listing = bethink(data, user)?.args(["memory", "list", "--all"]).output();
    let listing = timeout(PATIENCE * 5, listing).await.context("a list takes too long")??;
    if !listing.status.success() {
        let message = format!("the memory of {user} can't be read any more");
        return Err(Fault::new(FaultKind::Data, message).into());
    }
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let mut texts = Vec::new();
    for line in listing.lines() {
        let object: serde_json::Value = serde_json::from_str(line)?;
        texts.push(object["text"].as_str().unwrap_or_default().to_owned());
    }
    Ok(texts)
}

/// Has the doctor look into everything.
async fn examine(data: &Data, toll: &mut Toll) -> anyhow::Result<()> {
    let examined = bethink(data, "user0")?.args(["doctor", "--deep"]).output();
    let examined = timeout(PATIENCE * 5, examined).await.context("the doctor takes too long")??;
    for line in String::from_utf8_lossy(&examined.stdout).lines() {
        let object: serde_json::Value = serde_json::from_str(line)?;
        let space = object["space"].as_str().unwrap_or("the directory");
        for finding in object["found"]["listed"].as_array().into_iter().flatten() {
            let [code, severity, place, detail] =
                ["code", "severity", "place", "detail"].map(|key| finding[key].as_str().unwrap_or_default());
            if severity != "notice" && !EXCUSED.contains(&code) {
                toll.disagreements.push(format!("{space}: {code} {place} {detail}"));
            }
        }
        if let Some(fault) = object["fault"].as_str() {
            toll.disagreements.push(format!("{space}: {fault}"));
        }
    }
    Ok(())
}
