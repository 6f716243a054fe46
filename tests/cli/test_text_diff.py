from __future__ import annotations

from adk_decl.cli.text_diff import unified_diff

BEFORE = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n"


def test_a_change_with_its_surroundings() -> None:
    assert unified_diff("f.yaml", BEFORE, BEFORE.replace("5", "7")).splitlines() == [
        "--- f.yaml",
        "+++ f.yaml",
        "@@ -2,5 +2,5 @@",
        " b: 2",
        " c: 3",
        " d: 4",
        "-e: 5",
        "+e: 7",
        " f: 6",
    ]


def test_added_and_removed_lines() -> None:
    assert "@@ -0,0 +1,2 @@" in unified_diff("f", "", "a: 1\nb: 2\n")
    assert "@@ -1,1 +0,0 @@" in unified_diff("f", "a: 1\n", "")


def test_equal_texts_have_no_diff() -> None:
    assert unified_diff("f.yaml", BEFORE, BEFORE) == ""


def test_private_values_are_masked_on_every_line() -> None:
    before = "plugins:\n  p:\n    use: x\n    config:\n      token: hunter2\n      other: [hunter3]\n    mod: observe\n"
    shown = unified_diff("f.yaml", before, before.replace("mod:", "mode:").replace("hunter2", "hunter4"))
    assert "hunter" not in shown
    assert "-      token: …" in shown
    assert "+      token: …" in shown
    assert "+    mode: observe" in shown


def test_lines_with_a_private_finding_are_masked_and_so_is_what_replaces_them() -> None:
    shown = unified_diff("f.yaml", "url: hunter2\n", "urls: hunter2\n", hidden={1})
    assert "hunter2" not in shown
    assert "+urls: …" in shown


def test_nothing_hostile_reaches_a_terminal() -> None:
    shown = unified_diff("f\x1b.yaml", "a: \x1b[2J\n", "b: \u202e\n")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    painted = unified_diff("f", "a: 1\n", "a: 2\n", color=True)
    assert "\x1b[32m+a: 2\x1b[0m" in painted
