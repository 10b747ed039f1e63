//! Egress: where a prompt may go, and what goes with it.
//!
//! A server on this machine needs no approval. Any other one, and every server that an installed
//! capability names, is asked only if the user approved exactly this address and path for exactly
//! this capability. Approvals are kept in the user's home, so nothing that a repository holds can
//! give one: whoever edits a host, a port or a path there stops the lane instead of moving it.
//!
//! It is checked when a call is planned, before the probe and before the prompt is sent, each time
//! against what the user says at that moment.

mod access;
mod approval;
mod hosts;
mod permission;

pub use access::{Access, ProxyUse};
pub use approval::{Approval, Approvals, Endpoint, Holds};
pub use hosts::{Hosts, HostsError, approvals};
pub use permission::{Permission, holds, needs_approval, permission};
