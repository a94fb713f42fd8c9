async def long_talk(*a, **k): pass
