package oauth

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Proxies are the reverse proxies in front of a server, which add to X-Forwarded-For the
// address that a request came from: so many of them, or those with an address in one of the
// networks. Without any, the header counts for nothing: anyone can send it.
type Proxies struct {
	Count    int
	Networks []netip.Prefix
}

// ParseProxies reads a number of proxies, or their addresses and networks.
func ParseProxies(list []string) (p Proxies, err error) {
	if len(list) == 1 {
		if p.Count, err = strconv.Atoi(list[0]); err == nil {
			if p.Count < 0 || p.Count > 10 {
				err = errors.New("the number of proxies is not from 0 to 10")
			}
			return p, err
		}
	}
	for _, one := range list {
		network, err := netip.ParsePrefix(one)
		if address, addressErr := netip.ParseAddr(one); addressErr == nil {
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return Proxies{}, errors.New("not a number, an address, or a network such as 10.0.0.0/8")
		}
		p.Networks = append(p.Networks, network.Masked())
	}
	return p, nil
}

// network returns the IP address that a request came from, or the /64 network of an IPv6
// address, all of which one computer can have. It reads X-Forwarded-For from the right, as
// far as it comes from proxies.
func (p Proxies) network(r *http.Request) string {
	from := r.RemoteAddr
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for left := p.Count; len(hops) > 0 && (left > 0 || p.has(from)); left-- {
		hop := strings.TrimSpace(hops[len(hops)-1])
		if !addressOf(hop).IsValid() {
			break
		}
		from, hops = hop, hops[:len(hops)-1]
	}
	address := addressOf(from)
	switch {
	case !address.IsValid():
		return from
	case address.Is6():
		network, _ := address.Prefix(64)
		return network.Addr().String()
	}
	return address.String()
}

func (p Proxies) has(from string) bool {
	address := addressOf(from)
	return slices.ContainsFunc(p.Networks, func(network netip.Prefix) bool { return network.Contains(address) })
}

// addressOf returns the address in a text that may have a port, brackets or a zone, and an
// invalid one if there is none.
func addressOf(text string) netip.Addr {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	address, _ := netip.ParseAddr(strings.Trim(text, "[]"))
	return address.WithZone("").Unmap()
}
