# docker build --build-arg VERSION=1.2.3 -t outline-mcp .
# Serves one client on standard input and output:
#   docker run --rm -i -e OUTLINE_API_KEY outline-mcp
# Serves a team over HTTP (docs/team/deployment.md):
#   docker run -e MCP_TRANSPORT=http -e MCP_HOST=0.0.0.0 -p 127.0.0.1:3000:3000 -e OUTLINE_API_URL outline-mcp

FROM --platform=$BUILDPLATFORM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w -X main.stamped=$VERSION" -o /out/outline-mcp ./cmd/outline-mcp

FROM scratch
ARG VERSION
LABEL io.modelcontextprotocol.server.name="dev.local/outline-mcp" \
      org.opencontainers.image.title="outline-mcp" \
      org.opencontainers.image.description="Connects AI assistants and scripts to an Outline wiki (MCP server)" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version=$VERSION
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/outline-mcp /outline-mcp
USER 65532:65532
EXPOSE 3000
# Requests /health if the server uses HTTP; on standard input and output it
# succeeds at once.
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["/outline-mcp", "healthcheck"]
ENTRYPOINT ["/outline-mcp"]
