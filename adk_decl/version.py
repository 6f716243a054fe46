"""The version of adk-decl; the build reads it from here."""

from __future__ import annotations

VERSION = "0.1.0"
