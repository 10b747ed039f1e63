//! Composes first-party manifests and overlays.
