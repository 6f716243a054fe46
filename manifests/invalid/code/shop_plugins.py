"""Plugins with mistakes. Read by the compiler, never run."""

from __future__ import annotations

from adk_decl.plugins import Plugin, ret, text_response


class Misspelt(Plugin):
    def before_modle(self, ctx, value):
        return None

    def after_tool_call(self, ctx, value):
        return None

    def on_budget(self, ctx, value):
        return None


class WrongParameters(Plugin):
    def before_model(self, value):
        return None

    @staticmethod
    def after_model(ctx, value):
        return None


class Idle(Plugin):
    def count(self):
        return 0


class NoPlugin:
    def before_model(self, ctx, value):
        return None


class ClosedToday(Plugin):
    def before_model(self, ctx, value):
        """Always the same answer."""
        return ret(text_response("We are closed today."))
