import { z } from "zod";
import { Flag, Text } from "../core/atoms";
import { message, openEnum } from "../core/fields";
import { defineResource } from "../core/resource";

const OutputItem = message("ResponseOutputItem", {
  id: Text.optional().describe("Id of the item."),
  role: Text.optional().describe("Who speaks, for messages."),
  status: Text.optional().describe("How far the item is."),
  type: openEnum("message").optional().describe("`message`, or another kind of item whose members pass through."),
  content: z
    .array(
      message("ResponseContent", {
        type: Text.optional().describe("Kind of content."),
        text: Text.optional().describe("The text."),
      }),
    )
    .optional()
    .describe("Parts of a message."),
});

const nullableText = Text.nullable().optional();

/** Field names are the service's own snake case. */
export const StoredResponse = defineResource("StoredResponse", {
  summary: "An answer of a model that the service keeps.",
  collection: "responses",
  name: "responses/{responseId}",
  identity: { decidedBy: "service" },
  explicit: true,
  inputs: z.strictObject({}),
  outputs: z.object({
    id: nullableText.describe("Id; null when the response is not stored."),
    object: openEnum("response").optional().describe("Always `response`."),
    created_at: z.int().describe("When it was made, in Unix seconds."),
    status: openEnum("completed", "in_progress", "incomplete", "failed", "cancelled").describe("How far it is."),
    model: Text.describe("Model that answered."),
    output: z.array(OutputItem).describe("Messages, tool calls and tool outputs."),
    previous_response_id: nullableText.describe("Response before this one in the conversation."),
    usage: message("ResponseUsage", {
      prompt_tokens: z.int().optional().describe("Tokens read."),
      completion_tokens: z.int().optional().describe("Tokens written."),
      total_tokens: z.int().optional().describe("Both."),
    })
      .nullable()
      .optional()
      .describe("Tokens used."),
    error: message("ResponseError", {
      type: Text.optional().describe("Kind of error."),
      code: Text.optional().describe("Code of the error."),
      message: Text.optional().describe("Detail for people."),
    })
      .nullable()
      .optional()
      .describe("Why it failed."),
    incomplete_details: message("IncompleteDetails", {
      reason: openEnum("max_output_tokens", "max_tool_calls", "content_filter")
        .optional()
        .describe("What cut it short."),
    })
      .nullable()
      .optional()
      .describe("Why it is incomplete."),
    instructions: nullableText.describe("System instructions."),
    max_output_tokens: z.int().min(1).nullable().optional().describe("Most tokens it may write, at least 1."),
    max_tool_calls: z.int().min(1).nullable().optional().describe("Most tool calls it may make, at least 1."),
    parallel_tool_calls: Flag.optional().describe("Whether tools may be called side by side. Default: true."),
    reasoning: message("ResponseReasoning", {
      content: Text.optional().describe("The reasoning."),
      type: Text.optional().describe("Kind of reasoning."),
    })
      .nullable()
      .optional()
      .describe("How it came about."),
    store: Flag.nullable()
      .optional()
      .describe("Whether it is kept. One that is not can be no other's `previous_response_id`. Default: true."),
    temperature: z.number().min(0).max(2).optional().describe("Randomness, 0 to 2. Default: 1."),
    text: z.looseObject({}).optional().describe("Text generation configuration."),
    tool_choice: z
      .unknown()
      .optional()
      .describe("`none`, `auto`, `required`, or an object that names a tool. Default: `auto`."),
    tools: z
      .array(
        message("ResponseTool", {
          type: openEnum("function", "mcp", "sse", "python").optional().describe("Kind of tool."),
        }),
      )
      .optional()
      .describe("Tools that could be called."),
    top_p: z.number().min(0).max(1).optional().describe("Nucleus sampling, 0 to 1. Default: 1."),
    truncation: openEnum("auto", "disabled").optional().describe("Whether input is cut to fit. Default: `disabled`."),
    user: nullableText.describe("End user, for monitoring of abuse."),
    metadata: z.record(z.string(), z.unknown()).optional().describe("Up to 16 pairs."),
  }),
  operations: { get: { route: "GET /inference/v1/responses/{responseId}", provenance: "listed", name: "getResponse" } },
  example: {},
});

export const BatchInferenceJob = defineResource("BatchInferenceJob", {
  summary: "A batch of inference requests, of which the API shows no fields.",
  collection: "batchInferenceJobs",
  name: "accounts/{account}/batchInferenceJobs/{batchInferenceJobId}",
  identity: { decidedBy: "client" },
  inputs: z.strictObject({}),
  outputs: z.object({ name: Text.describe("Resource name: `accounts/{account}/batchInferenceJobs/{id}`.") }),
  operations: {
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A015" },
    list: {
      route:
        "GET /v1/accounts/{account}/batchInferenceJobs?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "conventional",
      convention: "A015",
    },
    delete: { route: "DELETE /v1/accounts/{account}/batchInferenceJobs/{batchInferenceJobId}", provenance: "listed" },
  },
  example: {},
});
