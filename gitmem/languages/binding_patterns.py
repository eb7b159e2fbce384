"""Patterns for declaring or assigning a name, shared by several languages."""

from __future__ import annotations

# ``Language.bindings``: NAME and PATH are replaced by patterns of one. Each has the groups name and
# type (declared), or name, value and, where it is called, call; without a name it is what a
# function gives back, with a group default what the file does. None begins in the middle of a word:
# trying each of its letters took half of the time.
COLON = (
    rb"(?<![A-Za-z_$])(?P<name>(?:self\.|this\.)?NAME)[?!]?[ \t]*:[ \t]*"
    rb"(?:&(?:'\w+[ \t]+)?)?(?:mut |dyn |impl )*"
    rb"(?P<type>[\"']?[A-Za-z_][\w$.:]*(?:[<\[][\w$.:]*)?)"
)
TYPE_FIRST = (
    rb"(?<![A-Za-z_])(?P<type>\\?[A-Za-z_][\w.:\\]*)(?:<[^;=(){}\n]*>)?(?:\[\])?"
    rb"[ \t]*[*&?.]*[ \t]+[*&]*"
    rb"(?P<name>\$?NAME)[ \t]*(?=[=;,):{\[])"
)
MADE = (
    rb"(?<![\w.])(?:(?:var|auto|val)\b[ \t*&]*)(?P<name>NAME)[ \t]*=[ \t]*(?:new )?"
    rb"(?P<value>PATH)(?:<[^;=(){}\n]*>)?(?P<call>[({]?)"
)
