"""The application: from a request to a verb, and from its result to JSON."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from gitmem import __version__, audit_log, crashlog, operations
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, StoreBusy
from gitmem.http import answers, documented_routes, paging, verbs
from gitmem.http.answers import RequestRefused
from gitmem.http.jobs import ENDED, Job, JobQueue
from gitmem.http.projects import ProjectFolders
from gitmem.maintenance import schedule
from gitmem.mcp.rpc.executor import CallExecutor, agent_name
from gitmem.mcp.rpc.repo_resolver import pop_requested_repository
from gitmem.mcp.rpc.shared_calls import BeginReport
from gitmem.mcp.tools.offer import OfferedTool, check_arguments, refuse_oversized_arguments
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, as_json_values
from gitmem.operations.result_json import result_as_json

# The agent of a write whose client names none.
NOBODY = "http"
# Set in the scope of a request by a page: the person at the browser asks, and no agent.
PERSON = "gitmem.person"
# Requests that wait for the store; more are told to come again.
MOST_WAITING = 256
# Seconds after which a request that waits for an answer is given up.
PATIENCE = 120.0
T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How the server is restricted. ``audit`` is the path of the log of writes (empty: no log)."""

    read_only: bool = False
    token: bool = False
    audit: str = ""


class HttpService:
    """One HTTP server: its ASGI application, threads for answers and long jobs, and metrics."""

    def __init__(self, start: str, limits: ServerLimits, new_id: Callable[[], str]) -> None:
        self.limits = limits
        self.executor = CallExecutor(start, read_only=limits.read_only)
        self._job_executor = CallExecutor(start, read_only=limits.read_only)
        self.jobs = JobQueue(self._job_executor, new_id)
        self.places = ProjectFolders(self.executor)
        self.on_leave: list[Callable[[], Awaitable[None]]] = []
        self._waiting = 0
        self._metrics: Any = None
        self._described: dict[str, Any] | None = None

    def asgi_application(self, extra_routes: Iterable[BaseRoute] = ()) -> Starlette:
        """The ASGI application; the routes in ``extra_routes`` come first."""
        routes = [
            *extra_routes,
            Route("/health", self._health),
            Route("/readyz", self._ready),
            Route("/metrics", self.wrap_with_metrics("metrics", self._show_metrics)),
            Route("/tools", self.wrap_with_metrics("tools", self._tools)),
            Route("/openapi.json", self.wrap_with_metrics("openapi", self._openapi)),
            *self._job_routes(),
            *map(self._verb_route, (*verbs.served_verbs(), *operations.ALONE)),
            *self._documented_routes(),
            Route("/api/v1/{verb:path}", self._no_verb, methods=[*_METHODS]),
        ]
        handlers: dict[Any, Any] = {HTTPException: _http_error, RequestRefused: _refused}
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        for leave in (*self.on_leave, self.jobs.stop_all):
            await leave()
        for executor in (self.executor, self._job_executor):
            executor.close()
            await executor.close_stores_if_idle()

    # --- what is no verb -------------------------------------------------------------------------

    async def _health(self, _: Request) -> Response:
        return answers.json_response({"status": "ok", "version": __version__})

    async def _ready(self, request: Request) -> Response:
        """Whether the store can be read now."""
        ready = await self.run_in_project(request, lambda app: bool(app.store.store))
        return answers.json_response({"ready": ready})

    async def _tools(self, request: Request) -> Response:
        listed = [
            {
                "name": name,
                "path": verbs.verb_url_path(name),
                "methods": ["GET", "POST"] if verbs.is_read_only(offered.operation) else ["POST"],
                "effect": offered.operation.effect,
                "description": offered.operation.help.partition("\n")[0],
            }
            for name in verbs.served_verbs()
            if (offered := verbs.verb_as_tool(name)).operation.effect == READ
            or not self.limits.read_only
        ]
        return _page(request, "tools", listed)

    async def _openapi(self, _: Request) -> Response:
        from gitmem.http import openapi  # noqa: PLC0415 - all verbs are loaded for it

        if self._described is None:
            # In a thread: it takes a second, and answers go on meanwhile.
            self._described = await asyncio.to_thread(
                openapi.openapi_document,
                read_only=self.limits.read_only,
                requires_token=self.limits.token,
            )
        return answers.json_response(self._described)

    async def _show_metrics(self, _: Request) -> Response:
        from gitmem.http.metrics import CONTENT_TYPE_LATEST  # noqa: PLC0415 - as below

        metrics = self._load_metrics()
        states = [job.state for job in self.jobs.all_jobs()]
        for state in ("waiting", "running", *ENDED):
            metrics.jobs.labels(state).set(states.count(state))
        return Response(
            metrics.as_prometheus(await self._lag.read_delay()), media_type=CONTENT_TYPE_LATEST
        )

    def _load_metrics(self) -> Any:
        if self._metrics is None:
            from gitmem.http.index_lag import IndexDelayReader  # noqa: PLC0415 - /health needs none
            from gitmem.http.metrics import ServerMetrics  # noqa: PLC0415

            self._lag = IndexDelayReader(self.executor.start)
            self._metrics = ServerMetrics(self.executor.cache_usage)
        return self._metrics

    # --- jobs ------------------------------------------------------------------------------------

    def _job_routes(self) -> list[Route]:
        job = "/api/v1/jobs/{id}"
        return [
            Route("/api/v1/jobs", self.wrap_with_metrics("jobs", self._list_jobs)),
            Route(job, self.wrap_with_metrics("jobs", self._show_job), methods=["GET"]),
            Route(job, self.wrap_with_metrics("jobs", self._cancel_job), methods=["DELETE"]),
            Route(f"{job}/events", self.wrap_with_metrics("jobs", self._follow_job)),
            Route("/api/v1/audit", self.wrap_with_metrics("audit", self._show_audit)),
        ]

    async def _list_jobs(self, request: Request) -> Response:
        return _page(request, "jobs", [job.as_json() for job in self.jobs.all_jobs()])

    async def _show_job(self, request: Request) -> Response:
        return answers.json_response(self.jobs.find(request.path_params["id"]).as_json())

    async def _cancel_job(self, request: Request) -> Response:
        return answers.json_response(self.jobs.cancel(request.path_params["id"]).as_json())

    async def _follow_job(self, request: Request) -> Response:
        job = self.jobs.find(request.path_params["id"])
        return StreamingResponse(job.server_sent_events(), media_type="text/event-stream")

    async def _show_audit(self, request: Request) -> Response:
        return _page(
            request, "writes", as_json_values(audit_log.read_newest_http_writes(self.limits.audit))
        )

    # --- verbs -----------------------------------------------------------------------------------

    def _verb_route(self, name: str) -> Route:
        async def endpoint(request: Request) -> Response:
            offered = verbs.verb_as_tool(name)
            if offered.operation.effect != READ and request.method != "POST":
                raise RequestRefused(
                    "method_not_allowed", f"{name} changes something.", "Send it by POST."
                )
            result = await self.perform_verb(request, name, await _arguments(request, offered))
            if isinstance(result, Job):
                location = {"Location": f"/api/v1/jobs/{result.id}"}
                return answers.json_response(result.as_json(), 202, location)
            return answers.json_response(result)

        # Both methods everywhere: which of them a verb takes is known once it is loaded.
        return Route(
            verbs.verb_url_path(name),
            self.wrap_with_metrics(name, endpoint),
            methods=["GET", "POST"],
        )

    async def perform_verb(
        self, request: Request, verb: str, given_arguments: dict[str, Any]
    ) -> Any:
        """Run a command for a request; returns its result as JSON, or a Job if it takes long.

        ``given_arguments`` may have ``repo``, the folder, name or key of another project. A write
        is noted in the log of writes. Raises GitmemError.
        """
        offered = verbs.verb_as_tool(verb)
        if offered.operation.effect == READ:
            refuse_oversized_arguments(given_arguments)
            key = _sharing_key(request, verb, given_arguments)
            work, repo, _ = _running(request, verb, given_arguments)
            return await self.run_in_project(request, work, repo, key)
        with self._audited(request, verb) as entry:
            work, repo, is_long = _running(request, verb, given_arguments)
            entry["project"] = place = await self.places.folder_of_project(repo)
            if not is_long:
                return await self.run_in_project(request, work, repo, "")
            entry["status"] = 202
            return self.jobs.queue_job(verb, _agent(request), place, work)

    @contextmanager
    def _audited(self, request: Request, name: str) -> Iterator[dict[str, Any]]:
        """Note a write and how it ended. Raises RequestRefused in a server that only reads."""
        entry: dict[str, Any] = {"project": self.executor.start, "status": 200}
        try:
            if self.limits.read_only:
                hint = f"Run `gitmem {name}` in a terminal."
                raise RequestRefused("forbidden", "This server is read-only.", hint)
            yield entry
        except GitmemError as error:
            entry["status"] = answers.STATUS.get(error.code, 500)
            raise
        except Exception:
            entry["status"] = 500
            raise
        finally:
            audit_log.log_http_write(
                self.limits.audit,
                address=request.client.host if request.client else "",
                agent=_agent(request),
                operation=name,
                request_id=request.scope.get("gitmem.request_id", ""),
                **entry,
            )

    # --- what other systems document -------------------------------------------------------------

    def _documented_routes(self) -> list[Route]:
        routes = [
            Route(
                verbs.PREFIX + path,
                self.wrap_with_metrics(f"{method} {path}", partial(self._documented, tool)),
                methods=[method],
            )
            for method, path, tool in documented_routes.ROUTES
        ]
        tools = self.wrap_with_metrics("tools", self._tool)
        return [*routes, Route(f"{verbs.PREFIX}/tools/{{tool}}", tools, methods=["POST"])]

    async def _tool(self, request: Request) -> Response:
        return await self._documented(request.path_params["tool"], request)

    async def _documented(self, tool: str, request: Request) -> Response:
        if request.method in ("GET", "DELETE"):
            given = documented_routes.arguments_from_query(tool, request.query_params.multi_items())
        else:
            given = await _body(request)
        path = {name: value for name, value in request.path_params.items() if name != "tool"}
        given |= path
        refuse_oversized_arguments(given)
        repo = pop_requested_repository(None, given)

        def call_tool(app: App) -> Any:
            return documented_routes.call_tool(app, tool, given)

        if documented_routes.highest_effect_of_tool(tool) == READ:
            key = _sharing_key(request, f"tools/{tool}", [given, repo])
            return answers.json_response(await self.run_in_project(request, call_tool, repo, key))
        with self._audited(request, tool):
            return answers.json_response(await self.run_in_project(request, call_tool, repo, ""))

    async def run_in_project(
        self,
        request: Request,
        function: Callable[[App], T],
        repo: str = "",
        deduplication_key: str | None = None,
    ) -> T:
        """Call ``function`` with an App for a project; returns what it returns.

        ``repo`` is the project's folder, name or key (empty: the server's own). Waiting requests
        with an equal ``deduplication_key`` are run once, but not those with "" (for a write) or
        None. Raises GitmemError, StoreBusy if too many wait.
        """
        if self._waiting >= MOST_WAITING:
            raise StoreBusy(
                "Too many requests are waiting for the store.",
                "Send the request again in a second.",
            )
        if request.scope.get(PERSON):
            function = _by_the_person(function)
        self._waiting += 1
        try:
            place = await self.places.folder_of_project(repo)
            if deduplication_key is None:
                return await self.executor.run_call(_agent(request), function, folder=place)

            async def run_deduplicated_call(report_begin: BeginReport) -> T:
                def perform_call(app: App) -> T:
                    report_begin()
                    return function(app)

                return await self.executor.run_call(_agent(request), perform_call, folder=place)

            return await self.executor.shared.run(
                deduplication_key and f"{place} {deduplication_key}", run_deduplicated_call
            )
        finally:
            self._waiting -= 1

    async def _no_verb(self, request: Request) -> Response:
        name = request.path_params["verb"].strip("/").replace("/", " ")
        if name in verbs.FOR_A_PERSON:
            raise RequestRefused(
                "forbidden",
                f"{name} cannot be called over HTTP: a person runs it in a terminal.",
                f"Run `gitmem {name}` there.",
            )
        if name in operations.PLACES:
            hint = "GET works only for verbs that change nothing."
            raise RequestRefused("method_not_allowed", f"Call {name} with POST.", hint)
        raise RequestRefused("not_found", "There is no such route.", "GET /tools lists them.")

    def wrap_with_metrics(self, metric_name: str, endpoint: Endpoint) -> Endpoint:
        """Wrap an endpoint: errors are answered as JSON, requests counted as ``metric_name``."""

        async def counted_endpoint(request: Request) -> Response:
            began = time.perf_counter()
            try:
                answer = await endpoint(request)
            except GitmemError as error:
                answer = answers.error_response(error)
            except ClientDisconnect:
                answer = Response(status_code=499)
            except HTTPException:
                raise
            except Exception as error:
                answer = answers.error_response(crashlog.record_crash(error, ["serve"]))
            took = time.perf_counter() - began
            self._load_metrics().count_request(metric_name, answer.status_code, took)
            return answer

        return counted_endpoint


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def _sharing_key(request: Request, name: str, given: Any) -> str:
    """A key that is equal for requests with the same answer."""
    who = [_agent(request), bool(request.scope.get(PERSON)), _named(request)]
    return json.dumps([who, name, given], sort_keys=True, default=repr)


def _by_the_person(work: Callable[[App], T]) -> Callable[[App], T]:
    """The work as that of a person; in a server that an agent started, as that of the agent."""

    def run_as_person(app: App) -> T:
        app.agent = app.settings.text("agent") or app.settings.detected_host_agent
        app.source = "ai_inferred" if app.agent else "user_explicit"
        return work(app)

    return run_as_person


def _running(
    request: Request, name: str, given: dict[str, Any]
) -> tuple[Callable[[App], Any], str, bool]:
    """The work of a verb, the project it is for, and whether it may take minutes.

    Raises InvalidInput for wrong arguments.
    """
    refuse_oversized_arguments(given)
    offered = verbs.verb_as_tool(name)
    repo = pop_requested_repository(None, given, offered.fields)
    operation, for_agent = offered.operation, _named(request)

    def perform_without_paging(app: App, values: Any) -> Any:
        result = operation.run_request(app, values)
        return result_as_json(app, operation, result, for_agent=for_agent)

    perform = paging.wrap_with_paging(offered, given, perform_without_paging)
    values = check_arguments(offered, given)

    def perform_verb(app: App) -> Any:
        app.reads_index = operation.effect == READ and name in verbs.BEGINNINGS
        made = perform(app, values)
        begins = operation.effect != READ or name in verbs.BEGINNINGS or app.refresh_wanted
        if begins and app.has_store:
            schedule.start_background_work_if_due(app)
        return made

    return perform_verb, repo, name in verbs.LONG and not getattr(values, "dry_run", False)


def _page(request: Request, name: str, items: Sequence[Any]) -> Response:
    return answers.json_response(
        paging.page_of_items(request.query_params.multi_items(), name, items)
    )


async def _arguments(request: Request, offered: OfferedTool) -> dict[str, Any]:
    """The arguments of a request, with that of another project. Raises InvalidInput."""
    if request.method == "GET":
        given = verbs.arguments_from_query(offered, request.query_params.multi_items())
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
    return given


async def _body(request: Request) -> dict[str, Any]:
    raw = await request.body()
    if not raw.strip():
        return {}
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if kind.lower() != "application/json":
        # A page of another origin can send other types without being asked.
        raise InvalidInput(
            "The request's body is not declared as application/json.",
            "Send the header Content-Type: application/json.",
        )
    try:
        return dict(verbs.arguments_from_body(json.loads(raw)))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The body is not valid JSON.", "Send a JSON object.") from error


def _named(request: Request) -> bool:
    """Whether a request names an agent: then quotes are framed as data, as for any agent."""
    return bool(request.headers.get("x-gitmem-agent"))


def _agent(request: Request) -> str:
    """The agent that a request names, or ``http``; empty for a person at a page."""
    if request.scope.get(PERSON):
        return ""
    return agent_name(request.headers.get("x-gitmem-agent", "")) or NOBODY


async def _http_error(_: Request, error: Exception) -> Response:
    """A wrong path or method, found by the router."""
    assert isinstance(error, HTTPException)
    code = "method_not_allowed" if error.status_code == 405 else "not_found"
    hint = "GET /tools lists what is served, with its methods."
    return answers.error_response(RequestRefused(code, f"{error.detail}.", hint))


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, GitmemError)
    return answers.error_response(error)
