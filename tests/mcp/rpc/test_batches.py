"""The answers to a batch wait for each other."""

from __future__ import annotations

from mcp_types import JSONRPCRequest, JSONRPCResponse

from gitmem.mcp.rpc.transport import BatchAnswers, PendingBatches


def answer(id: int | str) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=id, result={})


def begun(batches: PendingBatches, *awaited: int | str) -> BatchAnswers:
    batch = batches.start_batch()
    batch.awaited.extend(awaited)
    batch.is_read = True
    return batch


def test_batch_is_done_once_when_all_its_answers_are_there() -> None:
    batches = PendingBatches()
    begun(batches, 1, "1")
    assert batches.add_answer(answer("1"))
    assert list(batches.pop_complete_batches()) == []
    assert batches.add_answer(answer(1))
    assert list(batches.pop_complete_batches()) == [[answer("1"), answer(1)]]
    assert list(batches.pop_complete_batches()) == []
    assert not batches.add_answer(answer(1))


def test_batch_that_is_still_read_is_not_done() -> None:
    batches = PendingBatches()
    begun(batches, 1).is_read = False
    batches.add_answer(answer(1))
    assert list(batches.pop_complete_batches()) == []


def test_what_is_no_answer_or_answers_another_is_not_kept() -> None:
    batches = PendingBatches()
    begun(batches, 1)
    assert not batches.add_answer(answer(2))
    assert not batches.add_answer(JSONRPCRequest(jsonrpc="2.0", id=1, method="roots/list"))


def test_same_id_in_two_batches_is_answered_in_each() -> None:
    batches = PendingBatches()
    begun(batches, 1)
    begun(batches, 1)
    batches.add_answer(answer(1))
    assert list(batches.pop_complete_batches()) == [[answer(1)]]
    batches.add_answer(answer(1))
    assert list(batches.pop_complete_batches()) == [[answer(1)]]


def test_forgotten_request_is_waited_for_no_more_and_nothing_is_no_answer() -> None:
    batches = PendingBatches()
    begun(batches, 1, 2)
    begun(batches, 3)
    batches.add_answer(answer(1))
    batches.forget_cancelled_request(2)
    batches.forget_cancelled_request(3)
    batches.forget_cancelled_request(4)
    assert list(batches.pop_complete_batches()) == [[answer(1)]]


def test_rest_is_what_there_is() -> None:
    batches = PendingBatches()
    begun(batches, 1, 2)
    begun(batches, 3)
    batches.add_answer(answer(1))
    assert list(batches.pop_incomplete_batches()) == [[answer(1)]]
    assert list(batches.pop_incomplete_batches()) == []
