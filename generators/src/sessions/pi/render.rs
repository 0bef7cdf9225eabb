//! Lines of Pi from operations. The entry on line n has the id `en`.

use super::{
    AddedForm, AnswerForm, BranchForm, CompactionForm, EditForm, FactForm, HeaderForm, Op, PromptForm,
    ResultForm,
};
use crate::render::line::{Line, quote};
use crate::sessions::pointer::{File, Part, Pointer, Spelling, Turn, Written};

pub(super) fn render(ops: &[Op]) -> Vec<u8> {
    let header = ops.iter().find_map(|op| match op {
        Op::Header { form } => Some(*form),
        _ => None,
    });
    let form = header.unwrap_or_default();
    let has_ids = !matches!(form, HeaderForm::One | HeaderForm::Unsaid);
    let mut renderer = Renderer { file: File::default(), has_ids };
    renderer.header(form);
    for op in ops {
        renderer.write(op);
    }
    renderer.file.out
}

fn id(line: usize) -> String {
    format!("e{line}")
}

struct Renderer {
    file: File,
    /// Whether entries have ids and parents, as from format 2 on.
    has_ids: bool,
}

impl Renderer {
    fn header(&mut self, form: HeaderForm) {
        self.file.line = 1;
        let mut line = Line::new();
        line.text("type", "session");
        let version = match form {
            HeaderForm::Three | HeaderForm::Forked | HeaderForm::NoId => Some("3"),
            HeaderForm::Two => Some("2"),
            HeaderForm::One => Some("1"),
            HeaderForm::Unsaid => None,
            HeaderForm::Four => Some("4"),
            HeaderForm::Text => Some("\"3\""),
        };
        if let Some(version) = version {
            line.put("version", version);
        }
        if form != HeaderForm::NoId {
            line.text("id", "s1");
        }
        line.text("cwd", "/w");
        if form == HeaderForm::Forked {
            line.text("parentSession", "s0.jsonl");
        }
        self.file.write(line, Spelling::Plain);
    }

    fn write(&mut self, op: &Op) {
        if !matches!(op, Op::Header { .. }) {
            self.file.line += 1;
        }
        match *op {
            Op::Header { .. } => {}
            Op::Prompt { form, turn } => self.prompt(form, turn),
            Op::Answer { form, turn } => self.answer(form, turn),
            Op::Result { form, n, turn } => self.result(form, n, turn),
            Op::Added { form, turn } => self.added(form, turn),
            Op::Compaction { form, kept, turn } => self.compaction(form, kept, turn),
            Op::Branch { form, from, turn } => self.branch(form, from, turn),
            Op::Edit { form, target, turn } => self.edit(form, target, turn),
            Op::Leaf { target, turn } => {
                let target = self.file.point(target, id);
                let mut line = self.begin("leaf", Part::Fact, turn);
                line.put("targetId", target);
                self.file.write(line, turn.spelling);
            }
            Op::Fact { form, turn } => self.fact(form, turn),
            Op::Noise { form } => {
                let mut record = Line::new();
                record.text("type", "message");
                record.put("message", message("user", "\"t\""));
                self.file.noise(form, record);
            }
        }
    }

    fn begin(&mut self, r#type: &str, part: Part, turn: Turn) -> Line {
        let own = id(self.file.line);
        self.begin_as(r#type, part, turn, Some(own))
    }

    /// Begins an entry with an id, and remembers it.
    fn begin_as(&mut self, r#type: &str, part: Part, turn: Turn, own: Option<String>) -> Line {
        let parent = self.file.point(turn.parent, id);
        let mut line = Line::new();
        line.text("type", r#type);
        if self.has_ids {
            if let Some(own) = &own {
                line.text("id", own);
            }
            line.put("parentId", parent.clone());
        }
        if let Some(id) = own {
            self.file.records.push(Written { id, parent, part });
        }
        line
    }

    fn prompt(&mut self, form: PromptForm, turn: Turn) {
        let at = self.file.line;
        let mut line = match form {
            PromptForm::NoId => self.begin_as("message", Part::Talk, turn, None),
            PromptForm::IdNumber => {
                let mut line = self.begin_as("message", Part::Talk, turn, None);
                line.put("id", "5");
                line
            }
            PromptForm::IdAgain => {
                let again = self.file.records.last().map_or_else(|| id(at), |last| last.id.clone());
                self.begin_as("message", Part::Talk, turn, Some(again))
            }
            _ => self.begin("message", Part::Talk, turn),
        };
        let content = match form {
            PromptForm::List => r#"[{"type":"text","text":"t"}]"#,
            PromptForm::Picture => {
                r#"[{"type":"text","text":"t"},{"type":"image","data":"eA==","mimeType":"image/png"}]"#
            }
            PromptForm::Nothing => "[]",
            PromptForm::LikeSummary => "\"s\"",
            PromptForm::Number => "5",
            PromptForm::Blocks => r#"[5,null,{},{"text":"s"},["t"],"t"]"#,
            _ => "\"t\"",
        };
        match form {
            PromptForm::NoMessage => {}
            PromptForm::MessageText => line.text("message", "t"),
            PromptForm::NoRole => line.put("message", r#"{"content":"t"}"#),
            PromptForm::OtherRole => line.put("message", message("narrator", content)),
            _ => line.put("message", message("user", content)),
        }
        self.file.write(line, turn.spelling);
    }

    fn answer(&mut self, form: AnswerForm, turn: Turn) {
        let at = self.file.line;
        let mut line = self.begin("message", Part::Talk, turn);
        let holder = self.file.records.len().saturating_sub(1);
        let mut call = |letter: &str| {
            let call = format!("c{at}{letter}");
            self.file.calls.push((call.clone(), holder));
            format!(r#"{{"type":"toolCall","id":"{call}","name":"read","arguments":{{"path":"f"}}}}"#)
        };
        let text = r#"{"type":"text","text":"t"}"#;
        let content = match form {
            AnswerForm::Thinking => format!(r#"{{"type":"thinking","thinking":"t"}},{text}"#),
            AnswerForm::Call | AnswerForm::ErrorAndCall => call(""),
            AnswerForm::TextAndCalls => format!("{text},{},{}", call(""), call("b")),
            AnswerForm::CallBetween => format!("{text},{},{text}", call("")),
            AnswerForm::Nothing => String::new(),
            AnswerForm::CallWithoutId => r#"{"type":"toolCall","name":"read"}"#.to_owned(),
            AnswerForm::CallNumber => r#"{"type":"toolCall","id":5,"name":5,"arguments":5}"#.to_owned(),
            AnswerForm::Text | AnswerForm::Error | AnswerForm::Aborted | AnswerForm::Usage => text.to_owned(),
        };
        let (stop, more) = match form {
            AnswerForm::Error | AnswerForm::ErrorAndCall => ("\"error\"", r#","errorMessage":"x""#),
            AnswerForm::Aborted => ("\"aborted\"", ""),
            AnswerForm::Usage => ("5", ""),
            _ => ("\"stop\"", ""),
        };
        let usage = match form {
            AnswerForm::Usage => r#"{"input":"5","cost":5}"#.to_owned(),
            _ => format!(r#"{{"input":9,"output":{at},"cost":{{"total":0.5}}}}"#),
        };
        line.put(
            "message",
            format!(
                r#"{{"role":"assistant","content":[{content}],"model":"m","usage":{usage},"stopReason":{stop}{more}}}"#
            ),
        );
        self.file.write(line, turn.spelling);
    }

    fn result(&mut self, form: ResultForm, n: u8, turn: Turn) {
        let call = quote(self.file.call(n).unwrap_or("c0"));
        let mut line = self.begin("message", Part::Talk, turn);
        let call = match form {
            ResultForm::Nobody => r#""toolCallId":"nobody","#.to_owned(),
            ResultForm::NoId => String::new(),
            _ => format!(r#""toolCallId":{call},"#),
        };
        let content = match form {
            ResultForm::ContentObject => r#"{"a":[[5]]}"#,
            _ => r#"[{"type":"text","text":"t"}]"#,
        };
        let is_error = form == ResultForm::Failed;
        line.put(
            "message",
            format!(
                r#"{{"role":"toolResult",{call}"toolName":"read","content":{content},"isError":{is_error}}}"#
            ),
        );
        self.file.write(line, turn.spelling);
    }

    fn added(&mut self, form: AddedForm, turn: Turn) {
        let r#type = if form == AddedForm::Custom { "custom_message" } else { "message" };
        let mut line = self.begin(r#type, Part::Talk, turn);
        let message = match form {
            AddedForm::Custom => {
                line.text("customType", "x");
                line.text("content", "t");
                return self.file.write(line, turn.spelling);
            }
            AddedForm::CustomRole => message("custom", "\"t\""),
            AddedForm::Hook => message("hookMessage", "\"t\""),
            AddedForm::System => r#"{"role":"system","sections":[{"id":"x","text":"t"}]}"#.to_owned(),
            AddedForm::Shell => {
                r#"{"role":"bashExecution","command":"ls","output":"x","exitCode":0,"cancelled":false}"#
                    .to_owned()
            }
            AddedForm::ShellExcluded => {
                r#"{"role":"bashExecution","command":"ls","output":"","excludeFromContext":true}"#.to_owned()
            }
            AddedForm::ShellFailed => concat!(
                r#"{"role":"bashExecution","command":"ls","output":"x","exitCode":2,"truncated":true,"#,
                r#""fullOutputPath":"/x"}"#
            )
            .to_owned(),
            AddedForm::CompactionSummary => r#"{"role":"compactionSummary","summary":"s"}"#.to_owned(),
            AddedForm::BranchSummary => r#"{"role":"branchSummary","summary":"s","fromId":"e2"}"#.to_owned(),
            AddedForm::ShellNumbers => {
                r#"{"role":"bashExecution","command":5,"output":5,"exitCode":"5"}"#.to_owned()
            }
        };
        line.put("message", message);
        self.file.write(line, turn.spelling);
    }

    fn compaction(&mut self, form: CompactionForm, kept: Pointer, turn: Turn) {
        let at = self.file.line;
        let kept_id = self.file.point(kept, id);
        let mut line = self.begin("compaction", Part::Talk, turn);
        match form {
            CompactionForm::SummaryNumber => line.put("summary", "5"),
            CompactionForm::NoSummary => {}
            _ => line.text("summary", "s"),
        }
        match form {
            CompactionForm::Own if self.has_ids => line.text("firstKeptEntryId", &id(at)),
            // Entries of format 1 are numbered, the header among them.
            CompactionForm::Own => line.put("firstKeptEntryIndex", (at - 1).to_string()),
            CompactionForm::Index => {
                line.put("firstKeptEntryIndex", (at - 1).saturating_sub(kept.n.into()).max(1).to_string());
            }
            CompactionForm::IndexBeyond => line.put("firstKeptEntryIndex", (at + 9).to_string()),
            CompactionForm::Unsaid => {}
            CompactionForm::Id | CompactionForm::NoSummary | CompactionForm::SummaryNumber => {
                if self.has_ids {
                    line.put("firstKeptEntryId", kept_id);
                } else {
                    line.put("firstKeptEntryIndex", "1");
                }
            }
        }
        line.put("tokensBefore", at.to_string());
        self.file.write(line, turn.spelling);
    }

    fn branch(&mut self, form: BranchForm, from: Pointer, turn: Turn) {
        let from = match form {
            BranchForm::End => Some(self.file.point(from, id)),
            BranchForm::Point => Some(self.file.point(turn.parent, id)),
            BranchForm::Root => Some("\"root\"".to_owned()),
            BranchForm::Unsaid => None,
        };
        let mut line = self.begin("branch_summary", Part::Talk, turn);
        if let Some(from) = from {
            line.put("fromId", from);
        }
        line.text("summary", "s");
        self.file.write(line, turn.spelling);
    }

    fn edit(&mut self, form: EditForm, target: Pointer, turn: Turn) {
        let target = self.file.point(target, id);
        let mut line = self.begin("context_edit", Part::Talk, turn);
        line.put("targetId", target);
        match form {
            EditForm::Remove => line.put("replacement", "null"),
            EditForm::Replace => line.text("replacement", "s"),
            EditForm::Number => line.put("replacement", "5"),
            EditForm::Unsaid => {}
        }
        self.file.write(line, turn.spelling);
    }

    fn fact(&mut self, form: FactForm, turn: Turn) {
        let r#type = match form {
            FactForm::Model => "model_change",
            FactForm::Level => "thinking_level_change",
            FactForm::Label => "label",
            FactForm::Name | FactForm::NameNumber => "session_info",
            FactForm::Custom => "custom",
            FactForm::Unknown => "unheard_of",
        };
        let mut line = self.begin(r#type, Part::Fact, turn);
        match form {
            FactForm::Model => line.text("modelId", "m"),
            FactForm::Name => line.text("name", "n"),
            FactForm::NameNumber => line.put("name", "5"),
            FactForm::Level | FactForm::Label | FactForm::Custom | FactForm::Unknown => {}
        }
        self.file.write(line, turn.spelling);
    }
}

fn message(role: &str, content: &str) -> String {
    format!(r#"{{"role":"{role}","content":{content}}}"#)
}
