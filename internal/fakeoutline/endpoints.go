package fakeoutline

import "outline-mcp/internal/fakeoutline/api"

// An endpoint is a method of the API.
type endpoint struct {
	// run answers a request whose caller may call the method. The caller of
	// run holds the store's lock, for writing if writes is set.
	run    func(*store, *request) (api.Answer, error)
	role   Role // the minimum role; "" allows any
	paged  bool // read and check limit and offset before run
	writes bool
	get    bool // answers GET, too
	open   bool // needs no key: the caller of a request without a valid one is nobody
}

// with returns the handler of an endpoint that decodes the fields of a request (see
// [api.Fields.Decode]) before it runs.
func with[In any](run func(*store, *request, In) (api.Answer, error)) func(*store, *request) (api.Answer, error) {
	return func(s *store, r *request) (api.Answer, error) {
		var in In
		if err := r.Fields.Decode(&in); err != nil {
			return api.Answer{}, err
		}
		return run(s, r, in)
	}
}

// counted returns the answer with the page of a list that the request asks for, and the
// length of the list.
func counted[T any](r *request, list []T, present func(T) api.JSON) (api.Answer, error) {
	return api.Answer{Data: api.List(api.Slice(list, r.Page), present), Page: r.Counted(len(list))}, nil
}

// The inputs of endpoints that need only the ID of what they are about.
type (
	slugInput struct {
		ID string `in:"id,slug"`
	}
	uuidInput struct {
		ID string `in:"id,required,uuid"`
	}
)

// endpoints returns the methods that the workspace implements. It answers other
// methods as Outline answers unknown ones.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		"auth.info":         {run: (*store).authInfo},
		"installation.info": {run: (*store).installationInfo},
		"apiKeys.list":      {run: (*store).apiKeysList, paged: true},

		"oauthClients.info":          {run: with((*store).oauthClientsInfo)},
		"oauthClients.list":          {run: (*store).oauthClientsList, role: Admin, paged: true},
		"oauthClients.create":        {run: with((*store).oauthClientsCreate), role: Admin, writes: true},
		"oauthClients.rotate_secret": {run: with((*store).oauthClientsRotateSecret), role: Admin, writes: true},
		"oauthClients.delete":        {run: with((*store).oauthClientsDelete), role: Admin, writes: true},

		"users.info": {run: with((*store).usersInfo)},
		"users.list": {run: with((*store).usersList), paged: true},

		"userMemberships.list":  {run: (*store).userMembershipsList, paged: true},
		"groupMemberships.list": {run: (*store).groupMembershipsList, paged: true},

		"collections.info":       {run: with((*store).collectionsInfo)},
		"collections.list":       {run: with((*store).collectionsList), paged: true},
		"collections.documents":  {run: with((*store).collectionsDocuments)},
		"collections.create":     {run: with((*store).collectionsCreate), writes: true},
		"collections.update":     {run: with((*store).collectionsUpdate), writes: true},
		"collections.delete":     {run: with((*store).collectionsDelete), writes: true},
		"collections.archive":    {run: with((*store).collectionsArchive), writes: true},
		"collections.restore":    {run: with((*store).collectionsRestore), writes: true},
		"collections.export":     {run: with((*store).collectionsExport), role: Member, writes: true},
		"collections.export_all": {run: with((*store).collectionsExportAll), role: Admin, writes: true},

		"documents.info":          {run: (*store).documentsInfo},
		"documents.export":        {run: with((*store).documentsExport)},
		"documents.list":          {run: with((*store).documentsList), paged: true},
		"documents.drafts":        {run: with((*store).documentsDrafts), paged: true},
		"documents.archived":      {run: with((*store).documentsArchived), role: Member, paged: true},
		"documents.deleted":       {run: with((*store).documentsDeleted), role: Member, paged: true},
		"documents.search":        {run: with((*store).documentsSearch), paged: true},
		"documents.search_titles": {run: with((*store).documentsSearchTitles), paged: true},
		"documents.create":        {run: with((*store).documentsCreate), writes: true},
		"documents.import":        {run: with((*store).documentsImport), writes: true},
		"documents.update":        {run: with((*store).documentsUpdate), writes: true},
		"documents.duplicate":     {run: with((*store).documentsDuplicate), writes: true},
		"documents.move":          {run: with((*store).documentsMove), writes: true},
		"documents.unpublish":     {run: with((*store).documentsUnpublish), writes: true},
		"documents.archive":       {run: with((*store).documentsArchive), writes: true},
		"documents.restore":       {run: with((*store).documentsRestore), role: Member, writes: true},
		"documents.delete":        {run: with((*store).documentsDelete), writes: true},

		"revisions.info": {run: with((*store).revisionsInfo)},
		"revisions.list": {run: with((*store).revisionsList), paged: true},

		"templates.info":   {run: with((*store).templatesInfo)},
		"templates.list":   {run: with((*store).templatesList), paged: true},
		"templates.create": {run: with((*store).templatesCreate), writes: true},

		"comments.info":      {run: with((*store).commentsInfo)},
		"comments.list":      {run: with((*store).commentsList), paged: true},
		"comments.create":    {run: with((*store).commentsCreate), writes: true},
		"comments.update":    {run: with((*store).commentsUpdate), writes: true},
		"comments.delete":    {run: with((*store).commentsDelete), writes: true},
		"comments.resolve":   {run: with((*store).commentsResolve), writes: true},
		"comments.unresolve": {run: with((*store).commentsUnresolve), writes: true},

		"shares.create": {run: with((*store).sharesCreate), writes: true},
		"shares.info":   {run: with((*store).sharesInfo)},

		"stars.list": {run: (*store).starsList, paged: true},
		"pins.list":  {run: with((*store).pinsList), paged: true},

		"attachments.list":     {run: with((*store).attachmentsList), paged: true},
		"attachments.create":   {run: with((*store).attachmentsCreate), writes: true},
		"attachments.redirect": {run: (*store).attachmentsRedirect, get: true, open: true},
		"attachments.delete":   {run: with((*store).attachmentsDelete), writes: true},
		"files.create":         {run: with((*store).filesCreate), writes: true, open: true},
		"files.get":            {run: with((*store).filesGet), get: true, open: true},

		"fileOperations.info":     {run: with((*store).fileOperationsInfo)},
		"fileOperations.redirect": {run: with((*store).fileOperationsRedirect), get: true},
	}
}
