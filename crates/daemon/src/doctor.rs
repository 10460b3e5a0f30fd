//! Examinations through a door.

use bethink_api::{DirectoryExamined, Examined, Fault, Found, Response, SpaceName};
use bethink_domain::SpaceId;
use bethink_runtime::{Handle, Mend};

use crate::local::running;

/// Examines one space.
pub(crate) async fn examine(
    handle: &Handle,
    space: &SpaceId,
    deep: bool,
    mend: Mend,
) -> Result<Response, Fault> {
    let examination = handle.examine(space, deep, mend).await.map_err(running)?;
    Ok(Response::Examined(Box::new(Examined::from(&examination))))
}

/// Examines the data directory.
pub(crate) async fn examine_directory(handle: &Handle, repair: bool) -> Result<Response, Fault> {
    let (found, repaired) = handle.examine_directory(repair).await.map_err(running)?;
    let spaces = handle.spaces_on_disk().await.map_err(running)?;
    let name = |space: &SpaceId| SpaceName { agent: space.agent.to_string(), user: space.user.to_string() };
    Ok(Response::DirectoryExamined(DirectoryExamined {
        data_dir: handle.data_dir().path().display().to_string(),
        spaces: spaces.iter().map(name).collect(),
        found: Found::from(&found),
        repaired: Found::from(&repaired),
    }))
}
