module outline-mcp/test/scripting

go 1.26.0
