package outline

// A Remedy is what the operator of a program can do about a failed call. It says
// what to check; the program knows the names of its settings.
type Remedy int

// The remedies.
const (
	NoRemedy            Remedy = iota // nothing is known to help
	SetCredential                     // there is no credential: set one
	CheckCredential                   // the credential is malformed: check how it is set
	CheckAddress                      // Options.BaseURL is not the address of Outline's API
	CheckAddressNetwork               // nothing responds there: check the address and the network
	CheckAddressServer                // the connection was refused: check the address and whether Outline is running
	CheckGateway                      // a proxy or gateway in front of Outline answered: check the address and what is in front of it
	CheckProxy                        // the proxy cannot be reached: check the proxy settings of the environment
	TrustIssuer                       // the issuer of the server's certificate is unknown: add it to transport.Options.CAFile if it is a private one
	RaiseAnswerLimit                  // the answer is longer than Options.MaxAnswerBytes: raise the limit or ask for less
)
