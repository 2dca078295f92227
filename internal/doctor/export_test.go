package doctor

// WhyBrowsersMayFail is whyBrowsersMayFail, for tests without a network.
var WhyBrowsersMayFail = whyBrowsersMayFail
