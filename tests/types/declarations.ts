// Mistakes that the author of a declaration may make. Each has to be an error of the compiler.
import { z } from "zod";
import { defineResource } from "../../provider/core/declaration/resource";

const common = {
  summary: "A thing.",
  collection: "things",
  name: "accounts/{account}/things/{thingId}",
  inputs: z.strictObject({ email: z.string(), placement: z.strictObject({ region: z.string() }).optional() }),
  outputs: z.object({ name: z.string(), updateTime: z.string() }),
  operations: {},
  example: { email: "ada@example.com" },
} as const;

export const mistakes = () => [
  defineResource("Fine", {
    ...common,
    identity: { decidedBy: "service", naturalKey: ["email"] },
    rules: [{ rule: "requires", field: "placement.region", needs: "email" }],
  }),
  // @ts-expect-error the key names no input
  defineResource("A", { ...common, identity: { decidedBy: "service", naturalKey: ["emial"] } }),
  defineResource("B", {
    ...common,
    identity: { decidedBy: "service" },
    // @ts-expect-error the path names no member of the message
    rules: [{ rule: "requires", field: "placement.reigon", needs: "email" }],
  }),
];
