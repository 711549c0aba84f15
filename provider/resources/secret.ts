import { defineResource, resourceId } from "../core/declaration/resource";
import { ObjectName, ResourceId, TextField } from "../core/fields/atoms";
import { closedEnum, field, providerOption, secret } from "../core/fields/fields";
import { z } from "../core/zod";

export const Secret = defineResource("Secret", {
  summary: "A credential for external storage or tracking, which the service keeps and never returns.",
  collection: "secrets",
  name: "accounts/{account}/secrets/{secretId}",
  identity: { decidedBy: "client", default: { hyphenOf: "keyName" }, naturalKey: ["keyName"], answerWins: true },
  inputs: z.strictObject({
    secretId: resourceId(field(ResourceId, { default: "`keyName` in lower case with hyphens", example: "storage-key" }))
      .optional()
      .describe("Id of the secret: the last segment of its resource name."),
    keyName: field(z.string().min(1), {
      alwaysSent: true,
      convention: {
        number: "A052",
        pattern: /^[A-Z][A-Z0-9_]*$/,
        rule: "should be upper-case letters, digits and underscores, starting with a letter",
      },
    }).describe("Name that jobs and deployments know the credential by."),
    value: secret(field(TextField, { inputOnly: true }))
      .optional()
      .describe("The credential itself. State holds it as ciphertext; with `valueFrom`, not at all."),
    valueFrom: field(
      providerOption(
        z.strictObject({
          env: field(TextField, { example: "STORAGE_KEY" })
            .optional()
            .describe("Name of the environment variable that holds the value."),
          file: field(TextField, { example: "/run/secrets/storage-key" })
            .optional()
            .describe("Path of the file that holds the value; a final line break is dropped."),
        }),
      ),
      { rewrites: "value" },
    )
      .optional()
      .describe("Where to read the value at the moment it is sent, so that neither the program nor the state has it."),
    valueVersion: field(providerOption(TextField), { rewrites: "value", example: "2" })
      .optional()
      .describe(
        "Arbitrary text. Changing it sends the value again: use it to rotate a value read through `valueFrom`.",
      ),
    valueOnAdopt: field(
      providerOption(
        closedEnum({
          write: "Overwrites the live value with the program's.",
          keep: "Keeps the live value until the program changes its own.",
        }),
        "write",
      ),
      { spares: "value" },
    )
      .optional()
      .describe(
        "What adopting an existing secret does with its value, which cannot be read: overwrite it with the program's (`write`), or keep it until the program changes its own (`keep`).",
      ),
  }),
  outputs: z.object({
    name: ObjectName.describe("Resource name, `accounts/{account}/secrets/{id}`: what jobs refer to."),
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
