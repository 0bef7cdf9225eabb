//! The tables of the chapter: one row per line, or one JSON array.

use crate::Status;
use crate::output::stdout;
use asr_oracle::{Kind, variants};
use asr_spec::{READINGS, Requirement, Step};
use console::style;
use serde_json::{Value, json};
use std::io::{self, Write};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// One JSON array
    #[arg(long)]
    pub(super) json: bool,
}

impl Args {
    fn print(&self, rows: impl Iterator<Item = (String, Value)>) -> io::Result<Status> {
        let mut out = io::BufWriter::new(stdout());
        if self.json {
            let values: Vec<_> = rows.map(|(_, value)| value).collect();
            writeln!(out, "{}", Value::Array(values))?;
        } else {
            for (text, _) in rows {
                writeln!(out, "{text}")?;
            }
        }
        out.flush()?;
        Ok(Status::Fine)
    }
}

pub(crate) fn requirements(args: &Args) -> io::Result<Status> {
    args.print(Requirement::ALL.into_iter().map(|requirement| {
        let bound: Vec<_> =
            requirement.bound().iter().map(|bound| format!("{bound:?}").to_lowercase()).collect();
        let level = format!("{:?}", requirement.level());
        let decided = format!("{:?}", requirement.decided()).to_lowercase();
        let (id, text) = (requirement.id(), requirement.text());
        let row = format!("{}  {level:10}  {decided:9}  {text}", style(format!("{id:9}")).bold());
        let value = json!({
            "id": id, "bound": bound, "level": level, "decided": decided, "text": text,
            "exception": requirement.exception(),
        });
        (row, value)
    }))
}

pub(crate) fn steps(args: &Args) -> io::Result<Status> {
    args.print(Step::ALL.into_iter().map(|step| {
        let (label, summary) = (step.label(), step.summary());
        let row = format!("{}  {summary}", style(format!("{label:11}")).bold());
        (row, json!({"label": label, "summary": summary}))
    }))
}

pub(crate) fn readings(args: &Args) -> io::Result<Status> {
    args.print(READINGS.iter().map(|reading| {
        let mut row = format!("{}  {}", style(reading.label).bold(), reading.question);
        for (index, other) in reading.alternatives.iter().enumerate() {
            let mark = if index == 0 { "*" } else { " " };
            row += &format!("\n    {mark} {}: {}", style(other.name).cyan(), other.text);
        }
        let alternatives =
            reading.alternatives.iter().map(|other| json!({"name": other.name, "text": other.text}));
        let value = json!({
            "label": reading.label, "question": reading.question, "consequence": reading.consequence,
            "alternatives": alternatives.collect::<Vec<_>>(),
        });
        (row, value)
    }))
}

pub(crate) fn faults(args: &Args) -> io::Result<Status> {
    let faults = variants().iter().filter(|variant| matches!(variant.kind, Kind::Fault { .. }));
    args.print(faults.map(|fault| {
        let row = format!("{}  {}", style(format!("{:32}", fault.name)).bold(), fault.text());
        (row, json!({"name": fault.name, "text": fault.text()}))
    }))
}
