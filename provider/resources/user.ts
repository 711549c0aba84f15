import { defineResource, resourceId } from "../core/declaration/resource";
import { BooleanField, ObjectName, ResourceId, TextField, textBelow } from "../core/fields/atoms";
import {
  closedEnum,
  descriptiveField,
  field,
  guarded,
  openEnum,
  optional,
  providerOption,
} from "../core/fields/fields";
import { z } from "../core/zod";
import { Status, times } from "./messages";

export const User = defineResource("User", {
  summary: "A person or service account of an account, with a role.",
  collection: "users",
  name: "accounts/{account}/users/{userId}",
  identity: { decidedBy: "client", default: "service", naturalKey: ["email"], answerWins: true, neverReplaced: true },
  inputs: z.strictObject({
    userId: resourceId(field(ResourceId, { default: "chosen by the service from the e-mail address", example: "ada" }))
      .optional()
      .describe("Id of the user: the last segment of its resource name."),
    ...optional({
      role: guarded(
        closedEnum({
          admin: "The most access of the four fixed roles; needed to change policy settings.",
          user: "More access than `inference-user`, and less than `contributor`.",
          contributor: "More access than `user`, and less than `admin`.",
          "inference-user": "The least access of the four fixed roles.",
          custom: "The access that `permissionPreset` describes.",
        }),
        {
          alwaysSent: true,
          opens: { rule: "role", order: ["inference-user", "user", "contributor", "admin"] },
        },
      ).describe("Role that decides what the user may do. With `custom`, `permissionPreset` decides."),
      displayName: descriptiveField(textBelow(64)).describe("Name that lists show for the user."),
      serviceAccount: guarded(BooleanField).describe("Whether the user is a service account and not a person."),
      email: field(TextField, {
        sameAs: "letterCase",
        severity: "error",
        convention: { number: "A051", pattern: /^[^@\s]+@[^@\s]+$/, rule: "should be an e-mail address" },
      }).describe(
        "Address that the user signs in with. A change updates the user in place. Upper and lower case count as equal.",
      ),
      permissionPreset: guarded(TextField, {
        onRemoval: "clear",
        opens: { rule: "role", order: [] },
      }).describe("Name of the set of permissions that a user with role `custom` has."),
    }),
    waitFor: providerOption(
      closedEnum({
        ready: "Waits until the user is set up.",
        accepted: "Waits until the service has accepted the user, who may be invited and has to answer.",
      }),
      "ready",
    )
      .optional()
      .describe(
        "How long create and update wait: until the user is set up (`ready`), or until the service has accepted the user (`accepted`). Where people are invited, a user stays in `CREATING` until they answer.",
      ),
    onDeleteUnsupported: providerOption(
      closedEnum({
        error: "Fails, and keeps the user in the state.",
        abandon: "Removes the user from the state only; it keeps its role and access.",
        demote: "Gives the user the role `inference-user`, then removes it from the state.",
      }),
      "error",
    )
      .optional()
      .describe(
        "What a delete does where the service cannot delete users: fail (`error`), remove the user from the state only (`abandon`), or give it the role `inference-user` first (`demote`).",
      ),
  }),
  outputs: z.object({
    name: ObjectName.describe("Resource name, `accounts/{account}/users/{id}`."),
    state: openEnum({
      STATE_UNSPECIFIED: "The service reports no state.",
      CREATING: "The service is setting the user up.",
      READY: "The user is set up, and its role is in force.",
      UPDATING: "The service is applying a change of the user.",
      DELETING: "The service is removing the user, which counts as gone.",
    })
      .optional()
      .describe("Where the user is in its life cycle."),
    status: Status.optional(),
    ...times,
  }),
  rules: [
    { rule: "onlyWith", field: "permissionPreset", conditions: [{ field: "role", in: ["custom"] }] },
    {
      rule: "anyOf",
      groups: [[{ field: "email" }], [{ field: "serviceAccount", in: [true] }, { field: "userId" }]],
      by: "A051",
    },
  ],
  cautions: [
    {
      rule: { rule: "exactlyOne", fields: ["role"] },
      says: "it is not set, and every update needs it: the service refuses to update a user that has no role",
    },
    {
      rule: { rule: "requiredWith", field: "permissionPreset", condition: { field: "role", in: ["custom"] } },
      says: "it is not set, and the role `custom` has no permissions but those of a preset",
    },
  ],
  operations: {
    create: { route: "POST /v1/accounts/{account}/users?userId={userId}", provenance: "listed", convention: "A011" },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A015" },
    list: {
      route:
        "GET /v1/accounts/{account}/users?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "conventional",
      convention: "A015",
    },
    update: { route: "PATCH /v1/{name}?updateMask={updateMask}", provenance: "listed", convention: "A030" },
    delete: { route: "DELETE /v1/{name}", provenance: "conventional", convention: "A050" },
  },
  lifecycle: {
    moving: ["CREATING", "UPDATING"],
    ready: ["READY"],
    failed: [],
    resting: [],
    gone: ["DELETING"],
    deleted: [],
    goals: { ready: ["READY"], accepted: ["*"] },
    goal: [{ is: "ready" }],
    paths: {
      create: [["CREATING", "2s"], ["READY"]],
      update: [["UPDATING", "1s"], ["READY"]],
      delete: [["DELETING", "1s"]],
    },
    longestPause: "5s",
  },
  timeouts: { create: "2m", update: "2m", delete: "2m" },
  listOrder: "name",
  example: { email: "ada@example.com", role: "contributor", displayName: "Ada" },
});
