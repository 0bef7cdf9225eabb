//! The fields of messages, calls and results, and what a revision changes in them.

use crate::form::{CallForm, CallPick, Change, ContentForm, KeyForm, MessageForm, StatusForm, WordsForm};
use crate::render::Renderer;
use crate::render::compaction;
use crate::render::head::Draft;
use crate::render::line::Line;
use crate::render::session::{Body, Place, latest, wrapped};

impl Renderer {
    /// The fields of a type, on a record with that predecessor.
    pub(super) fn body(&mut self, draft: &mut Draft, body: Body, key: &str, place: Place) {
        let Draft { line, name } = draft;
        match body {
            Body::Message(form, words) => {
                message(line, form, key);
                write_words(line, words);
            }
            Body::Call(form, key_form) => {
                self.call_key(line, key_form, key);
                self.requested_by(line, form, key);
            }
            Body::Result(key_form) => self.call_key(line, key_form, key),
            Body::Compaction(compaction) => {
                let path = self.session.path(place);
                let gap = self.session.gap.is_some();
                let refs = compaction::Refs {
                    session: &self.session,
                    path: &path,
                    line: self.line,
                    own: name.as_deref(),
                };
                if compaction::write(&compaction, key, gap, &refs, line) {
                    self.session.pin(place);
                }
            }
        }
    }

    /// Appends a call.
    pub(super) fn call(&mut self, form: CallForm, key: KeyForm) {
        let shared = self.session.calls.last().filter(|_| key == KeyForm::Shared);
        let entity = shared.cloned().unwrap_or_else(|| format!("k{}", self.line));
        self.append(Body::Call(form, key), entity.clone());
        self.session.calls.push(entity);
    }

    /// The key of the call that a result belongs to.
    pub(super) fn key_of_call(&self, of: CallPick, n: usize) -> String {
        let own = || format!("k{}", self.line);
        match of {
            CallPick::Recent => latest(&self.session.calls, n).cloned().unwrap_or_else(own),
            CallPick::Later => {
                let next = self.calls_ahead.partition_point(|&line| line <= self.line);
                let later = self.calls_ahead.get(next..).and_then(|later| wrapped(later, n));
                later.map_or_else(own, |line| format!("k{line}"))
            }
            CallPick::Nobody => own(),
        }
    }

    /// States the key that pairs call and result.
    fn call_key(&self, line: &mut Line, form: KeyForm, key: &str) {
        match form {
            KeyForm::CallId | KeyForm::Shared => line.text("callId", key),
            KeyForm::ToolCallId => line.text("toolCallId", key),
            KeyForm::Both => {
                // The same for the whole node, and mostly the key of another call.
                let other = self.calls_ahead.first().map_or(0, |&line| line);
                line.text("toolCallId", &format!("k{other}"));
                line.text("callId", key);
            }
            KeyForm::NumberFirst => {
                line.put("callId", "5");
                line.text("toolCallId", key);
            }
            KeyForm::NullFirst => {
                line.put("callId", "null");
                line.text("toolCallId", key);
            }
            KeyForm::Number => line.put("callId", "5"),
            KeyForm::Absent => {}
        }
    }

    /// States who made a call.
    fn requested_by(&self, line: &mut Line, form: CallForm, key: &str) {
        match form {
            CallForm::Model => {}
            CallForm::Code => line.text("requestedBy", "code"),
            CallForm::Child => {
                let parent = self.session.calls.iter().rev().find(|&call| call != key);
                line.text("parentCallId", parent.map_or("k0", String::as_str));
            }
            CallForm::NullParent => line.put("parentCallId", "null"),
            CallForm::User => line.text("requestedBy", "user"),
            CallForm::Capitals => line.text("requestedBy", "Code"),
            CallForm::Aside => {
                line.text("audience", "user");
                line.text("status", "withdrawn");
            }
            CallForm::List => line.put("requestedBy", "[\"code\"]"),
            CallForm::ParentNumber => line.put("parentCallId", "5"),
        }
    }
}

fn message(line: &mut Line, form: MessageForm, key: &str) {
    let role =
        if matches!(form, MessageForm::Answer | MessageForm::Failed) { "\"assistant\"" } else { "\"user\"" };
    line.text("messageId", key);
    line.put("role", role);
    match form {
        MessageForm::Prompt | MessageForm::Answer => {}
        MessageForm::Aside => line.text("audience", "user"),
        MessageForm::Withdrawn => line.text("status", "withdrawn"),
        MessageForm::Failed => line.text("status", "error"),
        MessageForm::ForModel => line.text("audience", "model"),
        MessageForm::Capitals => {
            line.text("audience", "User");
            line.text("status", "Withdrawn");
        }
        MessageForm::AudienceList => line.put("audience", "[\"user\"]"),
        MessageForm::StatusObject => line.put("status", "{\"withdrawn\":true}"),
        MessageForm::Nulls => {
            line.put("audience", "null");
            line.put("status", "null");
        }
    }
}

/// The content of a message. Summaries say `s`.
fn write_words(line: &mut Line, form: WordsForm) {
    let content = match form {
        WordsForm::Absent => return,
        WordsForm::Own => r#"[{"type":"text","text":"m"}]"#,
        WordsForm::Summary => r#"[{"type":"text","text":"s"}]"#,
        WordsForm::SummaryAndMore => r#"[{"type":"text","text":"s"},{"type":"image","text":"m"}]"#,
        WordsForm::SummaryInParts => r#"[{"type":"text","text":"s"},{"type":"text","text":"s"}]"#,
        WordsForm::Thought => r#"[{"type":"thinking","text":"s"}]"#,
        WordsForm::Empty => "[]",
        WordsForm::NoType => r#"[{"text":"s"}]"#,
        WordsForm::TypeNumber => r#"[{"type":5,"text":"s"},{"type":{"type":"text"},"text":"s"}]"#,
        WordsForm::TextNumber => r#"[{"type":"text","text":5},{"type":"text","text":{"text":"s"}}]"#,
        WordsForm::Bare => r#"["s",["s"],null]"#,
        WordsForm::Text => "\"s\"",
        WordsForm::Part => r#"{"type":"text","text":"s"}"#,
        WordsForm::Null => "null",
    };
    line.put("content", content);
}

/// What a node says after a change.
pub(super) fn changed(body: Body, change: Change) -> Body {
    match body {
        Body::Message(form, words) => {
            let form = match change {
                Change::Nothing | Change::Advance | Change::OtherKey => form,
                Change::Hide => MessageForm::Aside,
                Change::Show => MessageForm::Prompt,
                Change::Withdraw => MessageForm::Withdrawn,
                Change::Fail => MessageForm::Failed,
            };
            Body::Message(form, words)
        }
        Body::Call(form, key) => {
            let form = match change {
                Change::Nothing | Change::Advance | Change::OtherKey => form,
                Change::Hide => CallForm::Code,
                Change::Show => CallForm::Model,
                Change::Withdraw => CallForm::Child,
                Change::Fail => CallForm::NullParent,
            };
            Body::Call(form, key)
        }
        Body::Result(key) => Body::Result(key),
        Body::Compaction(mut compaction) => {
            match change {
                Change::Nothing | Change::OtherKey => {}
                Change::Hide => compaction.content = ContentForm::Absent,
                Change::Show => {
                    compaction.content = ContentForm::Summary;
                    compaction.status = StatusForm::Completed;
                }
                Change::Withdraw => compaction.status = StatusForm::InProgress,
                Change::Fail => compaction.status = StatusForm::Failed,
                Change::Advance => {
                    compaction.through = compaction.through.next();
                    compaction.at = compaction.at.next();
                    compaction.carried = compaction.carried.next();
                }
            }
            Body::Compaction(compaction)
        }
    }
}
