//! `asr convert`: a native session to a stream of records.

use crate::Status;
use crate::describe::say;
use crate::input::{InputError, Origin, Reason, convert, read};
use crate::listing::{Inputs, Listed};
use crate::output::Out;
use asr_registry::Conversion;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    /// The agent that wrote it: `auto`, `claude-code`, `pi`
    #[arg(long, value_name = "AGENT", default_value = "auto")]
    from: Origin,

    /// Write to this file, whole or not at all, instead of to standard output (`-`); several sessions to this directory,
    /// each where it is below the one that was given
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> io::Result<Status> {
    let output = args.output.as_deref().filter(|&path| path != Path::new("-"));
    match (args.inputs.single(), output) {
        (Ok(_), output) => args.inputs.for_each(false, |listed, out, _| {
            let conversion = match args.conversion(&listed, out) {
                Ok(conversion) => conversion,
                Err(error) => return Ok(Err(error)),
            };
            match output {
                None => conversion.write_to(out)?,
                Some(path) => save(&conversion, path).map_err(|error| named(path, &error))?,
            }
            Ok(Ok(Status::Fine))
        }),
        (Err(_), Some(directory)) if directory.is_dir() || !directory.exists() => {
            to_directory(args, directory)
        }
        (Err(several), _) => {
            say(&format!("error: found {several} to convert: expected --output with a directory"));
            Ok(Status::Unusable)
        }
    }
}

/// Converts every session into a file of its own.
fn to_directory(args: &Args, directory: &Path) -> io::Result<Status> {
    args.inputs.for_each(false, |listed, out, _| {
        let target = directory.join(&listed.relative);
        let is_itself = fs::canonicalize(&target)
            .is_ok_and(|target| fs::canonicalize(&listed.path).is_ok_and(|source| source == target));
        if is_itself || listed.is_repeated {
            let reason = if is_itself { Reason::Itself(target) } else { Reason::Taken(target) };
            return Ok(Err(reason.of(listed.path.display().to_string())));
        }
        let conversion = match args.conversion(&listed, out) {
            Ok(conversion) => conversion,
            Err(error) => return Ok(Err(error)),
        };
        let saved =
            target.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| save(&conversion, &target));
        saved.map_err(|error| named(&target, &error))?;
        Ok(Ok(Status::Fine))
    })
}

impl Args {
    fn conversion(&self, listed: &Listed, out: &mut Out<'_>) -> Result<Conversion, InputError> {
        let (name, bytes) = read(&listed.path)?;
        let agent = self.from.agent(&bytes).ok_or_else(|| Reason::Undetected.of(&*name))?;
        convert(agent, &listed.path, &name, &bytes, |note| out.say(note))
    }
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
