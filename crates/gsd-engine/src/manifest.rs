//! Capability manifests: an envelope and exactly one body.
