"""What was said: facts, contradictions, topics, references, emotion and promises, by rules and from model answers."""
