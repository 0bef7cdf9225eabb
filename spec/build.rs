//! Makes `Requirement` of `requirements.toml` and `READINGS` of `readings.toml`.

use serde::Deserialize;
use std::fmt::Write as _;
use std::{env, error::Error, fs, path::Path};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirements {
    requirement: Vec<Requirement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirement {
    id: String,
    bound: Vec<String>,
    level: String,
    decided: String,
    text: String,
    exception: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Readings {
    reading: Vec<Reading>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    label: String,
    question: String,
    consequence: Option<u8>,
    alternatives: Vec<Alternative>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alternative {
    name: String,
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for name in ["requirements.toml", "readings.toml"] {
        println!("cargo::rerun-if-changed={name}");
    }
    let requirements: Requirements = toml::from_str(&fs::read_to_string("requirements.toml")?)?;
    fs::write(Path::new(&out).join("requirements.rs"), requirements_rs(&requirements.requirement)?)?;
    let readings: Readings = toml::from_str(&fs::read_to_string("readings.toml")?)?;
    fs::write(Path::new(&out).join("readings.rs"), readings_rs(&readings.reading)?)?;
    Ok(())
}

fn requirements_rs(rows: &[Requirement]) -> Result<String, std::fmt::Error> {
    let (mut variants, mut all) = (String::new(), String::new());
    let (mut ids, mut texts, mut bounds) = (String::new(), String::new(), String::new());
    let (mut levels, mut decided, mut exceptions) = (String::new(), String::new(), String::new());
    for row in rows {
        // ASR-352.b becomes Asr352B.
        let (number, letter) = row.id.split_once('.').unwrap_or((&row.id, ""));
        let variant = number.replace("ASR-", "Asr").replace('-', "") + &letter.to_uppercase();
        writeln!(variants, "/// {}: {}\n{variant},", row.id, row.text)?;
        writeln!(all, "Self::{variant},")?;
        writeln!(ids, "Self::{variant} => {:?},", row.id)?;
        writeln!(texts, "Self::{variant} => {:?},", row.text)?;
        let bound: Vec<_> = row.bound.iter().map(|bound| format!("Bound::{bound}")).collect();
        writeln!(bounds, "Self::{variant} => &[{}],", bound.join(", "))?;
        writeln!(levels, "Self::{variant} => Level::{},", row.level)?;
        writeln!(decided, "Self::{variant} => Decided::{},", row.decided)?;
        writeln!(exceptions, "Self::{variant} => {:?},", row.exception)?;
    }
    let count = rows.len();
    Ok(format!(
        "/// One requirement of the chapter: its number and our letter for the sentence.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Requirement {{ {variants} }}
        impl Requirement {{
            /// Every requirement, in the order of the numbers.
            pub const ALL: [Self; {count}] = [{all}];
            /// The label, such as `ASR-352.b`.
            pub const fn id(self) -> &'static str {{ match self {{ {ids} }} }}
            /// The requirement in our words.
            pub const fn text(self) -> &'static str {{ match self {{ {texts} }} }}
            /// Whom it binds.
            pub const fn bound(self) -> &'static [Bound] {{ match self {{ {bounds} }} }}
            /// How strongly it binds.
            pub const fn level(self) -> Level {{ match self {{ {levels} }} }}
            /// How one can decide whether it is met.
            pub const fn decided(self) -> Decided {{ match self {{ {decided} }} }}
            /// Why no stream can show whether it is met, where none can.
            pub const fn exception(self) -> Option<&'static str> {{ match self {{ {exceptions} }} }}
        }}"
    ))
}

fn readings_rs(rows: &[Reading]) -> Result<String, std::fmt::Error> {
    let mut items = String::new();
    for row in rows {
        let mut alternatives = String::new();
        for Alternative { name, text } in &row.alternatives {
            writeln!(alternatives, "Alternative {{ name: {name:?}, text: {text:?} }},")?;
        }
        writeln!(
            items,
            "Reading {{ label: {:?}, question: {:?}, consequence: {:?}, alternatives: &[{alternatives}] }},",
            row.label, row.question, row.consequence
        )?;
    }
    Ok(format!(
        "/// Every reading, in the order of the algorithms.\npub const READINGS: &[Reading] = &[{items}];"
    ))
}
