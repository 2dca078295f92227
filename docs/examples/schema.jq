# Turns the output of outline-mcp tools --json into one JSON Schema for
# generators of types. For read_document it defines ReadDocumentArguments,
# ReadDocumentSuccess and ReadDocumentFailure. Tools has all tools by name.
def camel: split("_") | map((.[:1] | ascii_upcase) + .[1:]) | add;
def ref($kind): {"$ref": "#/$defs/\(.name | camel)\($kind)"};
def failure: .required | index("error") and index("code");
def union: map({type: "object"} + .) | if length == 1 then .[0] else {anyOf: .} end;
{
  title: "Tools",
  type: "object",
  required: map(.name),
  properties: map({(.name): {
    type: "object",
    required: ["arguments", "success", "failure"],
    properties: {arguments: ref("Arguments"), success: ref("Success"), failure: ref("Failure")}
  }}) | add,
  "$defs": map({
    "\(.name | camel)Arguments": .inputSchema,
    "\(.name | camel)Success": (.outputSchema.anyOf | map(select(failure | not)) | union),
    "\(.name | camel)Failure": (.outputSchema.anyOf | map(select(failure)) | union)
  } + .inputSchema."$defs" + .outputSchema."$defs") | add
}
