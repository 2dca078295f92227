package outline

// flawOf tells what is wrong with the id and the url of something that has a
// page on the instance, "" when nothing is. Outline sends a UUID and a path
// with each; what is built on them, such as a link, would be broken otherwise.
func flawOf(what, id, url string) string {
	if why := flawOfID(what, id); why != "" || url != "" {
		return why
	}
	return what + " has no url"
}

func flawOfID(what, id string) string {
	switch {
	case id == "":
		return what + " has no id"
	case !IsUUID(id):
		return what + " has an id that is no UUID"
	}
	return ""
}
