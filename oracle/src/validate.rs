//! Every requirement that a stream alone can break (`readings.md` A.1), checked as literally as it is put.
//!
//! One function per requirement or group of neighbours; each looks at the whole stream and knows nothing of the
//! others. What is reported where is part of the result: the offending value as a JSON Pointer, or the record as a
//! whole where a member is missing.

use crate::active_path::{Cycle, Item, active_path};
use crate::context_view::call_key;
use crate::heads::{current_info, default_head};
use crate::predecessor::{Predecessor, edge, scan};
use crate::stream::{NodeId, Stream, field, is_context_participating};
use asr_spec::{Finding, Json, RefStatus, Report, Requirement};
use std::collections::{BTreeMap, BTreeSet};

/// Everything wrong with a stream. Quadratic, and cubic where many compactions name what is off their path.
pub(crate) fn validate(stream: &Stream) -> Report {
    let mut report = Report::default();
    let mut check = Check { stream, findings: &mut report.violations };
    check.seq();
    check.ids();
    check.refs();
    check.superseding();
    check.rewinds();
    check.restorations();
    check.branches_from();
    check.redundant_branches();
    check.cycles();
    check.compactions();
    check.compaction_targets();
    check.destroyed_history();
    let mut warn = Check { stream, findings: &mut report.warnings };
    warn.malformed_lines();
    warn.stale_heads();
    warn.repeated_summaries();
    warn.summarised_branches();
    report.sort();
    report
}

struct Check<'a> {
    stream: &'a Stream,
    findings: &'a mut Vec<Finding>,
}

/// A ref of a record: its pointer and its value, never null.
type Ref<'a> = (String, &'a Json);

impl<'a> Check<'a> {
    fn report(
        &mut self,
        requirement: Requirement,
        position: usize,
        pointer: impl Into<String>,
        found: impl Into<String>,
    ) {
        let (line, record) = (self.stream.line(position), self.stream.name(position));
        self.findings.push(Finding {
            requirement,
            line,
            record,
            pointer: pointer.into(),
            found: found.into(),
        });
    }

    /// The positions of all records.
    fn records(&self) -> impl Iterator<Item = usize> + use<'a> {
        let stream = self.stream;
        (0..stream.items.len()).filter(|&position| stream.members(position).is_some())
    }

    fn records_of(&self, r#type: &'static str) -> impl Iterator<Item = usize> + use<'a> {
        let stream = self.stream;
        self.records().filter(move |&position| stream.type_of(position) == r#type)
    }

    /// ASR-014, over the records as they stand in the file.
    fn seq(&mut self) {
        let mut in_file: Vec<usize> = self.records().collect();
        in_file.sort_by_key(|&position| self.stream.line(position));
        let mut previous = None;
        for position in in_file {
            let seq = self.stream.field(position, "seq");
            match (seq.and_then(integer), seq) {
                (Some(seq), _) => {
                    if previous.is_some_and(|previous| seq <= previous) {
                        self.report(
                            Requirement::Asr014,
                            position,
                            "/seq",
                            format!("{seq} after a seq not below it"),
                        );
                    }
                    previous = Some(seq);
                }
                (None, None) => self.report(Requirement::Asr014, position, "", "no seq"),
                (None, Some(seq)) => self.report(Requirement::Asr014, position, "/seq", seq.to_string()),
            }
        }
    }

    /// U-13.
    fn ids(&mut self) {
        let mut seen = BTreeSet::new();
        for position in self.records() {
            match self.stream.field(position, "id") {
                None => self.report(Requirement::U13, position, "", "no id"),
                Some(Json::String(id)) => {
                    if !seen.insert(id) {
                        self.report(Requirement::U13, position, "/id", format!("{id} again"));
                    }
                }
                Some(id) => self.report(Requirement::U13, position, "/id", id.to_string()),
            }
        }
    }

    /// ASR-080 for every structural ref and supersedes, ASR-351.b for the structural refs.
    fn refs(&mut self) {
        for position in self.records() {
            let structural = structural_refs(self.stream, position);
            let supersedes = self.stream.field(position, "supersedes").map(|r| ("/supersedes".to_owned(), r));
            for (pointer, reference) in structural.iter().cloned().chain(supersedes) {
                if let Err(status) = self.stream.bearer(reference) {
                    let found = format!("{reference}, which is {}", status_in_words(status));
                    self.report(Requirement::Asr080, position, pointer, found);
                }
            }
            for (pointer, reference) in structural {
                if let Ok(bearer) = self.stream.bearer(reference)
                    && !is_context_participating(self.stream.type_of(bearer))
                {
                    let found = format!("{reference}, a {} record", self.stream.type_of(bearer));
                    self.report(Requirement::Asr351B, position, pointer, found);
                }
            }
        }
    }

    /// ASR-352.b to ASR-352.d, ASR-356.d and ASR-356.e.
    fn superseding(&mut self) {
        let stream = self.stream;
        for position in self.records() {
            let Some(supersedes) = stream.field(position, "supersedes") else { continue };
            let r#type = stream.type_of(position);
            let names =
                |other: &usize| supersedes.as_str().is_some() && stream.id(*other) == supersedes.as_str();
            if self.records_of("rewind").any(|rewind| names(&rewind)) {
                self.report(Requirement::Asr356E, position, "/supersedes", format!("{supersedes}, a rewind"));
            }
            // Whatever a rewind supersedes, it makes no revision (IP2-4).
            if r#type == "rewind" {
                self.report(Requirement::Asr356D, position, "/supersedes", supersedes.to_string());
                continue;
            }
            let Ok(superseded) = stream.bearer(supersedes) else { continue };
            let (mine, theirs) = (stream.field(position, "type"), stream.field(superseded, "type"));
            if mine.and_then(Json::as_str) != theirs.and_then(Json::as_str) {
                let found = format!("{} that supersedes {}", or_none(mine), or_none(theirs));
                self.report(Requirement::Asr352B, position, "", found);
            } else if let Some((pointer, mine, theirs)) = differing_keys(stream, position, superseded) {
                let found = format!("{mine} in place of {theirs}");
                self.report(Requirement::Asr352C, position, pointer, found);
            }
            let branches = [position, superseded].map(|record| stream.field(record, "branchesFrom"));
            let [mine, theirs] = branches;
            if !stream.is_marked_rewrite(position) && mine != theirs {
                let pointer = if mine.is_some() { "/branchesFrom" } else { "" };
                let found = format!("{} in place of {}", or_none(mine), or_none(theirs));
                self.report(Requirement::Asr352D, position, pointer, found);
            }
        }
    }

    /// ASR-354, ASR-356.b and ASR-356.c.
    fn rewinds(&mut self) {
        for position in self.records_of("rewind") {
            let Some(rewind) = self.stream.members(position) else { continue };
            let to = rewind.get("to");
            match to {
                Some(Json::Null | Json::String(_)) => {}
                None => self.report(Requirement::Asr354, position, "", "no to"),
                Some(to) => self.report(Requirement::Asr354, position, "/to", format!("to: {to}")),
            }
            self.string(Requirement::Asr354, position, rewind, "reason");
            let Some(target) = to.and_then(|to| self.stream.bearer(to).ok()) else { continue };
            if !is_context_participating(self.stream.type_of(target)) {
                let found = format!("a {} record", self.stream.type_of(target));
                self.report(Requirement::Asr356B, position, "/to", found);
            }
            if target >= position {
                self.report(Requirement::Asr356C, position, "/to", "a record that is not earlier");
            }
        }
    }

    /// A required string.
    fn string(
        &mut self,
        requirement: Requirement,
        position: usize,
        record: &BTreeMap<String, Json>,
        key: &str,
    ) {
        match field(record, key) {
            Some(Json::String(_)) => {}
            None => self.report(requirement, position, "", format!("no {key}")),
            Some(value) => self.report(requirement, position, format!("/{key}"), format!("{key}: {value}")),
        }
    }

    /// ASR-357.b, as far as a stream shows it.
    fn restorations(&mut self) {
        for position in self.records_of("file_change") {
            let cause = self.stream.field(position, "cause").and_then(Json::as_object);
            let Some(restore) = cause.and_then(|cause| field(cause, "restore")) else { continue };
            let rewind = self.stream.bearer(restore).ok().filter(|&it| self.stream.type_of(it) == "rewind");
            if rewind.is_none() {
                self.report(Requirement::Asr357B, position, "/cause/restore", restore.to_string());
            }
        }
    }

    /// ASR-358.
    fn branches_from(&mut self) {
        for position in self.records() {
            let Some(b) = self.stream.members(position).and_then(|record| record.get("branchesFrom")) else {
                continue;
            };
            if *b != Json::Null && !is_context_participating(self.stream.type_of(position)) {
                let found = format!("on a {} record", self.stream.type_of(position));
                self.report(Requirement::Asr358B, position, "/branchesFrom", found);
            }
            let Some(form) = b.as_object() else {
                self.report(Requirement::Asr358A, position, "/branchesFrom", b.to_string());
                continue;
            };
            let (record, state) = (form.get("record"), field(form, "state"));
            if record.is_some() == state.is_some() {
                self.report(Requirement::Asr358A, position, "/branchesFrom", b.to_string());
            }
            if record.is_some_and(|record| !matches!(record, Json::Null | Json::String(_))) {
                self.report(Requirement::Asr358A, position, "/branchesFrom/record", b.to_string());
            }
            if let Some(state) = state
                && state.as_str() != Some("unknown")
            {
                self.report(Requirement::Asr358C, position, "/branchesFrom/state", state.to_string());
            }
            if let Some(target) = record.and_then(|record| self.stream.bearer(record).ok())
                && target >= position
            {
                let found = "a record that is not earlier";
                self.report(Requirement::Asr358E, position, "/branchesFrom/record", found);
            }
        }
    }

    /// ASR-359, for the first record of a chain and for each marked rewrite.
    fn redundant_branches(&mut self) {
        for node in self.nodes() {
            let Some(chain) = self.stream.nodes.get(node.0) else { continue };
            let implicit = scan(self.stream, chain.first, &mut ()).predecessor;
            let rewrites =
                chain.revisions.iter().filter(|&&revision| self.stream.is_marked_rewrite(revision));
            for &carrier in [&chain.first].into_iter().chain(rewrites) {
                let b = self.stream.field(carrier, "branchesFrom").and_then(Json::as_object);
                let explicit = match b.and_then(|b| b.get("record")) {
                    None => continue,
                    Some(Json::Null) => Predecessor::Start,
                    Some(record) => match self.stream.resolve(record, &mut ()) {
                        Ok(node) => Predecessor::Node(node),
                        Err(_) => continue,
                    },
                };
                if explicit == implicit {
                    let found = "what the scan finds";
                    self.report(Requirement::Asr359, carrier, "/branchesFrom", found);
                }
            }
        }
    }

    /// ASR-366.a, over all nodes: each cycle once, at the member that comes first.
    fn cycles(&mut self) {
        let predecessor = |node| match edge(self.stream, node, &mut ()).predecessor {
            Predecessor::Node(node) => Some(node),
            _ => None,
        };
        for node in self.nodes() {
            let mut members = vec![node];
            let mut next = predecessor(node);
            while let Some(n) = next
                && !members.contains(&n)
            {
                members.push(n);
                next = predecessor(n);
            }
            let first = members.iter().map(|&n| self.stream.first(n)).min();
            if next == Some(node) && first == Some(self.stream.first(node)) {
                let names: Vec<_> =
                    members.iter().map(|&n| self.stream.name(self.stream.first(n)).to_string()).collect();
                let found = format!(
                    "a cycle: {} comes back to itself by {}",
                    self.stream.name(self.stream.first(node)),
                    names.join(", ")
                );
                self.report(Requirement::Asr366A, self.stream.first(node), "", found);
            }
        }
    }

    /// ASR-370 and ASR-371.
    fn compactions(&mut self) {
        for position in self.records_of("compaction") {
            let Some(compaction) = self.stream.members(position) else { continue };
            self.string(Requirement::Asr370, position, compaction, "compactionId");
            self.string(Requirement::Asr370, position, compaction, "kind");
            let through = match field(compaction, "replaces") {
                Some(Json::Object(replaces)) => {
                    self.replaces(position, replaces);
                    field(replaces, "throughId")
                }
                None => {
                    self.report(Requirement::Asr370, position, "", "no replaces");
                    None
                }
                Some(other) => {
                    self.report(Requirement::Asr370, position, "/replaces", format!("replaces: {other}"));
                    self.report(
                        Requirement::Asr371A,
                        position,
                        "/replaces",
                        "none of throughId, ids and state",
                    );
                    None
                }
            };
            if through.is_none() && field(compaction, "keptFromId").is_some() {
                self.report(Requirement::Asr371D, position, "/keptFromId", "keptFromId without throughId");
            }
            if let Some(insert_at) = field(compaction, "insertAt") {
                self.insert_at(position, insert_at);
            }
            if let Some(retains) = field(compaction, "retains") {
                self.retains(position, retains);
            }
        }
    }

    fn replaces(&mut self, position: usize, replaces: &BTreeMap<String, Json>) {
        let forms = ["throughId", "ids", "state"].map(|key| field(replaces, key));
        let present = forms.iter().flatten().count();
        if present != 1 {
            let found = format!("{present} of throughId, ids and state");
            self.report(Requirement::Asr371A, position, "/replaces", found);
        }
        let [through, ids, state] = forms;
        if let Some(through) = through
            && through.as_str().is_none()
        {
            self.report(Requirement::Asr371A, position, "/replaces/throughId", through.to_string());
        }
        match ids {
            None => {}
            Some(Json::Array(ids)) => {
                for (index, id) in ids.iter().enumerate().filter(|(_, id)| id.as_str().is_none()) {
                    self.report(
                        Requirement::Asr371A,
                        position,
                        format!("/replaces/ids/{index}"),
                        id.to_string(),
                    );
                }
            }
            Some(other) => self.report(Requirement::Asr371A, position, "/replaces/ids", other.to_string()),
        }
        if let Some(state) = state
            && state.as_str() != Some("unknown")
        {
            self.report(Requirement::Asr371A, position, "/replaces/state", state.to_string());
        }
    }

    fn insert_at(&mut self, position: usize, insert_at: &Json) {
        let Some(form) = insert_at.as_object() else {
            self.report(Requirement::Asr371B, position, "/insertAt", insert_at.to_string());
            return;
        };
        let (after, before) = (form.get("afterId"), form.get("beforeId"));
        if after.is_some() == before.is_some() {
            self.report(Requirement::Asr371B, position, "/insertAt", insert_at.to_string());
        }
        if let Some(before) = before
            && before.as_str().is_none()
        {
            self.report(Requirement::Asr371C, position, "/insertAt/beforeId", before.to_string());
        }
    }

    fn retains(&mut self, position: usize, retains: &Json) {
        let Some(entries) = retains.as_array() else {
            self.report(Requirement::Asr371E, position, "/retains", retains.to_string());
            return;
        };
        for (index, entry) in entries.iter().enumerate() {
            let pointer = format!("/retains/{index}");
            let members = entry.as_object();
            match members.and_then(|members| field(members, "ref")) {
                Some(Json::String(_)) => {}
                None => self.report(Requirement::Asr371E, position, pointer.clone(), "no ref"),
                Some(other) => {
                    self.report(Requirement::Asr371E, position, format!("{pointer}/ref"), other.to_string());
                }
            }
            if let Some(capture) = members.and_then(|members| field(members, "capture"))
                && !matches!(capture.as_str(), Some("full" | "truncated"))
            {
                self.report(
                    Requirement::Asr371F,
                    position,
                    format!("{pointer}/capture"),
                    capture.to_string(),
                );
            }
        }
    }

    /// ASR-372.b to ASR-372.d, for the latest revision of each compaction.
    fn compaction_targets(&mut self) {
        for node in self.nodes() {
            let carrier = self.stream.latest(node);
            if self.stream.type_of(carrier) != "compaction" {
                continue;
            }
            let own_path = own_active_path(self.stream, node);
            let index = |reference: &Json| {
                let target = self.stream.resolve(reference, &mut ()).ok()?;
                own_path.as_ref().ok()?.iter().position(|on_path| *on_path == target)
            };
            let targets = placing_refs(self.stream, carrier);
            let mut through_and_kept = [None, None];
            let mut findings = Vec::new();
            for (pointer, reference) in targets {
                match pointer.as_str() {
                    "/replaces/throughId" => through_and_kept[0] = index(reference),
                    "/keptFromId" => through_and_kept[1] = index(reference),
                    _ => {}
                }
                // A record that is not earlier cannot lie on the path: that is said once.
                if self.stream.bearer(reference).is_ok_and(|bearer| bearer >= carrier) {
                    findings.push((Requirement::Asr372B, pointer, "a record that is not earlier"));
                } else if own_path.is_ok()
                    && self.stream.resolve(reference, &mut ()).is_ok()
                    && index(reference).is_none()
                {
                    findings.push((
                        Requirement::Asr372C,
                        pointer,
                        "a node off the compaction's own active path",
                    ));
                }
            }
            if let [Some(through), Some(kept)] = through_and_kept
                && kept > through
            {
                let found = "a node after that of throughId";
                findings.push((Requirement::Asr372D, "/keptFromId".to_owned(), found));
            }
            for (requirement, pointer, found) in findings {
                self.report(requirement, carrier, pointer, found);
            }
        }
    }

    /// ASR-375.b, as far as a stream shows it.
    fn destroyed_history(&mut self) {
        if self.records_of("gap").next().is_some() {
            return;
        }
        for position in self.records_of("compaction") {
            if self.stream.field(position, "historyRetained") == Some(&Json::Bool(false)) {
                let found = "history destroyed, and no gap record in the stream";
                self.report(Requirement::Asr375B, position, "/historyRetained", found);
            }
        }
    }

    /// ASR-009.
    fn malformed_lines(&mut self) {
        for (position, item) in self.stream.items.iter().enumerate() {
            if item.record.is_none() {
                self.report(Requirement::Asr009, position, "", "a line that is no record");
            }
        }
    }

    /// ASR-364.b: context records after the heads in force, with another default head.
    fn stale_heads(&mut self) {
        let Some(heads) = current_info(self.stream, "heads", |heads| heads.as_array().is_some()) else {
            return;
        };
        let Some(primary) = heads.as_array().and_then(|heads| heads.first()) else { return };
        let Ok(primary) = self.stream.resolve(primary, &mut ()) else { return };
        let carries =
            |&info: &usize| self.stream.field(info, "heads").is_some_and(|value| std::ptr::eq(value, heads));
        let Some(info) = self.records_of("session_info").find(carries) else { return };
        let is_later = |node: NodeId| self.stream.first(node) > info;
        if self.nodes().any(is_later) && default_head(self.stream, &mut ()) != Predecessor::Node(primary) {
            let found = "heads before records that lead elsewhere";
            self.report(Requirement::Asr364B, info, "/heads", found);
        }
    }

    /// ASR-373.a: a message that says what a summary says.
    fn repeated_summaries(&mut self) {
        let summaries: BTreeSet<String> =
            self.records_of("compaction").filter_map(|at| text(self.stream.field(at, "summary")?)).collect();
        for position in self.records_of("message") {
            let said = self.stream.field(position, "content").and_then(text);
            if said.is_some_and(|said| summaries.contains(&said)) {
                self.report(Requirement::Asr373A, position, "/content", "the text of a compaction's summary");
            }
        }
    }

    /// ASR-374: a summarised branch whose records are gone, or named by a tombstone.
    fn summarised_branches(&mut self) {
        let mut summarised = BTreeSet::new();
        for position in self.records_of("compaction") {
            if self.stream.field(position, "kind").and_then(Json::as_str) != Some("branch_summary") {
                continue;
            }
            for (pointer, reference) in ids(self.stream, position) {
                if self.stream.bearer(reference) == Err(RefStatus::Unresolved) {
                    self.report(Requirement::Asr374A, position, pointer, reference.to_string());
                }
                summarised.extend(reference.as_str());
            }
        }
        for position in self.records_of("tombstone") {
            for (key, value) in self.stream.members(position).into_iter().flatten() {
                let names = value.as_str().is_some_and(|value| summarised.contains(value));
                if names && key != "type" && key != "id" {
                    let found = format!("{value}, a record of a summarised branch");
                    self.report(Requirement::Asr374B, position, format!("/{}", escaped(key)), found);
                }
            }
        }
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.stream.nodes.len()).map(NodeId)
    }
}

/// The refs that ASR-351 is about, with their pointers.
fn structural_refs(stream: &Stream, position: usize) -> Vec<Ref<'_>> {
    let mut refs = Vec::new();
    let branches_from = stream.field(position, "branchesFrom").and_then(Json::as_object);
    let record = branches_from.and_then(|b| field(b, "record"));
    refs.extend(record.map(|record| ("/branchesFrom/record".to_owned(), record)));
    match stream.type_of(position) {
        "rewind" => refs.extend(stream.field(position, "to").map(|to| ("/to".to_owned(), to))),
        "compaction" => {
            refs.extend(ids(stream, position));
            refs.extend(placing_refs(stream, position));
        }
        "session_info" => {
            let heads = stream.field(position, "heads").and_then(Json::as_array).unwrap_or_default();
            let heads = heads.iter().enumerate().filter(|(_, head)| **head != Json::Null);
            refs.extend(heads.map(|(index, head)| (format!("/heads/{index}"), head)));
        }
        _ => {}
    }
    refs
}

/// The elements of a compaction's replaces.ids.
fn ids(stream: &Stream, position: usize) -> Vec<Ref<'_>> {
    let replaces = stream.field(position, "replaces").and_then(Json::as_object);
    let ids =
        replaces.and_then(|replaces| field(replaces, "ids")).and_then(Json::as_array).unwrap_or_default();
    ids.iter().enumerate().map(|(index, id)| (format!("/replaces/ids/{index}"), id)).collect()
}

/// The refs that ASR-372 is about: throughId, keptFromId, insertAt and retains.
fn placing_refs(stream: &Stream, position: usize) -> Vec<Ref<'_>> {
    let member = |object: &str, key: &str| {
        let object = stream.field(position, object)?.as_object()?;
        field(object, key)
    };
    let mut refs = vec![
        ("/replaces/throughId".to_owned(), member("replaces", "throughId")),
        ("/keptFromId".to_owned(), stream.field(position, "keptFromId")),
        ("/insertAt/afterId".to_owned(), member("insertAt", "afterId")),
        ("/insertAt/beforeId".to_owned(), member("insertAt", "beforeId")),
    ];
    let retains = stream.field(position, "retains").and_then(Json::as_array).unwrap_or_default();
    for (index, entry) in retains.iter().enumerate() {
        refs.push((format!("/retains/{index}/ref"), entry.as_object().and_then(|entry| field(entry, "ref"))));
    }
    refs.into_iter().filter_map(|(pointer, reference)| Some((pointer, reference?))).collect()
}

/// The nodes of the path that ends at a compaction's predecessor.
fn own_active_path(stream: &Stream, compaction: NodeId) -> Result<Vec<NodeId>, Cycle> {
    let predecessor = edge(stream, compaction, &mut ()).predecessor;
    let path = active_path(stream, &predecessor, &mut ())?;
    Ok(path
        .into_iter()
        .filter_map(|item| if let Item::Node(node) = item { Some(node) } else { None })
        .collect())
}

/// The pointer and the values of the entity key in which two records of one type differ (`readings.md` 0.3).
fn differing_keys(stream: &Stream, mine: usize, theirs: usize) -> Option<(&'static str, String, String)> {
    let text = |position, key| stream.field(position, key).and_then(Json::as_str);
    let entity_key = |position| match stream.type_of(position) {
        "message" => ("/messageId", text(position, "messageId")),
        "compaction" => ("/compactionId", text(position, "compactionId")),
        "tool_call" | "tool_result" => {
            let pointer = if text(position, "callId").is_some() { "/callId" } else { "/toolCallId" };
            (pointer, call_key(stream, position))
        }
        _ => ("", None),
    };
    let ((pointer, mine), (_, theirs)) = (entity_key(mine), entity_key(theirs));
    let pointer = if mine.is_some() { pointer } else { "" };
    let in_words = |key: Option<&str>| key.map_or_else(|| "none".to_owned(), |key| format!("{key:?}"));
    (mine != theirs).then(|| (pointer, in_words(mine), in_words(theirs)))
}

fn or_none(value: Option<&Json>) -> String {
    value.map_or_else(|| "none".to_owned(), Json::to_string)
}

/// The text of the parts of type text, `None` where there is none.
fn text(parts: &Json) -> Option<String> {
    let parts = parts.as_array()?.iter().filter_map(Json::as_object);
    let parts = parts.filter(|part| field(part, "type").and_then(Json::as_str) == Some("text"));
    let texts = parts.filter_map(|part| field(part, "text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then_some(text)
}

fn integer(json: &Json) -> Option<i64> {
    if let Json::Number(number) = json { number.literal().parse().ok() } else { None }
}

fn status_in_words(status: RefStatus) -> &'static str {
    match status {
        RefStatus::Unresolved => "the id of no record",
        RefStatus::Ambiguous => "the id of several records",
        RefStatus::WrongType => "the id of an audit-only record",
    }
}

/// A key as a JSON Pointer spells it.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
