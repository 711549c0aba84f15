import { asOutput } from "./shared-shapes";
import { storedResponseStatuses } from "./states";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const states = storedResponseStatuses;

export const fields: readonly FieldFact[] = asOutput([
  { path: "id", type: "string", nullable: true },
  { path: "object", type: "string", enum: ["response"] },
  { path: "created_at", type: "integer", requiredInResponse: true, note: "Unix seconds" },
  { path: "status", type: "string", enum: storedResponseStatuses, requiredInResponse: true },
  { path: "model", type: "string", requiredInResponse: true },
  { path: "output", type: "array", requiredInResponse: true },
  { path: "output[]", type: "object", note: "a message, or a tool call or output whose fields are not documented" },
  { path: "output[].id", type: "string" },
  { path: "output[].role", type: "string" },
  { path: "output[].status", type: "string" },
  { path: "output[].type", type: "string", enum: ["message"], enumPartial: true },
  { path: "output[].content", type: "array" },
  { path: "output[].content[]", type: "object" },
  { path: "output[].content[].type", type: "string" },
  { path: "output[].content[].text", type: "string" },
  { path: "previous_response_id", type: "string", nullable: true },
  { path: "usage", type: "object" },
  { path: "usage.prompt_tokens", type: "unshown" },
  { path: "usage.completion_tokens", type: "unshown" },
  { path: "usage.total_tokens", type: "unshown" },
  { path: "error", type: "object", absentMeans: "it did not fail" },
  { path: "error.type", type: "unshown" },
  { path: "error.code", type: "unshown" },
  { path: "error.message", type: "unshown" },
  { path: "incomplete_details", type: "object" },
  {
    path: "incomplete_details.reason",
    type: "string",
    enum: ["max_output_tokens", "max_tool_calls", "content_filter"],
  },
  { path: "instructions", type: "string", nullable: true },
  { path: "max_output_tokens", type: "integer", nullable: true, min: 1 },
  { path: "max_tool_calls", type: "integer", nullable: true, min: 1 },
  { path: "parallel_tool_calls", type: "boolean", default: true },
  { path: "reasoning", type: "object" },
  { path: "reasoning.content", type: "unshown" },
  { path: "reasoning.type", type: "unshown" },
  { path: "store", type: "boolean", nullable: true, default: true },
  { path: "temperature", type: "number", min: 0, max: 2, default: 1 },
  { path: "text", type: "object", membersNotShown: true },
  { path: "tool_choice", type: "string", orType: "object", enum: ["none", "auto", "required"], default: "auto" },
  { path: "tools", type: "array" },
  { path: "tools[]", type: "object", membersNotShown: true },
  {
    path: "tools[].type",
    type: "string",
    enum: ["function", "mcp", "sse", "python"],
    note: "the kinds of tool are documented, the member's name is taken from the other items",
  },
  { path: "top_p", type: "number", min: 0, max: 1, default: 1 },
  { path: "truncation", type: "string", enum: ["auto", "disabled"], default: "disabled" },
  { path: "user", type: "string", nullable: true },
  { path: "metadata", type: "map", maxEntries: 16 },
  { path: "metadata{}", type: "unshown" },
]);

const stored = {
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  status: "completed",
  model: "accounts/platform/models/m1",
  output: [],
};

export const rules: readonly RuleFact[] = [
  {
    id: "unstored-has-no-id",
    sentence: "A response that is not stored has no id.",
    valid: [{ body: stored }, { body: { ...stored, id: null, store: false } }],
    invalid: [{ body: { ...stored, store: false }, because: "`store` is false", path: "id" }],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "unstored-is-not-previous", sentence: "A response that is not stored can be no other's previous_response_id." },
];
