//! The arrows between the crates point down only, and the two implementations never see each other.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// What each crate may use, directly, for more than its own tests.
const ARROWS: &[(&str, &[&str])] = &[
    ("asr-spec", &[]),
    ("asr-oracle", &["asr-spec"]),
    ("asr-core", &["asr-spec"]),
    ("asr-generators", &["asr-spec"]),
    ("asr-registry", &["asr-core", "asr-spec"]),
    ("asr-checker", &["asr-core", "asr-generators", "asr-oracle", "asr-spec"]),
    ("asr", &["asr-checker", "asr-core", "asr-oracle", "asr-registry", "asr-spec"]),
    ("asr-tests", &[]),
];

/// Each crate of the workspace with the crates of the workspace that it depends on; tests count if `tests`.
fn dependencies(tests: bool) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<_> = packages.iter().map(name).collect();
    let uses = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let counted = dependencies.filter(|dependency| tests || dependency["kind"] != "dev");
        counted.map(name).filter(|dependency| ours.contains(dependency)).collect()
    };
    packages.iter().map(|package| (name(package), uses(package))).collect()
}

#[test]
fn dependencies_follow_the_arrows_of_the_design() {
    let found = dependencies(false);
    let names: BTreeSet<_> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), names, "a crate without a row in ARROWS");
    for (name, allowed) in ARROWS {
        let allowed: BTreeSet<_> = allowed.iter().map(|name| (*name).to_owned()).collect();
        let used = &found[*name];
        assert!(used.is_subset(&allowed), "{name} uses {:?}", used.difference(&allowed));
    }
}

#[test]
fn oracle_and_core_share_the_vocabulary_and_nothing_else() {
    let found = dependencies(true);
    for name in ["asr-oracle", "asr-core"] {
        assert_eq!(found[name].iter().collect::<Vec<_>>(), ["asr-spec"], "{name}");
    }
}
