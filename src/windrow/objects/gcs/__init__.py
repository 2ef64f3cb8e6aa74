"""Objects in Google Cloud Storage, through Google's own client. Needs `windrow[gcp]`.

What guards a put is the generation: the number that Cloud Storage gives to every version of an object. It is our etag.
"""

from windrow.objects.gcs.objects import GcsObjects

__all__ = ["GcsObjects"]
