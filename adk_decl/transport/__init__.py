"""HTTP for models and exporters: one client with total deadlines, size limits and no redirects; the owner of httpx."""

from __future__ import annotations
