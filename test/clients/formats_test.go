package clients

import (
	"regexp"

	"github.com/itchyny/gojq"
)

// A format is that of a vendor's requests and answers.
type format struct {
	path           *regexp.Regexp
	tools, results *gojq.Code // of a request
	answer         *gojq.Code // from calls or a text
	events         *gojq.Code // that stream an answer
}

var formats = []format{
	{ // Anthropic, messages
		regexp.MustCompile(`/messages$`),
		query(`.tools[]? | {name, schema: .input_schema}`),
		query(`.messages[] | select(.role == "user").content | arrays[] | select(.type == "tool_result")`),
		query(`{id: "msg_1", type: "message", role: "assistant", model: "scripted", usage: {input_tokens: 9, output_tokens: 9},
			stop_reason: (if .text then "end_turn" else "tool_use" end),
			content: (if .text then [{type: "text", text}] else [.calls[] | {type: "tool_use", id: ("toolu_" + .id), name, input: .args}] end)}`),
		query(`{type: "message_start", message: (.content = [] | .stop_reason = null)},
			(.content | to_entries[] | .key as $index | .value |
				{type: "content_block_start", $index, content_block: (if .input then .input = {} else .text = "" end)},
				{type: "content_block_delta", $index, delta: (if .input then {type: "input_json_delta", partial_json: (.input | tojson)} else {type: "text_delta", text} end)},
				{type: "content_block_stop", $index}),
			{type: "message_delta", delta: {stop_reason}, usage}, {type: "message_stop"}`),
	},
	{ // OpenAI, chat completions
		regexp.MustCompile(`/chat/completions$`),
		query(`.tools[]?.function | {name, schema: .parameters}`),
		query(`.messages[] | select(.role == "tool")`),
		query(`{id: "chat_1", object: "chat.completion", created: 1790000000, model: "scripted",
			usage: {prompt_tokens: 9, completion_tokens: 9, total_tokens: 18},
			choices: [{index: 0, finish_reason: (if .text then "stop" else "tool_calls" end), message: {role: "assistant", content: .text} +
				if .text then {} else {tool_calls: [.calls | to_entries[] | {index: .key, type: "function"} + (.value | {id, function: {name, arguments: (.args | tojson)}})]} end}]}`),
		query(`.object = "chat.completion.chunk" | .choices[0] |= (.delta = .message | del(.message)), "[DONE]"`),
	},
	{ // OpenAI, responses
		regexp.MustCompile(`/responses$`),
		query(`.tools[]?, (.input | arrays[] | select(.type == "tool_search_output" or .type == "additional_tools").tools[]?) |
			if .type == "namespace" then .name as $namespace | .tools[] | . + {$namespace} else . end |
			{name: (.name // .type), namespace, type, schema: .parameters}`),
		query(`.input | arrays[] | select((.type // "") | endswith("_output"))`),
		query(`{id: "resp_1", object: "response", created_at: 1790000000, status: "completed", model: "scripted", tools: [], parallel_tool_calls: true, tool_choice: "auto",
			usage: {input_tokens: 9, input_tokens_details: {cached_tokens: 0}, output_tokens: 9, output_tokens_details: {reasoning_tokens: 0}, total_tokens: 18},
			output: (if .text then [{type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{type: "output_text", text, annotations: []}]}]
				else [.calls[] | if .type == "tool_search"
					then {type: "tool_search_call", id: ("ts_" + .id), call_id: .id, execution: "client", status: "completed", arguments: .args}
					else {type: "function_call", id: ("fc_" + .id), call_id: .id, name, arguments: (.args | tojson), status: "completed"} +
						if .namespace then {namespace} else {} end end] end)}`),
		query(`{type: "response.created", response: (.status = "in_progress" | .output = [])},
			(.output | to_entries[] | {output_index: .key, item: .value} | ({type: "response.output_item.added"} + .), ({type: "response.output_item.done"} + .)),
			{type: "response.completed", response: .}`),
	},
	{ // Gemini
		regexp.MustCompile(`:(stream)?[gG]enerateContent$`),
		query(`.tools[]?.functionDeclarations[]? | {name, schema: (.parametersJsonSchema // .parameters)}`),
		query(`.contents[].parts[]?.functionResponse | select(.)`),
		query(`{modelVersion: "scripted", usageMetadata: {promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18},
			candidates: [{index: 0, finishReason: "STOP", content: {role: "model", parts: (if .text then [{text}] else [.calls[] | {functionCall: {name, args, id}}] end)}}]}`),
		query(`.`),
	},
}

func query(source string) *gojq.Code {
	parsed, err := gojq.Parse(source)
	if err != nil {
		panic(err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		panic(err)
	}
	return code
}

// valuesOf returns the results of a query, up to the first error.
func valuesOf(code *gojq.Code, input any) (found []any) {
	for values := code.Run(input); ; {
		value, ok := values.Next()
		if _, failed := value.(error); !ok || failed {
			return found
		}
		found = append(found, value)
	}
}
