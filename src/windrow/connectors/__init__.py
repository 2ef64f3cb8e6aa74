"""The connector SDK, and the connectors that come with Windrow. docs/how-to/write-a-connector.md is the way in."""
