"""What is said about clips."""

from windrow.telemetry.declare import Counter, Event, Histogram, Level, Span

EVENTS = (
    Event(
        "clip.published",
        Level.INFO,
        "A clip is in its place, with its manifest. `reused`: an earlier try had made it.",
        ("job_id", "bytes", "seconds", "frames", "reused"),
    ),
    Event(
        "clip.concealed",
        Level.WARN,
        "The source of a clip is damaged; every frame is there, but some may look wrong.",
        ("job_id", "complaint"),
    ),
)

SPANS = (
    Span("clip.fetch", "The source of a clip is brought to the worker.", ("kind",)),
    Span("clip.cut", "ffmpeg cuts a clip.", ("seconds",)),
    Span("clip.check", "A clip is read back, or decoded, and its frames are counted.", ()),
)

CLIPS = Counter("clips_total", "Clips that were published: cut, or reused from an earlier try.", labels=("outcome",))
BYTES = Counter("clip_bytes_total", "Bytes of the clips that were published.")
SECONDS = Histogram(
    "clip_cut_seconds",
    "How long ffmpeg took to cut a clip, to check it, and in doubt to list its source.",
    labels=("step",),
    unit="s",
)
