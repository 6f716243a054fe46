"""One code, one page."""

from __future__ import annotations

import re

from adk_decl.diagnostics.codes import CODES
from tests.architecture.sources import CHECKOUT, package_files


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {page.stem for page in (CHECKOUT / "docs" / "codes").glob("*.md")} == set(CODES)


def test_slugs_are_unique_and_have_one_form() -> None:
    slugs = [row.slug for row in CODES.values()]
    assert len(slugs) == len(set(slugs))
    assert [slug for slug in slugs if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", slug)] == []


def test_every_code_that_the_source_names_is_registered() -> None:
    named = {code for _, path in package_files() for code in re.findall(r"\bADK\d{3}\b", path.read_text("utf-8"))}
    assert named - set(CODES) == set()
