//! `asr convert`: a native session to a stream of records.

use crate::Status;
use crate::describe::say;
use crate::input::{Origin, Reason, convert, read};
use crate::output::stdout;
use crate::progress::Progress;
use asr_registry::Conversion;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The native session; `-` is standard input
    file: PathBuf,

    /// The agent that wrote it: `auto`, `claude-code`, `pi`
    #[arg(long, value_name = "AGENT", default_value = "auto")]
    from: Origin,

    /// Write to this file, whole or not at all, instead of to standard output (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    let progress = Progress::start(args.file.display().to_string());
    let conversion = read(&args.file).and_then(|(name, bytes)| {
        let agent = args.from.agent(&bytes).ok_or_else(|| Reason::Undetected.of(&*name))?;
        convert(agent, &args.file, &name, &bytes, |note| say(&note))
    });
    let conversion = match conversion {
        Ok(conversion) => conversion,
        Err(error) => {
            say(&format!("error: {error}"));
            return Ok(Status::Unusable);
        }
    };
    match args.output.as_deref().filter(|&path| path != Path::new("-")) {
        None => write(&conversion, stdout())?,
        Some(path) => save(&conversion, path).map_err(|error| named(path, &error))?,
    }
    drop(progress);
    Ok(Status::Fine)
}

fn write(conversion: &Conversion, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    conversion.write_to(&mut out)?;
    out.flush()
}

/// Writes beside `path` and puts the finished file in its place.
fn save(conversion: &Conversion, path: &Path) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A device or a pipe is there to be written to. A file in its place would break it for everybody else.
        return write(conversion, OpenOptions::new().write(true).open(path)?);
    }
    // What a link names is replaced, not the link.
    let path = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = new_file(folder.unwrap_or(Path::new(".")))?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    write(conversion, file.as_file_mut())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file that others may read as any new file: by default only its owner could.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// An error that names the file that was asked for. Where it would name the temporary one instead, its kind says
/// as much.
fn named(path: &Path, error: &io::Error) -> io::Error {
    let reason = error.raw_os_error().map_or_else(|| error.kind().to_string(), |_| error.to_string());
    io::Error::new(error.kind(), format!("{}: {reason}", path.display()))
}
