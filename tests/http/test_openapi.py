"""The description is valid, whole and true."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from gitmem.http import openapi, paging, verbs
from tests.http.conftest import Serving


def test_every_served_verb_is_described_and_its_schema_is_valid() -> None:
    described = openapi.openapi_document(read_only=False, requires_token=True)
    assert described["openapi"] == "3.1.0" and described["security"] == [{"token": []}]
    ids = []
    for name in verbs.served_verbs():
        methods = described["paths"][verbs.verb_url_path(name)]
        assert ("get" in methods) == verbs.is_read_only(verbs.verb_as_tool(name).operation)
        for method in methods.values():
            ids.append(method["operationId"])
        body = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
        Draft202012Validator.check_schema(body)
        taken = {
            *verbs.verb_as_tool(name).fields,
            *paging.paging_arguments(verbs.verb_as_tool(name)),
        }
        assert set(body["properties"]) == taken
    assert len(ids) == len(set(ids))


def test_answers_fit_what_is_described(server: Serving) -> None:
    described = server.get("/openapi.json").json
    parts = described["components"]["schemas"]
    for path, methods in described["paths"].items():
        if "{" in path or "get" not in methods or path.endswith("/watch"):
            continue
        answer = server.get(path)
        known = methods["get"]["responses"][str(answer.status)]["content"]["application/json"]
        schema = known["schema"]
        if "$ref" in schema:
            schema = parts[schema["$ref"].rpartition("/")[2]]
        Draft202012Validator(schema).validate(answer.json)
