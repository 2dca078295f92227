package workspace

import "outline-mcp/internal/workspace/api"

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

// endpoints returns the methods that the workspace implements. It answers other
// methods as Outline answers unknown ones.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		"auth.info":         {run: (*store).authInfo},
		"installation.info": {run: (*store).installationInfo},
		"apiKeys.list":      {run: (*store).apiKeysList, paged: true},

		"oauthClients.info":          {run: (*store).oauthClientsInfo},
		"oauthClients.list":          {run: (*store).oauthClientsList, role: Admin, paged: true},
		"oauthClients.create":        {run: (*store).oauthClientsCreate, role: Admin, writes: true},
		"oauthClients.rotate_secret": {run: (*store).oauthClientsRotateSecret, role: Admin, writes: true},
		"oauthClients.delete":        {run: (*store).oauthClientsDelete, role: Admin, writes: true},

		"users.info": {run: (*store).usersInfo},
		"users.list": {run: (*store).usersList, paged: true},

		"userMemberships.list": {run: (*store).userMembershipsList, paged: true},

		"collections.info":       {run: (*store).collectionsInfo},
		"collections.list":       {run: (*store).collectionsList, paged: true},
		"collections.documents":  {run: (*store).collectionsDocuments},
		"collections.create":     {run: (*store).collectionsCreate, writes: true},
		"collections.update":     {run: (*store).collectionsUpdate, writes: true},
		"collections.delete":     {run: (*store).collectionsDelete, writes: true},
		"collections.archive":    {run: (*store).collectionsArchive, writes: true},
		"collections.restore":    {run: (*store).collectionsRestore, writes: true},
		"collections.export":     {run: (*store).collectionsExport, role: Member, writes: true},
		"collections.export_all": {run: (*store).collectionsExportAll, role: Admin, writes: true},

		"documents.info":          {run: (*store).documentsInfo},
		"documents.export":        {run: (*store).documentsExport},
		"documents.list":          {run: (*store).documentsList, paged: true},
		"documents.drafts":        {run: (*store).documentsDrafts, paged: true},
		"documents.archived":      {run: (*store).documentsArchived, role: Member, paged: true},
		"documents.deleted":       {run: (*store).documentsDeleted, role: Member, paged: true},
		"documents.search":        {run: (*store).documentsSearch, paged: true},
		"documents.search_titles": {run: (*store).documentsSearchTitles, paged: true},
		"documents.create":        {run: (*store).documentsCreate, writes: true},
		"documents.import":        {run: (*store).documentsImport, writes: true},
		"documents.update":        {run: (*store).documentsUpdate, writes: true},
		"documents.duplicate":     {run: (*store).documentsDuplicate, writes: true},
		"documents.move":          {run: (*store).documentsMove, writes: true},
		"documents.unpublish":     {run: (*store).documentsUnpublish, writes: true},
		"documents.archive":       {run: (*store).documentsArchive, writes: true},
		"documents.restore":       {run: (*store).documentsRestore, role: Member, writes: true},
		"documents.delete":        {run: (*store).documentsDelete, writes: true},

		"revisions.info": {run: (*store).revisionsInfo},
		"revisions.list": {run: (*store).revisionsList, paged: true},

		"templates.info":   {run: (*store).templatesInfo},
		"templates.list":   {run: (*store).templatesList, paged: true},
		"templates.create": {run: (*store).templatesCreate, writes: true},

		"comments.info":      {run: (*store).commentsInfo},
		"comments.list":      {run: (*store).commentsList, paged: true},
		"comments.create":    {run: (*store).commentsCreate, writes: true},
		"comments.update":    {run: (*store).commentsUpdate, writes: true},
		"comments.delete":    {run: (*store).commentsDelete, writes: true},
		"comments.resolve":   {run: (*store).commentsResolve, writes: true},
		"comments.unresolve": {run: (*store).commentsUnresolve, writes: true},

		"stars.list": {run: (*store).starsList, paged: true},
		"pins.list":  {run: (*store).pinsList, paged: true},

		"attachments.list":     {run: (*store).attachmentsList, paged: true},
		"attachments.create":   {run: (*store).attachmentsCreate, writes: true},
		"attachments.redirect": {run: (*store).attachmentsRedirect, get: true, open: true},
		"attachments.delete":   {run: (*store).attachmentsDelete, writes: true},
		"files.create":         {run: (*store).filesCreate, writes: true, open: true},
		"files.get":            {run: (*store).filesGet, get: true, open: true},

		"fileOperations.info":     {run: (*store).fileOperationsInfo},
		"fileOperations.redirect": {run: (*store).fileOperationsRedirect, get: true},
	}
}
