package search

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Anchor returns the anchor of a heading that an address ends with, such as
// h-what-went-well, or "" if there is none.
func Anchor(address string) string {
	anchor := strings.TrimRight(Fragment(address), " \t\n>)\"'`”")
	if !strings.HasPrefix(anchor, "h-") || strings.ContainsFunc(anchor, unicode.IsSpace) {
		return ""
	}
	return anchor
}

// Fragment returns what follows the # of an address, without percent-encoding.
func Fragment(address string) string {
	_, fragment, _ := strings.Cut(address, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		return decoded
	}
	return fragment
}

// Anchored returns the index of the heading that has an anchor, or else of the only one
// whose anchor has the same letters and digits, or -1.
func Anchored(headings []string, anchor string) int {
	anchors := Anchors(headings)
	exact := slices.Index(anchors, anchor)
	if exact >= 0 {
		return exact
	}
	found, wanted := -1, lettersOf(slug(anchor))
	for i, other := range anchors {
		if lettersOf(other) != wanted || wanted == "h" { // nothing but signs is like nothing
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func lettersOf(anchor string) string {
	return strings.Map(func(r rune) rune {
		if isLetterOrDigit(r) {
			return r
		}
		return -1
	}, anchor)
}

// AnchorOf returns the anchor of the heading at an index.
func AnchorOf(headings []string, index int) string { return Anchors(headings[:index+1])[index] }

// Anchors returns the anchor of each heading, as Outline makes it
// (shared/editor/lib/headingToSlug.ts).
func Anchors(headings []string) []string {
	anchors, seen := make([]string, len(headings)), make(map[string]int, len(headings))
	for i, heading := range headings {
		anchor := "h-" + slug(heading)
		if anchors[i] = anchor; seen[anchor] > 0 {
			anchors[i] += "-" + strconv.Itoa(seen[anchor])
		}
		seen[anchor]++
	}
	return anchors
}

// slug returns a text with words for some signs, without most signs of ASCII, and with
// Latin letters for those of some alphabets. Other characters stay.
func slug(s string) string {
	var out strings.Builder
	known := transliterations()
	for _, r := range norm.NFC.String(s) {
		latin, is := known[r]
		switch {
		case is:
			out.WriteString(latin)
		case r == '-', r == '–', r == '\uFEFF':
			out.WriteByte(' ')
		case !strings.ContainsRune(`!"#$%&'.()*+,/:;<=>?@[\]^_{|}~`+"`", r):
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return strings.Join(strings.Fields(out.String()), "-")
}

// transliterations returns what package slugify 1.6.9 has in place of characters, in lower
// case and without the signs that Outline removes.
var transliterations = sync.OnceValue(func() map[rune]string {
	known := map[rune]string{}
	for _, group := range strings.Fields("" +
		"0\u0660\u06F0 1\u0661\u06F1 2\u0662\u06F2 3Ξξ\u0663\u06F3 4\u0664\u06F4 5\u0665\u06F5 6\u0666\u06F6 7\u0667\u06F7 " +
		"8Θθ\u0668\u06F8 9\u0669\u06F9 dollar$ percent% and& less< greater> or| cent¢ pound£ currency¤ yen¥円 c©ÇçĆćČčЋЦцћԾՑ " +
		"aªÀÁÂÃÄÅàáâãäåĀāĂăĄąΆΑάαАаԱაẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặ\u0621\u0623\u0627\u0639\u0649\u064E r®ŔŕŘřΡρРрՌՐრ\u0631 " +
		"oºÒÓÔÕÖØòóôõöøŌōŐőƠơ˚ΌΟοόОоՕოỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợ aeÆæӘә " +
		"eÈÉÊËèéêëĒēĖėĘęĚěƏəΈΕέεЕЭеэԵԷეẸẹẺẻẼẽẾếỀềỂểỄễỆệ\u0626\u0650 iÌÍÎÏìíîïĨĩĪīĮįİıΊΐΙΪίιϊІИиіԻიỈỉỊị\u0625 " +
		"dÐðĎďΔδДдԴՁდ∂\u062F nÑñŃńŅņŇňΝνНнՆნ\u0646 uÙÚÛÜùúûüŨũŪūŮůŰűŲųƯưУЪуъѝҰұუỤụỦủỨứỪừỬửỮữỰự\u0624\u064F " +
		"yÝýÿŶŷŸΎΥΫΰυϋύЫыԸՅỲỳỴỵỶỷỸỹ\u064A\u06CC thÞþ\u062B\u0630 ssßẞ djĐđЂђ gĞğĢģΓγГгҐґԳგ\u06AF kĶķΚκКкԿკქ\u0643\u06A9 " +
		"lĻļĽľŁłΛλЛлԼლ\u0644 oeŒœӨө sŚśŞşŠšȘșΣςσСсՍსṢṣ\u0633\u0635 tŢţŤťȚțΤτТтԹՏთტ\u062A\u0637 wŴŵΏΩωώẀẁẂẃẄẅ\u0648 " +
		"zŹźŻżŽžΖζЗзԶზ\u0632\u0638 fƒΦφФфՖფ\u0641 ljǈǉЉљ njǋǌЊњ hΉΗήηХхҺһՀჰ\u0629\u062D\u0647 bΒβБбԲბ\u0628 mΜμМмՄმ\u0645 " +
		"pΠπПпՊՓპ\u067E xΧχԽ psΨψ yoЁё yeЄє yiЇї jЈЙйјՋჯ\u062C dzЏџძ vВвՎვ zhЖжჟ\u0698 chЧчՉჩჭ\u0686 shШЩшщՇშ\u0634 " +
		"Ьь‘’“”„†•…\u0652 yuЮю yaЯя ghҒғՂღ\u063A khҚқხ\u062E ngҢң ueҮү jhԺ twՃ qՔყ\u0642 evև aa\u0622 dh\u0636 an\u064B " +
		"on\u064C en\u064D baht฿ tsცწ ecu₠ cruzeiro₢ french-franc₣ lira₤ mill₥ naira₦ peseta₧ rupee₨ won₩ new-shequel₪ dong₫ " +
		"euro€ kip₭ tugrik₮ drachma₯ penny₰ peso₱ guarani₲ austral₳ hryvnia₴ cedi₵ kazakhstani-tenge₸ indian-rupee₹ " +
		"turkish-lira₺ russian-ruble₽ bitcoin₿ sm℠ tm™ delta∆ sum∑ infinity∞ love♥ yuan元 rial\uFDFC laa\uFEF5\uFEF7 lai\uFEF9 " +
		"la\uFEFB") {
		from := strings.TrimLeft(group, "-0123456789abcdefghijklmnopqrstuvwxyz")
		for _, r := range from {
			known[r] = strings.TrimSuffix(group, from)
		}
	}
	return known
})
