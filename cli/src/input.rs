//! Input files: their bytes, and the streams that they hold or are converted to.

use crate::Status;
use crate::listing::{EXTENSION, Inputs, Judged, Listed};
use crate::output::Out;
use crate::progress::Progress;
use asr_core::Tally;
use asr_registry::{Agent, Conversion, ConvertError};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The path that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// What a command is to read as streams.
#[derive(clap::Args)]
pub(crate) struct Files {
    #[command(flatten)]
    inputs: Inputs,

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
    /// A native session; one that no agent is known to write is a stream of records.
    Native(Origin),
}

/// Who wrote a native session.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Origin {
    /// Whoever it looks like.
    Detected,
    /// This agent.
    Agent(Agent),
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Detected),
            agent => agent.parse().map(Self::Agent).map_err(|_| {
                let agents: Vec<_> = Agent::ALL.iter().map(Agent::to_string).collect();
                format!("expected auto or an agent ({})", agents.join(", "))
            }),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "asr" => Ok(Self::Asr),
            other => other
                .parse()
                .map(Self::Native)
                .map_err(|error: String| error.replacen("expected auto or", "expected asr, auto or", 1)),
        }
    }
}

impl Origin {
    /// The agent that wrote the bytes, if one is known to.
    pub(crate) fn agent(self, bytes: &[u8]) -> Option<Agent> {
        match self {
            Self::Detected => Agent::detect(bytes),
            Self::Agent(agent) => Some(agent),
        }
    }
}

/// An input that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {reason}")]
pub(crate) struct InputError {
    pub name: String,
    pub reason: Reason,
}

/// Why not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    #[error("cannot read: {0}")]
    Io(io::Error),
    #[error("cannot read: it is given twice, and the first time took all of it")]
    Consumed,
    #[error("expected *.{EXTENSION} files below this directory, found none")]
    Empty,
    #[error("expected a path or a pattern: {0}")]
    Pattern(glob::PatternError),
    #[error(transparent)]
    Convert(ConvertError),
    #[error("{0}")]
    TooLarge(String),
    #[error("cannot convert: {} is this session itself", .0.display())]
    Itself(PathBuf),
    #[error("cannot convert: {} is for another session that was given", .0.display())]
    Taken(PathBuf),
    #[error("cannot convert: no known agent writes such a file; name one with --from")]
    Undetected,
}

impl Reason {
    pub(crate) fn of(self, name: impl Into<String>) -> InputError {
        InputError { name: name.into(), reason: self }
    }
}

/// An input that was read.
pub(crate) struct Input {
    /// Its place among all inputs of the command.
    pub number: usize,
    /// Where it is.
    pub path: PathBuf,
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
            .map_err(|error| Reason::TooLarge(error.to_string()).of(&*self.name))
    }
}

impl Files {
    /// Hands every input to `judge`, read, as [`Inputs::for_each`] does.
    pub(crate) fn for_each(
        &self,
        in_json: bool,
        judge: impl Fn(Input, &mut Out<'_>, &Progress) -> Judged + Sync,
    ) -> io::Result<Status> {
        self.inputs.for_each(in_json, |listed, out, progress| match self.input(listed, out) {
            Ok(input) => judge(input, out, progress),
            Err(error) => Ok(Err(error)),
        })
    }

    /// The one file, where there is one that can be read again and again, and what it is.
    pub(crate) fn single(&self) -> Result<(&Path, Format), String> {
        match self.inputs.single() {
            Ok(path) if path == Path::new(STDIN) => {
                Err("standard input, which cannot be read again".to_owned())
            }
            Ok(path) => Ok((path, self.from)),
            Err(other) => Err(other.to_owned()),
        }
    }

    fn input(&self, listed: Listed, out: &mut Out<'_>) -> Result<Input, InputError> {
        let Listed { number, path, .. } = listed;
        let (name, bytes) = read(&path)?;
        let agent = match self.from {
            Format::Asr => None,
            Format::Native(origin) => origin.agent(&bytes),
        };
        let Some(agent) = agent else {
            hint(&name, &bytes).into_iter().for_each(|hint| out.say(hint));
            return Ok(Input { number, path, name, stream: bytes, conversion: None });
        };
        let conversion = convert(agent, &path, &name, &bytes, |note| out.say(note))?;
        let stream = stream(&conversion).map_err(|error| Reason::Io(error).of(&*name))?;
        Ok(Input { number, path, name, stream, conversion: Some(conversion) })
    }
}

/// What to say of a file that is read as a stream of records and is none: a native session, or no lines of JSON at all.
/// Any bytes have an outcome, but that of these is hardly what somebody asked for.
pub(crate) fn hint(name: &str, bytes: &[u8]) -> Option<String> {
    if let Some(agent) = Agent::detect(bytes) {
        return Some(format!(
            "note: {name} looks like a session of {agent}; for its records give --from {agent}"
        ));
    }
    // Of nearly every file the first line is a record, and no other is looked at.
    let lines = bytes.split(|&byte| byte == b'\n').map(Tally::of);
    let mut lines = lines.filter(|Tally { records, malformed }| records + malformed > 0).peekable();
    lines.peek()?;
    let has_none = lines.all(|Tally { records, malformed: _ }| records == 0);
    has_none.then(|| format!("note: {name}: expected records, one JSON object per line in UTF-8, found none"))
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
        Err(error) => Err(Reason::Io(error).of(name)),
    }
}

/// Converts a native session and says which lines found no proper place.
pub(crate) fn convert(
    agent: Agent,
    path: &Path,
    name: &str,
    bytes: &[u8],
    mut say: impl FnMut(String),
) -> Result<Conversion, InputError> {
    let file_name = path.file_name().map(|name| name.to_string_lossy());
    let conversion = asr_registry::convert(agent, file_name.as_deref(), bytes)
        .map_err(|error| Reason::Convert(error).of(name))?;
    for note in &conversion.notes {
        say(format!("note: {name}: line {}: {}", note.line, note.message));
    }
    Ok(conversion)
}

/// The stream of a conversion.
pub(crate) fn stream(conversion: &Conversion) -> io::Result<Vec<u8>> {
    let mut stream = Vec::new();
    conversion.write_to(&mut stream)?;
    Ok(stream)
}
