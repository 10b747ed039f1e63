//! What plans mention beyond the files that they list: whatever makes the existence of a file
//! unclear. Worked out when the first doubt arises, since most plans raise none.

use super::path;
use super::tree::WorkTree;
use super::view::PlanView;
use crate::planning::{Phase, PhaseNumber};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

#[derive(Debug, Default)]
pub(super) struct Mentions {
    own: OnceCell<Own>,
    others: OnceCell<HashSet<String>>,
    generators: RefCell<HashMap<usize, bool>>,
}

#[derive(Debug, Default)]
struct Own {
    /// Every path that plans mention, without one or more of its first parts.
    tails: HashSet<String>,
    /// Folders that plans name as such, `src/mail/`, where they move files.
    folders: HashSet<String>,
}

impl Mentions {
    pub(super) fn has_tail_or_folder(&self, plans: &[PlanView<'_>], path: &str) -> bool {
        let own = self.own.get_or_init(|| {
            let mut own = Own::default();
            for plan in plans {
                own.add_tails(plan.text(&plan.body()));
                // Checks name folders to search in them; only work moves files there.
                let actions = plan.tasks().filter_map(|(_, task)| task.action.as_ref());
                for action in actions {
                    let text = plan.text(&action.span);
                    let lower = plan.plain(&action.span);
                    if MOVES.iter().any(|word| lower.contains(word)) {
                        own.add_folders(text);
                    }
                }
                if plan.plan.tasks.is_empty() {
                    own.add_folders(plan.text(&plan.body()));
                }
            }
            own
        });
        let folder = path.rsplit_once('/').map(|(folder, _)| folder);
        own.tails.contains(path) || folder.is_some_and(|folder| own.folders.contains(folder))
    }

    /// Whether a plan of an earlier phase that has not run yet names the path.
    pub(super) fn other_phases_name(&self, phase: &Phase, tree: &WorkTree, path: &str) -> bool {
        self.others.get_or_init(|| planned_elsewhere(phase, tree)).contains(path)
    }

    /// Whether a plan starts a generator: which files that makes cannot be told.
    pub(super) fn runs_generator(&self, plan: &PlanView<'_>) -> bool {
        if let Some(known) = self.generators.borrow().get(&plan.index) {
            return *known;
        }
        let text = plan.text(&plan.body());
        let runs = GENERATORS.iter().any(|command| text.contains(command));
        self.generators.borrow_mut().insert(plan.index, runs);
        runs
    }
}

impl Own {
    fn add_tails(&mut self, text: &str) {
        for token in tokens(text).filter(|token| path::has_known_extension(token)) {
            self.tails.extend(token.match_indices('/').map(|(at, _)| token[at + 1..].to_owned()));
        }
    }

    fn add_folders(&mut self, text: &str) {
        let folders = tokens(text).filter_map(|token| token.strip_suffix('/'));
        self.folders.extend(folders.map(|folder| folder.trim_start_matches("./").to_owned()));
    }
}

/// Words with a slash, without the marks around them. `./src/...` means whatever is there.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let cut = |c: char| {
        c.is_whitespace()
            || matches!(c, '`' | '"' | '\'' | ',' | ';' | '|' | '(' | ')' | '<' | '>' | '=' | '@')
    };
    text.split(cut)
        .filter(|token| token.contains('/') && token.len() < 300 && !token.ends_with("..."))
        .map(|token| token.trim_end_matches(['.', ':']))
}

fn planned_elsewhere(phase: &Phase, tree: &WorkTree) -> HashSet<String> {
    let mut named = HashSet::new();
    let Some(number) = &phase.directory.number else { return named };
    for folder in tree.names(".planning/phases").iter() {
        let Some(folder) = folder.strip_suffix('/') else { continue };
        if PhaseNumber::leading(folder).is_none_or(|(other, _)| other >= *number) {
            continue;
        }
        let folder = format!(".planning/phases/{folder}");
        let names = tree.names(&folder);
        for name in names.iter().filter(|name| name.ends_with("PLAN.md")) {
            // A summary says that the plan has run; what it made is there or gone by now.
            if names.contains(&name.replace("PLAN.md", "SUMMARY.md")) {
                continue;
            }
            if let Some(file) = tree.text(&format!("{folder}/{name}")) {
                let words = file.text().split(|c: char| {
                    c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | '<' | '>')
                });
                let words = words.filter(|word| word.contains('/'));
                named.extend(
                    words.map(|word| word.trim_matches(['(', '[', ']', ')', '.']).to_owned()),
                );
            }
        }
    }
    named
}

/// Words of actions that put files into a folder, in the languages that plans are seen in. Parts of
/// words are enough.
const MOVES: [&str; 10] = [
    "move",
    "moving",
    "rename",
    "relocat",
    "extract",
    "split",
    "copy",
    "mover",
    "mueve",
    "verschieb",
];

/// Commands that make files which no plan lists.
#[rustfmt::skip]
const GENERATORS: [&str; 44] = [
    "npx create-", "npm create", "npm init", "pnpm create", "pnpm dlx", "yarn create", "bun create",
    "bunx create-", "create-next-app", "create-react-app", "create vite", "create-vite", "shadcn",
    "cargo new", "cargo init", "cargo generate", "go mod init", "uv init", "poetry new",
    "poetry init", "startproject", "startapp", "makemigrations", "alembic revision", "rails new",
    "rails generate", "rails g ", "bin/rails", "ng new", "ng generate", "nest new", "nest g",
    "dotnet new", "flutter create", "mix new", "mix phx", "composer create-project",
    "artisan make", "prisma generate", "prisma migrate", "drizzle-kit generate", "supabase gen",
    "buf generate", "protoc ",
];
