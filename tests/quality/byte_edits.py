"""Random edits of the bytes of a manifest, and what has to hold for each of them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

from adk_decl.cli.checking import FORMATS, Checked, show
from adk_decl.compiler.compile import CompileResult, compile_file
from tests.quality.bases import bases, lay_out

MOST_SECONDS = 1.0
_PIECES = (
    *(
        b"\n",
        b"\r",
        b"\t",
        b" ",
        b"  ",
        b": ",
        b":",
        b"- ",
        b"-",
        b"#",
        b" #",
        b"'",
        b'"',
        b"\\",
        b"\\u",
        b"|\n",
        b">-\n",
    ),
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b"&a ",
        b"*a",
        b"!!x ",
        b"<<: ",
        b"? ",
        b"%",
        b"@",
        b"`",
        b"---\n",
        b"...\n",
        b"${",
        b"}",
    ),
    *(b"${env:A}", b"$$", b"=", b"[[a]]\n", b'"""', b"'''", b"null", b"true", b"1e400", b"0x1", b"9" * 40, b"x-a"),
    *(
        b"\x00",
        b"\x7f",
        b"\xc2\x85",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xed\xa0\x80",
        "é".encode(),
        "😀".encode(),
        b"python:a:b",
    ),
)


def edited(data: bytes, random: Random) -> bytes:
    """The bytes with one to six changes: pieces put in, taken out, doubled, moved, single bytes replaced."""
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((1, 1, 2, 5, 20, 200)))
        change = random.randrange(6)
        if change == 0:
            data = data[:at] + random.choice(_PIECES) + data[at:]
        elif change == 1:
            data = data[:at] + data[end:]
        elif change == 2:
            data = data[:end] + data[at:end] + data[end:]
        elif change == 3:
            data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
        elif change == 4:
            data = data[:at] + random.choice(_PIECES) + data[end:]
        else:
            there = random.randrange(len(data) + 1)
            data = data[:there] + data[at:end] + data[there:]
    return data


def run(count: int, seed: int, folder: Path) -> float:
    """Compile and show so many edited manifests; the longest CPU time of one, in seconds. Raises what goes wrong."""
    lay_out(folder)
    random = Random(seed)
    longest = 0.0
    for number in range(count):
        base = random.choice(bases())
        data = edited(base.text.encode(), random)
        path = folder / f"m.adk.{base.format}"
        path.write_bytes(data)
        began = time.process_time()
        try:
            result = compile_file(str(path))
            check(result, formats=FORMATS if number % 5 == 0 else ("text", "json"))
        except Exception as error:
            raise AssertionError(f"seed {seed}, edit {number} of {base.name}: {data!r}") from error
        longest = max(longest, time.process_time() - began)
    return longest


def check(result: CompileResult, *, formats: tuple[str, ...] = FORMATS) -> None:
    """Fail unless a plan is whole or there is an error, and every format shows the findings."""
    assert (result.plan is None) == any(found.severity == "error" for found in result.diagnostics)
    if result.plan is not None:
        assert result.plan.verify()
        json.loads(result.plan.to_json())
    checked = Checked(files=(result.file,), diagnostics=result.diagnostics, sources=dict(result.sources), defects=0)
    for name in formats:
        shown = show(checked, format_name=name, show_all=True)
        if name in ("json", "sarif"):
            json.loads(shown)
        shown.encode()
