import { z } from "zod";
import { ResourceId, Text } from "../core/atoms";
import { behaviour, field, secret } from "../core/fields";
import { defineResource, resourceId } from "../core/resource";

export const Secret = defineResource("Secret", {
  summary: "A credential for external storage or tracking, kept by the service and never given back.",
  collection: "secrets",
  name: "accounts/{account}/secrets/{secretId}",
  identity: { decidedBy: "client", default: { hyphenOf: "keyName" }, naturalKey: ["keyName"], answerWins: true },
  inputs: z.strictObject({
    secretId: resourceId(ResourceId)
      .optional()
      .describe("Last segment of the resource name. Default: `keyName` in lower case with hyphens."),
    keyName: field(z.string().min(1), {
      alwaysSent: true,
      convention: {
        number: "A052",
        pattern: /^[A-Z][A-Z0-9_]*$/,
        rule: "should be upper-case letters, digits and underscores, starting with a letter",
      },
    }).describe("Name that jobs and deployments know the credential by, such as `STORAGE_KEY`."),
    value: secret(field(Text, { inputOnly: true }))
      .optional()
      .describe("The credential itself. Kept in state as ciphertext only; with `valueFrom` not at all."),
    valueFrom: field(
      behaviour(
        z.strictObject({
          env: Text.optional().describe("Environment variable to read."),
          file: Text.optional().describe("File to read; a final line break is dropped."),
        }),
      ),
      { rewrites: "value" },
    )
      .optional()
      .describe("Where the value is read when it is sent, so that it is in no program and no state."),
    valueVersion: field(behaviour(Text), { rewrites: "value" })
      .optional()
      .describe("Any text; another one writes the value again."),
    valueOnAdopt: field(behaviour(z.enum(["write", "keep"]), "write"), { spares: "value" })
      .optional()
      .describe(
        "What taking over a secret that exists does with its value, which cannot be read: write the program's, or keep the one that is there and write only what the program changes from then on.",
      ),
  }),
  outputs: z.object({
    name: Text.describe("Resource name: `accounts/{account}/secrets/{id}`."),
  }),
  rules: [
    { rule: "exactlyOne", fields: ["value", "valueFrom"] },
    { rule: "exactlyOne", within: "valueFrom", fields: ["valueFrom.env", "valueFrom.file"] },
  ],
  operations: {
    create: {
      route: "POST /v1/accounts/{account}/secrets",
      provenance: "conventional",
      convention: "A012",
      body: { name: true },
    },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A015" },
    list: {
      route:
        "GET /v1/accounts/{account}/secrets?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "conventional",
      convention: "A015",
    },
    update: { route: "PATCH /v1/{name}?updateMask={updateMask}", provenance: "listed", convention: "A030" },
    delete: { route: "DELETE /v1/{name}", provenance: "conventional", convention: "A015" },
  },
  missingAnswers: [{ status: 500, code: 13 }],
  listOrder: "name",
  example: { keyName: "STORAGE_KEY", value: "a-credential" },
});
