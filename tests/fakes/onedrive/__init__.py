"""Microsoft Graph's drives and Microsoft's sign-in, as far as OneDrive and SharePoint are harvested: a server on loopback."""

from tests.fakes.onedrive.drive import Drive, Node
from tests.fakes.onedrive.service import OneDrive

__all__ = ["Drive", "Node", "OneDrive"]
