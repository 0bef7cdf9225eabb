//! Input files: bytes from a path or from standard input, and the stream they hold or are converted to.

use crate::Status;
use crate::describe::say;
use crate::progress::Progress;
use asr_registry::{Agent, Conversion, ConvertError};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The path that stands for standard input.
const STDIN: &str = "-";

/// The files of a command, `-` for standard input.
#[derive(clap::Args)]
pub(crate) struct Files {
    /// Files to read; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// What the files are: `asr`, `auto` (detect a native session, else take it for ASR), or an agent:
    /// `claude-code`, `pi`
    #[arg(long, value_name = "FORMAT", default_value = "asr")]
    from: Format,
}

/// What an input file is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    /// A stream of records.
    Asr,
    /// Whatever it looks like.
    Auto,
    /// A native session.
    Native(Agent),
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "asr" => Ok(Self::Asr),
            "auto" => Ok(Self::Auto),
            agent => agent.parse().map(Self::Native).map_err(|_| {
                let agents: Vec<_> = Agent::ALL.iter().map(Agent::to_string).collect();
                format!("expected asr, auto or an agent ({})", agents.join(", "))
            }),
        }
    }
}

/// An input that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("{name}: cannot read: {source}")]
    Io { name: String, source: io::Error },
    #[error("standard input: cannot read: it is given twice, and the first time took all of it")]
    Consumed,
    #[error("{name}: {source}")]
    Convert { name: String, source: ConvertError },
    #[error("{name}: {message}")]
    TooLarge { name: String, message: String },
    #[error("{name}: cannot convert: no known agent writes such a file; name one with --from")]
    Undetected { name: String },
}

/// An input that was read.
pub(crate) struct Input {
    /// What messages call it.
    pub name: String,
    /// The stream: the file itself, or what it was converted to.
    pub stream: Vec<u8>,
    /// The conversion, where there was one.
    pub conversion: Option<Conversion>,
}

impl Input {
    /// The stream, as the core reads it.
    pub(crate) fn core(&self) -> Result<asr_core::Stream<'_>, InputError> {
        asr_core::Stream::read(&self.stream)
            .map_err(|error| InputError::TooLarge { name: self.name.clone(), message: error.to_string() })
    }
}

impl Files {
    /// Hands every input to `each`, in order. One that cannot be used is reported and does not stop the others.
    pub(crate) fn for_each(
        &self,
        mut each: impl FnMut(Input, &Progress) -> io::Result<Result<Status, InputError>>,
    ) -> io::Result<Status> {
        let mut worst = Status::Fine;
        let mut is_consumed = false;
        for path in &self.files {
            let progress = Progress::start(path.display().to_string());
            let is_stdin = path == Path::new(STDIN);
            let input = if is_stdin && is_consumed { Err(InputError::Consumed) } else { self.input(path) };
            is_consumed |= is_stdin;
            let status = match input {
                Ok(input) => each(input, &progress)?,
                Err(error) => Err(error),
            };
            drop(progress);
            worst = worst.max(status.unwrap_or_else(|error| {
                say(&format!("error: {error}"));
                Status::Unusable
            }));
        }
        Ok(worst)
    }

    fn input(&self, path: &Path) -> Result<Input, InputError> {
        let (name, bytes) = read(path)?;
        let agent = match self.from {
            Format::Asr => {
                if let Some(agent) = Agent::detect(&bytes) {
                    say(&format!(
                        "note: {name} looks like a session of {agent}; for its records give --from {agent}"
                    ));
                }
                None
            }
            Format::Auto => Agent::detect(&bytes),
            Format::Native(agent) => Some(agent),
        };
        let Some(agent) = agent else { return Ok(Input { name, stream: bytes, conversion: None }) };
        let conversion = convert(agent, path, &name, &bytes)?;
        let mut stream = Vec::with_capacity(bytes.len());
        conversion.write_to(&mut stream).map_err(|source| InputError::Io { name: name.clone(), source })?;
        Ok(Input { name, stream, conversion: Some(conversion) })
    }
}

/// The name and the bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), InputError> {
    let (name, bytes) = if path == Path::new(STDIN) {
        let mut bytes = Vec::new();
        ("standard input".to_owned(), io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.display().to_string(), fs::read(path))
    };
    match bytes {
        Ok(bytes) => Ok((name, bytes)),
        Err(source) => Err(InputError::Io { name, source }),
    }
}

/// Converts a native session and reports the lines that found no proper place.
pub(crate) fn convert(agent: Agent, path: &Path, name: &str, bytes: &[u8]) -> Result<Conversion, InputError> {
    let file_name = path.file_name().map(|name| name.to_string_lossy());
    let conversion = asr_registry::convert(agent, file_name.as_deref(), bytes)
        .map_err(|source| InputError::Convert { name: name.to_owned(), source })?;
    for note in &conversion.notes {
        say(&format!("note: {name}: line {}: {}", note.line, note.message));
    }
    Ok(conversion)
}
