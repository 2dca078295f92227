// Package folder keeps part of a wiki as a folder of Markdown files, as the commands
// pull, status, diff and push show it.
//
// # Layout
//
// Each collection is a folder, and each document a file in it, named by its title.
// The documents below it are in a folder of the same name:
//
//	Handbook/
//	    Welcome.md
//	    Welcome/
//	        First week.md
//	.outline/
//	    pulled.db
//
// A file begins with front matter that names its document. Its text is the document's
// Markdown, in which links between documents of the folder are relative. Which file a
// document has depends only on the titles around it, so two folders of the same wiki
// hold the same bytes.
//
// The database in .outline holds each document as it was pulled or pushed last: that
// is what files are compared with, and the revision with which a push is guarded.
//
// # Interruptions
//
// Each file is replaced by one rename. Before files are written, the database says
// what will be in them; what an interrupted command has written is recognized by that.
// A push records the ID of a document before it creates it.
//
// # Trust
//
// Titles and texts are data from outside. All files are opened through an os.Root, so
// no title, link or symbolic link leads out of the folder.
package folder
