"""Forms: the token that each carries, their fields, and what was done by one, to undo it.

The token is bound to a cookie that other sites' requests do not carry: a page of another origin
knows neither.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from gitmem.errors import InvalidInput
from gitmem.http.answers import RequestRefused
from gitmem.model.frozen import dataclass

TOKEN_FIELD = "form_token"
# What was done that can still be undone from a page.
_MOST_DONE = 500
# Fields that no error page gives back.
_NOT_SHOWN = (TOKEN_FIELD, "next", "token")
Step = tuple[str, dict[str, Any]]
# Performs a verb: ``await do("pin", id=[...])``; its result as JSON values.
VerbPerformer = Callable[..., Coroutine[Any, Any, Any]]


class Form:
    """The fields of an HTML form that a browser sent."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """The first value of a field, with ``LF`` as line ends; "" if there is no such field."""
        value = next((value for field, value in self._fields if field == name), "")
        return value.replace("\r\n", "\n")

    def texts(self, name: str) -> list[str]:
        """All values of a field that are not empty."""
        return [value for field, value in self._fields if field == name and value]

    @property
    def memory_ids(self) -> list[str]:
        """The values of the field ``id``, ticked memories. Raises InvalidInput without any."""
        if not (ids := self.texts("id")):
            raise InvalidInput("No memory was chosen.", "Tick one or more in the list.")
        return ids

    @property
    def fields_to_redisplay(self) -> list[tuple[str, str]]:
        """The fields (name, value) to show again if the form is refused: all but secrets."""
        return [(field, value) for field, value in self._fields if field not in _NOT_SHOWN]


@dataclass(frozen=True, slots=True)
class FormOutcome:
    """What sending a form did: a sentence to show (``line``), and how to undo it.

    ``undo`` are pairs (command, arguments) that undo it, ``at`` is the address of the page to go
    to, ``after`` a sentence to show once it is undone.
    """

    line: str
    undo: tuple[Step, ...] = ()
    at: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class FormResponsePage:
    """A page to show in answer to a form, such as a conflict: template, data and HTTP status."""

    template: str
    data: dict[str, Any]
    status: int = 409


Action = Callable[[VerbPerformer, Form], Coroutine[Any, Any, FormOutcome | FormResponsePage]]


class FormHandler:
    """Makes and checks the tokens in a server's forms; remembers what the last 500 forms did."""

    def __init__(self, cookie: str, key: bytes | None = None) -> None:
        self.cookie = cookie
        self._key = key or os.urandom(32)
        self._done: OrderedDict[str, FormOutcome] = OrderedDict()

    def form_token(self, cookie: str) -> str:
        """The token in the forms of the browser with this cookie; ``read_form`` checks it."""
        return hmac.new(self._key, b"form" + cookie.encode(), hashlib.sha256).hexdigest()

    def existing_or_new_cookie(self, request: Request) -> str:
        """The value of the browser's cookie, or a new one, for ``set_cookie_if_missing``."""
        given = request.cookies.get(self.cookie, "")
        return given if len(given) == 32 and given.isalnum() else os.urandom(16).hex()

    def set_cookie_if_missing(self, request: Request, response: Response, cookie: str) -> None:
        """Set the cookie in the response, unless the request had this value already."""
        if request.cookies.get(self.cookie) != cookie:
            set_cookie(request, response, self.cookie, cookie)

    async def read_form(self, request: Request) -> Form:
        """Read the form that a browser sent from a page of this server.

        Raises InvalidInput if it cannot be read, StaleForm for a wrong token.
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise InvalidInput(
                "The request contains no form.", "Open the page in a browser and press its button."
            )
        try:
            text = (await request.body()).decode("ascii")
            fields = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=2000)
        except (UnicodeDecodeError, ValueError) as error:
            raise InvalidInput(
                "The form that was sent is not valid.", "Load the page again and press its button."
            ) from error
        form = Form(fields)
        cookie = request.cookies.get(self.cookie, "")
        if not cookie or not hmac.compare_digest(self.form_token(cookie), form.text(TOKEN_FIELD)):
            raise StaleForm(form)
        return form

    def record_outcome(self, outcome: FormOutcome) -> str:
        """Remember what a form did; returns a new id, for ``find_outcome``."""
        id = os.urandom(6).hex()
        self._done[id] = outcome
        while len(self._done) > _MOST_DONE:
            self._done.popitem(last=False)
        return id

    def find_outcome(self, id: str) -> FormOutcome | None:
        """What the form did whose outcome has this id; None if it is forgotten."""
        return self._done.get(id)

    def drop_outcome(self, id: str) -> None:
        """Forget the outcome with this id, since it was undone."""
        self._done.pop(id, None)


class StaleForm(RequestRefused):
    """Raised for a form whose token is not of this browser and server; keeps the ``form``."""

    def __init__(self, form: Form) -> None:
        super().__init__(
            "forbidden",
            "The form does not belong to this browser, or the server was started anew since.",
            "Nothing was changed. Go back, load the page again and send it once more.",
        )
        self.form = form


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Set a cookie that scripts cannot read, and that requests from other sites do not carry."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, path="/", httponly=True, samesite="strict", secure=secure)


def local_address_or_root(address: str) -> str:
    """``address`` if it is a path on this server, safe to redirect to; else ``/``."""
    plain = address.startswith("/") and not address.startswith("//") and address.isprintable()
    return address if plain and "\\" not in address else "/"


def outcome_of_verb(
    past_participle: str, result: Mapping[str, Any], undo_verb: str = "", next_address: str = ""
) -> FormOutcome:
    """The outcome of a command on several memories, with a line such as ``Pinned 2 memories.``

    ``past_participle`` is its first word, ``result`` the command's result as JSON. ``undo_verb`` is
    the command that undoes it for the same ids, ``next_address`` the page to go to.
    """
    items = result["items"]
    ids = [item["id"] for item in items if not item["error"]]
    line = f"{past_participle} {len(ids)} {'memory' if len(ids) == 1 else 'memories'}."
    errors = [item["error"] for item in items if item["error"]]
    steps: tuple[Step, ...] = ((undo_verb, {"id": ids}),) if undo_verb and ids else ()
    return FormOutcome(" ".join([line, *errors[:3]]), steps, next_address)
