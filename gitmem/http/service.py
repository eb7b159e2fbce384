"""The application: from a request to a verb, and from its result to JSON."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from gitmem import __version__, crashlog, operations
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, StoreBusy
from gitmem.http import answers, audit, documented_routes, verbs
from gitmem.http.answers import Refused
from gitmem.http.jobs import ENDED, Jobs
from gitmem.http.projects import Places
from gitmem.maintenance import schedule
from gitmem.mcp.rpc.executor import CallExecutor, agent_name
from gitmem.mcp.rpc.repo_resolver import requested_repository
from gitmem.mcp.tools.offer import ToolOffer, check_arguments, refuse_huge
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ
from gitmem.operations.result_json import result_as_json

# The agent of a write whose client names none.
NOBODY = "http"
# Requests that wait for the store; more are told to come again.
MOST_WAITING = 256
# Seconds after which a request that waits for an answer is given up.
PATIENCE = 120.0
_AUDITED = 100
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How the server is restricted. ``audit`` is the path of the log of writes."""

    read_only: bool = False
    token: bool = False
    audit: str = ""


class Service:
    """One server: its desk for answers, another for jobs, its metrics."""

    def __init__(self, start: str, limits: Limits, new_id: Callable[[], str]) -> None:
        self.limits = limits
        self.desk = CallExecutor(start, reading=limits.read_only)
        self._jobs_desk = CallExecutor(start, reading=limits.read_only)
        self.jobs = Jobs(self._jobs_desk, new_id)
        self.places = Places(self.desk)
        self.on_leave: list[Callable[[], Awaitable[None]]] = []
        self._waiting = 0
        self._metrics: Any = None
        self._described: dict[str, Any] | None = None

    def application(self, more: Iterable[BaseRoute] = ()) -> Starlette:
        """The ASGI application; ``more`` routes come first."""
        routes = [
            *more,
            Route("/health", self._health),
            Route("/readyz", self._ready),
            Route("/metrics", self._counted("metrics", self._show_metrics)),
            Route("/tools", self._counted("tools", self._tools)),
            Route("/openapi.json", self._counted("openapi", self._openapi)),
            *self._job_routes(),
            *map(self._verb_route, (*verbs.served(), *operations.ALONE)),
            *self._documented_routes(),
            Route("/api/v1/{verb:path}", self._no_verb, methods=[*_METHODS]),
        ]
        handlers: dict[Any, Any] = {HTTPException: _http_error, Refused: _refused}
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        for leave in (*self.on_leave, self.jobs.leave):
            await leave()
        for desk in (self.desk, self._jobs_desk):
            desk.close()
            await desk.leave()

    # --- what is no verb -------------------------------------------------------------------------

    async def _health(self, _: Request) -> Response:
        return answers.data({"status": "ok", "version": __version__})

    async def _ready(self, request: Request) -> Response:
        """Whether the store can be read now."""
        return await self._answer(request, lambda app: {"ready": bool(app.store.store)})

    async def _tools(self, _: Request) -> Response:
        listed = [
            {
                "name": name,
                "path": verbs.path(name),
                "methods": ["GET", "POST"] if verbs.reads(offered.operation) else ["POST"],
                "effect": offered.operation.effect,
                "description": offered.operation.help.partition("\n")[0],
            }
            for name in verbs.served()
            if (offered := verbs.offer(name)).operation.effect == READ or not self.limits.read_only
        ]
        return answers.data({"tools": listed})

    async def _openapi(self, _: Request) -> Response:
        from gitmem.http import openapi  # noqa: PLC0415 - all verbs are loaded for it

        if self._described is None:
            # In a thread: it takes a second, and answers go on meanwhile.
            self._described = await asyncio.to_thread(
                openapi.describe, read_only=self.limits.read_only, token=self.limits.token
            )
        return answers.data(self._described)

    async def _show_metrics(self, _: Request) -> Response:
        from gitmem.http.metrics import CONTENT_TYPE_LATEST  # noqa: PLC0415 - as below

        metrics = self._load_metrics()
        states = [job.state for job in self.jobs.every()]
        for state in ("waiting", "running", *ENDED):
            metrics.jobs.labels(state).set(states.count(state))
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    def _load_metrics(self) -> Any:
        if self._metrics is None:
            from gitmem.http.metrics import Metrics  # noqa: PLC0415 - /health needs none

            self._metrics = Metrics(self.desk.cache_use)
        return self._metrics

    # --- jobs ------------------------------------------------------------------------------------

    def _job_routes(self) -> list[Route]:
        job = "/api/v1/jobs/{id}"
        return [
            Route("/api/v1/jobs", self._counted("jobs", self._list_jobs)),
            Route(job, self._counted("jobs", self._show_job), methods=["GET"]),
            Route(job, self._counted("jobs", self._cancel_job), methods=["DELETE"]),
            Route(f"{job}/events", self._counted("jobs", self._follow_job)),
            Route("/api/v1/audit", self._counted("audit", self._show_audit)),
        ]

    async def _list_jobs(self, _: Request) -> Response:
        return answers.data({"jobs": [job.plain() for job in self.jobs.every()]})

    async def _show_job(self, request: Request) -> Response:
        return answers.data(self.jobs.find(request.path_params["id"]).plain())

    async def _cancel_job(self, request: Request) -> Response:
        return answers.data(self.jobs.cancel(request.path_params["id"]).plain())

    async def _follow_job(self, request: Request) -> Response:
        job = self.jobs.find(request.path_params["id"])
        return StreamingResponse(job.events(), media_type="text/event-stream")

    async def _show_audit(self, _: Request) -> Response:
        return answers.data({"writes": list(audit.read(self.limits.audit, _AUDITED))})

    # --- verbs -----------------------------------------------------------------------------------

    def _verb_route(self, name: str) -> Route:
        async def endpoint(request: Request) -> Response:
            offered = verbs.offer(name)
            if offered.operation.effect != READ:
                return await self._write(request, name, offered)
            return await self._read(request, name, offered)

        # Both methods everywhere: which of them a verb takes is known once it is loaded.
        return Route(verbs.path(name), self._counted(name, endpoint), methods=["GET", "POST"])

    async def _read(self, request: Request, name: str, offered: ToolOffer) -> Response:
        given, repo = await _arguments(request, offered)
        values = check_arguments(offered, given)
        work = _running(name, offered, values, for_agent=_named(request))
        return await self._answer(request, work, repo)

    async def _write(self, request: Request, name: str, offered: ToolOffer) -> Response:
        if request.method != "POST":
            raise Refused("method_not_allowed", f"{name} writes.", "Send it by POST.")
        with self._audited(request, name) as entry:
            given, repo = await _arguments(request, offered)
            values = check_arguments(offered, given)
            work = _running(name, offered, values, for_agent=_named(request))
            entry["project"] = place = await self.places.place(repo)
            if name not in verbs.LONG or bool(getattr(values, "dry_run", False)):
                return await self._answer(request, work, repo)
            job = self.jobs.begin(name, _agent(request), place, work)
            entry["status"] = 202
            return answers.data(job.plain(), 202, {"Location": f"/api/v1/jobs/{job.id}"})

    @contextmanager
    def _audited(self, request: Request, name: str) -> Iterator[dict[str, Any]]:
        """Note a write and how it ended. Raises Refused in a server that only reads."""
        entry: dict[str, Any] = {"project": self.desk.start, "status": 200}
        try:
            if self.limits.read_only:
                raise Refused("forbidden", "This server only reads.", f"Run `gitmem {name}`.")
            yield entry
        except GitmemError as error:
            entry["status"] = answers.STATUS.get(error.code, 500)
            raise
        except Exception:
            entry["status"] = 500
            raise
        finally:
            audit.note(
                self.limits.audit,
                address=request.client.host if request.client else "",
                agent=_agent(request),
                verb=name,
                request=request.scope.get("gitmem.request_id", ""),
                **entry,
            )

    # --- what other systems document -------------------------------------------------------------

    def _documented_routes(self) -> list[Route]:
        routes = [
            Route(
                verbs.PREFIX + path,
                self._counted(f"{method} {path}", partial(self._documented, tool)),
                methods=[method],
            )
            for method, path, tool in documented_routes.ROUTES
        ]
        tools = self._counted("tools", self._tool)
        return [*routes, Route(f"{verbs.PREFIX}/tools/{{tool}}", tools, methods=["POST"])]

    async def _tool(self, request: Request) -> Response:
        return await self._documented(request.path_params["tool"], request)

    async def _documented(self, tool: str, request: Request) -> Response:
        if request.method in ("GET", "DELETE"):
            given = documented_routes.from_query(tool, request.query_params.multi_items())
        else:
            given = await _body(request)
        path = {name: value for name, value in request.path_params.items() if name != "tool"}
        given |= path
        refuse_huge(given)
        repo = requested_repository(None, given)

        def work(app: App) -> Any:
            return documented_routes.answer(app, tool, given)

        if documented_routes.effect(tool) == READ:
            return await self._answer(request, work, repo)
        with self._audited(request, tool):
            return await self._answer(request, work, repo)

    async def _answer(
        self, request: Request, work: Callable[[App], Any], repo: str = ""
    ) -> Response:
        """The result of work at the desk. Raises GitmemError, StoreBusy if too many wait."""
        if self._waiting >= MOST_WAITING:
            raise StoreBusy("Too many requests wait for the store.", "Send it again in a second.")
        self._waiting += 1
        try:
            place = await self.places.place(repo)
            return answers.data(await self.desk.do(_agent(request), work, place=place))
        finally:
            self._waiting -= 1

    async def _no_verb(self, request: Request) -> Response:
        name = request.path_params["verb"].strip("/").replace("/", " ")
        if name in verbs.FOR_A_PERSON:
            raise Refused(
                "forbidden",
                f"{name} is not served over HTTP: a person decides it.",
                f"Run `gitmem {name}` in a terminal.",
            )
        if name in operations.PLACES:
            raise Refused("method_not_allowed", f"{name} is asked by POST.", "GET if it reads.")
        raise Refused("not_found", "There is no such route.", "GET /tools lists them.")

    def _counted(self, name: str, endpoint: Endpoint) -> Endpoint:
        """The endpoint with its errors as JSON, counted by verb and status."""

        async def counted(request: Request) -> Response:
            began = time.perf_counter()
            try:
                answer = await endpoint(request)
            except GitmemError as error:
                answer = answers.error(error)
            except ClientDisconnect:
                answer = Response(status_code=499)
            except HTTPException:
                raise
            except Exception as error:
                answer = answers.error(crashlog.record(error, ["serve"]))
            took = time.perf_counter() - began
            self._load_metrics().note(name, answer.status_code, took)
            return answer

        return counted


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def _running(
    name: str, offered: ToolOffer, values: Any, *, for_agent: bool
) -> Callable[[App], Any]:
    """The work of a verb: its result as JSON."""

    def work(app: App) -> Any:
        operation = offered.operation
        app.reads_index = operation.effect == READ and name in verbs.BEGINNINGS
        result = operation.answer(app, values)
        made = result_as_json(app, operation, result, for_agent=for_agent)
        begins = operation.effect != READ or name in verbs.BEGINNINGS or app.refresh_wanted
        if begins and app.has_store:
            schedule.start_if_due(app)
        return made

    return work


async def _arguments(request: Request, offered: ToolOffer) -> tuple[dict[str, Any], str]:
    """The arguments of a request and the project it names. Raises InvalidInput."""
    if request.method == "GET":
        given = verbs.from_query(offered, request.query_params.multi_items())
    else:
        repo = dict(request.query_params)
        if unknown := repo.keys() - {"repo", "project"} | (repo.keys() & offered.fields.keys()):
            raise InvalidInput(
                f"A POST takes its arguments in the body, not {min(unknown)[:60]!r} in the query.",
                "Send them as a JSON object.",
            )
        given = {**await _body(request), **repo}
    if given.get("repo") == "":
        del given["repo"]
    refuse_huge(given)
    return given, requested_repository(None, given, offered.fields)


async def _body(request: Request) -> dict[str, Any]:
    raw = await request.body()
    if not raw.strip():
        return {}
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if kind.lower() != "application/json":
        # A page of another origin can send other types without being asked.
        raise InvalidInput("The body is not application/json.", "Set the header Content-Type.")
    try:
        return dict(verbs.from_body(json.loads(raw)))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The body is not valid JSON.", "Send a JSON object.") from error


def _named(request: Request) -> bool:
    """Whether a request names an agent: then quotes are framed as data, as for any agent."""
    return bool(request.headers.get("x-gitmem-agent"))


def _agent(request: Request) -> str:
    """The agent that a request names, or ``http``."""
    return agent_name(request.headers.get("x-gitmem-agent", "")) or NOBODY


async def _http_error(_: Request, error: Exception) -> Response:
    """A wrong path or method, found by the router."""
    assert isinstance(error, HTTPException)
    code = "method_not_allowed" if error.status_code == 405 else "not_found"
    hint = "GET /tools lists what is served, with its methods."
    return answers.error(Refused(code, f"{error.detail}.", hint))


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, GitmemError)
    return answers.error(error)
