"""What a browser keeps of a login that is under way, and for the day that it logs out."""

from hypothesis import given
from hypothesis import strategies as st

from windrow.console.session.attempts import LIFETIME, Attempts
from windrow.console.session.cookies import AttemptCookie, PartingCookie, SessionCookie
from windrow.console.session.parting import Parting
from windrow.console.session.tokens import Token
from windrow.objects.signing import SigningKey

KEY = SigningKey("k", b"thirty-two bytes of a signing key")


class Clock:
    """Moved by hand."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_login_is_known_again_by_its_browser_and_its_state() -> None:
    attempts = Attempts(KEY)
    begun, kept = attempts.new("/runs?outcome=failed")

    assert attempts.known(kept, begun.bonds.state) == begun
    assert attempts.known(kept, begun.bonds.nonce) is None
    assert attempts.known(kept, "") is None
    assert attempts.known("", begun.bonds.state) is None
    assert attempts.known(attempts.new("/")[1], begun.bonds.state) is None
    assert Attempts(SigningKey("o", b"another key of thirty-two bytes!!")).known(kept, begun.bonds.state) is None


def test_a_login_that_took_too_long_is_not_known_any_more() -> None:
    clock = Clock()
    attempts = Attempts(KEY, clock=clock)
    begun, kept = attempts.new("/")

    clock.now += LIFETIME.total_seconds() - 1
    assert attempts.known(kept, begun.bonds.state)
    clock.now += 1
    assert attempts.known(kept, begun.bonds.state) is None


def test_what_goes_to_the_issuer_cannot_be_told_from_what_the_browser_keeps() -> None:
    begun, kept = Attempts(KEY).new("/")
    bonds = begun.bonds

    sent = {bonds.state, bonds.nonce, bonds.verifier, bonds.challenge}
    assert len(sent) == 4
    assert not any(each in kept for each in sent)
    assert bonds.verifier not in repr(begun)


@given(st.data())
def test_a_cookie_that_was_changed_is_nobodys(data: st.DataObject) -> None:
    attempts = Attempts(KEY)
    begun, kept = attempts.new("/runs")
    place = data.draw(st.integers(0, len(kept) - 1))
    letter = data.draw(st.characters().filter(lambda letter: letter != kept[place]))

    assert attempts.known(kept[:place] + letter + kept[place + 1 :], begun.bonds.state) is None


@given(st.text())
def test_any_text_may_come_as_a_cookie_or_a_state(text: str) -> None:
    attempts = Attempts(KEY)
    _, kept = attempts.new("/")

    assert attempts.known(text, text) is None
    assert attempts.known(kept, text) is None


def test_the_cookie_stands_beside_that_of_the_session() -> None:
    assert AttemptCookie.beside(SessionCookie.at("https://windrow.example")).name == "__Host-windrow-login"
    assert AttemptCookie.beside(SessionCookie.at("http://127.0.0.1:8080")).name == "windrow-login-8080"


def test_what_is_kept_for_the_logout_opens_for_its_own_session_and_key_alone() -> None:
    parting, session = Parting(KEY), Token.new("acme")
    kept = parting.sealed("eyJ.a.token", session)

    assert kept
    assert "eyJ" not in kept
    assert parting.opened(kept, session) == "eyJ.a.token"
    assert parting.opened(kept, Token.new("acme")) is None
    assert Parting(SigningKey("o", b"another key of thirty-two bytes!!")).opened(kept, session) is None
    assert parting.sealed("x" * 3000, session) is None


@given(st.text(max_size=80) | st.text("AZaz09-_=", max_size=80))
def test_no_other_text_opens(text: str) -> None:
    assert Parting(KEY).opened(text, Token.new("acme")) is None


def test_behind_tls_the_browser_keeps_it_for_tls_and_for_the_form_that_logs_out() -> None:
    assert PartingCookie.beside(SessionCookie.at("https://windrow.example")) == PartingCookie(
        "__Secure-windrow-parting", secure=True
    )
