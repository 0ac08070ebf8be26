"""Everything that can answer a question: one folder an engine, all behind the protocol of `engine`."""
