"""Which video a URL names, and which URLs only look as if they named one."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.media.enrichment.youtube.address import video_id

ID = "dQw4w9WgXcQ"
IDS = st.text(string.ascii_letters + string.digits + "_-", min_size=11, max_size=11).filter(
    lambda text: text not in ("videoseries", "live_stream")
)
HOSTS = st.sampled_from(
    [
        *("youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "WWW.YouTube.COM", "youtube.com."),
        *("www.youtube-nocookie.com", "youtube-nocookie.com", "www.youtube.com:443"),
    ]
)
SCHEMES = st.sampled_from(["https://", "HTTPS://", "", "//"])
TAILS = st.sampled_from(
    ["", "&t=42s", "&list=PL0123456789&index=3", "&feature=youtu.be&si=a_b-C", "#t=1m2s", "&q=日本"]
)


@settings(max_examples=80)
@given(IDS, HOSTS, SCHEMES, TAILS, st.sampled_from(["shorts", "live", "embed", "v", "e"]), st.sampled_from(["", "/"]))
def test_every_form_of_an_address_names_its_video(
    name: str, host: str, scheme: str, tail: str, form: str, slash: str
) -> None:
    parameters = tail.replace("&", "?", 1)

    assert video_id(f"{scheme}{host}/watch{slash}?v={name}{tail}") == name
    assert video_id(f"{scheme}{host}/watch{slash}?app=desktop&v={name}{tail}") == name
    assert video_id(f"{scheme}{host}/{form}/{name}{slash}{parameters}") == name
    assert video_id(f"{scheme}youtu.be/{name}{slash}{parameters}") == name


@pytest.mark.parametrize(
    "url",
    [
        f"http://youtu.be:80/{ID}",
        f"http://youtube.com/watch?v={ID}",
        f"youtube:{ID}",
        f"youtube.com:443/watch?v={ID}&u=http://x",
    ],
)
def test_an_old_address_and_the_short_form_name_it_too(url: str) -> None:
    assert video_id(url) == ID


@pytest.mark.parametrize(
    "url",
    [
        # other hosts that look alike
        f"https://youtube.com.evil.org/watch?v={ID}",
        f"https://evil.org/youtube.com/watch?v={ID}",
        f"https://evilyoutube.com/watch?v={ID}",
        f"https://youtu.be.evil.org/{ID}",
        f"https://studio.youtube.com/watch?v={ID}",
        f"https://youtube.com@evil.org/watch?v={ID}",
        f"https://youtube.com:443@evil.org/watch?v={ID}",
        f"https://evil.org\\@youtube.com/watch?v={ID}",
        f"https://user:pass@youtube.com/watch?v={ID}",
        f"https://evil.org#@youtube.com/watch?v={ID}",
        f"https://evil.org?youtube.com/watch?v={ID}",
        f"https://youtube.com:8443/watch?v={ID}",
        f"https://youtube.com:x/watch?v={ID}",
        f"https://youtübe.com/watch?v={ID}",
        f"https://[youtube.com/watch?v={ID}",
        f"https://you\ntube.com/watch?v={ID}",
        f" https://youtube.com/watch?v={ID}",
        # other schemes
        f"ftp://youtube.com/watch?v={ID}",
        f"javascript://youtube.com/watch?v={ID}",
        f"file:/watch?v={ID}",
        f"youtube:{ID}x",
        f"youtube://{ID}",
        # no id, or not one
        "https://www.youtube.com/watch",
        "https://www.youtube.com/watch?v=",
        f"https://www.youtube.com/watch?v={ID}x",
        f"https://www.youtube.com/watch?v={ID[:-1]}",
        f"https://www.youtube.com/watch?v={ID[:-1]}.",
        f"https://www.youtube.com/watch?v={ID[:-1]}é",
        f"https://www.youtube.com/watch?v={ID}&v=aaaaaaaaaaa",
        f"https://www.youtube.com/watch#v={ID}",
        f"https://youtu.be/{ID}/more",
        f"https://www.youtube.com/shorts/{ID}/more",
        # something else
        "https://www.youtube.com/playlist?list=PL0123456789",
        "https://www.youtube.com/embed/videoseries?list=PL0123456789",
        "https://www.youtube.com/embed/live_stream?channel=UCb--64Gl51jIEVE-GLDAVTg",
        "https://www.youtube.com/@somebodys11",
        "https://www.youtube.com/channel/UCb--64Gl51jIEVE-GLDAVTg",
        "https://www.youtube.com/c/somebodys11",
        "https://www.youtube.com/feed/history1234",
        "",
        ID,
        f"https://youtube.com/watch?v={ID}&x={'x' * 3000}",
    ],
)
def test_what_only_looks_like_one_is_none(url: str) -> None:
    assert video_id(url) is None


@settings(max_examples=80)
@given(st.text(max_size=80) | st.text(":/?#[]@\\&=.youtbecmwah%0 \n", max_size=80))
def test_no_text_makes_it_fail(text: str) -> None:
    found = video_id(text)

    assert found is None or len(found) == 11
