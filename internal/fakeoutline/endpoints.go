package fakeoutline

import (
	"net/http"
	"strings"
)

// An endpoint is a method of the API.
type endpoint struct {
	// run answers a request whose caller may call the method. The caller of
	// run holds the store's lock, for writing if writes is set.
	run    func(*store, *request) (apiAnswer, error)
	role   Role // the minimum role; "" allows any
	paged  bool // read and check limit and offset before run
	writes bool
	get    bool // answers GET, too
	open   bool // needs no key: the caller of a request without a valid one is nobody
}

// with returns the handler of an endpoint that decodes the fields of a request (see
// [apiFields.Decode]) before it runs.
func with[In any](run func(*store, *request, In) (apiAnswer, error)) func(*store, *request) (apiAnswer, error) {
	return func(s *store, r *request) (apiAnswer, error) {
		var in In
		if err := r.Fields.Decode(&in); err != nil {
			return apiAnswer{}, err
		}
		return run(s, r, in)
	}
}

// countedAnswer returns the answer with the page of a list that the request asks for, and the
// length of the list.
func countedAnswer[T any](r *request, list []T, present func(T) apiJSON) (apiAnswer, error) {
	return apiAnswer{Data: jsonList(apiSlice(list, r.Page), present), Page: r.Counted(len(list))}, nil
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

		"oauthClients.info":   {run: with((*store).oauthClientsInfo)},
		"oauthClients.list":   {run: (*store).oauthClientsList, role: Admin, paged: true},
		"oauthClients.create": {run: with((*store).oauthClientsCreate), role: Admin, writes: true},
		"oauthClients.delete": {run: with((*store).oauthClientsDelete), role: Admin, writes: true},

		"users.info": {run: with((*store).usersInfo)},
		"users.list": {run: with((*store).usersList), paged: true},

		"groups.list": {run: with((*store).groupsList), paged: true},

		"collections.memberships":       {run: with((*store).listGrants), paged: true},
		"collections.group_memberships": {run: with((*store).listGrants), paged: true},
		"collections.add_user":          {run: with((*store).setUser), writes: true},
		"collections.remove_user":       {run: with((*store).setUser), writes: true},
		"collections.add_group":         {run: with((*store).setGroup), writes: true},
		"collections.remove_group":      {run: with((*store).setGroup), writes: true},
		"documents.memberships":         {run: with((*store).listGrants), paged: true},
		"documents.group_memberships":   {run: with((*store).listGrants), paged: true},
		"documents.add_user":            {run: with((*store).setUser), writes: true},
		"documents.remove_user":         {run: with((*store).setUser), writes: true},
		"documents.add_group":           {run: with((*store).setGroup), writes: true},
		"documents.remove_group":        {run: with((*store).setGroup), writes: true},

		"shares.info":   {run: with((*store).sharesInfo)},
		"shares.create": {run: with((*store).sharesCreate), writes: true},
		"shares.update": {run: with((*store).sharesUpdate), writes: true},
		"shares.revoke": {run: with((*store).sharesRevoke), writes: true},

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

const keyPrefix = "ol_api_"

// A request is a request to an endpoint and its caller.
type request struct {
	*apiRequest
	caller  *caller
	version int // of the API
}

// The versions of the API from which answers differ.
const (
	nestedVersion = 2 // documents.info answers data.document
	treeVersion   = 3 // trees take the place of texts
)

// nobody returns the caller of a request without a key, who may do nothing.
func nobody() *caller { return &caller{User: &User{}, Scopes: []string{}} }

// authenticate returns the caller of a request.
func (s *store) authenticate(r *request) (*caller, error) {
	token := r.Token()
	userID, scopes, err := s.owner(r, token)
	if err != nil {
		return nil, err
	}
	user, ok := s.user(userID)
	switch {
	case !ok:
		return nil, apiUnauthorized("Invalid API key")
	case user.Suspended && !s.features.august2026 && r.Method == "documents.info":
		return nil, apiUnauthorized("Authentication required") // as if without a key; measured on 1.9.2
	case user.Suspended && !s.features.august2026 && r.Method == "documents.search":
		return nil, apiUnauthorized("Authentication error")
	case user.Suspended:
		return nil, &apiError{
			Status:  http.StatusForbidden,
			Code:    "user_suspended",
			Message: "Your access has been suspended by a workspace admin",
			Data: struct {
				AdminEmail string `json:"adminEmail"`
			}{s.adminEmail()},
		}
	}
	return &caller{
		User: user, Scopes: scopes, groups: s.groupsOf(user.ID), Commenting: s.team.Commenting, narrowScopes: !s.features.august2026,
		oauth: strings.HasPrefix(token, accessPrefix),
	}, nil
}

// owner returns the user and the scopes of the API key, access token or session of a
// request.
func (s *store) owner(r *request, token string) (userID string, scopes []string, err error) {
	switch {
	case token == "":
		return "", nil, apiUnauthorized("Authentication required")
	case strings.HasPrefix(token, accessPrefix):
		if r.Header.Get("Authorization") == "" {
			return "", nil, apiUnauthorized("OAuth access token must be passed in the Authorization header")
		}
		return s.oauth.Access(token)
	case !isKey(token):
		userID, ok := sessionUser(token)
		if !ok {
			return "", nil, apiUnauthorized("Unable to decode token")
		}
		return userID, nil, nil
	}
	key, ok := s.key(token)
	switch {
	case !ok:
		return "", nil, apiUnauthorized("Invalid API key")
	case !key.ExpiresAt.IsZero() && !s.now().Before(key.ExpiresAt):
		return "", nil, apiUnauthorized("API key is expired")
	}
	return key.UserID, key.Scopes, nil
}

// isKey reports whether a token has the form of an API key: the prefix and
// letters or digits, or, for a key of an old version of Outline, 38 letters or
// digits.
func isKey(token string) bool {
	rest, prefixed := strings.CutPrefix(token, keyPrefix)
	if !prefixed && len(rest) != 38 {
		return false
	}
	return rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// mayCall returns an error unless the caller may call a method that requires a
// role.
func (c *caller) mayCall(method string, role Role) error {
	if !c.hasScope(method) {
		if c.oauth {
			return apiDenied("Access token does not have access to this resource")
		}
		return apiDenied("API key does not have access to this resource")
	}
	if !c.Role.atLeast(role) {
		return apiDenied(role.Title() + " role required")
	}
	return nil
}

// apiKeysList implements apiKeys.list, which lists the caller's own keys.
func (s *store) apiKeysList(r *request) (apiAnswer, error) {
	var list []apiJSON
	for _, key := range s.keysOf(r.caller.ID) {
		list = append(list, encodeJSON(struct {
			ID           string        `json:"id"`
			User         presentedUser `json:"user"`
			UserID       string        `json:"userId"`
			Name         string        `json:"name"`
			Scope        []string      `json:"scope"`
			Last4        string        `json:"last4"`
			CreatedAt    apiTimestamp  `json:"createdAt"`
			UpdatedAt    apiTimestamp  `json:"updatedAt"`
			ExpiresAt    *apiTimestamp `json:"expiresAt"`
			LastActiveAt apiTimestamp  `json:"lastActiveAt"`
		}{
			ID: key.ID, User: presentUser(r.caller.User, brief), UserID: key.UserID, Name: key.Name,
			Scope: key.Scopes, Last4: key.Secret[max(0, len(key.Secret)-4):],
			CreatedAt: apiTimestamp(key.CreatedAt), UpdatedAt: apiTimestamp(key.CreatedAt),
			ExpiresAt: timeOrNull(key.ExpiresAt), LastActiveAt: apiTimestamp(s.now()),
		}))
	}
	return apiAnswer{Data: jsonArray(apiSlice(list, r.Page)...), Page: r.Uncounted()}, nil
}
