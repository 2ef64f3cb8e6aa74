"""Where a media job stands, as people say it."""

from windrow.media.stage import Stage

TONES = {
    Stage.QUEUED: "calm",
    Stage.METADATA_READY: "busy",
    Stage.PROCESSING: "busy",
    Stage.COMPLETED: "good",
    Stage.FAILED: "bad",
    Stage.CANCELLED: "calm",
}
NAMES = {
    Stage.QUEUED: "queued",
    Stage.METADATA_READY: "metadata ready",
    Stage.PROCESSING: "processing",
    Stage.COMPLETED: "completed",
    Stage.FAILED: "failed",
    Stage.CANCELLED: "cancelled",
}
MEANINGS = {
    Stage.QUEUED: "waits to be looked up",
    Stage.METADATA_READY: "looked up, and to be handed over to a worker",
    Stage.PROCESSING: "a job of the runtime works on it",
    Stage.COMPLETED: "it has ended well",
    Stage.FAILED: "given up: only a person can have it begun anew",
    Stage.CANCELLED: "somebody has ended it",
}
