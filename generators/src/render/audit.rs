//! Records that take no part in the context: rewinds, gaps, session facts and other audit-only records.

use crate::form::{AuditForm, GapForm, HeadsForm, LineageForm, RewindForm};
use crate::operand::Ref;
use crate::render::Renderer;
use crate::render::head::Draft;
use crate::render::line::quote;
use crate::render::session::Place;
use std::borrow::Cow;

impl Renderer {
    /// Begins an audit-only record, with the marks that it should not have.
    fn begin_audit(&mut self, r#type: Option<Cow<'static, str>>) -> Draft {
        let head = self.head();
        let superseded = self.superseded(head.own());
        let branch = self.odd_branch(head.own());
        let mut draft = head.begin_as(r#type);
        if let Some(superseded) = superseded {
            draft.line.put("supersedes", superseded.text);
        }
        if let Some(branch) = branch {
            draft.line.put("branchesFrom", branch.text);
        }
        draft
    }

    fn finish_audit(&mut self, draft: Draft) -> usize {
        let record = self.finish(draft, None);
        self.session.audits.push(record);
        record
    }

    pub(super) fn rewind(&mut self, form: RewindForm, to: Ref) {
        let mut draft = self.begin_audit(Some("\"rewind\"".into()));
        let target = self.target(to, Place::Unknown, draft.own());
        let (text, place) = match target {
            _ if form == RewindForm::Start => ("null".to_owned(), Place::Start),
            Some(named) if named.text == "null" => (named.text, Place::Start),
            Some(named) => (named.text.clone(), named.place()),
            None => ("null".to_owned(), Place::Start),
        };
        if form == RewindForm::NoTarget {
            self.session.tip = Place::Unknown;
        } else {
            draft.line.put("to", text);
            self.session.tip = place;
        }
        if form != RewindForm::NoReason {
            draft.line.text("reason", "other");
        }
        if form == RewindForm::Restoring {
            draft.line.put("restoreRequested", "true");
        }
        self.session.rewind = Some(self.finish_audit(draft));
    }

    pub(super) fn gap(&mut self, form: GapForm) {
        let mut draft = self.begin_audit(Some("\"gap\"".into()));
        let earlier =
            self.session.gap.filter(|_| form == GapForm::Revising && self.marks.supersede.is_none());
        if let Some(earlier) = earlier {
            draft.line.put("supersedes", self.session.id(earlier));
        }
        draft.line.text("reason", "unreadable");
        let record = self.finish_audit(draft);
        self.session.gap = Some(record);
    }

    pub(super) fn info(&mut self, heads: HeadsForm, at: Ref, lineage: LineageForm) {
        let mut draft = self.begin_audit(Some("\"session_info\"".into()));
        let head = |at| self.target(at, Place::Unknown, draft.own()).map(|named| named.text);
        let named = head(at);
        let any = named.clone().unwrap_or_else(|| quote("zz"));
        let heads: Option<Cow<'static, str>> = match (heads, named) {
            (HeadsForm::Absent, _) => None,
            (HeadsForm::One, Some(head)) => Some(format!("[{head}]").into()),
            (HeadsForm::Two, Some(first)) => {
                Some(format!("[{first},{}]", head(at.next()).unwrap_or(any)).into())
            }
            (HeadsForm::NoPrimary, Some(head)) => Some(format!("[null,{head}]").into()),
            (HeadsForm::Nobody, _) | (HeadsForm::NoPrimary, None) => Some("[null]".into()),
            (HeadsForm::Empty, _) | (HeadsForm::One | HeadsForm::Two, None) => Some("[]".into()),
            (HeadsForm::Null, _) => Some("null".into()),
            (HeadsForm::Text, _) => Some(any.into()),
            (HeadsForm::Object, _) => Some(format!("{{\"0\":{any}}}").into()),
            (HeadsForm::Mixed, _) => Some(format!("[5,{any}]").into()),
            (HeadsForm::LaterNull, _) => Some(format!("[{any},null]").into()),
        };
        if let Some(heads) = heads {
            draft.line.put("heads", heads);
        }
        if let Some(lineage) = lineage_json(lineage) {
            draft.line.put("lineage", lineage);
        }
        self.finish_audit(draft);
    }

    pub(super) fn audit(&mut self, form: AuditForm) {
        let r#type: Option<&'static str> = match form {
            AuditForm::Usage => Some("\"usage\""),
            AuditForm::Vendor => Some("\"x-vendor-note\""),
            AuditForm::FileChange | AuditForm::Restored | AuditForm::RestoredByNobody => {
                Some("\"file_change\"")
            }
            AuditForm::Permission => Some("\"permission\""),
            AuditForm::Tombstone => Some("\"tombstone\""),
            AuditForm::Capitals => Some("\"Message\""),
            AuditForm::NoType => None,
            AuditForm::NumberType => Some("5"),
            AuditForm::NullType => Some("null"),
        };
        let mut draft = self.begin_audit(r#type.map(Cow::Borrowed));
        let line = &mut draft.line;
        match form {
            AuditForm::Restored => {
                line.text("status", "skipped");
                if let Some(rewind) = self.session.rewind {
                    line.put("cause", format!("{{\"restore\":{}}}", self.session.id(rewind)));
                }
            }
            AuditForm::RestoredByNobody => line.put("cause", "{\"restore\":\"zz\"}"),
            AuditForm::Tombstone => {
                if let Some(named) = self.session.by_first(self.session.nodes.len().wrapping_sub(1)) {
                    line.put("target", named.text);
                }
            }
            AuditForm::Vendor => line.put("data", "{\"type\":\"message\"}"),
            AuditForm::Usage
            | AuditForm::FileChange
            | AuditForm::Permission
            | AuditForm::Capitals
            | AuditForm::NoType
            | AuditForm::NumberType
            | AuditForm::NullType => {}
        }
        self.finish_audit(draft);
    }
}

/// A lineage in JSON.
fn lineage_json(form: LineageForm) -> Option<&'static str> {
    Some(match form {
        LineageForm::Absent => return None,
        LineageForm::ThroughId => r#"{"inherits":{"mode":"referenced","from":"s0","throughId":"q9"}}"#,
        LineageForm::Ordinal => r#"{"inherits":{"mode":"referenced","from":"s0","throughOrdinal":4}}"#,
        LineageForm::OrdinalFraction => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughOrdinal":4.0}}"#
        }
        LineageForm::OrdinalHuge => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughOrdinal":1e999}}"#
        }
        LineageForm::Both => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughId":"q9","throughOrdinal":4}}"#
        }
        LineageForm::Whole => {
            r#"{"inherits":{"mode":"referenced","from":{"session":"s0","n":[1,-0,1e999]}}}"#
        }
        LineageForm::Copied => r#"{"inherits":{"mode":"copied","from":"s0","throughId":"q9"}}"#,
        LineageForm::OtherMode => r#"{"inherits":{"mode":"Referenced","from":"s0"}}"#,
        LineageForm::Null => "null",
        LineageForm::NullInherits => r#"{"inherits":null}"#,
        LineageForm::Text => r#""referenced""#,
        LineageForm::InheritsText => r#"{"inherits":"referenced"}"#,
        LineageForm::ThroughNulls => {
            r#"{"inherits":{"mode":"referenced","from":"s0","throughId":null,"throughOrdinal":null}}"#
        }
        LineageForm::NoFrom => r#"{"inherits":{"mode":"referenced"}}"#,
        LineageForm::NumberMode => r#"{"inherits":{"mode":5,"from":"s0"}}"#,
    })
}
