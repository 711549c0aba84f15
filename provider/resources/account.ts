import { defineResource } from "../core/declaration/resource";
import { Money, TextField } from "../core/fields/atoms";
import { message, openEnum } from "../core/fields/fields";
import { z } from "../core/zod";
import { Status, times } from "./messages";

export const Account = defineResource("Account", {
  summary: "An account of the platform; everything else lives in one.",
  collection: "accounts",
  name: "accounts/{account}",
  identity: { decidedBy: "service" },
  inputs: z.strictObject({}),
  outputs: z.object({
    name: TextField.describe("Resource name, `accounts/{account}`."),
    email: TextField.optional().describe("E-mail address of the account's owner."),
    displayName: TextField.optional().describe("Name that people see for the account."),
    ...times,
    accountType: openEnum({ ACCOUNT_TYPE_UNSPECIFIED: "The service reports no type." })
      .optional()
      .describe("What kind of account it is."),
    state: openEnum({ STATE_UNSPECIFIED: "The service reports no state." })
      .optional()
      .describe("Where the account is in its life cycle."),
    status: Status.optional(),
    suspendState: openEnum({ UNSUSPENDED: "The account works as usual." })
      .optional()
      .describe("Whether and why the account is suspended."),
    notificationSettings: message("NotificationSettings", {
      monthlySpendThresholds: z
        .array(Money)
        .optional()
        .describe("Amounts of monthly spending at which people are notified."),
    })
      .optional()
      .describe("When people are notified."),
  }),
  operations: {
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A015" },
    list: {
      route: "GET /v1/accounts?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&readMask={readMask}",
      provenance: "listed",
    },
  },
  listOrder: "name",
  example: {},
});
