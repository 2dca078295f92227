package workspace

// An endpoint is one method of the API.
type endpoint struct {
	// run answers a request whose caller may call the method. The store's
	// lock is held meanwhile: for writing if writes is set, else for reading.
	run    func(*store, *request) (answer, error)
	role   Role // the least role that may call; "" is any
	paged  bool // limit and offset are read and checked before run
	writes bool
}

// endpoints is the table of the methods that the workspace answers. A method
// that is not here is answered as Outline answers one it does not know.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		"auth.info":         {run: (*store).authInfo},
		"installation.info": {run: (*store).installationInfo},
		"apiKeys.list":      {run: (*store).apiKeysList, paged: true},

		"users.info": {run: (*store).usersInfo},
		"users.list": {run: (*store).usersList, paged: true},

		"collections.info":      {run: (*store).collectionsInfo},
		"collections.list":      {run: (*store).collectionsList, paged: true},
		"collections.documents": {run: (*store).collectionsDocuments},

		"documents.info":          {run: (*store).documentsInfo},
		"documents.export":        {run: (*store).documentsExport},
		"documents.list":          {run: (*store).documentsList, paged: true},
		"documents.drafts":        {run: (*store).documentsDrafts, paged: true},
		"documents.archived":      {run: (*store).documentsArchived, role: Member, paged: true},
		"documents.deleted":       {run: (*store).documentsDeleted, role: Member, paged: true},
		"documents.search":        {run: (*store).documentsSearch, paged: true},
		"documents.search_titles": {run: (*store).documentsSearchTitles, paged: true},
	}
}
