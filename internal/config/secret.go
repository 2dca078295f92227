package config

import (
	"errors"
	"fmt"
	"strings"
)

// leastSecret is the length of the shortest secret from which keys are derived, in
// bytes.
const leastSecret = 32

// checkSecret reports a secret that cannot be one. If a file is named, it reads the
// secret from there. The setting of the file is that of the secret with _FILE.
func (c *Config) checkSecret(found *problems, setting string, value *Secret, file string, least int) {
	if file == "" {
		if err := c.validateSecret(*value, least); *value != "" && err != nil {
			found.add(setting, "%s", err)
		}
		return
	}
	name := setting + "_FILE"
	if *value != "" {
		found.add(name, "%s is also set; set only one of them", setting)
		return
	}
	content, err := readLimited(file, "value", maxKeyFile, "")
	if err != nil {
		found.add(name, "%s; set the path of a file that contains only the value", err)
		return
	}
	secret := Secret(strings.TrimSpace(content))
	if err := c.validateSecret(secret, least); err != nil {
		found.add(name, "%s", err)
		return
	}
	*value = secret
}

// validateSecret returns an error that says why a secret cannot be used and what to
// do, without showing it.
func (c *Config) validateSecret(secret Secret, least int) error {
	const create = "create one with: openssl rand -hex 32"
	switch value := secret.Reveal(); {
	case value == "":
		return errors.New("the file is empty; write the value into it")
	case strings.ContainsAny(value, "${}<>"):
		return errors.New("it is a placeholder or an unexpanded variable; replace it with the actual value")
	case len(value) < least:
		return fmt.Errorf("it has fewer than %d characters; %s", least, create)
	case secret == c.APIKey && least > 0:
		return errors.New("it is the same as OUTLINE_API_KEY; " + create)
	}
	return nil
}
