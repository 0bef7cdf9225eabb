//! A JSON value that loses nothing a reader of ASR must keep.
//!
//! `serde_json::Value` cannot hold `1e999`, takes `-0` for a float, and with arbitrary precision mistakes one
//! particular object for a number. A record may contain all three (`readings.md` 0.1), so numbers stay the text
//! they were written as. Two numbers are equal when they have the same value (`readings.md` B.7).

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value. Nesting is bounded by the line predicate (127 levels), so walking it may recurse.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number of any size
    Number(Number),
    /// A string, unescaped
    String(String),
    /// An array
    Array(Vec<Json>),
    /// An object; the last of duplicate keys has won
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&BTreeMap<String, Json>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// A number as it was written: text of the RFC 8259 `number` grammar, never rounded.
#[derive(Clone, Debug)]
pub struct Number(Box<str>);

impl Number {
    /// The number that `text` spells, or `None` if the RFC 8259 grammar does not allow it.
    pub fn from_literal(text: &str) -> Option<Self> {
        Decimal::parse(text).map(|_| Self(text.into()))
    }

    /// The text of the number.
    pub fn literal(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || Decimal::parse(&self.0) == Decimal::parse(&other.0)
    }
}

impl Eq for Number {}

/// The value of a number: sign, digits without outer zeros, and the power of ten of the last digit.
#[derive(Eq, PartialEq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: Exponent,
}

/// Exponents beyond 128 bits are compared as text: such numbers are equal only when written alike.
#[derive(Eq, PartialEq)]
enum Exponent {
    Small(i128),
    Huge(String),
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let exponent_digits = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
        let well_formed = is_digits(whole)
            && (whole == "0" || !whole.starts_with('0'))
            && fraction.is_none_or(is_digits)
            && exponent_digits.is_none_or(is_digits);
        if !well_formed {
            return None;
        }

        let fraction = fraction.unwrap_or("");
        let significant = whole.bytes().chain(fraction.bytes()).skip_while(|&digit| digit == b'0');
        let mut digits: Vec<u8> = significant.collect();
        let written = digits.len();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: Exponent::Small(0) });
        }
        let stripped = written.abs_diff(digits.len()) as i128;
        let shift = stripped.saturating_sub(fraction.len() as i128);
        let exponent = match exponent.unwrap_or("0").parse::<i128>().ok().and_then(|e| e.checked_add(shift)) {
            Some(exponent) => Exponent::Small(exponent),
            None => Exponent::Huge(text.to_owned()),
        };
        Some(Self { negative, digits, exponent })
    }
}

/// Compact JSON text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Through `serde_json` only: a number keeps its text as a raw value.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(Number(literal)) => {
                let raw = serde_json::value::RawValue::from_string(literal.to_string());
                raw.map_err(S::Error::custom)?.serialize(serializer)
            }
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// For outcomes that other programs print. Numbers beyond 64 bits are rounded here, as `serde_json` rounds them.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(Number(value.to_string().into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(Number(value.to_string().into())))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        let number = Number::from_literal(&value.to_string());
        number.map(Json::Number).ok_or_else(|| E::custom(format!("{value} is not a JSON number")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            members.insert(key, value);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::from_literal(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn numbers_are_equal_by_value_whatever_their_spelling() {
        for (a, b) in
            [("4", "4.0"), ("40", "4e1"), ("0.04", "4E-2"), ("-0", "0"), ("1e999", "10e998"), ("0e5", "0.00")]
        {
            assert_eq!(number(a), number(b), "{a} and {b}");
        }
        for (a, b) in [("4", "5"), ("4", "-4"), ("1e999", "1e998"), ("10", "100"), ("0.1", "0.01")] {
            assert_ne!(number(a), number(b), "{a} and {b}");
        }
    }

    #[test]
    fn what_the_grammar_forbids_is_no_number() {
        for text in
            ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "1 ", "0x1", "NaN", "1.5.2", "--1", "1e1e1"]
        {
            assert!(Number::from_literal(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_number_prints_as_it_was_written() {
        let json = Json::Array(vec![Json::Number(number("1e999")), Json::Number(number("-0"))]);
        assert_eq!(json.to_string(), "[1e999,-0]");
    }

    #[test]
    fn the_private_number_key_of_serde_json_is_an_ordinary_key() {
        let text = r#"{"$serde_json::private::Number":"5"}"#;
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(json.to_string(), text);
    }
}
