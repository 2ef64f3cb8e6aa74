"""One reading of an address: what is checked is what is connected to."""

import socket
from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.urls import checked_url, joined, literal, origin_of, port_of, shown


@pytest.mark.parametrize(
    "host",
    [
        "0x7f000001",
        "0X7F000001",
        "127.1",
        "127.0.1",
        "017700000001",
        "0x7f.0.0.1",
        "2130706433",
        "127.0.0.1.",
        "127。0。0。1",
        "127.0.0。1",
        "127\uff610\uff0e0.1",
        "00000000000000000000000177.1",
    ],
)
def test_every_way_to_write_loopback_is_read_as_loopback(host: str) -> None:
    assert checked_url(f"http://{host}/x").host == "127.0.0.1"


def _written(value: int, base: int) -> str:
    return {8: f"0{value:o}", 10: str(value), 16: f"0x{value:x}"}[base]


@settings(deadline=None)
@given(st.ip_addresses(v=4), st.integers(1, 4), st.lists(st.sampled_from([8, 10, 16]), min_size=4, max_size=4))
def test_any_spelling_of_an_ipv4_address_means_that_address(address: IPv4Address, parts: int, bases: list[int]) -> None:
    octets = list(address.packed)
    leading, rest = octets[: parts - 1], int.from_bytes(bytes(octets[parts - 1 :]), "big")
    host = ".".join(_written(value, base) for value, base in zip([*leading, rest], bases, strict=False))

    assert literal(host) == address
    # four parts with a leading zero mean different things to different readers: the parser takes none of them
    if parts < 4 or 8 not in bases:
        assert checked_url(f"http://{host}/").host == str(address)


@settings(deadline=None)
@given(st.from_regex(r"(0x[0-9a-f]{0,9}|[0-9]{1,11})(\.(0x[0-9a-f]{0,9}|[0-9]{1,11})){0,4}", fullmatch=True))
def test_a_number_is_read_as_the_system_reads_it_or_refused(host: str) -> None:
    try:
        system = IPv4Address(socket.inet_aton(host))
    except OSError:
        system = None
    try:
        ours = literal(host)
    except ValidationFailure:
        return
    assert ours == system


@settings(deadline=None)
@given(st.ip_addresses(v=6))
def test_an_ipv6_literal_stays_itself(address: object) -> None:
    assert ip_address(checked_url(f"http://[{address}]:8080/").host) == address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "/relative",
        "http://",
        "http:///etc/passwd",
        "file:///etc/passwd",
        "ftp://example.com/",
        "gopher://example.com/",
        "unix:///run/docker.sock",
        "http+unix://%2Frun%2Fdocker.sock/",
        "ws://example.com/",
        "http://good@127.0.0.1/",
        "http://good:pass@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://[::1]@example.com/",
        "http://h:0/",
        "http://h:65536/",
        "http://h:-1/",
        "http://h:x/",
        "http://a..b/",
        "http://.../",
        "http://-bad-.example/",
        "http://%31%32%37.0.0.1/",
        "http://exa mple.com/",
        "http://ex\nample.com/",
        "http://ex\x00ample.com/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://ⓛocalhost/",
        "http://1.2.3.4.5/",
        "http://256.0.0.1/",
        "http://0177.0.0.1/",
        "http://0x1ffffffff/",
        "http://example.0x/x" * 10_000,
        f"http://{'a' * 64}.example/",
        "http://" + "a." * 130 + "example/",
        "http://[v1.x]/",
        "http://[::1/",
    ],
)
def test_what_is_no_plain_http_address_is_refused(url: str) -> None:
    with pytest.raises(ValidationFailure) as caught:
        checked_url(url)

    assert caught.value.code is Code.INVALID
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_is_a_crash(text: str) -> None:
    for url in (text, f"http://{text}/", f"http://example.com:{text}/", f"https://{text}@example.com/"):
        try:
            checked = checked_url(url)
        except ValidationFailure:
            continue
        assert checked.scheme in ("http", "https")
        assert checked.host
        assert 0 < port_of(checked) < 65536


def test_a_trailing_dot_case_and_default_port_do_not_make_another_origin() -> None:
    assert origin_of(checked_url("HTTPS://Example.COM.:443/a")) == origin_of(checked_url("https://example.com/b"))


def test_an_international_name_becomes_its_ascii_form() -> None:
    assert checked_url("https://bücher.example/").raw_host == b"xn--bcher-kva.example"


def test_a_fragment_is_not_sent() -> None:
    assert str(checked_url("https://example.com/a?b=c#d")) == "https://example.com/a?b=c"


@settings(deadline=None)
@given(
    st.from_regex(r"(/[A-Za-z0-9_~-]([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2}){0,9}){1,4}", fullmatch=True),
    st.from_regex(r"([A-Za-z0-9._~!$&()*+,;=:@/?-]|%[0-9A-F]{2}){1,30}", fullmatch=True),
)
def test_a_signed_address_keeps_every_character(path: str, query: str) -> None:
    url = f"https://files.example{path}?{query}"

    assert str(checked_url(url)) == url
    assert str(joined(checked_url("https://api.example/x"), url)) == url
    assert checked_url(url).raw_path.decode() == f"{path}?{query}"


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("b", "https://example.com/v1/b"),
        ("/b?x=1", "https://example.com/b?x=1"),
        ("//other.example/b", "https://other.example/b"),
        ("http://127.1/", "http://127.0.0.1/"),
    ],
)
def test_a_reference_is_read_against_its_page(reference: str, url: str) -> None:
    assert str(joined(checked_url("https://example.com/v1/a"), reference)) == url


@pytest.mark.parametrize("reference", ["http://[", "javascript:alert(1)", "file:///etc/passwd", "http://a@b/", "\x00"])
def test_a_reference_to_nowhere_is_refused(reference: str) -> None:
    with pytest.raises(ValidationFailure):
        joined(checked_url("https://example.com/"), reference)


@settings(deadline=None)
@given(st.text(alphabet="abc/@?#:%[]. \n", max_size=40))
def test_what_is_shown_has_no_query_no_user_and_one_line(text: str) -> None:
    assume("canary" not in text)
    line = shown(f"https://user:canary@example.com/{text}?token=canary#canary")

    assert "canary" not in line
    assert "\n" not in line
    assert len(line) <= 200
