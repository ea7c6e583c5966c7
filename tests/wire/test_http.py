"""Reading and writing HTTP messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.wire.framing import Framing, ProtocolError
from gamehall.wire.http import (
    LONGEST_HEAD,
    LONGEST_QUEUE,
    LONGEST_REQUEST_BODY,
    REASONS,
    HttpRequest,
    HttpRequests,
    HttpResponse,
    HttpResponses,
    write_request,
    write_response,
)

GET = b"GET /state HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b'POST /moves HTTP/1.1\r\nContent-Length: 18\r\n\r\n{"player_index":0}'
CHUNKED = (
    b"POST /moves HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'1\r\n{\r\n5;why=not\r\n"a":1\r\n1\r\n}\r\n0\r\nDigest: none\r\n\r\n'
)
UPGRADE = (
    b"POST /moves HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 2\r\n"
    b"HTTP2-Settings: AAEA\r\nUpgrade: h2c\r\n\r\n{}"
)
OLD = b"GET /state HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
ABSOLUTE = b"GET http://h:1/state/?a=1&b HTTP/1.1\r\n\r\n"
CLOSE = b"GET /state HTTP/1.1\r\nConnection: close\r\n\r\n"
EXPECT = b"POST /moves HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"
SAMPLES = [GET, POST, CHUNKED, UPGRADE, OLD, ABSOLUTE]

ANSWERS = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
]


def read_all(framing: Framing[HttpRequest] | Framing[HttpResponse], *chunks: bytes) -> list[object]:
    """Return the messages of a stream, and "malformed" at an error."""
    read: list[object] = []
    try:
        for chunk in chunks:
            framing.feed(chunk)
            while (message := framing.next_message()) is not None:
                read.append(message)
    except ProtocolError:
        read.append("malformed")
    return read


def cut(stream: bytes, size: int) -> list[bytes]:
    return [stream[start : start + size] for start in range(0, len(stream), size)]


def one(stream: bytes) -> HttpRequest:
    [message] = read_all(HttpRequests(), stream)
    assert isinstance(message, HttpRequest)
    return message


def fault(stream: bytes) -> str:
    """Return the error in a stream."""
    framing = HttpRequests()
    framing.feed(stream)
    with pytest.raises(ProtocolError) as refusal:
        list(iter(framing.next_message, None))
    return str(refusal.value)


def test_a_request_has_a_method_a_path_a_query_and_headers() -> None:
    request = one(b"GET /st%61te/?player_index=1&empty&x=%20y HTTP/1.1\r\nHoSt: There\r\n\r\n")
    assert request == HttpRequest(
        "GET",
        "/state",
        {"player_index": "1", "empty": "", "x": " y"},
        {"host": "There"},
        b"",
        "1.1",
        True,
    )


def test_a_body_may_be_chunked() -> None:
    assert one(POST).body == b'{"player_index":0}'
    assert one(CHUNKED).body == b'{"a":1}'


def test_a_target_may_be_absolute_or_a_star() -> None:
    assert (one(ABSOLUTE).path, one(ABSOLUTE).query) == ("/state", {"a": "1", "b": ""})
    assert one(b"OPTIONS * HTTP/1.1\r\n\r\n").path == "*"
    assert one(b"GET / HTTP/1.1\r\n\r\n").path == "/"
    assert one(b"GET //// HTTP/1.1\r\n\r\n").path == "/"


@pytest.mark.parametrize(
    ("head", "stays"),
    [
        (b"GET / HTTP/1.1\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n", False),
        (b"GET / HTTP/1.1\r\nConnection: CLOSE\r\n", False),
        (b"GET / HTTP/1.0\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n", False),
    ],
)
def test_which_requests_keep_the_connection(head: bytes, stays: bool) -> None:
    assert one(head + b"\r\n").keep_alive is stays


def test_an_offer_to_upgrade_is_ignored() -> None:
    assert one(UPGRADE).body == b"{}"
    assert "upgrade" not in one(UPGRADE).headers
    read = read_all(HttpRequests(), UPGRADE + UPGRADE + GET)
    assert [message.method for message in read if isinstance(message, HttpRequest)] == [
        "POST",
        "POST",
        "GET",
    ]


def test_blank_lines_between_requests_are_skipped() -> None:
    assert len(read_all(HttpRequests(), b"\r\n\r\n" + GET + b"\r\n" + GET)) == 2


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64, 4096])
@pytest.mark.parametrize("sample", [*SAMPLES, b"".join(SAMPLES), GET * 100])
def test_X_01_requests_are_the_same_at_every_cut(sample: bytes, size: int) -> None:
    whole = read_all(HttpRequests(), sample)
    assert whole
    assert "malformed" not in whole
    assert read_all(HttpRequests(), *cut(sample, size)) == whole


@pytest.mark.parametrize("sample", SAMPLES)
def test_X_01_two_segments_cut_anywhere(sample: bytes) -> None:
    whole = read_all(HttpRequests(), sample)
    for place in range(len(sample) + 1):
        assert read_all(HttpRequests(), sample[:place], sample[place:]) == whole


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64])
def test_X_01_responses_are_the_same_at_every_cut(size: int) -> None:
    stream = b"".join(ANSWERS)
    whole = read_all(HttpResponses(), stream)
    statuses = [message.status for message in whole if isinstance(message, HttpResponse)]
    assert statuses == [200, 100, 304, 200, 200]
    assert read_all(HttpResponses(), *cut(stream, size)) == whole


streams = st.lists(
    st.one_of(
        st.sampled_from(SAMPLES),
        st.sampled_from(
            [b"\r\n", b"GET ", b" HTTP/1.1\r\n", b"Content-Length: 3\r\n", b"0\r\n\r\n"]
        ),
        st.binary(max_size=20),
    ),
    max_size=6,
).map(b"".join)


@given(streams, st.integers(1, 40))
def test_requests_raise_only_protocol_errors_at_every_cut(stream: bytes, size: int) -> None:
    assert read_all(HttpRequests(), *cut(stream, size)) == read_all(HttpRequests(), stream)


@given(
    st.lists(st.one_of(st.sampled_from(ANSWERS), st.binary(max_size=20)), max_size=5).map(b"".join),
    st.integers(1, 40),
)
def test_responses_raise_only_protocol_errors_at_every_cut(stream: bytes, size: int) -> None:
    assert read_all(HttpResponses(), *cut(stream, size)) == read_all(HttpResponses(), stream)


@given(st.lists(st.sampled_from([*SAMPLES, GET + b"\r\n", GET + GET, CLOSE, EXPECT]), max_size=6))
def test_a_repeated_request_is_read_like_the_first(
    segments: list[bytes],
) -> None:
    twice = [segment for segment in segments for _ in range(2)]
    assert read_all(HttpRequests(), *twice) == read_all(HttpRequests(), *cut(b"".join(twice), 1))


def test_a_part_of_a_repeated_request_is_not_the_whole() -> None:
    framing = HttpRequests()
    assert len(read_all(framing, GET, GET, GET[:-1])) == 2
    assert read_all(framing, GET) == ["malformed"], "within another request"


def test_a_body_that_looks_like_the_last_request_is_a_body() -> None:
    head = b"POST /moves HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(GET)
    _, second = read_all(HttpRequests(), GET, head, GET)
    assert isinstance(second, HttpRequest)
    assert second.body == GET


@given(st.sampled_from(SAMPLES), st.integers(0, 200), st.binary(min_size=1, max_size=3))
def test_a_corrupted_request_raises_only_protocol_errors(
    sample: bytes, place: int, junk: bytes
) -> None:
    place = min(place, len(sample))
    stream = sample[:place] + junk + sample[place + len(junk) :]
    assert read_all(HttpRequests(), *cut(stream, 1)) == read_all(HttpRequests(), stream)


@given(
    st.sampled_from(["GET", "POST", "HEAD"]),
    st.sampled_from(["/state", "/moves?a=b", "/join"]),
    st.none() | st.binary(max_size=200),
)
def test_a_written_request_can_be_read(method: str, target: str, body: bytes | None) -> None:
    request = one(write_request(method, target, "gamehall", body))
    path, _, query = target.partition("?")
    assert (request.method, request.path, request.body) == (method, path, body or b"")
    assert request.query == ({"a": "b"} if query else {})
    assert request.headers["host"] == "gamehall"
    assert request.keep_alive


@given(st.sampled_from(sorted(REASONS)), st.binary(max_size=200))
def test_a_written_response_can_be_read(status: int, body: bytes) -> None:
    stream = write_response(one(GET), status, body, {"X-More": "yes"})
    [answer] = read_all(HttpResponses(), stream)
    assert isinstance(answer, HttpResponse)
    assert answer.status == status
    assert answer.body == (b"" if status in (204, 304) else body)
    assert answer.headers["x-more"] == "yes"
    assert answer.keep_alive


def test_the_answer_to_HEAD_has_the_length_but_not_the_body() -> None:
    stream = write_response(one(b"HEAD / HTTP/1.1\r\n\r\n"), 200, b"{}", {})
    assert b"Content-Length: 2\r\n" in stream
    assert stream.endswith(b"\r\n\r\n")


def test_an_answer_without_a_body_has_no_length() -> None:
    assert b"Content-" not in write_response(one(GET), 204, b"{}", {})


@pytest.mark.parametrize("request_", [None, one(b"GET / HTTP/1.0\r\n\r\n")])
def test_the_last_response_says_that_the_connection_is_closed(request_: HttpRequest | None) -> None:
    assert b"Connection: close\r\n" in write_response(request_, 400, b"{}", {})


@pytest.mark.parametrize(
    "stream",
    [
        b"hello\r\n\r\n",
        b"FROB / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        b"CONNECT h:80 HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_input_that_is_not_a_request_is_malformed(stream: bytes) -> None:
    assert fault(stream)
    assert read_all(HttpRequests(), *cut(stream, 1))[-1:] == ["malformed"]


def test_after_an_error_no_more_is_read() -> None:
    framing = HttpRequests()
    framing.feed(GET + b"rubbish\r\n")
    framing.feed(GET)
    assert isinstance(framing.next_message(), HttpRequest)
    for _ in range(2):
        with pytest.raises(ProtocolError):
            framing.next_message()


def test_after_the_end_only_complete_requests_are_returned() -> None:
    framing = HttpRequests()
    framing.feed(GET + b"GET /st")
    framing.end()
    assert isinstance(framing.next_message(), HttpRequest)
    assert framing.next_message() is None
    assert not framing.has_more


def test_an_error_is_raised_also_after_the_end() -> None:
    framing = HttpRequests()
    framing.feed(GET + b"rubbish\r\n")
    framing.end()
    assert isinstance(framing.next_message(), HttpRequest)
    assert framing.has_more
    with pytest.raises(ProtocolError):
        framing.next_message()


def test_has_more_is_true_while_a_message_is_unfinished() -> None:
    framing = HttpRequests()
    framing.feed(GET + POST[:-1])
    assert framing.next_message() is not None
    assert framing.has_more
    assert framing.next_message() is None
    assert framing.has_more
    framing.feed(POST[-1:])
    assert framing.next_message() is not None
    assert not framing.has_more


def post(length: int) -> bytes:
    return b"POST /moves HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % length + b"x" * length


def chunks(length: int, size: int) -> bytes:
    whole, rest = divmod(length, size)
    body = (b"%x\r\n" % size + b"x" * size + b"\r\n") * whole
    body += b"%x\r\n" % rest + b"x" * rest + b"\r\n" if rest else b""
    return b"POST /moves HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


def test_X_08_the_length_of_a_body_is_limited() -> None:
    assert len(one(post(LONGEST_REQUEST_BODY)).body) == LONGEST_REQUEST_BODY
    assert (
        fault(post(LONGEST_REQUEST_BODY + 1))
        == f"a body has more than {LONGEST_REQUEST_BODY} bytes"
    )


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_X_08_the_length_of_a_chunked_body_is_limited(size: int) -> None:
    assert len(one(chunks(LONGEST_REQUEST_BODY, size)).body) == LONGEST_REQUEST_BODY
    assert "more than" in fault(chunks(LONGEST_REQUEST_BODY + 1, size))


@pytest.mark.parametrize("size", [1, 100, 4096, 1 << 20])
def test_X_08_the_length_of_a_head_is_limited(size: int) -> None:
    for head in (
        b"GET /%b HTTP/1.1\r\n\r\n" % (b"a" * (LONGEST_HEAD - 40)),
        b"GET / HTTP/1.1\r\nX: %b\r\n\r\n" % (b"a" * (LONGEST_HEAD - 40)),
        b"GET / HTTP/1.1\r\n%b\r\n" % (b"X: y\r\n" * (LONGEST_HEAD // 6 - 10)),
    ):
        [message] = read_all(HttpRequests(), *cut(head, size))
        assert isinstance(message, HttpRequest)
    for endless in (b"GET /" + b"a" * 70_000, b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000):
        framing = HttpRequests()
        assert read_all(framing, *cut(endless, size)) == ["malformed"]
        assert framing.is_too_long


def test_X_08_the_length_of_chunk_comments_is_limited() -> None:
    framing = HttpRequests()
    comment = b"1;" + b"c" * 4000 + b"\r\nx\r\n"
    stream = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + comment * 1000
    assert read_all(framing, *cut(stream, 4096)) == ["malformed"]
    assert framing.is_too_long


def test_X_08_many_short_requests_are_not_a_long_message() -> None:
    stream = GET * 8000 + POST[:-1]
    assert len(stream) > 2 * LONGEST_HEAD
    assert len(read_all(HttpRequests(), stream)) == 8000


def test_X_08_the_length_of_unread_requests_is_limited() -> None:
    framing = HttpRequests()
    for _ in range(2 * LONGEST_QUEUE // len(GET * 1000)):
        framing.feed(GET * 1000)
    with pytest.raises(ProtocolError, match="too much was sent"):
        list(iter(framing.next_message, None))
    assert framing.is_too_long


def test_X_08_the_number_of_requests_that_are_read_is_not_limited() -> None:
    framing = HttpRequests()
    for _ in range(2 * LONGEST_QUEUE // len(GET * 1000)):
        assert len(read_all(framing, GET * 1000)) == 1000


def test_a_client_that_waits_for_100_continue_is_reported_once() -> None:
    framing = HttpRequests()
    head = b"POST /moves HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
    framing.feed(head)
    assert framing.next_message() is None
    assert framing.take_awaits_continue()
    assert not framing.take_awaits_continue()
    framing.feed(b"{}")
    message = framing.next_message()
    assert message is not None
    assert message.body == b"{}"
    assert not framing.take_awaits_continue()
    framing.feed(head + b"{}")
    assert framing.next_message() is not None
    assert not framing.take_awaits_continue(), "the body is there already"
