package client

import "net/netip"

// special are the networks of the registries of special-purpose addresses (IANA, RFC
// 6890) that netip does not know as such, and addresses of cloud platforms that answer
// from within.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),     // shared, behind the NAT of a provider
	netip.MustParsePrefix("168.63.129.16/32"),  // platform services of Azure
	netip.MustParsePrefix("192.0.0.0/24"),      // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),      // documentation
	netip.MustParsePrefix("192.31.196.0/24"),   // AS112
	netip.MustParsePrefix("192.52.193.0/24"),   // AMT
	netip.MustParsePrefix("192.88.99.0/24"),    // 6to4 relays
	netip.MustParsePrefix("192.175.48.0/24"),   // AS112
	netip.MustParsePrefix("198.18.0.0/15"),     // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),   // documentation
	netip.MustParsePrefix("203.0.113.0/24"),    // documentation
	netip.MustParsePrefix("240.0.0.0/4"),       // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),         // protocol assignments: Teredo, ORCHID, benchmarks
	netip.MustParsePrefix("2001:db8::/32"),     // documentation
	netip.MustParsePrefix("2002::/16"),         // 6to4
	netip.MustParsePrefix("2620:4f:8000::/48"), // AS112
	netip.MustParsePrefix("3fff::/20"),         // documentation
}

// allocated is the part of IPv6 that is in use for global unicast. NAT64 (64:ff9b::/96 and
// 64:ff9b:1::/48), local, site-local, link-local and multicast addresses are outside.
var allocated = netip.MustParsePrefix("2000::/3")

// isPublic reports whether an address is one of the public internet.
func isPublic(address netip.Addr) bool {
	if !address.IsGlobalUnicast() || address.IsPrivate() || address.Zone() != "" || address.Is6() && !allocated.Contains(address) {
		return false
	}
	for _, network := range special {
		if network.Contains(address) {
			return false
		}
	}
	return true
}
