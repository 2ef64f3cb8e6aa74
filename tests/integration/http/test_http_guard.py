"""No way in: what is not public is not reached, however it is written, named or redirected to."""

import datetime
import ssl
from collections.abc import Sequence
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.conftest import Said
from tests.fakes.web import Web, answer
from tests.integration.http.conftest import Connect, Counted

from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError
from windrow.http import HttpClient, HttpPolicy


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "[fd00:ec2::254]",
        "127.0.0.1",
        "0x7f000001",
        "127.1",
        "017700000001",
        "2130706433",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[fe80::1%25lo]",
        "127.0.0.1.",
        "127。0。0。1",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
    ],
)
async def test_an_address_that_is_not_public_is_refused_however_it_is_written(web: Web, host: str, said: Said) -> None:
    async with HttpClient() as client:
        with pytest.raises(Fatal) as caught:
            await client.get(f"http://{host}:{web.port}/")

    assert caught.value.code is Code.ADDRESS_REFUSED
    assert "operator can allow" in str(caught.value.hint)
    assert web.connections == 0
    assert len(said.events("http.address_refused")) == 1


@pytest.mark.parametrize(
    "trick",
    [
        "http://good.example@127.0.0.1:{}/",
        "http://good.example:80@127.0.0.1:{}/",
        "http://good.example\\@127.0.0.1:{}/",
        "http://127.0.0.1:{}#@good.example/",
    ],
)
async def test_a_name_before_the_address_hides_nothing(web: Web, trick: str) -> None:
    async with HttpClient() as client:
        with pytest.raises(WindrowError) as caught:
            await client.get(trick.format(web.port))

    assert caught.value.code in (Code.ADDRESS_REFUSED, Code.INVALID)
    assert web.connections == 0


async def test_only_the_allowed_door_is_open(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, b"open"))
    async with Web() as other, Web("127.0.0.2") as neighbour:
        assert (await client.get(web.url())).text == "open"
        for closed in (other, neighbour):
            with pytest.raises(Fatal):
                await client.get(closed.url())

        assert other.connections + neighbour.connections == 0


async def test_a_network_can_be_allowed(web: Web) -> None:
    web.on("/", answer(200, b"open"))
    async with HttpClient(HttpPolicy(allow=("127.0.0.0/8",))) as client:
        assert (await client.get(web.url("/", host="127.1"))).text == "open"
        assert (await client.get(web.url("/", host="localhost."))).text == "open"


class Names:
    """A resolver that gives another answer each time it is asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    async def __call__(self, *_: object) -> Sequence[str]:
        return [self.answers.pop(0)]


async def test_a_name_that_turns_inwards_is_refused(web: Web, connect: Connect) -> None:
    web.on("/", answer(200, b"outside", {"Connection": "close"}))
    async with Web("127.0.0.9") as inner:
        # the allowed door stands for the public address, as tests have no other
        client = connect(resolve=Names("127.0.0.1", "127.0.0.9"))
        name = web.url("/", host="rebinding.example")
        assert (await client.get(name)).text == "outside"
        await web.empty()

        with pytest.raises(Fatal, match=r"127\.0\.0\.9") as caught:
            await client.get(name)

    assert caught.value.code is Code.ADDRESS_REFUSED
    assert inner.connections == 0


async def test_a_name_that_turns_inwards_during_a_redirect_is_refused(web: Web, connect: Connect) -> None:
    target = web.url("/in", host="inner.example")
    web.on("/", answer(302, b"", {"Location": target}))
    client = connect(resolve=Names("169.254.169.254"))

    with pytest.raises(Fatal, match=r"169\.254\.169\.254.*metadata"):
        await client.get(web.url())


async def test_a_refusal_is_counted_and_not_retried(client: HttpClient, counted: Counted) -> None:
    with pytest.raises(Fatal):
        await client.get("http://10.0.0.1/")

    assert counted("http_requests_total", outcome="ADDRESS_REFUSED") == 1
    assert counted("http_hiccups_total") == 0


def certified(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's and a client's side of a certificate for one name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    today = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    file = folder / "both.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + pem
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cadata=pem.decode())


async def test_the_name_is_what_tls_and_the_server_see(tmp_path: Path) -> None:
    seen: list[str] = []
    server, tls = certified("git.corp.example", tmp_path)
    server.sni_callback = lambda _, name, __: seen.append(name)
    async with Web(tls=server) as web:
        web.on("/", answer(200, b"private"))
        policy = HttpPolicy(allow=(f"git.corp.example:{web.port}",))
        async with HttpClient(policy, tls=tls, resolve=Names("127.0.0.1")) as client:
            response = await client.get(web.url("/", host="git.corp.example"))

    assert response.text == "private"
    assert seen == ["git.corp.example"]
    assert web.requests[0].headers["host"] == f"git.corp.example:{web.port}"


async def test_a_certificate_for_another_name_is_not_accepted(tmp_path: Path) -> None:
    server, tls = certified("other.example", tmp_path)
    async with Web(tls=server) as web:
        policy = HttpPolicy(allow=(web.door,))
        async with HttpClient(policy, tls=tls, resolve=Names(*["127.0.0.1"] * 3)) as client:
            with pytest.raises(RetryableTransient, match="certificate") as caught:
                await client.get(web.url("/", host="git.corp.example"))

    assert caught.value.code is Code.NETWORK
    assert web.requests == []
