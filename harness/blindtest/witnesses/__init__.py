"""The witnesses at hand: the engine, the bare model, the bare model with a summary, a control, scripted and recorded ones."""
