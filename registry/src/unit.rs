//! The context-participating records of one native record, in the order of its content.
//!
//! Native messages mix text with calls and results. ASR has one record for each call and result and one
//! message for each run of content between them, so a native record becomes a unit of several records.

use asr_spec::record::{Body, ContentPart, Message, ToolCall, ToolResult};

/// Collects the records of a unit.
pub(crate) struct Unit {
    /// What every message of the unit has in common.
    template: Message,
    /// The native id of the record.
    id: Option<String>,
    parts: Vec<ContentPart>,
    bodies: Vec<Body>,
    messages: usize,
}

impl Unit {
    pub fn new(id: Option<&str>, template: Message) -> Self {
        Self { template, id: id.map(str::to_owned), parts: Vec::new(), bodies: Vec::new(), messages: 0 }
    }

    pub fn part(&mut self, part: ContentPart) {
        self.parts.push(part);
    }

    pub fn call(&mut self, mut call: ToolCall) {
        self.end_message();
        call.response_key.clone_from(&self.template.response_key);
        self.bodies.push(call.into());
    }

    pub fn result(&mut self, result: ToolResult) {
        self.end_message();
        self.bodies.push(result.into());
    }

    /// The records. A native record without any content is an empty message: it did take its place in the
    /// context.
    pub fn finish(mut self) -> Vec<Body> {
        self.end_message();
        if self.bodies.is_empty() {
            self.push_message();
        }
        self.bodies
    }

    fn end_message(&mut self) {
        if !self.parts.is_empty() {
            self.push_message();
        }
    }

    fn push_message(&mut self) {
        self.messages += 1;
        let mut message = self.template.clone();
        message.content = std::mem::take(&mut self.parts);
        // The entity key must be the message's own (ASR-352), so a second message cannot share the first
        // one's.
        message.message_id = match (&self.id, self.messages) {
            (Some(id), 2..) => Some(format!("{id}#{}", self.messages)),
            (id, _) => id.clone(),
        };
        self.bodies.push(message.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_content_is_one_message_with_a_key_of_its_own() {
        let template = Message { response_key: Some("k".into()), ..Message::default() };
        let mut unit = Unit::new(Some("n"), template);
        unit.part(ContentPart::text("a"));
        unit.part(ContentPart::text("b"));
        unit.call(ToolCall::default());
        unit.result(ToolResult::default());
        unit.part(ContentPart::text("c"));
        let bodies = unit.finish();
        let types: Vec<&str> = bodies.iter().map(Body::type_name).collect();
        assert_eq!(types, ["message", "tool_call", "tool_result", "message"]);
        let (Body::Message(first), Body::ToolCall(call), Body::Message(last)) =
            (&bodies[0], &bodies[1], &bodies[3])
        else {
            panic!("as their types say");
        };
        assert_eq!(first.content.len(), 2);
        assert_eq!(first.message_id.as_deref(), Some("n"));
        assert_eq!(last.message_id.as_deref(), Some("n#2"));
        assert_eq!(call.response_key.as_deref(), Some("k"));
    }

    #[test]
    fn a_record_without_content_is_an_empty_message() {
        let bodies = Unit::new(None, Message::default()).finish();
        assert!(matches!(bodies.as_slice(), [Body::Message(message)] if message.content.is_empty()));
    }
}
