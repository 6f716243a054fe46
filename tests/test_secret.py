from __future__ import annotations

import copy
import json
import os
import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest

from adk_decl.plan.model import SecretRef
from adk_decl.secret import Secret, SecretProblem, read_secret
from adk_decl.wire import encode

CANARY = "canary-9f3e"


def _file(name: str) -> SecretRef:
    return SecretRef(source="file", name=name)


def _env(name: str) -> SecretRef:
    return SecretRef(source="env", name=name)


def _reason(ref: SecretRef, root: Path, environment: Mapping[str, str]) -> str:
    with pytest.raises(SecretProblem) as failure:
        read_secret(ref, environment, str(root))
    assert CANARY not in str(failure.value)
    assert failure.value.__cause__ is None
    assert ref.name[:3] in str(failure.value)
    return failure.value.reason


def test_only_reveal_gives_the_value() -> None:
    secret = read_secret(_env("KEY"), {"KEY": CANARY}, "/")
    assert secret.reveal() == CANARY
    assert f"{secret} {secret!r} {[secret]}".count("Secret(env:KEY)") == 3
    assert CANARY not in f"{secret} {secret!r}"
    with pytest.raises(AttributeError):
        secret.source = "x"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy, encode, json.dumps, vars):
        with pytest.raises(TypeError) as failure:
            leak(secret)
        assert CANARY not in str(failure.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a", "a"),
        ("a\n", "a"),
        ("a\r\n", "a"),
        ("a\n\n", "a\n"),
        (" a b ", " a b "),
        ("é", "é"),
        ("x" * 65536 + "\n", "x" * 65536),
    ],
)
def test_a_file_loses_one_newline_at_its_end(tmp_path: Path, content: str, expected: str) -> None:
    (tmp_path / "key").write_bytes(content.encode())
    for name in ("key", str(tmp_path / "key")):
        secret = read_secret(_file(name), {}, str(tmp_path))
        assert secret.reveal() == expected
    assert repr(read_secret(_file("key"), {}, str(tmp_path))) == "Secret(file:key)"


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("a")
    (tmp_path / "key").symlink_to("real")
    assert read_secret(_file("key"), {}, str(tmp_path)).reveal() == "a"


def test_what_can_not_be_read_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "bytes").write_bytes(CANARY.encode() + b"\xff")
    (tmp_path / "large").write_text(CANARY * 10_000)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    environment = {"VOID": "", "LARGE": CANARY * 10_000, "BYTES": "\udcff" + CANARY}
    assert _reason(_env("UNSET"), tmp_path, environment) == "unset"
    assert _reason(_env("VOID"), tmp_path, environment) == "empty"
    assert _reason(_env("LARGE"), tmp_path, environment) == "too_large"
    assert _reason(_env("BYTES"), tmp_path, environment) == "not_text"
    assert _reason(_file("empty"), tmp_path, {}) == "empty"
    assert _reason(_file("bytes"), tmp_path, {}) == "not_text"
    assert _reason(_file("large"), tmp_path, {}) == "too_large"
    assert _reason(_file("folder"), tmp_path, {}) == "not_a_file"
    assert _reason(_file("pipe"), tmp_path, {}) == "not_a_file"
    assert _reason(_file("/dev/zero"), tmp_path, {}) == "not_a_file"
    assert _reason(_file("absent"), tmp_path, {}) == "unreadable"
    assert _reason(_file("nul\0byte"), tmp_path, {}) == "unreadable"


def test_two_secrets_with_the_same_value_are_different_things() -> None:
    assert Secret("a", "x") != Secret("a", "x")
