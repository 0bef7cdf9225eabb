//! Lines of Claude Code from operations. The record on line n has the uuid `un`.

use super::{
    AnswerForm, ApartForm, AttachmentForm, FactForm, KeptForm, LeafForm, LinkForm, MicroForm, Op, PromptForm,
    ResultForm, SummaryForm, SystemForm,
};
use crate::native::ResponsePick;
use crate::operand::Mask;
use crate::render::line::{Line, quote};
use crate::render::session::latest;
use crate::sessions::pointer::{File, Part, Pointer, Spelling, Turn, Written};

pub(super) fn render(ops: &[Op]) -> Vec<u8> {
    let mut renderer = Renderer::default();
    for op in ops {
        renderer.file.line += 1;
        renderer.write(op);
    }
    renderer.file.out
}

fn uuid(line: usize) -> String {
    format!("u{line}")
}

#[derive(Default)]
struct Renderer {
    file: File,
    /// Keys of responses.
    responses: Vec<String>,
    /// What can be written again: an id with the record's type and message.
    written: Vec<(String, &'static str, String)>,
}

impl Renderer {
    fn write(&mut self, op: &Op) {
        match *op {
            Op::Prompt { form, turn } => self.prompt(form, turn),
            Op::Answer { form, response, n, turn } => self.answer(form, response, n, turn),
            Op::Result { form, n, turn } => self.result(form, n, turn),
            Op::Attachment { form, turn } => self.attachment(form, turn),
            Op::System { form, taken_back, turn } => self.system(form, taken_back, turn),
            Op::Boundary { link, before, kept, which, spelling } => {
                self.boundary(link, before, kept, which, spelling);
            }
            Op::Summary { form, turn } => self.summary(form, turn),
            Op::Microcompact { form, which, turn } => self.microcompact(form, which, turn),
            Op::LastPrompt { form, leaf } => self.last_prompt(form, leaf),
            Op::Fact { form } => self.fact(form),
            Op::Again { n, turn } => self.again(n, turn),
            Op::Apart { form, turn } => self.apart(form, turn),
            Op::Noise { form } => {
                let mut record = envelope("user", Some(quote(&uuid(self.file.line))), "null".to_owned());
                record.put("message", message("\"t\""));
                self.file.noise(form, record);
            }
        }
    }

    /// Begins a record of the tree and remembers it.
    fn begin(&mut self, r#type: &'static str, part: Part, turn: Turn) -> Line {
        let parent = self.file.point(turn.parent, uuid);
        let id = uuid(self.file.line);
        let line = envelope(r#type, Some(quote(&id)), parent.clone());
        self.file.records.push(Written { id, parent, part });
        line
    }

    /// Ends a record that has a message.
    fn talk(&mut self, mut line: Line, r#type: &'static str, message: String, spelling: Spelling) {
        line.put("message", message.clone());
        self.written.push((uuid(self.file.line), r#type, message));
        self.file.write(line, spelling);
    }

    fn prompt(&mut self, form: PromptForm, turn: Turn) {
        let id = match form {
            PromptForm::NoId => None,
            PromptForm::IdNumber => Some("5".to_owned()),
            _ => Some(quote(&uuid(self.file.line))),
        };
        let mut line = if id == Some(quote(&uuid(self.file.line))) {
            self.begin("user", Part::Talk, turn)
        } else {
            envelope("user", id, self.file.point(turn.parent, uuid))
        };
        let content = match form {
            PromptForm::List => r#"[{"type":"text","text":"t"}]"#,
            PromptForm::Picture => {
                r#"[{"type":"text","text":"t"},{"type":"image","source":{"type":"base64","data":"eA=="}}]"#
            }
            PromptForm::Nothing => "[]",
            PromptForm::Command => "\"<command-name>/x</command-name>\"",
            PromptForm::Output => "\"<local-command-stdout>x</local-command-stdout>\"",
            PromptForm::Interrupted => r#"[{"type":"text","text":"[Request interrupted by user]"}]"#,
            PromptForm::LikeSummary => "\"s\"",
            PromptForm::Number => "5",
            PromptForm::Blocks => r#"[5,null,{},{"text":"s"},["t"],"t"]"#,
            PromptForm::TextNumber => r#"[{"type":"text","text":5},{"type":5,"text":"s"}]"#,
            _ => "\"t\"",
        };
        match form {
            PromptForm::Meta => line.put("isMeta", "true"),
            PromptForm::MetaText => line.text("isMeta", "true"),
            PromptForm::Human => line.put("origin", r#"{"kind":"human"}"#),
            PromptForm::Task => line.put("origin", r#"{"kind":"task-notification"}"#),
            PromptForm::Peer => line.put("origin", r#"{"kind":"peer","from":"x"}"#),
            PromptForm::Channel => line.put("origin", r#"{"kind":"channel"}"#),
            PromptForm::OriginText => line.text("origin", "peer"),
            _ => {}
        }
        match form {
            PromptForm::NoMessage => self.file.write(line, turn.spelling),
            PromptForm::MessageText => {
                line.text("message", "t");
                self.file.write(line, turn.spelling);
            }
            PromptForm::NoContent => self.talk(line, "user", r#"{"role":"user"}"#.to_owned(), turn.spelling),
            _ => self.talk(line, "user", message(content), turn.spelling),
        }
    }

    fn answer(&mut self, form: AnswerForm, response: ResponsePick, n: u8, turn: Turn) {
        let at = self.file.line;
        let key = match (response, latest(&self.responses, n.into())) {
            (ResponsePick::Recent, Some(key)) => Some(key.clone()),
            (ResponsePick::Absent, _) => None,
            (ResponsePick::Fresh | ResponsePick::Recent, _) => {
                let key = format!("m{at}");
                self.responses.push(key.clone());
                Some(key)
            }
        };
        let mut line = if form == AnswerForm::NoId {
            envelope("assistant", None, self.file.point(turn.parent, uuid))
        } else {
            self.begin("assistant", Part::Talk, turn)
        };
        let text = r#"{"type":"text","text":"t"}"#;
        let mut call = |number: usize| {
            let id = format!("c{at}{}", if number == 0 { "" } else { "b" });
            if form != AnswerForm::NoId {
                self.file.calls.push((id.clone(), self.file.records.len().saturating_sub(1)));
            }
            format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"path":"f"}}}}"#)
        };
        let content = match form {
            AnswerForm::Thinking => r#"{"type":"thinking","thinking":"t","signature":"x"}"#.to_owned(),
            AnswerForm::Redacted => r#"{"type":"redacted_thinking","data":"x"}"#.to_owned(),
            AnswerForm::Call | AnswerForm::ErrorAndCall => call(0),
            AnswerForm::TextAndCall => format!("{text},{}", call(0)),
            AnswerForm::Calls => format!("{},{}", call(0), call(1)),
            AnswerForm::ServerCall => {
                format!(r#"{{"type":"server_tool_use","id":"s{at}","name":"web_search","input":{{}}}}"#)
            }
            AnswerForm::ServerCallAndResult => format!(
                "{},{}",
                format_args!(r#"{{"type":"server_tool_use","id":"s{at}","name":"web_search","input":{{}}}}"#),
                format_args!(r#"{{"type":"web_search_tool_result","tool_use_id":"s{at}","content":[]}}"#),
            ),
            AnswerForm::Fallback => r#"{"type":"fallback","from":"x"}"#.to_owned(),
            AnswerForm::FallbackAndText => format!(r#"{{"type":"fallback","from":"x"}},{text}"#),
            AnswerForm::Nothing => String::new(),
            AnswerForm::CallWithoutId => r#"{"type":"tool_use","name":"Read"}"#.to_owned(),
            AnswerForm::CallNumber => r#"{"type":"tool_use","id":5,"name":5,"input":5}"#.to_owned(),
            _ => text.to_owned(),
        };
        let content =
            if form == AnswerForm::ContentText { "\"t\"".to_owned() } else { format!("[{content}]") };
        let id = match (form, key) {
            (AnswerForm::ResponseNumber, _) => r#""id":5,"#.to_owned(),
            (_, Some(key)) => format!(r#""id":"{key}","#),
            (_, None) => String::new(),
        };
        let model = match form {
            AnswerForm::Synthetic | AnswerForm::Error | AnswerForm::ErrorAndCall => "<synthetic>",
            AnswerForm::FallbackAndText => "claude-b",
            _ => "claude-a",
        };
        let usage = match form {
            AnswerForm::Usage => r#"{"input_tokens":"5","output_tokens":{}}"#.to_owned(),
            _ => format!(r#"{{"input_tokens":9,"output_tokens":{at}}}"#),
        };
        match form {
            AnswerForm::Error | AnswerForm::ErrorAndCall => line.put("isApiErrorMessage", "true"),
            AnswerForm::Aborted => line.put("isAbortedMidStream", "true"),
            AnswerForm::Superseding => {
                // The first of them is the record itself.
                let superseded = self.file.talk([usize::from(n) + 1].into_iter());
                line.put("supersedesUuids", format!("[{}]", superseded.join(",")));
            }
            AnswerForm::SupersedingMissing => line.put("supersedesUuids", r#"["missing",5,null]"#),
            AnswerForm::SupersedingText => line.text("supersedesUuids", "u1"),
            _ => {}
        }
        line.text("requestId", &format!("q{at}"));
        if form == AnswerForm::NoMessage {
            return self.file.write(line, turn.spelling);
        }
        let message =
            format!(r#"{{{id}"role":"assistant","model":"{model}","content":{content},"usage":{usage}}}"#);
        self.talk(line, "assistant", message, turn.spelling);
    }

    fn result(&mut self, form: ResultForm, n: u8, turn: Turn) {
        let at = self.file.line;
        let call = |n: u8| match self.file.call(n) {
            Some(call) => quote(call),
            None => quote(&format!("c{at}")),
        };
        let (first, second) = (call(n), call(n.wrapping_add(1)));
        let block = |call: &str, more: &str| {
            format!(r#"{{"type":"tool_result","tool_use_id":{call},"content":"t"{more}}}"#)
        };
        let text = r#"{"type":"text","text":"t"}"#;
        let content = match form {
            ResultForm::Plain => block(&first, ""),
            ResultForm::Failed => block(&first, r#","is_error":true"#),
            ResultForm::WithText => format!("{},{text}", block(&first, "")),
            ResultForm::AfterText => format!("{text},{}", block(&first, "")),
            ResultForm::Two => format!("{},{}", block(&first, ""), block(&second, "")),
            ResultForm::Enveloped | ResultForm::NoId => {
                r#"{"type":"tool_result","content":[{"type":"text","text":"t"}]}"#.to_owned()
            }
            ResultForm::Empty => format!(r#"{{"type":"tool_result","tool_use_id":{first}}}"#),
            ResultForm::Nobody => block("\"nobody\"", ""),
            ResultForm::IdNumber => block("5", ""),
            ResultForm::ContentObject => {
                format!(
                    r#"{{"type":"tool_result","tool_use_id":{first},"content":{{"a":[[5]]}},"is_error":5}}"#
                )
            }
        };
        let mut line = self.begin("user", Part::Talk, turn);
        if form == ResultForm::Enveloped {
            line.put("sourceToolUseID", first);
        }
        self.talk(line, "user", message(&format!("[{content}]")), turn.spelling);
    }

    fn attachment(&mut self, form: AttachmentForm, turn: Turn) {
        let part = match form {
            AttachmentForm::Queued | AttachmentForm::QueuedNothing => Part::Talk,
            _ => Part::Fact,
        };
        let mut line = self.begin("attachment", part, turn);
        let attachment = match form {
            AttachmentForm::Hook => r#"{"type":"hook_success","hookName":"x"}"#,
            AttachmentForm::Reminder => r#"{"type":"task_reminder","content":[]}"#,
            AttachmentForm::Queued => r#"{"type":"queued_command","prompt":"t","commandMode":"prompt"}"#,
            AttachmentForm::QueuedNotice => {
                r#"{"type":"queued_command","prompt":"t","commandMode":"task-notification"}"#
            }
            AttachmentForm::QueuedPeer => {
                r#"{"type":"queued_command","prompt":"t","commandMode":"prompt","origin":{"kind":"peer"}}"#
            }
            AttachmentForm::Absent => return self.file.write(line, turn.spelling),
            AttachmentForm::Text => "\"queued_command\"",
            AttachmentForm::QueuedNothing => r#"{"type":"queued_command","commandMode":"prompt"}"#,
        };
        line.put("attachment", attachment);
        self.file.write(line, turn.spelling);
    }

    fn system(&mut self, form: SystemForm, taken_back: Mask, turn: Turn) {
        let r#type = if form == SystemForm::Progress { "progress" } else { "system" };
        let mut line = self.begin(r#type, Part::Fact, turn);
        match form {
            SystemForm::Duration => line.text("subtype", "turn_duration"),
            SystemForm::ApiError => line.text("subtype", "api_error"),
            SystemForm::Progress => line.put("data", r#"{"type":"hook_progress"}"#),
            SystemForm::Refusal => {
                line.text("subtype", "model_refusal_fallback");
                let taken_back = self.file.talk(taken_back.positions());
                line.put("retractedMessageUuids", format!("[{}]", taken_back.join(",")));
            }
            SystemForm::Other => line.text("subtype", "other"),
            SystemForm::NoSubtype => {}
            SystemForm::RefusalOfNothing => {
                line.text("subtype", "model_refusal_fallback");
                line.put("retractedMessageUuids", r#"["missing",{}]"#);
            }
        }
        self.file.write(line, turn.spelling);
    }

    fn boundary(&mut self, link: LinkForm, before: Pointer, kept: KeptForm, which: Mask, spelling: Spelling) {
        let at = self.file.line;
        let id = uuid(at);
        let before = self.file.point(before, uuid);
        let (parent, logical) = match link {
            LinkForm::Logical => ("null".to_owned(), Some(before)),
            LinkForm::Parent => (before, None),
            LinkForm::Both => (before.clone(), Some(before)),
            LinkForm::Neither => ("null".to_owned(), None),
            LinkForm::LogicalMissing => (before, Some(quote("missing"))),
        };
        let mut line = envelope("system", Some(quote(&id)), parent.clone());
        line.text("subtype", "compact_boundary");
        if let Some(logical) = logical.clone() {
            line.put("logicalParentUuid", logical);
        }
        let summary = quote(&uuid(at + 1));
        let kept_records = self.file.talk(which.positions());
        let list = kept_records.join(",");
        let (first, last) = (kept_records.first(), kept_records.last());
        let (first, last) = (first.unwrap_or(&summary), last.unwrap_or(&summary));
        let messages = format!(r#""preservedMessages":{{"anchorUuid":{summary},"uuids":[{list}]"#);
        let segment = |head: &str, tail: &str| {
            format!(r#""preservedSegment":{{"headUuid":{head},"anchorUuid":{summary},"tailUuid":{tail}}}"#)
        };
        let all = self.file.talk(0..8).join(",");
        let kept = match kept {
            KeptForm::Unsaid => None,
            KeptForm::List => Some(format!("{messages}}}")),
            KeptForm::ListWithAll => Some(format!(r#"{messages},"allUuids":[{all}]}}"#)),
            KeptForm::Segment => Some(segment(first, last)),
            KeptForm::Both => Some(format!(r#"{messages}}},{}"#, segment(first, last))),
            KeptForm::Before => {
                Some(format!(r#""preservedMessages":{{"anchorUuid":"{id}","uuids":[{list}]}}"#))
            }
            KeptForm::Empty => {
                Some(format!(r#""preservedMessages":{{"anchorUuid":{summary},"uuids":[],"allUuids":[]}}"#))
            }
            KeptForm::Missing => {
                Some(format!(r#""preservedMessages":{{"anchorUuid":{summary},"uuids":["missing"]}}"#))
            }
            KeptForm::Mixed => Some(format!(
                r#""preservedMessages":{{"anchorUuid":{summary},"uuids":[5,{last}],"allUuids":[null]}}"#
            )),
            KeptForm::NoList => {
                Some(format!(r#""preservedMessages":{{"anchorUuid":{summary},"uuids":{last}}}"#))
            }
            KeptForm::SegmentNumbers => Some(segment("5", "{}")),
            KeptForm::SegmentReversed => Some(segment(last, first)),
            KeptForm::Text => {
                line.text("compactMetadata", "auto");
                None
            }
        };
        let kept = kept.map(|kept| format!(",{kept}")).unwrap_or_default();
        line.put("compactMetadata", format!(r#"{{"trigger":"auto","preTokens":{at}{kept}}}"#));
        // What hangs beside a boundary hangs from the record before it.
        let parent = if parent == "null" { logical.unwrap_or(parent) } else { parent };
        self.file.records.push(Written { id, parent, part: Part::Talk });
        self.file.write(line, spelling);
    }

    fn summary(&mut self, form: SummaryForm, turn: Turn) {
        let r#type = if form == SummaryForm::Old { "summary" } else { "user" };
        let mut line = self.begin(r#type, Part::Talk, turn);
        line.put("isCompactSummary", "true");
        match form {
            SummaryForm::Message => line.put("message", message("\"s\"")),
            SummaryForm::List => line.put("message", message(r#"[{"type":"text","text":"s"}]"#)),
            SummaryForm::Old => line.text("summary", "s"),
            SummaryForm::NoMessage => {}
            SummaryForm::Number => line.put("message", message("5")),
        }
        self.file.write(line, turn.spelling);
    }

    fn microcompact(&mut self, form: MicroForm, which: Mask, turn: Turn) {
        let calls: Vec<String> =
            which.positions().filter_map(|n| self.file.call(n as u8)).map(quote).collect();
        let mut line = self.begin("system", Part::Talk, turn);
        line.text("subtype", "microcompact_boundary");
        let calls = match form {
            MicroForm::Calls => format!(r#","compactedToolIds":[{}]"#, calls.join(",")),
            MicroForm::Missing => r#","compactedToolIds":["missing"]"#.to_owned(),
            MicroForm::Numbers => r#","compactedToolIds":[5]"#.to_owned(),
            MicroForm::Nothing => String::new(),
        };
        line.put("microcompactMetadata", format!(r#"{{"trigger":"auto","preTokens":9{calls}}}"#));
        self.file.write(line, turn.spelling);
    }

    fn last_prompt(&mut self, form: LeafForm, leaf: Pointer) {
        let mut line = Line::new();
        line.text("type", "last-prompt");
        line.text("sessionId", "s1");
        let leaf = match form {
            LeafForm::Leaf | LeafForm::Explicit | LeafForm::ExplicitText => self.file.point(leaf, uuid),
            LeafForm::Nothing | LeafForm::ExplicitNothing => "null".to_owned(),
        };
        line.put("leafUuid", leaf);
        match form {
            LeafForm::Explicit | LeafForm::ExplicitNothing => line.put("explicit", "true"),
            LeafForm::ExplicitText => line.text("explicit", "true"),
            LeafForm::Leaf | LeafForm::Nothing => {}
        }
        self.file.write(line, Spelling::Plain);
    }

    fn fact(&mut self, form: FactForm) {
        let at = self.file.line;
        let mut line = Line::new();
        let r#type = match form {
            FactForm::Snapshot => "file-history-snapshot",
            FactForm::Mode | FactForm::Moved | FactForm::Forked => "mode",
            FactForm::Queue => "queue-operation",
            FactForm::Title => "ai-title",
            FactForm::CustomTitle | FactForm::TitleNumber => "custom-title",
            FactForm::SummaryTitle => "summary",
            FactForm::Unknown => "unheard-of",
        };
        line.text("type", r#type);
        line.text("sessionId", "s1");
        match form {
            FactForm::Snapshot => line.put("snapshot", "{}"),
            FactForm::Mode | FactForm::Queue | FactForm::Unknown => {}
            FactForm::Title => line.text("aiTitle", &format!("t{at}")),
            FactForm::CustomTitle => line.text("customTitle", &format!("t{at}")),
            FactForm::TitleNumber => line.put("customTitle", "5"),
            FactForm::SummaryTitle => {
                line.text("summary", &format!("t{at}"));
                line.put("leafUuid", self.file.talk([0].into_iter()).pop().unwrap_or("null".to_owned()));
            }
            FactForm::Moved => {
                line.text("cwd", &format!("/w{at}"));
                line.text("version", &format!("2.1.{at}"));
            }
            FactForm::Forked => line.put("forkedFrom", r#"{"sessionId":"s0","messageUuid":"x1"}"#),
        }
        self.file.write(line, Spelling::Plain);
    }

    fn again(&mut self, n: u8, turn: Turn) {
        let Some((id, r#type, message)) = latest(&self.written, n.into()).cloned() else {
            return self.prompt(PromptForm::Text, turn);
        };
        let mut line = envelope(r#type, Some(quote(&id)), self.file.point(turn.parent, uuid));
        line.put("message", message);
        self.file.write(line, turn.spelling);
    }

    fn apart(&mut self, form: ApartForm, turn: Turn) {
        // A file in which nobody else speaks is the subagent's own.
        if self.written.is_empty() && form != ApartForm::Text {
            return self.prompt(PromptForm::Text, turn);
        }
        let r#type = if form == ApartForm::Answer { "assistant" } else { "user" };
        let part = if form == ApartForm::Text { Part::Talk } else { Part::Apart };
        let mut line = self.begin(r#type, part, turn);
        match form {
            ApartForm::Prompt | ApartForm::Answer => line.put("isSidechain", "true"),
            ApartForm::Text => line.text("isSidechain", "true"),
        }
        line.text("agentId", "x1");
        line.put("message", message("\"t\""));
        self.file.write(line, turn.spelling);
    }
}

/// Begins a record of the tree.
fn envelope(r#type: &str, id: Option<String>, parent: String) -> Line {
    let mut line = Line::new();
    line.text("type", r#type);
    if let Some(id) = id {
        line.put("uuid", id);
    }
    line.put("parentUuid", parent);
    line.text("sessionId", "s1");
    line
}

fn message(content: &str) -> String {
    format!(r#"{{"role":"user","content":{content}}}"#)
}
