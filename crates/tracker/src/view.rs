//! The JSON output of `cairn taiga`: results of the bridge and the known servers.

mod bridge;
mod server;

pub use bridge::{
    BridgeConflictView, BridgeFieldView, BridgeItemView, BridgeLeftView, BridgeProjectView, BridgeStepView, BridgeView,
};
pub use server::{InstanceView, RemoteProjectView, TaigaView};
