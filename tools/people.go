package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/search"
)

// findPerson returns the one user that a name, an e-mail address or a UUID stands for:
// the user who has that name or address or, if none has, the only one in whose name or
// address it occurs. Names and addresses are compared in any case. Of a UUID, only the
// ID is known: it is not looked up, because not every key may do that. argument names the
// value in failures, and byID what to give instead of a name.
func findPerson(ctx context.Context, env mcptool.Env, argument, byID, given string) (outline.User, error) {
	given = output.OneLine(given)
	if outline.IsUUID(given) {
		return outline.User{ID: strings.ToLower(given)}, nil
	}
	found, err := usersLike(ctx, env, given)
	if err != nil {
		return outline.User{}, explainRefusal(err, output.Failure{
			Sentence: fmt.Sprintf("%s: this key may not list users: it is a guest's, or lacks the scope users.list. Give %s.", argument, byID)})
	}
	same := slices.DeleteFunc(slices.Clone(found), func(u outline.User) bool {
		return !strings.EqualFold(output.OneLine(u.Name), given) && !strings.EqualFold(u.Email, given)
	})
	if len(same) > 1 {
		chosen, err := choose(env, "user", given, same, func(u outline.User) string {
			return output.OneLine(u.Name) + ", " + cmp.Or(output.OneLine(u.Email), u.ID)
		})
		if err != nil {
			return outline.User{}, err
		}
		if chosen != nil {
			return *chosen, nil
		}
	}
	if len(same) == 0 {
		same = found
	}
	switch len(same) {
	case 1:
		return same[0], nil
	case 0:
		return outline.User{}, unknownPerson(ctx, env, argument, given)
	}
	return outline.User{}, output.Invalid("%s %s is not the name of one user: give the e-mail address or %s. There are %s.",
		argument, output.Quote(output.Excerpt(given, longestTitle)), byID, people(same))
}

// optionalPerson is findPerson for the argument collaborator, which may be "".
func optionalPerson(ctx context.Context, env mcptool.Env, given string) (outline.User, error) {
	if given == "" {
		return outline.User{}, nil
	}
	return findPerson(ctx, env, "collaborator", "the UUID", given)
}

// notLookedUp is the note on documents of a user that are not found.
const notLookedUp = "collaborator may be wrong: the user with this UUID was not looked up"

// usersLike returns up to 100 users in whose name or e-mail address a text occurs. Only
// admins see those who are suspended.
func usersLike(ctx context.Context, env mcptool.Env, text string) ([]outline.User, error) {
	page, err := env.Outline.Users(ctx, outline.UserListParams{Query: text, Filter: "all", Sort: "name", Direction: "ASC", Limit: 100})
	return page.Items, err
}

// mostPeople is how many users a failure names.
const mostPeople = 4

// unknownPerson returns the failure for a user who is not found, with the users whose
// names are nearest: of those that share a word with it or, if none does, of the first
// hundred.
func unknownPerson(ctx context.Context, env mcptool.Env, argument, given string) error {
	name, _, _ := strings.Cut(given, "@")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(word string) bool { return utf8.RuneCountInString(word) < 3 })
	var candidates []outline.User
	for _, word := range append(words[:min(3, len(words))], "") {
		if word == "" && len(candidates) > 0 {
			break
		}
		like, err := usersLike(ctx, env, word)
		if err != nil {
			return err
		}
		for _, user := range like {
			if !slices.ContainsFunc(candidates, func(u outline.User) bool { return u.ID == user.ID }) {
				candidates = append(candidates, user)
			}
		}
	}
	all := entriesOf(candidates, func(u outline.User) string { return u.Name })
	nearest := entriesOf(search.Nearest(all, name, mostPeople), func(i int) outline.User { return candidates[i] })
	failure := output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("%s: no user has the name or e-mail address %s.", argument, output.Quote(output.Excerpt(given, longestTitle)))}
	if len(nearest) > 0 {
		failure.Sentence += " The nearest are " + people(nearest) + "."
	}
	return failure
}

// people lists users for a failure: name, and what tells them apart.
func people(users []outline.User) string {
	return firstOf(users, mostPeople, ", ", "", func(u outline.User) string {
		return strings.Join(nonEmpty(titleOf(u.Name), output.OneLine(u.Email), u.ID), " ")
	})
}

func listUsers() mcptool.Tool {
	return mcptool.Spec[listUsersIn, userList]{
		Name:        "list_users",
		Title:       "List users",
		Description: "Lists the people of an Outline workspace with their roles. E-mail addresses are shown to admins and members.",
		Endpoints:   []string{"users.list"},
		Effect:      mcptool.Reads,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, in listUsersIn) (userList, error) {
			page, err := env.Outline.Users(ctx, outline.UserListParams{
				Query: in.Query, Role: in.Role, Sort: "name", Direction: "ASC", Limit: in.Limit, Offset: in.Offset,
			})
			err = explainRefusal(err, output.Failure{Sentence: "this key may not list users: guests may not, and the key needs the scope users.list."})
			list := userList{Users: entriesOf(page.Items, userEntryOf), countedList: countedList{Total: page.Total, Offset: in.Offset}}
			list.show(len(list.Users))
			return list, err
		},
	}
}

type listUsersIn struct {
	Query string `json:"query,omitempty" maxLength:"1000" jsonschema:"Part of a name or e-mail address"`
	Role  string `json:"role,omitempty" enum:"admin,member,viewer,guest"`
	paging
}

type userEntry struct {
	UserID string `json:"user_id" format:"uuid"`
	Name   string `json:"name"`
	Email  string `json:"email,omitempty"`
	Role   string `json:"role"`
}

func userEntryOf(u outline.User) userEntry {
	return userEntry{u.ID, output.Label(u.Name), output.OneLine(u.Email), output.OneLine(u.Role)}
}

func (e userEntry) write(t *output.Text) {
	t.Printf("%s %s, %s", titleOf(e.Name), e.UserID, e.Role)
	t.If(e.Email != "").Printf(", %s", e.Email)
}

type userList struct {
	Users []userEntry `json:"users"`
	countedList
}

// Cuts implements output.Cuttable.
func (l *userList) Cuts() []output.Cut { return cutEntries(&l.Users, l.show) }

func (l userList) WriteText(t *output.Text) {
	writeCounted(t, l.countedList, "user", "users", "Each line: name, user_id, role, e-mail address if you may see it", l.Users)
}
