package outline_test

import (
	"errors"
	"net/http"
	"testing"

	"outline-mcp/outline"
)

func TestNoFileIsReadFromAPrivateAddressThatAPublicOutlineNames(t *testing.T) {
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "x.Localhost", "127.0.0.1", "127.0.0.1.", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "[fd00::1]", "[fe80::1]", "169.254.169.254", "100.100.100.200", "[::ffff:a00:1]",
	} {
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				t.Errorf("%s: a request to %s", host, r.URL)
				return nil, http.ErrServerClosed
			})
		})
		for _, link := range []string{"http://" + host + "/file", "https://" + host + ":8443/latest/meta-data"} {
			if _, err := c.OpenFile(t.Context(), outline.FileLink(link)); !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s: error %v", link, err)
			}
		}
	}
}
