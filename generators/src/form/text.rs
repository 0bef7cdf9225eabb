//! What is written around the fields of a type or instead of them: ids, seq, spellings, edits, and lines that are no
//! records.

use crate::operand::operand;

operand! {
    /// The id of the next record.
    Form IdForm {
        sound {
            /// `malformed`, which names a gap marker of its own.
            Malformed,
            /// The entity key of the n-th latest node.
            Key,
            /// Quotes, a backslash, a control character, letters beyond ASCII.
            Awkward,
            /// The empty string.
            Empty,
        }
        odd {
            /// The id of the n-th latest record.
            Again,
            /// None.
            Missing,
            /// A number.
            Number,
            /// Null.
            Null,
            /// A list that holds the id.
            List,
        }
    }
}

operand! {
    /// The seq of the next record.
    Form SeqForm {
        sound {
            /// Some are left out before it.
            Skip,
        }
        odd {
            /// That of the record before.
            Again,
            /// Less than that of the record before.
            Lower,
            /// None.
            Missing,
            /// Null.
            Null,
            /// Its value as a fraction.
            Fraction,
            /// Its value with an exponent.
            Exponent,
            /// Its value as a string.
            Text,
            /// `true`.
            Bool,
            /// `-0`.
            MinusZero,
            /// The largest one.
            Largest,
            /// The smallest one.
            Smallest,
            /// One more than the largest one.
            TooLarge,
            /// A number beyond any machine number.
            Huge,
        }
    }
}

operand! {
    /// How the next line is spelled. The record stays the same.
    Form SpellForm {
        sound {
            /// Space around every token, a carriage return among it.
            Spaced,
            /// A carriage return before the line end.
            Crlf,
            /// Every letter as an escape.
            Escapes,
            /// Every key twice, at the second level as well; the last one counts.
            Twice,
            /// Keys in reverse order.
            Reversed,
            /// A field of 126 nested lists and objects, so that the record has 127 levels.
            Deep,
            /// A field of numbers beyond any machine number.
            Numbers,
            /// Fields with the names that a JSON library keeps for itself.
            Private,
            /// A field of surrogate pairs and other escapes.
            Surrogates,
            /// Fields whose content looks like structure.
            Decoys,
            /// A string longer than what a reader looks at together, with escapes and letters across every seam; once
            /// in a stream, since that takes time.
            Long,
            /// A byte order mark, where the line is the first one.
            Bom,
            /// No line end, where the line is the last one.
            Unended,
        }
    }
}

operand! {
    /// What happens to one value of a record, a member of an object or an element of a list.
    Form EditForm {
        sound {
            /// A member gets a null before it under its own key; the last one counts. An element stays.
            Overruled,
        }
        odd {
            /// Gone.
            Dropped,
            /// Null.
            Null,
            /// `true`.
            True,
            /// A number.
            Number,
            /// A string, the id of no record.
            Text,
            /// The empty string.
            Empty,
            /// An empty list.
            List,
            /// An empty object.
            Object,
            /// In a list of its own.
            Listed,
            /// In an object of its own, under some key.
            Nested,
            /// The value of another member or element.
            Copied,
            /// A member's key is another one.
            Renamed,
            /// Twice in a row, the second time as null.
            Repeated,
        }
    }
}

operand! {
    /// A line with nothing in it.
    Form BlankForm {
        sound {
            /// Empty.
            Empty,
            /// A space and a tab.
            Spaces,
            /// A carriage return.
            Return,
        }
    }
}

operand! {
    /// What is wrong with a line that would have been a message.
    Form Damage {
        sound {
            /// Cut off before the last brace.
            Cut,
            /// Cut off within a string.
            CutString,
            /// Within a list.
            List,
            /// Only a number.
            Scalar,
            /// Only `null`.
            Null,
            /// Within a string.
            Text,
            /// A comma after the last field.
            TrailingComma,
            /// A letter after the last brace.
            Garbage,
            /// A second object on the same line.
            TwoObjects,
            /// A comment.
            Comment,
            /// A brace of another kind at the end.
            WrongBrace,
            /// Single quotes.
            SingleQuotes,
            /// A key without quotes.
            BareKey,
            /// A byte that UTF-8 does not have, in a field that nobody reads.
            InvalidUtf8,
            /// An overlong form of a slash.
            Overlong,
            /// A surrogate in UTF-8.
            EncodedSurrogate,
            /// An unpaired surrogate escape in a value.
            LoneSurrogate,
            /// An unpaired surrogate escape in a key.
            LoneSurrogateKey,
            /// A surrogate pair in the wrong order.
            SwappedSurrogates,
            /// Half a surrogate pair before an escape that is no other half.
            BrokenPair,
            /// A surrogate pair and another half.
            HalfBehindPair,
            /// 128 levels.
            TooDeep,
            /// A zero before a number.
            LeadingZero,
            /// A point with nothing after it.
            BarePoint,
            /// A point with nothing before it.
            PointFirst,
            /// An exponent with nothing after it.
            BareExponent,
            /// A plus before a number.
            Plus,
            /// `NaN`.
            NotANumber,
            /// `-Infinity`.
            Infinity,
            /// A tab within a string.
            RawTab,
            /// The last of the control characters, behind many letters of a string.
            RawControl,
            /// An escape that JSON does not have.
            BadEscape,
            /// A Unicode escape of two digits.
            ShortEscape,
            /// A form feed for white space.
            FormFeed,
            /// A form feed and nothing else.
            OnlyFormFeed,
            /// A space that is not JSON white space.
            WideSpace,
            /// Two byte order marks.
            TwoBoms,
            /// A zero byte after the record.
            ZeroByte,
        }
    }
}
