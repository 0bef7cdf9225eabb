//! Active paths and context views of agent session records, fast enough to embed.
