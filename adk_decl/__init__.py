"""adk-decl: declare how LLM agents run, compile it to a frozen plan, and run agents under exactly that plan."""
