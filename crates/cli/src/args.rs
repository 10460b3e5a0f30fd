//! The command line.

mod reminders;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use reminders::{RemindArguments, RemindersCommand};

/// An agent that remembers.
#[derive(Debug, Parser)]
#[command(name = "bethink", version, about = "An agent that remembers", arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Configuration file [default: $XDG_CONFIG_HOME/bethink/bethink.toml if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where memory is kept [default: $XDG_DATA_HOME/bethink]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Agent whose memory it is [default: bethink]
    #[arg(long, global = true)]
    pub(crate) agent: Option<String>,
    /// User whom it is about [default: me]
    #[arg(long, global = true)]
    pub(crate) user: Option<String>,
    /// Set any key of the configuration, such as memory.enabled=false; may be given several times
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk to an agent that remembers, on a terminal or line by line from a pipe
    #[command(after_help = "Example:\n  bethink chat\n  echo 'Where are my glasses?' | bethink chat")]
    Chat {
        /// Recall, but write nothing at all
        #[arg(long)]
        private: bool,
    },
    /// Store a statement, or one statement a line from standard input
    #[command(
        after_help = "Example:\n  bethink remember 'My bike is green.'\n  bethink --json remember --stdin < notes.txt"
    )]
    Remember {
        /// The statement
        #[arg(required_unless_present = "stdin", conflicts_with = "stdin")]
        text: Option<String>,
        /// Read one statement a line from standard input; each is printed once it is durable
        #[arg(long)]
        stdin: bool,
        /// When it happened and was told, such as 2026-03-14T08:15:00Z
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
    },
    /// Look up what memory holds about a cue; changes nothing unless --learn is given
    #[command(
        after_help = "Example:\n  bethink recall 'where is my bike?' --k 3\n  bethink recall 'the bakery' --faded"
    )]
    Recall {
        /// What to recall by
        cue: String,
        /// At most so many traces, 1 to 100
        #[arg(long, default_value_t = 8, allow_negative_numbers = true)]
        k: i64,
        /// Relevance below which nothing is shown, 0 to 1 [default: as configured]
        #[arg(long, allow_negative_numbers = true)]
        threshold: Option<f32>,
        /// Let recall change memory, as in a conversation
        #[arg(long)]
        learn: bool,
        /// Look through faded memories alone
        #[arg(long)]
        faded: bool,
    },
    /// Keep a reminder; says what was understood, with the absolute time and zone
    #[command(
        after_help = "Examples:\n  bethink remind 'check the build in 10 minutes'\n  bethink remind 'send the invoice' --every 'last friday of each month at 9'\n  bethink remind 'rotate the keys' --when deploy.finished\n  bethink remind 'ask for the figures' --about 'the budget' --at friday\n\nWithout an option, the time is read from the words. With --when or --about, --at is the time before which it\nstays quiet. See docs/reminders.md."
    )]
    Remind(RemindArguments),
    /// List reminders, soonest first, or do something with one, by its id or by words of it
    #[command(
        after_help = "Examples:\n  bethink reminders\n  bethink reminders done 0c1v7k2m4q7zp\n  bethink reminders snooze the dentist --until 'tomorrow at 9'\n  bethink reminders cancel the dentist"
    )]
    Reminders {
        /// Closed ones too
        #[arg(long)]
        all: bool,
        /// With this tag alone; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        #[command(subcommand)]
        command: Option<RemindersCommand>,
    },
    /// Tell that something happened that reminders may wait for
    #[command(
        after_help = "Example:\n  bethink event deploy.finished\n  bethink event deploy.finished --everywhere"
    )]
    Event {
        /// Its name
        name: String,
        /// For every user and agent whose reminders wait for it
        #[arg(long)]
        everywhere: bool,
    },
    /// Look at memories and look after them
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Delete a memory for ever; shows what would go and asks
    #[command(after_help = "Example:\n  bethink forget 0c1v7k2m4q7zp --yes")]
    Forget {
        /// Id, as `memory list` prints it
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Write all memories to a file of JSON lines, from which `import` reads them again
    #[command(
        after_help = "Example:\n  bethink export memories.jsonl\n  bethink export - --transcript | gzip > memories.jsonl.gz"
    )]
    Export {
        /// The file; `-` for standard output
        file: PathBuf,
        /// The conversation too, word for word
        #[arg(long)]
        transcript: bool,
        /// Replace a file that is there
        #[arg(long)]
        replace: bool,
    },
    /// Take memories in: from a file that `export` wrote, or a statement a line
    #[command(
        after_help = "Example:\n  bethink import memories.jsonl\n  bethink import notes.txt --at 2026-03-01\n\nWhat is there already is passed over, so that the same command goes on where it was stopped. A line that begins\nas a JSON object makes the file one of JSON lines, of which each needs a \"text\" alone."
    )]
    Import {
        /// The file; `-` for standard input
        file: PathBuf,
        /// When statements without a time of their own happened and were told, such as 2026-03-14 [default: now]
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// Take what was forgotten too
        #[arg(long)]
        revive: bool,
    },
    /// Copy all memory to a new directory while it is in use, and read every copy again
    #[command(after_help = "Example:\n  bethink backup /mnt/disk/bethink-2026-03-14")]
    Backup {
        /// Directory that is absent or empty, outside of where memory is kept
        dir: PathBuf,
    },
    /// Look whether memory is sound: every record, and whether the parts agree; safe while it is in use
    #[command(
        after_help = "Examples:\n  bethink doctor\n  bethink doctor --deep\n  bethink doctor --repair\n  bethink --user ada doctor --migrate\n\nEnds with 0 when all is healthy or repaired, 1 when something derived is wrong still, 4 when something that was\ntold is damaged. Without --repair and --migrate nothing is changed."
    )]
    Doctor {
        /// Look into texts, vectors and memory in use too, and tell the size of each part
        #[arg(long)]
        deep: bool,
        /// Make anew what is derived and wrong; never what was told
        #[arg(long)]
        repair: bool,
        /// Bring files of earlier formats to the newest now, in place of when they are first written
        #[arg(long)]
        migrate: bool,
    },
    /// Put memory back from a backup, in the place of what is there; what was forgotten since stays forgotten
    #[command(
        after_help = "Example:\n  bethink restore /mnt/disk/bethink-2026-03-14 --dry-run\n  bethink restore /mnt/disk/bethink-2026-03-14 --user ada --yes\n\nWith --user or --agent, the spaces of that name alone are put back. No process may own the memory meanwhile."
    )]
    Restore {
        /// The backup
        dir: PathBuf,
        /// Say what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Explain a memory, or how a turn was answered
    #[command(after_help = "Example:\n  bethink why --last\n  bethink why 0c1v7k2m4q7zp")]
    Why {
        /// Id of a memory
        #[arg(required_unless_present_any = ["turn", "last"], conflicts_with_all = ["turn", "last"])]
        id: Option<String>,
        /// Id of a turn
        #[arg(long, value_name = "ID", conflicts_with = "last")]
        turn: Option<String>,
        /// The newest turn
        #[arg(long)]
        last: bool,
    },
    /// Show whose vectors a memory holds, and move it to the configured embedder
    #[command(
        after_help = "Example:\n  bethink embedder\n  bethink embedder --all\n  bethink embedder migrate --dry-run"
    )]
    Embedder {
        /// Every memory of the data directory
        #[arg(long)]
        all: bool,
        #[command(subcommand)]
        command: Option<EmbedderCommand>,
    },
    /// Check the configuration, show it, or print its reference
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Run as the owner of the memory until told to stop; every other command then talks to this process
    #[command(after_help = "Example:\n  bethink serve\n  bethink serve 2>> bethink.log &")]
    Serve,
    /// Show how the process that owns the memory is: spaces awake, actors, what waits, what went wrong
    #[command(after_help = "Example:\n  bethink status\n  bethink --json status")]
    Status,
    /// Kill the owner of a memory of its own at any moment, over and over, and look whether anything confirmed is gone,
    /// anything forgotten is back, or the doctor finds anything wrong
    #[command(
        after_help = "Example:\n  bethink torture --runs 100\n  bethink torture --reminders --runs 200"
    )]
    Torture {
        /// Kills
        #[arg(long, default_value_t = 100)]
        runs: usize,
        /// Processes that tell statements meanwhile, 1 to 64
        #[arg(long, default_value_t = 8)]
        clients: usize,
        /// Which moments: the same seed draws the same
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The longest that an owner lives among its clients, in milliseconds, 1 to 600000
        #[arg(long, value_name = "MS", default_value_t = 500)]
        life_ms: u64,
        /// Make vectors too, which leaves time for fewer statements
        #[arg(long)]
        vectors: bool,
        /// Kill conversations around the time at which a reminder is due instead, and look whether one is lost
        #[arg(long, conflicts_with_all = ["clients", "life_ms", "vectors"])]
        reminders: bool,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Measure recall on labelled benchmarks
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Measure what recall, statements, turns, waking and memory cost at different sizes, beside the machine by itself
    Bench(crate::commands::BenchCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List memories, newest first
    #[command(after_help = "Example:\n  bethink memory list --kind semantic --since 2026-03-01")]
    List {
        /// Faded and superseded ones too
        #[arg(long)]
        all: bool,
        /// Of this kind alone: semantic, episodic, procedural, relational, prospective
        #[arg(long)]
        kind: Option<String>,
        /// Stored since, such as 2026-03-14 or 2026-03-14T08:15:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Faded ones alone
        #[arg(long)]
        faded: bool,
        /// At most so many [default: all]
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Show one memory with all that changed it
    Show {
        /// Id
        id: String,
    },
    /// Replace the text of a memory
    Edit {
        /// Id
        id: String,
        /// The new text
        text: String,
    },
    /// Keep a memory whatever time passes
    Pin {
        /// Id
        id: String,
    },
    /// Stop keeping a memory
    Unpin {
        /// Id
        id: String,
    },
    /// Count what is there
    Stats,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EmbedderCommand {
    /// Make new vectors while the old ones serve, compare, and switch; ends with 1 when the new ones recall too differently
    #[command(
        after_help = "Example:\n  bethink embedder migrate --dry-run\n  bethink embedder migrate --all\n  bethink embedder migrate --cancel\n\nWhat is made is kept, so that the same command goes on where it was stopped. See docs/embedders.md."
    )]
    Migrate {
        /// Only say what would be embedded
        #[arg(long, conflicts_with = "cancel")]
        dry_run: bool,
        /// Switch however much recall by the new vectors differs
        #[arg(long, conflicts_with = "cancel")]
        anyway: bool,
        /// Call a move off, and drop what was made for it
        #[arg(long)]
        cancel: bool,
        /// Every memory of the data directory
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Tell everything that is wrong with the file, the environment and the options, at once
    #[command(after_help = "Example:\n  bethink config check\n  bethink config check bethink.toml")]
    Check {
        /// Configuration file [default: the one that other commands would read]
        file: Option<PathBuf>,
    },
    /// Print what is in force as TOML, with the place that each value came from
    #[command(after_help = "Example:\n  bethink config show memory\n  bethink config show --egress")]
    Show {
        /// This section alone, such as memory or mechanisms.decay
        section: Option<String>,
        /// Leave defaults out
        #[arg(long)]
        changed: bool,
        /// Tell what data go to which host instead
        #[arg(long, conflicts_with_all = ["section", "changed"])]
        egress: bool,
    },
    /// Print the reference of all keys as Markdown
    #[command(after_help = "Example:\n  bethink config reference > configuration.md")]
    Reference,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Measure the planner and the store beside a baseline without them, on a labelled benchmark
    #[command(after_help = "Example:\n  bethink eval recall benchmarks/recall-first-half.jsonl")]
    Recall {
        /// JSON Lines of memories and queries
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Measure how well the intent of labelled utterances is told
    #[command(
        after_help = "Example:\n  bethink eval intents utterances.jsonl\n  bethink --json eval intents utterances.jsonl\n\nA line is {\"text\":…,\"label4\":…}, where a label is memory, reasoning, general or small_talk."
    )]
    Intents {
        /// JSON Lines of utterances
        file: PathBuf,
        /// File that what was decided for each is written to, as {id, text, label, rule}
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Write down what time phrases are read as, for a scorer to judge
    #[command(
        after_help = "Example:\n  bethink eval times phrases.jsonl --out results.jsonl\n\nA line is {\"id\":…,\"phrase\":…,\"reference\":…}, with the wall time at which it is said; without a reference it is a length of\ntime. A line of results is {\"id\":…,\"result\":…}: a wall time, seconds, the parts of a rule, or null where it would be\nasked about."
    )]
    Times {
        /// JSON Lines of phrases
        file: PathBuf,
        /// File that the results are written to
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// How dates are written
        #[arg(long, value_name = "TAG", default_value = "en-US")]
        locale: String,
    },
    /// Write down what is retrieved for questions about long conversations, for a scorer to judge
    #[command(
        after_help = "Example:\n  bethink eval retrieval talks --out results.jsonl\n  bethink eval retrieval talks --out live.jsonl --level session --live\n\nThe folder holds turns.jsonl with lines {conv_id, session_id, turn_id, timestamp, speaker, text[, caption]} and\nquestions.jsonl with lines {question_id, conv_id, question[, asked_at][, evidence]}. Times without a zone are in UTC.\nA line of results is {question_id, retrieved, scores, signal}, best first."
    )]
    Retrieval {
        /// Folder of turns and questions
        dir: PathBuf,
        /// File that the results are written to
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// File of questions in the folder
        #[arg(long, value_name = "NAME", default_value = "questions.jsonl")]
        questions: PathBuf,
        /// What results name
        #[arg(long, value_enum, default_value_t = LevelArgument::Turn)]
        level: LevelArgument,
        /// At most so many results for each question, 1 to 100
        #[arg(long, default_value_t = 100)]
        k: usize,
        /// As turns recall: with routing, depth, threshold and fading as configured, in place of ranking alone
        #[arg(long)]
        live: bool,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Keep many reminders in many spaces; measure how long a start takes, what memory it takes, and how late they are told
    #[command(after_help = "Example:\n  bethink eval reminders --spaces 1000 --each 100 --told 1000")]
    Reminders {
        /// Spaces, 1 to 100000
        #[arg(long, default_value_t = 100)]
        spaces: usize,
        /// Reminders of each, 1 to 10000
        #[arg(long, default_value_t = 10)]
        each: usize,
        /// How many are told, one after another
        #[arg(long, default_value_t = 100)]
        told: usize,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Live through days of conversation in minutes, and show whether memory, file handles and disk stay flat
    #[command(after_help = "Example:\n  bethink eval soak --days 60 --users 20 --turns 12")]
    Soak {
        /// Days to live through
        #[arg(long, default_value_t = 60)]
        days: usize,
        /// Users, each with a space of their own
        #[arg(long, default_value_t = 20)]
        users: usize,
        /// Turns of each user on each day
        #[arg(long, default_value_t = 12)]
        turns: usize,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Measure what a turn costs beyond embedding, and a durable statement beside one fsync of the same disk
    #[command(after_help = "Example:\n  bethink eval overhead --traces 10000")]
    Overhead {
        /// Memories in the space
        #[arg(long, default_value_t = 10_000)]
        traces: usize,
        /// Give them made-up vectors instead of embedding each
        #[arg(long)]
        hashed: bool,
        /// Where temporary memory is made; what is measured of a disk is measured of this one
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
    /// Measure what a whole turn adds to the time to a language model's first word, beside the model alone
    #[command(
        after_help = "Example:\n  bethink eval first-token\n  bethink eval first-token --turns 20 --base-url http://127.0.0.1:8080/v1 --model qwen3\n\nWithout a server, a scripted one on loopback answers after a fixed delay, and nothing leaves the machine. With\none, what is sent are made-up questions and memories, never yours."
    )]
    FirstToken {
        /// Turns of one conversation
        #[arg(long, default_value_t = 200)]
        turns: usize,
        /// Memories in the space
        #[arg(long, default_value_t = 1_000)]
        traces: usize,
        /// A server that speaks OpenAI's chat completions and asks for no key
        #[arg(long, value_name = "URL", requires = "model")]
        base_url: Option<String>,
        /// The model's name, as that server knows it
        #[arg(long, value_name = "NAME", requires = "base_url")]
        model: Option<String>,
        /// Where temporary memory is made [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
}

/// What results name.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum LevelArgument {
    /// Turns.
    Turn,
    /// Sessions.
    Session,
}
