"""Values and ports that cross a package boundary. Nothing here touches the world."""
