package tools

import (
	"context"
	"errors"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

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
			if errors.Is(err, outline.ErrForbidden) {
				err = output.Failure{Code: output.Forbidden, Cause: err, Sentence: "this key may not list users: guests may not, and the key needs the scope users.list."}
			}
			list := userList{Users: entriesOf(page.Items, userEntryOf), countedList: countedList{Total: page.Total, Offset: in.Offset}}
			list.show(len(list.Users))
			return list, err
		},
	}
}

type listUsersIn struct {
	Query string `json:"query,omitempty" jsonschema:"Part of a name or e-mail address"`
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
