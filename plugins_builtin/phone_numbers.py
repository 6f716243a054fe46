"""Finds telephone numbers: written as such, in ranges that exist; never a bare run of digits without a word for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

_COUNTRY_CODE_LIST = (
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 "
    "84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 "
    "235 236 237 238 239 240 241 242 243 244 245 246 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 "
    "264 265 266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 "
    "376 377 378 380 381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 "
    "593 594 595 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 "
    "692 800 808 850 852 853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 "
    "972 973 974 975 976 977 979 992 993 994 995 996 998 "
)
_COUNTRY_CODES = frozenset(_COUNTRY_CODE_LIST.split())
_LEAST_DIGITS, _MOST_DIGITS = 9, 15
_LEAST_NAMED_DIGITS = 7

_BEFORE = r"(?<![A-Za-z0-9_+])(?<![0-9][-.])"
_AFTER = r"(?![0-9])(?![-.][0-9])"
_DIGITS = r"[0-9](?:[ ./()-]{0,2}[0-9])"

_INTERNATIONAL = re.compile(rf"{_BEFORE}\+(?=[1-9]){_DIGITS}{{7,14}}(?![0-9])")
_DIALLED = re.compile(
    r"(?<![A-Za-z0-9_+.-])(?<![0-9] )00(?P<country>[1-9][0-9]{0,2})[ -](?!00)"
    r"[0-9(](?:[ ./()-]{0,2}[0-9]){6,11}(?! ?[0-9])"
)
_PLUS_ONE = re.compile(r"(?<![A-Za-z0-9_+])\+1[-. ]?\(?[2-9][0-9]{2}\)?[-. ]?[2-9][0-9]{2}[-. ]?[0-9]{4}(?![0-9])")
_NORTH_AMERICAN = re.compile(
    rf"{_BEFORE}(?:1[-. ])?(?:\(([2-9][0-9]{{2}})\) ?|([2-9][0-9]{{2}})([-.]))([2-9][0-9]{{2}})"
    rf"(?(3)\3|[-. ])[0-9]{{4}}{_AFTER}"
)
_NATIONAL = re.compile(
    _BEFORE
    + "(?<![0-9] )"
    + "(?:"
    + "|".join(
        (
            r"0[1-9](?:([ .])[0-9]{2})(?:\1[0-9]{2}){3}(?!\1[0-9])",  # 01 23 45 67 89
            r"\(?02[0-9]\)? [0-9]{4} [0-9]{4}",  # 020 7946 0958
            r"\(?01[0-9]{2,3}\)? [0-9]{3} ?[0-9]{3,4}",  # 0161 496 0123
            r"07[0-9]{3} [0-9]{3} ?[0-9]{3}",  # 07700 900123
            r"0(?:30|40|69|89|2[12]1|341|351|711) [0-9]{6,8}",  # 030 90182000
            r"0[2-9][0-9]{1,3}/[0-9]{5,8}",  # 089/12345678
            r"01[567][0-9]{1,2}[ /][0-9]{7,8}",  # 0171 2345678
        )
    )
    + ")"
    + _AFTER
)
_NAMED = re.compile(
    r"(?<!\w)(?:tel|telephone|phone|mobile|cell|cellphone|fax|whatsapp|handy|telefon|telefono|teléfono|téléphone|telefone"
    r"|móvil|mobil|mob|call me at|call me on|call us at|text me at|reach me at|ring me on)\.?"
    r"(?: (?:no|nr|number|num|nummer|numero|número|numéro)\.?)?(?: (?:is|ist|est|es))?[:#=]? {0,2}"
    rf"([+(]?{_DIGITS}{{6,14}})(?![0-9])",
    re.IGNORECASE,
)


def phone_numbers(text: str) -> Iterator[Span]:
    """The spans of the telephone numbers of a text, in no order; they may overlap."""
    for match in _INTERNATIONAL.finditer(text):
        if _is_international(_digits(match[0])):
            yield match.span()
    for match in _DIALLED.finditer(text):
        if match["country"] in _COUNTRY_CODES and _is_international(_digits(match[0])[2:]):
            yield match.span()
    for pattern in (_PLUS_ONE, _NORTH_AMERICAN):
        for match in pattern.finditer(text):
            if _is_north_american(_digits(match[0])[-10:]):
                yield match.span()
    for match in _NATIONAL.finditer(text):
        if _LEAST_DIGITS <= len(_digits(match[0])) <= _MOST_DIGITS:
            yield match.span()
    for match in _NAMED.finditer(text):
        if _LEAST_NAMED_DIGITS <= len(_digits(match[1])) <= _MOST_DIGITS:
            yield match.span(1)


def _digits(text: str) -> str:
    return "".join(character for character in text if character in "0123456789")


def _is_international(digits: str) -> bool:
    if not _LEAST_DIGITS <= len(digits) <= _MOST_DIGITS:
        return False
    if digits[0] == "1":
        return len(digits) == 11 and _is_north_american(digits[1:])
    return any(digits[:length] in _COUNTRY_CODES for length in (1, 2, 3))


def _is_north_american(digits: str) -> bool:
    """Whether area and exchange exist: neither begins with 0 or 1, neither ends in 11."""
    area, exchange = digits[:3], digits[3:6]
    return area[0] in "23456789" and exchange[0] in "23456789" and area[1:] != "11" and exchange[1:] != "11"
