//! What each verdict on a citation means, for people: `gsd explain` is written from here.

use super::Verdict;

impl Verdict {
    /// What was looked for and found, and what that means for the finding.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Verified => {
                "The file was opened, and what the finding speaks of stands at the cited line, or the \
                 file is missing, as the finding says. The finding counts."
            }
            Self::Moved => {
                "What is quoted stands in the cited file, at another line; the report names that line. \
                 The finding counts."
            }
            Self::Planned => {
                "The cited file does not exist yet, and a plan of the phase creates it. The finding \
                 counts."
            }
            Self::Located => {
                "The cited place is there, and nothing that is quoted or named shows that the finding \
                 is about it. It weighs as much as a finding without any citation."
            }
            Self::Ungrounded => {
                "There is no such file or line, or what is quoted does not stand there. It counts for \
                 little: look for yourself before you act on it."
            }
            Self::Contradicted => {
                "A plain search shows the opposite of what the finding claims. It counts for little."
            }
            Self::Outside => {
                "The citation leads out of the project. It was not opened and proves nothing."
            }
        }
    }

    /// Reads a word as records and reports spell it.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        Self::ALL.into_iter().find(|one| one.word() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_said_of_a_verdict_as_the_program_decides_it() {
        for one in Verdict::ALL {
            assert_eq!(one.meaning().contains("The finding counts."), one.holds(), "{one:?}");
            assert_eq!(Verdict::parse(one.word()), Some(one));
        }
    }
}
