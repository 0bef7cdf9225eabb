//! What the documents promise is what there is.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The set-up commands: the console blocks of the section that bears the name.
fn set_up_commands() -> Vec<String> {
    let readme = read("README.md");
    let section = readme.split("\n## ").find(|section| section.starts_with("Set up\n")).unwrap();
    let blocks = section.split("```console\n").skip(1);
    blocks.map(|block| block.split("\n```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_readme_has_two_set_up_commands_and_ci_runs_both() {
    let commands = set_up_commands();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let ci = read(".ci/run");
    for command in commands {
        assert!(ci.lines().any(|line| line == command), ".ci/run does not run `{command}`");
    }
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let folders = ["", "docs", "fixtures"].map(|folder| root().join(folder));
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut links = 0;
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(&file).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = file.parent().unwrap().join(link.split('#').next().unwrap());
            assert!(link.contains("://") || target.exists(), "{}: {link}", file.display());
            links += 1;
        }
    }
    assert!(links > 0);
}

#[test]
fn every_crate_is_in_the_readme_or_the_changelog() {
    let documents = read("README.md") + &read("CHANGELOG.md");
    let crates =
        ["asr-spec", "asr-oracle", "asr-core", "asr-generators", "asr-registry", "asr-checker", "asr-tests"];
    for name in crates {
        assert!(
            documents.contains(&format!("`{name}`")) || documents.contains(&format!(" {name} ")),
            "{name}"
        );
    }
}

/// The rows of the table of targets, and the files, by name.
#[test]
fn the_table_of_fuzz_targets_has_a_row_for_each_target_and_no_other() {
    let document = read("docs/fuzzing.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut rows: Vec<_> = rows.map(str::to_owned).collect();
    rows.sort_unstable();
    let files = fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    files.sort_unstable();
    assert_eq!(rows, files);
}
