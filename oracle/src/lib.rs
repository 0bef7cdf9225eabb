//! The Structure chapter, step by step: slow and obviously right.
