"""What a subagent is made of: child (its agent), receipt (what comes back); ../subagents.py runs them."""
