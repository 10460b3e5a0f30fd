//! A binary of one's own with every command of `bethink`: `cargo run -p bethink-cli --example own_binary -- --help`.

use bethink::kameo::error::Infallible;
use bethink::kameo::prelude::*;
use bethink::{Extension, Ports};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WeatherSettings {
    city: String,
}

#[derive(Clone)]
struct WeatherStation {
    _city: String,
}

impl Extension for WeatherStation {
    type Settings = WeatherSettings;

    fn args(settings: WeatherSettings, _: &Ports) -> Self {
        Self { _city: settings.city }
    }
}

impl Actor for WeatherStation {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(args: Self, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(args)
    }
}

fn main() -> std::process::ExitCode {
    let builder = bethink::Runtime::builder().program("weatherman", "0.3.0");
    bethink_cli::main(builder.extension::<WeatherStation>("weather"))
}
