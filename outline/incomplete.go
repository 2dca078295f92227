package outline

// incompletePage returns what is wrong with the id and the url of something that
// has a page on the instance, or "". Outline sends a UUID and a path with each;
// without them links would be broken.
func incompletePage(what, id, url string) string {
	if why := incompleteID(what, id); why != "" || url != "" {
		return why
	}
	return what + " has no url"
}

// incompleteAmong returns what is missing from the first incomplete one of some items,
// or "".
func incompleteAmong[T any](items []T, incomplete func(T) string) string {
	for _, item := range items {
		if why := incomplete(item); why != "" {
			return why
		}
	}
	return ""
}

func incompleteID(what, id string) string {
	switch {
	case id == "":
		return what + " has no id"
	case !IsUUID(id):
		return what + " has an id that is no UUID"
	}
	return ""
}
