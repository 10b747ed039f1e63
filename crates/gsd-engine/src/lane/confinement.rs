//! How a program is kept from changing the project.
//!
//! What is done follows from what the manifest asks for, what the user allows and what this
//! machine offers; [`choose`] decides it, purely. What cannot be had is a refusal that names each
//! way that was tried, never less than was asked for.

mod places;

pub use places::{Places, is_apart, places};

use super::descriptor::Posture;
use super::words::words;
use gsd_io::sandbox::Landlock;

words! {
    /// A way to keep a program from changing the project, as manifests and settings name it.
    Way {
        /// Linux lets it write to its own places only.
        Landlock = "landlock",
        /// It works on a throw-away copy.
        Snapshot = "snapshot",
        /// Nothing keeps it: a change is only seen afterwards.
        None = "none",
    }
}

words! {
    /// What was really obtained, as the record names it.
    Confinement {
        None = "none",
        Landlock = "landlock",
        Snapshot = "snapshot",
        /// A copy, and nothing but the copy and its own places can be written to.
        SnapshotAndLandlock = "snapshot+landlock",
    }
}

impl Confinement {
    /// Whether the program works on a copy of the project.
    pub const fn copies(self) -> bool {
        match self {
            Self::Snapshot | Self::SnapshotAndLandlock => true,
            Self::None | Self::Landlock => false,
        }
    }

    /// Whether Landlock keeps it to its own places.
    pub const fn restricts(self) -> bool {
        match self {
            Self::Landlock | Self::SnapshotAndLandlock => true,
            Self::None | Self::Snapshot => false,
        }
    }
}

/// What this machine and this project offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub landlock: Option<Landlock>,
    /// Why the project cannot be copied, if it cannot.
    pub no_snapshot: Option<String>,
}

impl Offer {
    /// Of a machine that nobody knows yet: every way can be had there, as far as it is known here.
    pub fn anywhere() -> Self {
        Self { landlock: Some(Landlock { abi: 1 }), no_snapshot: None }
    }
}

/// What a lane wants of a confinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish<'a> {
    pub posture: Posture,
    /// The one way that does not break the program, where its manifest names one.
    pub fitting: Option<Way>,
    /// What the user allows, best first; empty where the user says nothing.
    pub allowed: &'a [Way],
}

/// No way that was allowed can be had here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    tried: Vec<(Way, String)>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it cannot be kept from changing the project: ")?;
        for (index, (_, why)) in self.tried.iter().enumerate() {
            f.write_str(if index > 0 { "; " } else { "" })?;
            f.write_str(why)?;
        }
        Ok(())
    }
}

/// Decides how a program is confined.
pub fn choose(wish: &Wish<'_>, offer: &Offer) -> Result<Confinement, Refusal> {
    let usual: &[Way] = match (wish.posture, wish.fitting) {
        (Posture::Trusted, _) => return Ok(Confinement::None),
        (Posture::Isolated, _) | (Posture::ReadOnly, Some(Way::Snapshot)) => &[Way::Snapshot],
        (Posture::ReadOnly, Some(Way::Landlock)) => &[Way::Landlock],
        (Posture::ReadOnly, Some(Way::None)) => &[Way::None],
        (Posture::ReadOnly, None) => &[Way::Landlock, Way::Snapshot],
    };
    let mut tried = vec![];
    for way in if wish.allowed.is_empty() { usual } else { wish.allowed } {
        let why_not = match way {
            Way::None => return Ok(Confinement::None),
            Way::Landlock if offer.landlock.is_some() => return Ok(Confinement::Landlock),
            Way::Landlock => "this system has no Landlock".to_owned(),
            Way::Snapshot => match &offer.no_snapshot {
                // A copy keeps nobody from writing elsewhere, so the two go together where the
                // program bears both.
                None if offer.landlock.is_some() && wish.fitting != Some(Way::Snapshot) => {
                    return Ok(Confinement::SnapshotAndLandlock);
                }
                None => return Ok(Confinement::Snapshot),
                Some(why) => format!("the project cannot be copied: {why}"),
            },
        };
        tried.push((*way, why_not));
    }
    Err(Refusal { tried })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Option<Landlock> = Some(Landlock { abi: 7 });

    fn offer(landlock: Option<Landlock>) -> Offer {
        Offer { landlock, no_snapshot: None }
    }

    fn chosen(posture: Posture, fitting: Option<Way>, allowed: &[Way], offer: &Offer) -> String {
        match choose(&Wish { posture, fitting, allowed }, offer) {
            Ok(confinement) => confinement.to_string(),
            Err(refusal) => refusal.to_string(),
        }
    }

    /// Who prepares a run for other machines must not leave a lane out for what this one lacks.
    #[test]
    fn nothing_is_refused_for_a_machine_that_nobody_knows() {
        for posture in [Posture::Trusted, Posture::ReadOnly, Posture::Isolated] {
            for fitting in [None, Some(Way::Landlock), Some(Way::Snapshot), Some(Way::None)] {
                for allowed in [&[][..], &[Way::Landlock], &[Way::Snapshot], &[Way::None]] {
                    let wish = Wish { posture, fitting, allowed };
                    assert!(choose(&wish, &Offer::anywhere()).is_ok(), "{wish:?}");
                }
            }
        }
    }

    #[test]
    fn each_posture_gets_the_best_that_is_there() {
        let cases = [
            (Posture::Trusted, None, NEW, "none"),
            (Posture::ReadOnly, None, NEW, "landlock"),
            (Posture::ReadOnly, None, None, "snapshot"),
            (Posture::ReadOnly, Some(Way::Snapshot), NEW, "snapshot"),
            (Posture::Isolated, None, NEW, "snapshot+landlock"),
            (Posture::Isolated, None, None, "snapshot"),
            (Posture::Isolated, Some(Way::Snapshot), NEW, "snapshot"),
        ];
        for (posture, fitting, landlock, expected) in cases {
            let found = chosen(posture, fitting, &[], &offer(landlock));
            assert_eq!(found, expected, "{posture} {fitting:?} {landlock:?}");
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused_with_each_reason() {
        let poor = Offer { landlock: None, no_snapshot: Some("it has 90000 files".to_owned()) };
        assert_eq!(
            chosen(Posture::ReadOnly, None, &[], &poor),
            "it cannot be kept from changing the project: this system has no Landlock; the project \
             cannot be copied: it has 90000 files"
        );
        let only_copies = chosen(Posture::Isolated, None, &[], &Offer { landlock: NEW, ..poor });
        assert!(only_copies.ends_with("it has 90000 files"), "{only_copies}");
    }

    #[test]
    fn only_the_user_gives_up_a_confinement() {
        let poor = Offer { landlock: None, no_snapshot: Some("too large".to_owned()) };
        let all = [Way::Landlock, Way::Snapshot, Way::None];
        assert_eq!(chosen(Posture::ReadOnly, None, &all, &poor), "none");
        assert_eq!(chosen(Posture::ReadOnly, None, &all, &offer(NEW)), "landlock");
        assert_eq!(
            chosen(Posture::ReadOnly, Some(Way::Snapshot), &all[..1], &offer(NEW)),
            "landlock"
        );
        assert_eq!(
            chosen(Posture::ReadOnly, None, &[Way::Snapshot], &offer(NEW)),
            "snapshot+landlock"
        );
        assert_eq!(chosen(Posture::Isolated, None, &[Way::None], &offer(NEW)), "none");
    }
}
