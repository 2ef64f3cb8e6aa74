"""The checked address is the address connected to."""

import asyncio
import socket
from collections.abc import Sequence

import httpcore2
import pytest

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.http.addresses import AddressRules
from windrow.http.network import GuardedNetwork

PUBLIC, OTHER_PUBLIC, PRIVATE = "93.184.216.34", "2606:2800:220:1::1", "10.0.0.7"


class Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, peer: tuple[str, int]) -> None:
        self.peer, self.closed = peer, False

    def get_extra_info(self, info: str) -> object:
        return self.peer if info == "server_addr" else None

    async def aclose(self) -> None:
        self.closed = True


class Internet(httpcore2.AsyncNetworkBackend):
    """Takes every connection but those to dead addresses, and remembers them."""

    def __init__(self, dead: tuple[str, ...] = (), peer: tuple[str, int] | None = None) -> None:
        self.dead, self.peer = dead, peer
        self.reached: list[str] = []
        self.shares: list[float | None] = []
        self.streams: list[Stream] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        *_: object,
    ) -> httpcore2.AsyncNetworkStream:
        self.reached.append(host)
        self.shares.append(timeout)
        if host in self.dead:
            raise httpcore2.ConnectTimeout
        self.streams.append(Stream(self.peer or (host, port)))
        return self.streams[-1]


class Names:
    """A resolver that gives another answer each time it is asked, the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, *_: object) -> Sequence[str]:
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def guarded(names: Names, internet: Internet, *allow: str) -> GuardedNetwork:
    return GuardedNetwork(AddressRules(allow), names, internet)


async def test_a_name_is_resolved_once_and_its_address_connected_to() -> None:
    names, internet = Names([PUBLIC], [PRIVATE]), Internet()

    await guarded(names, internet).connect_tcp("good.example", 443, 5)

    assert names.asked == 1
    assert internet.reached == [PUBLIC]


async def test_a_name_that_is_public_first_and_private_then_is_refused_then() -> None:
    names, internet = Names([PUBLIC], [PRIVATE]), Internet()
    network = guarded(names, internet)
    await network.connect_tcp("rebinding.example", 80, 5)

    with pytest.raises(Fatal) as caught:
        await network.connect_tcp("rebinding.example", 80, 5)

    assert caught.value.code is Code.ADDRESS_REFUSED
    assert PRIVATE in str(caught.value)
    assert internet.reached == [PUBLIC]


@pytest.mark.parametrize(
    "answers", [[PUBLIC, PRIVATE], [PRIVATE, PUBLIC], [PUBLIC] * 10 + ["::ffff:169.254.169.254"], ["fe80::1%2"]]
)
async def test_one_address_that_is_not_public_condemns_the_name(answers: list[str]) -> None:
    internet = Internet()

    with pytest.raises(Fatal):
        await guarded(Names(answers), internet).connect_tcp("mixed.example", 80, 5)

    assert internet.reached == []


async def test_an_allowed_name_may_be_private() -> None:
    internet = Internet()

    await guarded(Names([PRIVATE]), internet, "git.corp:443").connect_tcp("git.corp", 443, 5)

    assert internet.reached == [PRIVATE]


async def test_a_literal_is_not_resolved() -> None:
    names, internet = Names([PUBLIC]), Internet()

    with pytest.raises(Fatal):
        await guarded(names, internet).connect_tcp("127.0.0.1", 80, 5)

    assert names.asked == 0


async def test_a_dead_address_leaves_the_next_one_its_chance() -> None:
    internet = Internet(dead=(PUBLIC,))

    await guarded(Names([PUBLIC, OTHER_PUBLIC]), internet).connect_tcp("dual.example", 80, 5)

    assert internet.reached == [PUBLIC, OTHER_PUBLIC]


async def test_a_name_with_many_dead_addresses_is_given_up() -> None:
    many = [f"93.184.216.{last}" for last in range(1, 200)]
    internet = Internet(dead=tuple(many))

    with pytest.raises(httpcore2.ConnectTimeout):
        await guarded(Names(many), internet).connect_tcp("dead.example", 80, 5)

    assert len(internet.reached) == 4


@pytest.mark.parametrize("peer", [("127.0.0.1", 80), (PUBLIC, 81)])
async def test_a_connection_that_ends_elsewhere_is_closed_and_refused(peer: tuple[str, int]) -> None:
    internet = Internet(peer=peer)

    with pytest.raises(Fatal) as caught:
        await guarded(Names([PUBLIC]), internet).connect_tcp("good.example", 80, 5)

    assert caught.value.code is Code.ADDRESS_REFUSED
    assert internet.streams[0].closed


async def test_a_name_that_nobody_knows_is_transient() -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(RetryableTransient, match=r"nowhere\.example") as caught:
        await GuardedNetwork(AddressRules(), unknown, Internet()).connect_tcp("nowhere.example", 80, 5)
    with pytest.raises(RetryableTransient):
        await guarded(Names([]), Internet()).connect_tcp("empty.example", 80, 5)

    assert caught.value.code is Code.NETWORK


async def test_a_resolver_that_does_not_answer_is_a_timeout() -> None:
    async def never(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    with pytest.raises(httpcore2.ConnectTimeout):
        await GuardedNetwork(AddressRules(), never, Internet()).connect_tcp("slow.example", 80, 0.01)


async def test_a_name_the_resolver_cannot_encode_is_invalid() -> None:
    async def picky(host: str, port: int) -> Sequence[str]:
        raise UnicodeError("label too long")

    with pytest.raises(ValidationFailure):
        await GuardedNetwork(AddressRules(), picky, Internet()).connect_tcp("x", 80, 5)


async def test_there_is_no_way_to_a_unix_socket() -> None:
    with pytest.raises(NotImplementedError):
        await guarded(Names([PUBLIC]), Internet()).connect_unix_socket("/run/docker.sock")


async def test_every_address_has_its_share_of_the_time() -> None:
    internet = Internet(dead=(PUBLIC, OTHER_PUBLIC))

    with pytest.raises(httpcore2.ConnectTimeout):
        await guarded(Names([PUBLIC, OTHER_PUBLIC]), internet).connect_tcp("slow.example", 80, 8)

    assert internet.shares == [pytest.approx(4, abs=0.5), pytest.approx(8, abs=0.5)]
