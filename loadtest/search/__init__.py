"""How fast a page is found: our plans over both index profiles against one plain query over an exporter's table."""
