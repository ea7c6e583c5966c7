"""Framing of JSON values."""

import json
from collections.abc import Iterable
from itertools import product

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import (
    JsonValue,
    JsonValues,
    JsonValuesAfterName,
    NotJson,
    client_framing,
)

UNFINISHED = "unfinished"


def drain(values: JsonValues) -> list[object]:
    """Return all messages, and then the error if the stream is malformed."""
    drained: list[object] = []
    try:
        while (message := values.next_message()) is not None:
            drained.append(message)
    except ProtocolError as fault:
        drained.append(str(fault))
    return drained


def read_chunks(chunks: Iterable[bytes], values: JsonValues) -> list[object]:
    """Return the messages of a stream up to an error or an unfinished message."""
    messages: list[object] = []
    for chunk in chunks:
        values.feed(chunk)
        messages += drain(values)
        if messages and isinstance(messages[-1], str):
            return messages
    values.end()
    messages += drain(values)
    return [*messages, UNFINISHED] if values.has_more else messages


def read(
    stream: bytes, longest: int = 65_536, deepest: int = 32, parts: int = 1024
) -> list[object]:
    """Return the messages of a stream, and check that they are the same byte by byte."""
    at_once = read_chunks([stream], JsonValues(longest, deepest, parts))
    single_bytes = (stream[place : place + 1] for place in range(len(stream)))
    assert repr(read_chunks(single_bytes, JsonValues(longest, deepest, parts))) == repr(at_once)
    return at_once


def values_of(stream: bytes, parts: int = 1024) -> list[object]:
    messages = read(stream, parts=parts)
    return [message.value for message in messages if isinstance(message, JsonValue)]


@pytest.mark.parametrize(
    "stream",
    [
        b'"ann"\n[1]\n{"x":2}\n',
        b'"ann"\r\n[1]\r\n{"x":2}\r\n',
        b'"ann"[1]{"x":2}',
        b'\n\r\n "ann"\n\n\n[1]\n \t\n{"x":2}\n\n',
        b'"ann" [1]\t{"x":2} \n',
        b' "ann"\n\t[\n1\r\n]\n\n{ "x"\n:\t2 }',
    ],
    ids=["newline", "CRLF", "none", "blank lines", "one line", "white space within"],
)
def test_X_04_values_may_be_separated_by_any_white_space_or_none(stream: bytes) -> None:
    assert read(stream) == [JsonValue("ann"), JsonValue([1]), JsonValue({"x": 2})]


def test_X_04_a_value_is_returned_before_its_newline_arrives() -> None:
    for stream in (b'["x"]', b'{"x":1}', b'"x"'):
        values = JsonValues()
        values.feed(stream)
        assert drain(values) == [JsonValue(json.loads(stream))]
        assert not values.has_more


def test_values_may_have_any_type() -> None:
    stream = b'"" -12 0.5 1e2 true false null [] {} [[],{"":[null]}] "\\u00e4\\"\\\\" "\xc3\xa4"'
    assert repr(values_of(stream)) == repr(
        ["", -12, 0.5, 100.0, True, False, None, [], {}, [[], {"": [None]}], 'ä"\\', "ä"]
    )


def test_null_is_a_value() -> None:
    assert read(b"null\nnull\n1\n") == [JsonValue(None), JsonValue(None), JsonValue(1)]


@pytest.mark.parametrize("stream", [b'1"a"', b"1[2]", b"1{}", b'true"a"null[]', b"1 \n"])
def test_a_word_ends_at_white_space_a_bracket_or_a_quote(stream: bytes) -> None:
    assert not [message for message in read(stream) if not isinstance(message, JsonValue)]


def test_a_word_outside_of_arrays_ends_at_a_comma_which_is_not_json() -> None:
    assert read(b"1,2\n3\n") == [JsonValue(1), NotJson(b","), JsonValue(3)]
    assert read(b"1:2\n3\n") == [JsonValue(1), NotJson(b":"), JsonValue(3)]


@pytest.mark.parametrize(
    "text",
    [
        b"[1,2\n[",
        b"[1 2",
        b'{"a" 1',
        b'{"a":1 "',
        b'{"a":1 2',
        b'{"a",',
        b"]",
        b"}",
        b",",
        b":",
        b"{1",
        b"{n",
        b"{[",
        b"[,",
        b"[1,]",
        b"[1}",
        b"[1:",
        b'{"a":1,}',
        b'{"a":}',
        b'{"a"}',
        b'{"a":1]',
        b"{,",
        b'"a\n',
        b'"a\t',
        b'"\x00',
        b'"\\\n',
        b'["\x1f',
        b'{"a\r',
    ],
)
def test_an_invalid_byte_is_noticed_when_it_arrives(text: bytes) -> None:
    values = JsonValues()
    values.feed(text[:-1])
    assert drain(values) == []
    values.feed(text[-1:])
    assert drain(values) == [NotJson(text)]
    assert not values.has_more


@pytest.mark.parametrize(
    "word", [b"nonsense", b"01", b"1.", b"tru", b"nulll", b"-", b"NaN", b"'a'"]
)
@pytest.mark.parametrize("before", [b"", b"[", b'{"a":', b"[1,"])
@pytest.mark.parametrize("behind", [b"\n", b" 1\n", b"]\n", b",\n", b'"\n', b"[\n"])
def test_an_invalid_word_is_noticed_when_it_ends(before: bytes, word: bytes, behind: bytes) -> None:
    values = JsonValues()
    values.feed(before + word)
    assert drain(values) == []
    assert values.has_more
    values.feed(behind[:1])
    assert drain(values) == [NotJson(before + word)]
    assert read(before + word + behind + b"1\n") == [NotJson(before + word), JsonValue(1)]


def test_a_byte_order_mark_is_not_json() -> None:
    assert read(b"\xef\xbb\xbf[1]\n[2]\n") == [NotJson(b"\xef\xbb\xbf"), JsonValue([2])]
    assert read(b"\xef\xbb\xbf1\n2\n") == [NotJson(b"\xef\xbb\xbf1"), JsonValue(2)]


@pytest.mark.parametrize(
    "text",
    [
        b'"\\x"',
        b'"\\u12g4"',
        b'"\\ud800"',
        b'"\\udc00\\ud800"',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'{"\xff":1}',
        b"1e999",
        b'["\\x"]',
    ],
)
def test_an_invalid_string_or_number_is_not_json(text: bytes) -> None:
    assert read(text + b' "rest"\n[1]') == [NotJson(text), JsonValue([1])]


def test_an_integer_with_too_many_digits_is_not_json() -> None:
    assert values_of(b"1" * 4300) == [int("1" * 4300)]
    assert read(b"1" * 4301 + b"\n2\n") == [NotJson(b"1" * 80), JsonValue(2)]


def test_the_rest_of_a_line_that_is_not_json_is_skipped() -> None:
    assert read(b']["x"] {nonsense\n["y"]\n') == [NotJson(b"]"), JsonValue(["y"])]
    assert read(b'nonsense "x\n\n\n["y"]') == [NotJson(b"nonsense"), JsonValue(["y"])]
    assert read(b'] "x"') == [NotJson(b"]")]


def test_an_invalid_newline_ends_the_skipped_line() -> None:
    assert read(b'["x\n["y"]\n') == [NotJson(b'["x\n'), JsonValue(["y"])]
    assert read(b'"\\\n"y"\n') == [NotJson(b'"\\\n'), JsonValue("y")]


def test_after_an_invalid_value_over_several_lines_the_last_line_is_skipped() -> None:
    assert read(b'[1,2\n["x"]\n["y"]\n') == [NotJson(b"[1,2\n["), JsonValue(["y"])]


def test_at_most_80_bytes_of_invalid_input_are_shown() -> None:
    assert read(b"x" * 80 + b"\n") == [NotJson(b"x" * 80)]
    assert read(b"x" * 1000 + b"\n1\n") == [NotJson(b"x" * 80), JsonValue(1)]
    assert read(b'"' + b"x" * 1000 + b"\n1\n") == [NotJson(b'"' + b"x" * 79), JsonValue(1)]


@pytest.mark.parametrize("newline", [b"", b"\n"])
def test_X_08_the_length_of_a_value_is_limited(newline: bytes) -> None:
    fault = "a JSON value has more than 10 bytes"
    for fits in (b'"12345678"', b"1234567890", b"[1,2,3,45]", b'{"a":1234}'):
        assert read(fits + newline, longest=10) == [JsonValue(json.loads(fits))]
    for is_too_long in (b'"123456789"', b"12345678901", b"[1,2,3,456]", b'{"a":12345}', b"x" * 11):
        assert read(b"1 " + is_too_long + newline, longest=10) == [JsonValue(1), fault]


def test_X_08_the_length_of_an_unfinished_value_is_limited() -> None:
    for stream in (b"[" + b" " * 65_536, b'"' + b"x" * 65_536, b"1" * 65_537):
        assert read(stream) == ["a JSON value has more than 65536 bytes"]


def test_X_08_white_space_around_values_may_be_longer_than_any_value() -> None:
    stream = b" " * 30 + b"[1]" + b"\r\n" * 30 + b"[2]" + b" " * 30 + b"\n"
    assert read(stream, longest=3) == [JsonValue([1]), JsonValue([2])]


@pytest.mark.parametrize("newline", [b"", b"\n"])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_X_08_the_depth_of_a_value_is_limited(opening: bytes, newline: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    fault = "a JSON value is more than 32 arrays or objects deep"
    for depth, faults in ((32, []), (33, [fault])):
        stream = opening * depth + b"1" + closing * depth + newline
        assert [message for message in read(stream) if isinstance(message, str)] == faults
    assert read(opening * 33) == [fault]


def test_X_08_only_nested_brackets_count_as_depth() -> None:
    assert values_of(b"[" + b"[]," * 100 + b"[]]\n") == [[[]] * 101]
    assert values_of(b'"' + b"[" * 100 + b'"\n') == ["[" * 100]


def test_X_08_depth_that_python_cannot_read_is_not_json() -> None:
    assert read(b"[" * 30_000 + b"]" * 30_000, deepest=30_000, parts=60_000) == [NotJson(b"[" * 80)]


def test_X_08_the_length_of_a_skipped_line_is_limited() -> None:
    fault = "more than 10 bytes follow in a line that is not JSON"
    assert read(b"]" + b"x" * 10 + b"\n1\n", longest=10) == [NotJson(b"]"), JsonValue(1)]
    assert read(b"]" + b"x" * 11 + b"\n1\n", longest=10) == [NotJson(b"]"), fault]


def test_X_08_after_an_error_no_more_bytes_are_kept() -> None:
    for stream in (b"[" * 33, b"x" * 65_537, b"]" + b"x" * 65_537):
        values = JsonValues()
        values.feed(stream)
        drain(values)
        for _ in range(3):
            values.feed(b"[1]\n" * 100_000)
            assert values.has_more
            with pytest.raises(ProtocolError):
                values.next_message()
        assert len(values._buffer) <= len(stream)


def test_white_space_does_not_begin_a_value() -> None:
    values = JsonValues()
    values.feed(b" \r\n\t\n")
    assert not values.has_more
    values.feed(b"\n[1]\r\n\r\n")
    assert values.has_more
    assert values.next_message() == JsonValue([1])
    assert not values.has_more
    values.feed(b"\n")
    assert not values.has_more


def test_a_skipped_line_does_not_begin_a_value() -> None:
    values = JsonValues()
    values.feed(b"nonsense and")
    assert drain(values) == [NotJson(b"nonsense")]
    assert not values.has_more
    values.feed(b" more of [it")
    assert not values.has_more
    values.feed(b"\n \n")
    assert not values.has_more
    values.feed(b"[")
    assert values.has_more


@pytest.mark.parametrize("stream", [b"[", b"[1,", b'"a', b'{"a"', b"1", b"tr", b"[1]\n["])
def test_there_is_more_while_a_value_is_unfinished(stream: bytes) -> None:
    values = JsonValues()
    values.feed(stream)
    drain(values)
    assert values.has_more


def test_messages_may_be_read_before_or_after_more_bytes_arrive() -> None:
    values = JsonValues()
    values.feed(b"[1]\n[2")
    assert values.next_message() == JsonValue([1])
    values.feed(b",3]\n]\n")
    values.feed(b"4 ")
    assert drain(values) == [JsonValue([2, 3]), NotJson(b"]"), JsonValue(4)]


def test_an_unfinished_word_is_complete_at_the_end_of_input() -> None:
    for stream, message in ((b"12", JsonValue(12)), (b"ann", NotJson(b"ann"))):
        values = JsonValues()
        values.feed(stream)
        assert values.next_message() is None
        values.end()
        assert drain(values) == [message]
        assert not values.has_more


def test_any_other_unfinished_value_stays_unfinished_at_the_end_of_input() -> None:
    for stream in (b"[12", b'"12', b'{"a":true', b'["a\\'):
        assert read(stream) == [UNFINISHED]
    assert read(b"") == []


def test_X_01_the_longest_value_may_arrive_byte_by_byte() -> None:
    string = b'"' + b"\\\\" * 32_767 + b'"'
    array = b"[" + b"1," * 32_766 + b"10]"
    word = b"0." + b"1" * 65_534
    for stream in (string, array, word):
        assert len(stream) == 65_536
        assert repr(values_of(stream, parts=65_536)) == repr([json.loads(stream)])


# Without unpaired surrogates, which Hypothesis does not generate by default.
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
SEPARATORS = st.text(" \t\r\n", max_size=3)


def written(value: object, indent: str | None, ensure_ascii: bool) -> bytes:
    return json.dumps(value, indent=indent, ensure_ascii=ensure_ascii).encode()


TEXTS = st.builds(written, JSON, st.sampled_from([None, "", " \t"]), st.booleans())


@given(st.lists(st.tuples(TEXTS, SEPARATORS)), SEPARATORS, st.lists(st.integers(1, 50)))
def test_X_01_how_the_stream_is_cut_does_not_matter(
    sent: list[tuple[bytes, str]], first_separator: str, cuts: list[int]
) -> None:
    stream = first_separator.encode()
    for text, separator in sent:
        # Two adjacent words would be one.
        needs_separator = text[-1:] not in b'"]}'
        stream += text + (separator or " " * needs_separator).encode()
    chunks, rest = [], stream
    for length in [*cuts, len(stream) + 1]:
        chunks.append(rest[:length])
        rest = rest[length:]
    messages = read_chunks(chunks, JsonValues())
    assert repr(messages) == repr([JsonValue(json.loads(text)) for text, _ in sent])
    assert repr(read(stream)) == repr(messages)


FRAGMENTS = (
    [bytes((byte,)) for byte in b'[]{},:"\\ \t\r01-.e\x00\x1f\xff']
    + [b"true", b"null", b"NaN", b"Infinity", b"'a'", b'"a"', b'"a":', b"\xef\xbb\xbf", b"\xc3\xa4"]
    + [b"\\ud83d", b"\\ude00", b"\\n", b"e999", b"1,", b"[[", b"]]"]
)
RANDOM_STREAMS = st.lists(st.sampled_from([*FRAGMENTS, b"\n", b"\n"]), max_size=30).map(b"".join)


@given(RANDOM_STREAMS, st.integers(1, 20), st.integers(0, 4))
def test_X_01_how_any_stream_is_cut_does_not_matter(
    stream: bytes, longest: int, deepest: int
) -> None:
    read(stream)
    read(stream, longest, deepest)


def is_json(text: bytes) -> bool:
    """Return True if the standard library reads the text and msgspec does not reject it.

    The library also accepts NaN and Infinity, numbers too large for a float, and unpaired
    surrogates. They are looked for in all pairs of an object, since of two pairs with the same name
    the library keeps only the last.
    """
    try:
        value = json.loads(text.decode(), object_pairs_hook=list)
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


def check_against_standard_library(text: bytes) -> None:
    # With a newline it can be read as a line; without one it is scanned.
    for stream in (text, text + b"\n"):
        messages = read(stream)
        if is_json(text):
            assert repr(messages) == repr([JsonValue(json.loads(text))])
        else:
            assert len(messages) != 1 or not isinstance(messages[0], JsonValue)


@st.composite
def almost_json(draw: st.DrawFn) -> bytes:
    """Return a JSON text with something inserted or replaced, without a newline."""
    text = written(draw(JSON), None, draw(st.booleans()))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(start + 3, len(text))))
    return text[:start] + b"".join(draw(st.lists(st.sampled_from(FRAGMENTS)))) + text[end:]


@given(almost_json())
@example(b'{"a":1,"a":2}')
@example(b'{"a":1e999,"a":2}')
@example(b'"\\ud83d\\ude00"')
def test_a_text_is_one_value_only_if_the_standard_library_reads_it(text: bytes) -> None:
    check_against_standard_library(text)


def test_every_short_text_is_one_value_only_if_it_is_json() -> None:
    for length in range(5):
        for letters in product('[]{},:"1-\\ ', repeat=length):
            check_against_standard_library("".join(letters).encode())


def test_X_08_the_number_of_parts_of_a_value_is_limited() -> None:
    framing = JsonValues(max_parts=8)
    framing.feed(b"[1,2,3]\n")
    assert framing.next_message() == JsonValue([1, 2, 3])
    framing.feed(b"[1,2,3,4]\n")
    with pytest.raises(ProtocolError, match="more than 8 parts"):
        framing.next_message()


def test_a_client_reads_the_result_of_a_large_tournament() -> None:
    result = [[], [["ann", "bob"]] * 60_000]
    framing = client_framing()
    framing.feed(msgspec.json.encode(result) + b"\n")
    assert framing.next_message() == JsonValue(result)


@pytest.mark.parametrize(
    ("stream", "messages"),
    [
        (b"ann\n[1]\n", [JsonValue("ann"), JsonValue([1])]),
        (b"\r\n ann \t\r\nbob\n", [JsonValue("ann"), NotJson(b"bob")]),
        (b"ann", [JsonValue("ann")]),
        (b"null\nnull\n", [JsonValue("null"), JsonValue(None)]),
        (b"x" * 300 + b"\n", [JsonValue("x" * 300)]),
        (b"no sense\n[1]\n", [NotJson(b"no sense"), JsonValue([1])]),
        (b"ann[1]\n[2]\n", [NotJson(b"ann[1]"), JsonValue([2])]),
        (b"ann:xyzzy", [NotJson(b"ann:xyzzy")]),
        (b"x1" * 50 + b"\n", [NotJson(b"x1" * 40)]),
        (b'"ann"[1]', [JsonValue("ann"), JsonValue([1])]),
        (b"[1]ann\n", [JsonValue([1]), NotJson(b"ann")]),
        (b"1 ann\n", [JsonValue(1), NotJson(b"ann")]),
        (b"x" * 65_536 + b"\n", [JsonValue("x" * 65_536)]),
        (b"x" * 65_537 + b"\n", ["the first line has more than 65536 bytes"]),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_S1_Q02_a_first_line_of_letters_is_a_name(stream: bytes, messages: list[object]) -> None:
    assert read_chunks([stream], JsonValuesAfterName()) == messages
    single_bytes = (stream[place : place + 1] for place in range(len(stream)))
    assert read_chunks(single_bytes, JsonValuesAfterName()) == messages
