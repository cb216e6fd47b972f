//! The shapes of what the bridge did and which servers are known, as `cairn taiga --json` prints them.

mod bridge;
mod server;

pub use bridge::{
    BridgeConflictView, BridgeFieldView, BridgeItemView, BridgeLeftView, BridgeProjectView, BridgeStepView, BridgeView,
};
pub use server::{InstanceView, RemoteProjectView, TaigaView};
