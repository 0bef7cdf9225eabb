//! Message content that agents write alike: a string, or a list of blocks of which some are text and
//! pictures.

use crate::object::Fields;
use asr_spec::record::ContentPart;
use serde_json::Value;

/// Content without thinking or tools: a string or a list of blocks.
pub(crate) fn parts(content: Value) -> Vec<ContentPart> {
    match content {
        Value::Null => Vec::new(),
        Value::Array(blocks) => blocks.into_iter().map(part).collect(),
        other => vec![part(other)],
    }
}

/// One block. What is neither text nor a picture stays as it is.
pub(crate) fn part(block: Value) -> ContentPart {
    match block {
        Value::String(text) => ContentPart::Text { text },
        Value::Object(mut object) => match object.text("type") {
            Some("text") => match object.take_text("text") {
                Some(text) => ContentPart::Text { text },
                None => ContentPart::Json { value: Value::Object(object) },
            },
            Some("image") => ContentPart::Image { source: Value::Object(object) },
            _ => ContentPart::Json { value: Value::Object(object) },
        },
        value => ContentPart::Json { value },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn content_keeps_what_it_cannot_name() {
        let document = json!({"type": "document", "title": "t"});
        let broken = json!({"type": "text", "text": 5});
        let content = json!(["a", {"type": "text", "text": "b"}, document, broken, 7]);
        let expected = [
            ContentPart::text("a"),
            ContentPart::text("b"),
            ContentPart::Json { value: document },
            ContentPart::Json { value: broken },
            ContentPart::Json { value: json!(7) },
        ];
        assert_eq!(parts(content), expected);
        assert_eq!(parts(json!("a")), [ContentPart::text("a")]);
        assert_eq!(parts(Value::Null), []);
    }
}
