package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/internal/install"
)

// serverOf reads what the flags say of a server, and what the environment says
// of the key's file.
func serverOf(p process, client install.Client, flags installFlags, demo bool) (install.Server, error) {
	server := install.Server{Name: flags.name, Demo: demo}
	switch {
	case demo && (flags.url != "" || flags.outline != "" || flags.keyFile != ""):
		return server, errors.New("--demo serves the embedded workspace; leave out --url, --outline-url and --key-file")
	case flags.url != "" && (flags.outline != "" || flags.command != ""):
		return server, errors.New("--url is the address of a server that runs already; leave out --outline-url and --command")
	case flags.url != "":
		address, err := config.CheckURL(flags.url)
		if err != nil {
			return server, fmt.Errorf("--url: %w", err)
		}
		if config.TravelsInClear(address) {
			return server, errors.New("--url: the key would travel where everybody can read it; use an address that begins with https://")
		}
		server.URL = address
	default:
		program, err := programPath(flags.command)
		if err != nil {
			return server, err
		}
		server.Command = program
	}
	if demo {
		return server, nil
	}
	err := readKeyFile(p, client, flags, &server)
	return server, err
}

// readKeyFile adds what is known of the file that holds the key: its path, or
// for a header the key itself.
func readKeyFile(p process, client install.Client, flags installFlags, server *install.Server) error {
	keyFile := flags.keyFile
	if keyFile == "" {
		if keyFile = p.getenv("OUTLINE_API_KEY_FILE"); keyFile != "" && p.getenv("OUTLINE_API_KEY") != "" {
			return errors.New("OUTLINE_API_KEY and OUTLINE_API_KEY_FILE are both set; set one of the two, or give --key-file")
		}
	}
	asks := server.URL != "" && client.AsksForKey(*server)
	switch {
	case asks && flags.keyFile != "":
		return fmt.Errorf("%s asks for the key of such a server itself; leave out --key-file", client.Title)
	case asks || keyFile == "":
		return nil
	}
	if server.URL == "" {
		path, err := lastingFile(keyFile)
		if err != nil {
			return fmt.Errorf("the file of the key: %w", err)
		}
		server.KeyFile = path
	}
	key, err := config.ReadKey(keyFile)
	if err != nil {
		return fmt.Errorf("the file of the key: %w", err)
	}
	if server.URL != "" {
		server.Key = key.Reveal()
	}
	return nil
}

// lastingFile returns the absolute path of a file, and refuses what is gone when
// the server starts: a pipe, or a descriptor of this process. What cannot be
// found reading tells.
func lastingFile(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	system := strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
	if system || err == nil && !info.Mode().IsRegular() {
		return "", errors.New("it is no ordinary file, and the server reads it each time it starts; name a file that stays")
	}
	return path, nil
}

// fillIn adds the address of Outline and the key, from the environment or
// from the person at the terminal.
func fillIn(ctx context.Context, p process, client install.Client, flags installFlags, server *install.Server) error {
	if server.Demo {
		return nil
	}
	given := flags.outline
	if given == "" {
		given = p.getenv("OUTLINE_API_URL")
	}
	var person *person
	if !flags.print {
		person = personAt(p)
	}
	switch {
	case server.URL != "":
	case given != "":
		address, err := config.CheckURL(given)
		if err != nil {
			return exitError{exitUsage, "the address of Outline: " + err.Error()}
		}
		server.Outline = address
	case person != nil:
		address, err := person.ask(ctx, "Address of Outline ["+config.DefaultOutline+"]: ", false, func(line string) (string, error) {
			if strings.TrimSpace(line) == "" {
				return "", nil
			}
			return config.CheckURL(line)
		})
		if err != nil {
			return err
		}
		server.Outline = address
	}
	if isDefaultOutline(server.Outline) {
		server.Outline = ""
	}
	if !client.NeedsKey(*server) || server.Key != "" && !flags.print {
		return nil
	}
	return fillInKey(ctx, p, person, flags, server)
}

func fillInKey(ctx context.Context, p process, person *person, flags installFlags, server *install.Server) error {
	checked := func(line string) (string, error) {
		key, err := config.CheckKey(line)
		if err != nil {
			return "", fmt.Errorf("the key %w", err)
		}
		return key.Reveal(), nil
	}
	var err error
	switch given := p.getenv("OUTLINE_API_KEY"); {
	case flags.print: // what is printed is often shown to others
		server.Key = "ol_api_..."
		fmt.Fprintln(p.stderr, "outline-mcp: no key is printed; put yours in the place of ol_api_...")
	case given != "":
		if server.Key, err = checked(given); err != nil {
			return exitError{exitUsage, "OUTLINE_API_KEY: " + err.Error()}
		}
	case person != nil:
		server.Key, err = person.ask(ctx, "API key, made in Outline under Settings, API (it is not shown): ", true, checked)
	default:
		return exitError{exitUsage, "there is no key, and nobody at a terminal to ask; set OUTLINE_API_KEY, or give --key-file FILE, or --demo for the embedded workspace"}
	}
	return err
}

// isDefaultOutline tells whether the server looks at an address anyway.
func isDefaultOutline(address string) bool {
	address = strings.TrimSuffix(strings.TrimRight(strings.ToLower(address), "/"), "/api")
	return strings.TrimRight(address, "/") == config.DefaultOutline
}
