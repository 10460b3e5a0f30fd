//! The `bethink` binary: the command line with nothing added.

fn main() -> std::process::ExitCode {
    bethink_cli::main(bethink::Runtime::builder())
}
