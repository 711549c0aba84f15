import { defineResource } from "../core/declaration/resource";
import { BooleanField, TextField } from "../core/fields/atoms";
import { message, openEnum } from "../core/fields/fields";
import { z } from "../core/zod";

const OutputItem = message("ResponseOutputItem", {
  id: TextField.optional().describe("What identifies the item within the response."),
  role: TextField.optional().describe("Who speaks, where the item is a message."),
  status: TextField.optional().describe("How far the item has got."),
  type: openEnum({ message: "A message of the conversation." })
    .optional()
    .describe("`message`, or another kind of item whose members pass through."),
  content: z
    .array(
      message("ResponseContent", {
        type: TextField.optional().describe("What kind of content the part is."),
        text: TextField.optional().describe("What the part says, where it is text."),
      }).describe("A part of a message."),
    )
    .optional()
    .describe("Parts that the message consists of."),
}).describe("A message, a tool call or the output of a tool.");

const nullableText = TextField.nullable().optional();

/** Field names are the service's own snake case. */
export const StoredResponse = defineResource("StoredResponse", {
  summary: "A model's response that the service has stored.",
  collection: "responses",
  name: "responses/{responseId}",
  identity: { decidedBy: "service" },
  explicit: true,
  inputs: z.strictObject({}),
  outputs: z.object({
    id: nullableText.describe("What `responseId` names; null when the response is not stored."),
    object: openEnum({ response: "A stored response." }).optional().describe("Always `response`."),
    created_at: z.int().describe("When the response was created, in seconds since 1970 (Unix time)."),
    status: openEnum({
      completed: "The model has answered in full.",
      in_progress: "The model is still answering.",
      incomplete: "The answer was cut short; `incomplete_details` says why.",
      failed: "There is no answer; `error` says why.",
      cancelled: "The request was stopped before the answer was complete.",
    }).describe("How far the response has got."),
    model: TextField.describe("Model that answered."),
    output: z.array(OutputItem).describe("Messages, tool calls and tool outputs, in order."),
    previous_response_id: nullableText.describe("Response before this one in the conversation."),
    usage: message("ResponseUsage", {
      prompt_tokens: z.int().optional().describe("Number of tokens in the request."),
      completion_tokens: z.int().optional().describe("Number of tokens in the answer."),
      total_tokens: z.int().optional().describe("Number of tokens in the request and the answer together."),
    })
      .nullable()
      .optional()
      .describe("How many tokens the response took."),
    error: message("ResponseError", {
      type: TextField.optional().describe("What kind of error it is."),
      code: TextField.optional().describe("What identifies the error for programs."),
      message: TextField.optional().describe("What went wrong, in words for people."),
    })
      .nullable()
      .optional()
      .describe("Why the response failed."),
    incomplete_details: message("IncompleteDetails", {
      reason: openEnum({
        max_output_tokens: "The answer reached the request's limit of tokens.",
        max_tool_calls: "The answer reached the request's limit of tool calls.",
        content_filter: "A filter withheld the rest of the answer.",
      })
        .optional()
        .describe("What cut the response short."),
    })
      .nullable()
      .optional()
      .describe("Why the response is incomplete."),
    instructions: nullableText.describe("Instructions that the model was given before the conversation."),
    max_output_tokens: z.int().min(1).nullable().optional().describe("Most tokens in the answer, at least 1."),
    max_tool_calls: z.int().min(1).nullable().optional().describe("Most tool calls in the answer, at least 1."),
    parallel_tool_calls: BooleanField.optional().describe(
      "Whether several tools may be called at once. Default: true.",
    ),
    reasoning: message("ResponseReasoning", {
      content: TextField.optional().describe("What the model reasoned, as text."),
      type: TextField.optional().describe("What kind of reasoning it is."),
    })
      .nullable()
      .optional()
      .describe("How the model arrived at its answer."),
    store: BooleanField.nullable()
      .optional()
      .describe(
        "Whether the service keeps the response. One that is not kept cannot be the `previous_response_id` of another. Default: true.",
      ),
    temperature: z.number().min(0).max(2).optional().describe("Randomness of the answer, from 0 to 2. Default: 1."),
    text: z.looseObject({}).optional().describe("Settings of the text generation."),
    tool_choice: z
      .unknown()
      .optional()
      .describe("`none`, `auto`, `required`, or an object that names a tool. Default: `auto`."),
    tools: z
      .array(
        message("ResponseTool", {
          type: openEnum({
            function: "A function that the caller runs.",
            mcp: "A tool of a server that speaks the Model Context Protocol.",
            sse: "A tool that answers by server-sent events.",
            python: "A tool that runs Python code.",
          })
            .optional()
            .describe("What kind of tool it is."),
        }).describe("A tool that the model could call."),
      )
      .optional()
      .describe("Tools that the model could call."),
    top_p: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Share of the most likely tokens that sampling chooses from (nucleus sampling), from 0 to 1. Default: 1.",
      ),
    truncation: openEnum({
      auto: "Input that is too long is cut to fit.",
      disabled: "Input that is too long is not cut.",
    })
      .optional()
      .describe("Whether input that is too long is cut to fit. Default: `disabled`."),
    user: nullableText.describe("End user on whose behalf the request was made, for monitoring of abuse."),
    metadata: z.record(z.string(), z.unknown()).optional().describe("Your own values, by key: up to 16 pairs."),
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
  outputs: z.object({ name: TextField.describe("Resource name, `accounts/{account}/batchInferenceJobs/{id}`.") }),
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
