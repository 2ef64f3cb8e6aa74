"""The connector `singer`: runs a Singer tap of the operator's list, and takes what it says for items."""

from windrow.connectors.singer.connector import SingerConnector

__all__ = ["SingerConnector"]
