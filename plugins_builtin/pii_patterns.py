"""Finds personal data in a text: by form, and where there is one by checksum and by the ranges that exist.

Every pattern takes time in proportion to the text: repetitions have bounds, and what is repeated can't be parted in
two ways. Digits, spaces and hyphens of other kinds count as the plain ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from plugins_builtin.phone_numbers import phone_numbers

TYPES = ("api_key", "email", "iban", "credit_card", "ssn", "phone", "ip_address")
"""All kinds, the one that counts first when two are found in the same place."""

DEFAULT_TYPES = ("email", "phone", "ssn", "credit_card", "iban", "api_key")

Span = tuple[int, int]


class Found(NamedTuple):
    """A piece of personal data: where it is and what."""

    start: int
    end: int
    type: str


def find(text: str, types: Sequence[str]) -> list[Found]:
    """What is found of these types, in order, without overlaps."""
    plain = _plain(text)
    found: list[Found] = []
    for kind in TYPES:
        if kind in types:
            found += [Found(start, end, kind) for start, end in _FINDERS[kind](plain)]
    return _without_overlaps(found)


def _plain(text: str) -> str:
    """The text with plain digits, spaces and hyphens. No place in it moves."""
    return text if text.isascii() else text.translate(_SIMILAR)


def _without_overlaps(found: list[Found]) -> list[Found]:
    """All that was found, in order; what overlaps becomes one piece, named after the kind that counts first."""
    merged: list[Found] = []
    for each in sorted(found):
        last = merged[-1] if merged else None
        if last is not None and each.start < last.end:
            kind = min(last.type, each.type, key=TYPES.index)
            merged[-1] = Found(last.start, max(last.end, each.end), kind)
        else:
            merged.append(each)
    return merged


def _emails(text: str) -> Iterator[Span]:
    if "@" in text:
        yield from (match.span(1) for match in _EMAIL.finditer(text))


def _api_keys(text: str) -> Iterator[Span]:
    for match in _API_KEY.finditer(text):
        if sum(character.isdigit() for character in match[0]) >= _KEY_DIGITS:
            yield match.span()


def _credit_cards(text: str) -> Iterator[Span]:
    for pattern in _CARDS:
        for match in pattern.finditer(text):
            digits = match[1].replace(" ", "").replace("-", "")
            if _is_card(digits):
                yield match.span(1)


def _is_card(digits: str) -> bool:
    return any(len(digits) in lengths and _in_range(digits, low, high) for low, high, lengths in _ISSUERS) and (
        _luhn(digits) and len(set(digits)) > 1
    )


def _in_range(digits: str, low: str, high: str) -> bool:
    return low <= digits[: len(low)] <= high


def _luhn(digits: str) -> bool:
    total = 0
    for index, character in enumerate(reversed(digits)):
        number = int(character) * (2 if index % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _ibans(text: str) -> Iterator[Span]:
    for match in _IBAN_START.finditer(text):
        length = _IBAN_LENGTHS.get(match[0][:2].upper())
        end = _end_of_iban(text, match.start(), length) if length else None
        if end is not None:
            yield match.start(), end


def _end_of_iban(text: str, start: int, length: int) -> int | None:
    """Where an IBAN ends that has so many characters, single spaces or hyphens between them left out."""
    taken = ""
    at = start
    while len(taken) < length:
        character = text[at : at + 1]
        if character.isascii() and character.isalnum():
            taken += character.upper()
        elif character not in (" ", "-") or text[at - 1] in " -":
            return None
        at += 1
    following = text[at : at + 1]
    if following.isascii() and following.isalnum():
        return None
    return at if int("".join(str(int(c, 36)) for c in taken[4:] + taken[:4])) % 97 == 1 else None


def _ssns(text: str) -> Iterator[Span]:
    for pattern in (_SSN, _NAMED_SSN):
        for match in pattern.finditer(text):
            digits = match["number"].replace("-", "").replace(" ", "")
            area, group, serial = digits[:3], digits[3:5], digits[5:]
            if area not in ("000", "666") and area < "900" and group != "00" and serial != "0000":
                yield match.span("number")


def _ip_addresses(text: str) -> Iterator[Span]:
    for pattern, address in ((_IPV4, IPv4Address), (_IPV6, IPv6Address)):
        for match in pattern.finditer(text):
            try:
                address(match[0])
            except ValueError:
                continue
            if any(character.isdigit() for character in match[0]):
                yield match.span()


_FINDERS: dict[str, Callable[[str], Iterator[Span]]] = {
    "api_key": _api_keys,
    "email": _emails,
    "iban": _ibans,
    "credit_card": _credit_cards,
    "ssn": _ssns,
    "phone": phone_numbers,
    "ip_address": _ip_addresses,
}

_SIMILAR = {
    **{first + digit: str(digit) for first in (0xFF10, 0x0660, 0x06F0, 0x0966) for digit in range(10)},
    **dict.fromkeys((0xA0, 0x2002, 0x2003, 0x2007, 0x2009, 0x200A, 0x202F), " "),
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFF0D), "-"),
    0xFF0B: "+",
    0xFF20: "@",
    0xFF0E: ".",
}

_UNSPACED = r"\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF"
"""Scripts without spaces between words: what stands before and behind an address is no part of it."""

_LETTER = rf"[^\W{_UNSPACED}]"
_EMAIL = re.compile(
    rf"(?<![.+%'-])(?<!{_LETTER})'*+((?:[.+%'-]|{_LETTER})++@(?!v?[0-9]+\.[0-9])(?![0-9]x\.)"
    rf"(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?\.){{1,8}}(?:[^\W\d_{_UNSPACED}]{{2,63}}|[{_UNSPACED}]{{2,16}})(?!{_LETTER}|-))"
)

_KEY_DIGITS = 2
_API_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    + "|".join(
        (
            r"sk-[A-Za-z0-9_-]{20,}+",
            r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}+",
            r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])",
            r"gh[pousr]_[A-Za-z0-9]{36,}+",
            r"github_pat_[A-Za-z0-9_]{22,}+",
            r"glpat-[A-Za-z0-9_-]{20,}+",
            r"xox[abprs]-[A-Za-z0-9-]{10,}+",
            r"AIza[0-9A-Za-z_-]{35}",
            r"hf_[A-Za-z0-9]{30,}+",
            r"npm_[A-Za-z0-9]{36,}+",
            r"pypi-[A-Za-z0-9_-]{50,}+",
            r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
            r"eyJ[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+",
        )
    )
    + ")"
)

_CARDS = (
    re.compile(r"(?<![0-9A-Za-z])(?<![0-9][.-])([0-9]{13,19})(?![0-9A-Za-z])"),
    re.compile(r"(?<![0-9A-Za-z])(?=([0-9]{4}([ -])[0-9]{4}\2[0-9]{4}\2[0-9]{4})(?![0-9A-Za-z]))"),
    re.compile(r"(?<![0-9A-Za-z])(?=([0-9]{4}([ -])[0-9]{4}\2[0-9]{4}\2[0-9]{4}\2[0-9]{3})(?![0-9A-Za-z]))"),
    re.compile(r"(?<![0-9A-Za-z])(?=([0-9]{4}([ -])[0-9]{6}\2[0-9]{4,5})(?![0-9A-Za-z]))"),
)
_ISSUERS = (
    ("4", "4", (13, 16, 19)),  # Visa
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),
    ("6011", "6011", (16, 17, 18, 19)),  # Discover
    ("644", "659", (16, 17, 18, 19)),
    ("3528", "3589", (16, 17, 18, 19)),  # JCB
    ("300", "305", (14, 16, 17, 18, 19)),  # Diners Club
    ("36", "36", (14, 16, 17, 18, 19)),
    ("38", "39", (14, 16, 17, 18, 19)),
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
    *((prefix, prefix, (16, 17, 18, 19)) for prefix in ("5018", "5020", "5038", "5893", "6304")),  # Maestro
    *((prefix, prefix, (16, 17, 18, 19)) for prefix in ("6759", "6761", "6762", "6763")),
)

_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?=[ -]?[A-Za-z0-9])")
_IBAN_LENGTH_LIST = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 "
    "EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 "
    "KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 "
    "PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 "
    "VA22 VG24 XK20 YE30 "
)
_IBAN_LENGTHS = {row[:2]: int(row[2:]) for row in _IBAN_LENGTH_LIST.split()}

_SSN = re.compile(r"(?<![A-Za-z0-9_-])(?P<number>[0-9]{3}-[0-9]{2}-[0-9]{4})(?![A-Za-z0-9_-])")
_NAMED_SSN = re.compile(
    r"(?<!\w)(?:ssn|social security(?: (?:no|number|nr))?)\.?(?: is)?[:#=]? {0,2}"
    r"(?P<number>[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4})(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)

_IPV4 = re.compile(r"(?<![A-Za-z0-9_.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![A-Za-z0-9_-]|\.[0-9])")
_IPV6 = re.compile(r"(?<![A-Za-z0-9_:.])(?=[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{3,39}(?![A-Za-z0-9_:])")
