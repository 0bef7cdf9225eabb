//! Converters from native session files to agent session records.
