"""`WINDROW_NOTIFY`: which channel has a webhook."""

import pytest

from windrow.contracts.errors import Code, Fatal
from windrow.notify import Channel, hooks, log_subscription, webhook_subscription


def test_a_channel_has_the_webhook_that_its_word_names() -> None:
    words = ["security=webhook:env:SECURITY_HOOK", "pager=webhook:aws-sm:windrow/hooks#pager", "ops=log"]

    assert hooks(words) == {Channel.SECURITY: "env:SECURITY_HOOK", Channel.PAGER: "aws-sm:windrow/hooks#pager"}


@pytest.mark.parametrize(
    "words",
    [
        ["everyone=log"],
        ["pager"],
        ["pager="],
        ["pager=webhook:"],
        ["pager=webhook:SLACK"],
        ["pager=mail:env:X"],
        ["pager=webhook:env:A", "pager=webhook:env:B"],
        ["PAGER=webhook:env:A"],
    ],
)
def test_a_word_that_is_none_is_refused_with_an_example(words: list[str]) -> None:
    with pytest.raises(Fatal, match="WINDROW_NOTIFY") as caught:
        hooks(words)

    assert caught.value.code is Code.CONFIGURATION
    assert caught.value.hint


def test_an_address_that_was_pasted_in_place_of_its_reference_is_not_repeated() -> None:
    for word in ("pager=https://chat.example/hush", "pager=webhook:https://chat.example/hush#?"):
        with pytest.raises(Fatal) as caught:
            hooks([word])
        assert "hush" not in f"{caught.value} {caught.value.hint}"


def test_no_two_subscriptions_of_the_channels_share_a_name_and_no_two_webhooks_a_sink() -> None:
    subscriptions = [*map(log_subscription, Channel), *map(webhook_subscription, Channel)]

    assert len({one.name for one in subscriptions}) == 2 * len(Channel)
    assert len({webhook_subscription(channel).sink for channel in Channel}) == len(Channel)
