"""Replay: price a recorded conversation under seven schedules. Conventions: spec/replay.md."""
