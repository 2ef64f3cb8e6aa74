"""How much of a caller's time, bytes and connections is taken."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Bounds that keep one caller from taking what is there for all. Times are in seconds."""

    json_bytes: int = 64 * 1024
    head_bytes: int = 32 * 1024
    connections: int = 500
    head_seconds: float = 10
    keep_alive_seconds: float = 15
    # for the rest of a body that was refused: many clients read the answer only when they have sent all
    linger_seconds: float = 10
    # without a byte of the body, or without the client taking one of the answer
    idle_seconds: float = 30
    json_seconds: float = 30
    upload_seconds: float = 3600
    ready_seconds: float = 3
    shutdown_seconds: float = 30
