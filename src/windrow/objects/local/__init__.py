"""Objects on the disk of this machine, as plain files.

    ROOT/TENANT/3/results/42/clip.mp4     the object results/42/clip.mp4: three segments, so in the third tree
    ROOT/TENANT/1/results                 the object results
    ROOT/TENANT/.types/3/…                content types that the name's suffix does not tell
    ROOT/TENANT/.drafts/                  files under way; what a crash leaves there is swept
    ROOT/TENANT/.locks/                   one writer at a time for a key, across processes

In the tree number n all files are exactly n names deep. So a key may be an object and the folder of others at the same
time, as in S3, and no name needs an escape: a person finds `clip.mp4` where its key says.
"""

from windrow.objects.local.objects import LocalObjects

__all__ = ["LocalObjects"]
