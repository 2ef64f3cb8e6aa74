"""OneDrive and SharePoint document libraries, through Microsoft Graph. docs/how-to/harvest-onedrive.md says what it reads."""

from windrow.connectors.onedrive.connector import OneDriveConnector

__all__ = ["OneDriveConnector"]
