"""The routes of the pages: signing in, reading a page, sending a form, undoing it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from gitmem import crashlog
from gitmem.app import App
from gitmem.capture import inbox
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.http import answers, token_file
from gitmem.http.answers import RequestRefused
from gitmem.http.pages import forms, question_box, rendering, table
from gitmem.http.pages.forms import FormHandler, FormOutcome, FormResponsePage
from gitmem.http.pages.page import Page, PageParameters
from gitmem.http.service import PERSON, HttpService
from gitmem.text import name_secrets

SIGN_IN = "/login"
# Its address with the key of a server makes a browser that of the person who started the server.
OPEN = "/open/"
Endpoint = Callable[[Request], Awaitable[Response]]


class WebPages:
    """The pages of a server for browsers, with their sign-in and their forms.

    ``digest`` is the hash of the token that is needed to read them (empty: none is). Only a browser
    that signed in, or opened the address with the secret ``key``, can change something. ``port``
    tells its cookies from those of another server of this machine.
    """

    def __init__(self, service: HttpService, digest: str, port: int, key: str) -> None:
        self._service = service
        self._digest = digest
        self._key = key
        self._desk = FormHandler(f"gitmem_form_{port}")
        self._sign_in_cookie = f"gitmem_login_{port}"
        self._routes = self._make_routes()

    def routes(self) -> list[BaseRoute]:
        """The Starlette routes of the pages, to be matched before those of the API."""
        return list(self._routes)

    def _make_routes(self) -> list[Route]:
        add = self._route
        routes = [
            Route("/static/{hash}/{name}", self._static),
            add("ask", "/go", self._go),
            add("form", "/do/{action}", self._do, "POST"),
            add("form", "/undo/{id}", self._undo, "POST"),
            add("form", "/jobs/{id}/cancel", self._cancel_job, "POST"),
            Route(
                SIGN_IN,
                self._service.wrap_with_metrics("login", self._sign_in),
                methods=["GET", "POST"],
            ),
            Route(OPEN + "{key}", self._service.wrap_with_metrics("login", self._open)),
        ]
        for page in table.PAGES:
            show = partial(self._show, page)
            paths = [path for path in (page.json_address, page.path) if path]
            routes += [add(page.name, path, show) for path in paths]
        return routes

    def is_page_path(self, url_path: str) -> bool:
        """Whether a URL path is that of a page; pages ask for the sign-in themselves."""
        return any(route.path_regex.match(url_path) for route in self._routes)

    def _route(self, name: str, path: str, endpoint: Endpoint, method: str = "GET") -> Route:
        async def guarded_endpoint(request: Request) -> Response:
            try:
                person = self._is_person(request)
                if self._digest and not person:
                    return self._refuse_stranger(request)
                if method != "GET" and not person:
                    raise RequestRefused(
                        "forbidden",
                        "This browser may look, and change nothing.",
                        f"Open the address with {OPEN} that `gitmem serve` printed at its start.",
                    )
                if person and not request.headers.get("x-gitmem-agent"):
                    request.scope[PERSON] = True
                return await endpoint(request)
            except GitmemError as error:
                return self._failed(request, error)
            except Exception as error:
                return self._failed(request, crashlog.record_crash(error, ["serve"]))

        return Route(
            path,
            self._service.wrap_with_metrics(f"page {name}", guarded_endpoint),
            methods=[method],
        )

    # --- reading ---------------------------------------------------------------------------------

    async def _show(self, page: Page, request: Request) -> Response:
        query = PageParameters(request.path_params, request.query_params.multi_items())
        jobs = page.of_jobs(self._service.jobs.all_jobs()) if page.of_jobs else {}
        as_json = _wants_json(request)

        def read_page(app: App) -> tuple[dict[str, Any], dict[str, Any]]:
            app.counts_use = False  # a page shows many that nobody reads
            return page.read(app, query), {} if as_json else _place(app)

        data, place = await self._service.run_in_project(request, read_page)
        data |= jobs
        if as_json:
            return answers.json_response(data)
        return self._html(request, f"{page.name}.html", {**data, "page": page}, place)

    def _html(
        self,
        request: Request,
        template: str,
        data: dict[str, Any],
        place: dict[str, Any] | None = None,
        status: int = 200,
    ) -> Response:
        cookie = self._desk.existing_or_new_cookie(request)
        here = rendering.address_with_query(
            request.url.path,
            [pair for pair in request.query_params.multi_items() if pair[0] != "did"],
        )
        context: dict[str, Any] = {
            "page": None,
            **data,
            "place": place or NOWHERE,
            "navigation": table.PAGES,
            "here": here if request.method == "GET" else "/",
            "form_token": self._desk.form_token(cookie),
            "may_write": not self._service.limits.read_only and self._is_person(request),
            "read_only": self._service.limits.read_only,
            "did": request.query_params.get("did", ""),
            "done": self._desk.find_outcome(request.query_params.get("did", "")),
        }
        answer = rendering.render_page(template, context, status)
        self._desk.set_cookie_if_missing(request, answer, cookie)
        return answer

    def _failed(self, request: Request, error: GitmemError) -> Response:
        if _wants_json(request):
            return answers.error_response(error)
        written = error.form.fields_to_redisplay if isinstance(error, forms.StaleForm) else []
        written = written or request.scope.get("gitmem.written", [])
        data = {"error": error.as_json_object(), "written": written}
        status = answers.STATUS.get(error.code, 500)
        return self._html(request, "error.html", data, status=status)

    async def _static(self, request: Request) -> Response:
        try:
            return rendering.static_file(request.path_params["name"])
        except NotFound as error:
            return answers.error_response(error)

    async def _go(self, request: Request) -> Response:
        text = request.query_params.get("q", "").strip()[:2000]
        to = await self._service.run_in_project(
            request, lambda app: question_box.page_address_for_text(app, text)
        )
        return RedirectResponse(to, 303)

    # --- writing ---------------------------------------------------------------------------------

    async def _do(self, request: Request) -> Response:
        form = await self._desk.read_form(request)
        action = table.ACTIONS.get(request.path_params["action"])
        if action is None:
            raise NotFound("The page's button is not known to this server.", "Load the page again.")
        request.scope["gitmem.written"] = form.fields_to_redisplay

        async def perform_verb(verb: str, **arguments: Any) -> Any:
            return await self._service.perform_verb(request, verb, arguments)

        made = await action(perform_verb, form)
        if isinstance(made, FormResponsePage):
            place = await self._service.run_in_project(request, _place)
            return self._html(request, made.template, made.data, place, made.status)
        return self._go_on(request, made, made.at or form.text("next"))

    def _go_on(self, request: Request, done: FormOutcome, at: str) -> Response:
        if _wants_json(request):
            return answers.json_response({"done": done.line})
        path, _, fragment = forms.local_address_or_root(at).partition("#")
        mark = f"{'&' if '?' in path else '?'}did={self._desk.record_outcome(done)}"
        return RedirectResponse(path + mark + (f"#{fragment}" if fragment else ""), 303)

    async def _undo(self, request: Request) -> Response:
        form = await self._desk.read_form(request)
        done = self._desk.find_outcome(request.path_params["id"])
        if done is None or not done.undo:
            raise InvalidInput(
                "The change was undone already, or is too old to be undone on this page.",
                "The memory's history shows its earlier versions.",
            )
        for verb, given in done.undo:
            await self._service.perform_verb(request, verb, dict(given))
        self._desk.drop_outcome(request.path_params["id"])
        return self._go_on(
            request, FormOutcome(f"Undone: {done.line} {done.after}".strip()), form.text("next")
        )

    async def _cancel_job(self, request: Request) -> Response:
        form = await self._desk.read_form(request)
        job = self._service.jobs.cancel(request.path_params["id"])
        return self._go_on(request, FormOutcome(f"Cancelled: {job.verb}."), form.text("next"))

    # --- who asks --------------------------------------------------------------------------------

    def _is_person(self, request: Request) -> bool:
        """Whether the request carries the token, or the cookie of a browser that showed it or the
        key."""
        header = request.headers.get("authorization", "")
        if header and self._digest:
            return token_file.header_has_token(self._digest, header)
        cookie = request.cookies.get(self._sign_in_cookie, "")
        return hmac.compare_digest(cookie.encode(), self._pass().encode())

    def _pass(self) -> str:
        """What the cookie of such a browser holds: worth nothing elsewhere."""
        return hmac.new(self._key.encode(), self._digest.encode(), hashlib.sha256).hexdigest()

    async def _open(self, request: Request) -> Response:
        given = request.path_params["key"]
        if not hmac.compare_digest(given.encode(), self._key.encode()):
            hint = "Copy the address from the terminal: each start of the server has a new one."
            return self._failed(
                request,
                RequestRefused(
                    "forbidden", "The key in the address is not that of this server.", hint
                ),
            )
        answer = RedirectResponse("/", 303)
        forms.set_cookie(request, answer, self._sign_in_cookie, self._pass())
        return answer

    def _refuse_stranger(self, request: Request) -> Response:
        if _wants_json(request) or request.method != "GET":
            hint = f"Sign in at {SIGN_IN}, or send the header Authorization: Bearer TOKEN."
            return self._failed(request, RequestRefused("unauthorized", "A token is needed.", hint))
        target = rendering.address_with_query(request.url.path, request.query_params.multi_items())
        return RedirectResponse(rendering.make_address("login", next=target), 303)

    async def _sign_in(self, request: Request) -> Response:
        try:
            return await self._checked_sign_in(request)
        except GitmemError as error:
            return self._failed(request, error)

    async def _checked_sign_in(self, request: Request) -> Response:
        if request.method == "GET":
            at = forms.local_address_or_root(request.query_params.get("next", "/"))
            return self._html(request, "login.html", {"at": at, "wrong": False})
        form = await self._desk.read_form(request)
        at = forms.local_address_or_root(form.text("next"))
        if not token_file.header_has_token(self._digest, f"Bearer {form.text('token')}"):
            return self._html(request, "login.html", {"at": at, "wrong": True}, status=401)
        answer = RedirectResponse(at, 303)
        forms.set_cookie(request, answer, self._sign_in_cookie, self._pass())
        return answer


NOWHERE: dict[str, Any] = {
    "name": "gitmem", "branch": "", "commit": "", "waiting": 0, "zone": "UTC",
}  # fmt: skip


def _place(app: App) -> dict[str, Any]:
    """What every page says at its top: project, branch, commit, how much waits."""
    return {
        "name": app.project_identity.name,
        "branch": name_secrets.redact_name(app.git_head.branch) if app.git_head.branch else "",
        "commit": (app.git_head.commit or "")[:7],
        "waiting": inbox.count_pending_suggestions(app) if app.has_store else 0,
        "zone": app.display_time_zone,
    }


def _wants_json(request: Request) -> bool:
    """Whether the data of a page is asked for: by its address, or by what the client accepts."""
    if request.url.path.endswith(".json") and "path" not in request.path_params:
        return True
    if request.query_params.get("format") == "json":
        return True
    accepted = request.headers.get("accept", "")
    return "application/json" in accepted and "text/html" not in accepted
