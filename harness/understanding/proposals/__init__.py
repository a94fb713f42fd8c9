"""What a model proposes, held against the words of the turn."""
