"""Facts: what an utterance states, and how two statements stand to each other."""
