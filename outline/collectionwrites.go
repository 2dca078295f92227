package outline

import (
	"context"
	"errors"
	"strings"
	"time"

	"outline-mcp/outline/sametext"
)

// CreateCollectionParams says what collection to create. What is left at "" is not
// sent, except for the permission.
type CreateCollectionParams struct {
	Name        string `json:"name"`                  // 1–100 characters, no URL
	Description string `json:"description,omitempty"` // Markdown, at most 100,000 characters
	Color       string `json:"color,omitempty"`       // #RRGGBB
	Icon        string `json:"icon,omitempty"`        // emoji or name of an icon
	Permission  string `json:"-"`                     // what every member may do: read_write, read, or "": nothing, it is private
}

// CreateCollection creates a collection and returns it (collections.create).
// A private one is invisible even to other administrators.
//
// Outline lets nobody choose the ID of a collection, so that one whose answer
// was lost is looked for by its name among those created since. Unless there
// is exactly one, the outcome is unknown: a second one must not be created.
func (c *Client) CreateCollection(ctx context.Context, n CreateCollectionParams) (Collection, error) {
	body := struct {
		CreateCollectionParams
		Permission *string `json:"permission"`
	}{CreateCollectionParams: n}
	if n.Permission != "" {
		body.Permission = &n.Permission
	}
	start := time.Now()
	return resolve(ctx, c, operation[Collection]{
		send: func(ctx context.Context) (Collection, error) {
			return command(ctx, c, request{endpoint: "collections.create", params: body}, Collection.flaw)
		},
		observe: func(ctx context.Context, _ loss) observation[Collection] {
			return observed(c.collectionSince(ctx, start, n))
		},
		repeatable: never,
	})
}

// collectionSince finds the only collection that is as n says and was created
// since a moment of this machine's clock.
func (c *Client) collectionSince(ctx context.Context, start time.Time, n CreateCollectionParams) (Collection, bool, error) {
	const endpoint = "collections.list"
	var found []Collection
	for offset := 0; ; offset += maxPage {
		a, err := query[[]Collection](ctx, c, endpoint, ListParams{Limit: maxPage, Offset: offset})
		if err != nil {
			return Collection{}, false, err
		}
		// By the server's clock, which tells whole seconds.
		since := a.date.Add(-time.Since(start) - 2*time.Second)
		for _, collection := range *a.Data {
			if n.made(collection) && collection.flaw() == "" && !collection.CreatedAt.Before(since) {
				found = append(found, collection)
			}
		}
		if len(*a.Data) < maxPage {
			break
		}
	}
	if len(found) != 1 {
		return Collection{}, false, nil
	}
	return found[0], true, nil
}

// made reports whether a collection is as it was asked for.
func (n CreateCollectionParams) made(c Collection) bool {
	return c.Name == strings.TrimSpace(n.Name) && c.Permission == n.Permission && sametext.Equal(c.Description, n.Description) &&
		(n.Color == "" || strings.EqualFold(c.Color, n.Color)) && (n.Icon == "" || c.Icon == n.Icon)
}

// UpdateCollectionParams says what to change in a collection. Only what is set is
// sent.
type UpdateCollectionParams struct {
	ID          string  `json:"id"`                    // UUID or URL id, as for Client.Collection
	Name        *string `json:"name,omitempty"`        // 1–100 characters, no URL
	Description *string `json:"description,omitempty"` // Markdown, at most 100,000 characters
	Color       *string `json:"color,omitempty"`       // #RRGGBB
}

// UpdateCollection changes a collection and returns it (collections.update).
// For an unknown id Outline answers with ErrForbidden.
func (c *Client) UpdateCollection(ctx context.Context, u UpdateCollectionParams) (Collection, error) {
	return resolve(ctx, c, operation[Collection]{
		send: func(ctx context.Context) (Collection, error) {
			return command(ctx, c, request{endpoint: "collections.update", params: u}, Collection.flaw)
		},
		observe: func(ctx context.Context, _ loss) observation[Collection] {
			now, err := c.Collection(ctx, u.ID)
			is := func(value string, asked *string) bool { return asked == nil || value == *asked }
			done := is(now.Name, u.Name) && (u.Color == nil || strings.EqualFold(now.Color, *u.Color)) && (u.Description == nil || sametext.Equal(now.Description, *u.Description))
			return observed(now, done, err)
		},
		// Nothing would keep it from undoing what somebody wrote since.
		repeatable: never,
	})
}

// DeleteCollection deletes a collection with all its documents, which go to
// the trash (collections.delete). The id is as for [Client.Collection]. For an
// unknown one Outline answers with ErrForbidden.
func (c *Client) DeleteCollection(ctx context.Context, id string) error {
	_, err := resolve(ctx, c, operation[struct{}]{
		send: func(ctx context.Context) (struct{}, error) {
			return struct{}{}, acknowledged(ctx, c, request{endpoint: "collections.delete", params: byID{id}})
		},
		observe: func(ctx context.Context, _ loss) observation[struct{}] {
			_, err := c.Collection(ctx, id)
			if errors.Is(err, ErrNotFound) {
				return observation[struct{}]{seen: seenDone}
			}
			return observed(struct{}{}, false, err)
		},
	})
	return err
}
