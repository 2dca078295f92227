package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestTheJobsForCIPushWhatIsMerged runs the commands of both examples in a repository, for a
// change to a file and a new one, and after an edit in Outline.
func TestTheJobsForCIPushWhatIsMerged(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root(t), "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	var scripts []string
	for _, part := range strings.Split(string(source), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		var example struct {
			Docs struct{ Script []string }
			Jobs struct {
				Docs struct{ Steps []struct{ Run string } }
			}
		}
		if err := yaml.Unmarshal([]byte(text), &example); err != nil {
			t.Fatal(err)
		}
		script := strings.Join(example.Docs.Script, "\n")
		for _, step := range example.Jobs.Docs.Steps {
			script += "\n" + step.Run
		}
		scripts = append(scripts, script)
	}
	if len(scripts) != 2 {
		t.Fatalf("the page has %d examples", len(scripts))
	}
	s := newShell(t)
	s.environ = append(s.environ, "LOG_LEVEL=error", "OUTLINE_API_URL=http://127.0.0.1:"+s.port, "OUTLINE_API_KEY=ol_api_demo_admin")
	for _, script := range scripts {
		s.environ = append(s.environ, "HOME="+t.TempDir(), "JOB="+script)
		printed, err := s.bash(t, `set -e
outline-mcp workspace --listen 127.0.0.1:`+s.port+` > ../workspace.log &
curl -s --retry 9 --retry-connrefused -o /dev/null $OUTLINE_API_URL
export GIT_CONFIG_GLOBAL=$HOME/gitconfig CI_COMMIT_BRANCH=main
git config --global user.name Ada; git config --global user.email ada@example.com; git config --global init.defaultBranch main
git init -q --bare $HOME/origin; export PUSH_URL=$HOME/origin
mkdir -p $HOME/mine/docs; cd $HOME/mine; git init -q
printf '# Setup\n\nRun it.\n' > docs/Setup.md; printf 'Old.\n' > docs/Old.md; echo .outline > .gitignore
outline-mcp push docs --collection Handbook --yes
git add .; git commit -qm one; git remote add origin $HOME/origin; git push -qu origin main
job() { # what CI does with a new commit
  rm -rf $HOME/job; mkdir $HOME/job; git clone -q $HOME/origin $HOME/job/repository; cd $HOME/job/repository
  export BEFORE=$1 CI_COMMIT_BEFORE_SHA=$1; (set -e; eval "$JOB"); code=$?; cd $HOME/mine; return $code
}
echo 'Later.' > 'docs/Has no document.md'; git add .; git commit -qm 'A job that failed'; git push -q
before=$(git rev-parse HEAD)
sed -i 's/Run it/Run it twice/' docs/Setup.md; echo 'New.' > docs/New.md; git rm -q docs/Old.md; git add .; git commit -qm two; git push -q
echo == first; job $before
git pull -q; grep -q '^outline:' docs/New.md
echo == unauthorized; set +e; (export OUTLINE_API_KEY=ol_api_wrong; job $before); echo exit $?; set -e
before=$(git rev-parse HEAD)
id=$(sed -n 's/^outline: //p' docs/Setup.md)
outline-mcp call update_document document_id=$id text='An edit in Outline.' append=true > /dev/null
sed -i 's/Run it twice/Run it at last/' docs/Setup.md; git commit -qam three; git push -q
echo == second; set +e; (job $before); echo exit $?; set -e
outline-mcp call list_documents collection_id=Handbook sort=created limit=100
echo == third
outline-mcp pull docs || test $? = 5
sed -i 's/Run it at last/Run it twice, and at last/' docs/Setup.md; echo 'An edit in Outline.' >> docs/Setup.md; rm docs/Setup.outline.md
outline-mcp push docs --yes; git commit -qam 'What Outline has [skip ci]'; git push -q
before=$(git rev-parse HEAD)
sed -i 's/An edit/Another edit/' docs/Setup.md; git commit -qam four; git push -q; job $before
outline-mcp call read_document document_id=$id
`)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		printed, third, _ := strings.Cut(printed, "== third")
		first, second, _ := strings.Cut(printed, "== second")
		first, unauthorized, _ := strings.Cut(first, "== unauthorized")
		for _, line := range []string{"changed    Setup.md", "new        New.md", "new        Has no document.md", "archived   Old.md"} {
			if !strings.Contains(first, line) {
				t.Errorf("the job lacks %q: %s", line, first)
			}
		}
		if strings.Count(unauthorized, "outline-mcp:") != 1 || !strings.Contains(unauthorized, "does not accept the API key") || strings.Contains(unauthorized, "exit 0") {
			t.Errorf("with a wrong key: %s", unauthorized)
		}
		if !strings.Contains(second, "conflict   Setup.md") || !strings.Contains(second, "In CI, do this on your computer, then commit") || !strings.Contains(second, "exit 5") || strings.Count(second, `"New"`) != 1 || strings.Contains(second, `"Old"`) {
			t.Errorf("after an edit in Outline: %s", second)
		}
		if !strings.Contains(third, "at last. Another edit in Outline.") {
			t.Errorf("after the edit was merged: %s", third)
		}
	}
}
