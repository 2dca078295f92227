package oauth

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// The paths of the endpoints, apart from those of RFC 9728 and RFC 8414.
const (
	registerPath  = "/oauth/register"
	authorizePath = "/oauth/authorize"
	callbackPath  = "/oauth/callback"
	tokenPath     = "/oauth/token"
	revokePath    = "/oauth/revoke"

	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
)

// A route is an endpoint.
type route struct {
	methods map[string]http.HandlerFunc
	// public lets web pages of any origin use the endpoint: it has no use for cookies.
	public bool
}

func (s *Server) newRoutes() map[string]route {
	get := func(h http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{http.MethodGet: h, http.MethodHead: h}
	}
	post := func(h http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{http.MethodPost: h}
	}
	resource := route{get(s.describeResource()), true}
	return map[string]route{
		resourceMetadataPath:                        resource,
		resourceMetadataPath + s.options.Path:       resource,
		resourceMetadataPath + s.options.Path + "/": resource, // for clients that connect to the path with a slash at its end
		serverMetadataPath:                          {get(s.describeServer()), true},
		registerPath:                                {post(s.register), true},
		tokenPath:                                   {post(s.token), true},
		revokePath:                                  {post(s.revoke), true},
		callbackPath:                                {get(s.finish), false},
		authorizePath: {map[string]http.HandlerFunc{
			http.MethodGet: s.authorize, http.MethodHead: s.authorize, http.MethodPost: s.decide,
		}, false},
	}
}

// Serves reports whether a path is one of this server's endpoints.
func (s *Server) Serves(path string) bool {
	_, ok := s.routes[path]
	return ok
}

// ServeHTTP answers a request to one of the endpoints.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, ok := s.routes[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if route.public {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate")
	}
	if handle, ok := route.methods[r.Method]; ok {
		handle(w, r)
		return
	}
	h.Set("Allow", route.allowed())
	if r.Method == http.MethodOptions && route.public {
		h.Set("Access-Control-Allow-Methods", route.allowed())
		h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Mcp-Protocol-Version")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Error(w, "use "+route.allowed(), http.StatusMethodNotAllowed)
}

func (r route) allowed() string {
	methods := slices.Sorted(maps.Keys(r.methods))
	if r.public {
		methods = append(methods, http.MethodOptions)
	}
	return strings.Join(methods, ", ")
}
