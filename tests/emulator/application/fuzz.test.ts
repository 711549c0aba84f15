import fc from "fast-check";
import { operations } from "../../../emulator/routes";
import type { Fields, Settings } from "../../../emulator/types";
import { client } from "./client";

const texts = fc.constantFrom(
  "",
  "accounts/demo/models/m",
  "accounts/platform/models/open-8b",
  "default",
  "custom",
  "300s",
  "-1s",
  "FP8",
  "__proto__",
  "constructor",
  "a".repeat(70),
  "\u{1F642}",
  "x y",
);

const values = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(texts, tie("any"), { maxKeys: 3 }),
  ),
})).any;

/** Bodies that have the operation's own members, with anything in them. */
const bodyFor = (names: readonly string[]) =>
  fc.oneof(
    fc.dictionary(
      fc.constantFrom(
        ...names,
        "name",
        "modelId",
        "model",
        "tags",
        "keys",
        "filenameToSize",
        "createDeploymentRequest",
      ),
      values,
      { maxKeys: 6 },
    ),
    values,
  );

const commands = fc.constantFrom(...operations).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    body: bodyFor(operation.spec.fields.message.map(({ name }) => name)),
    id: fc.constantFrom("one", "two", "%20", "a:b"),
    query: fc.dictionary(
      fc.constantFrom(
        "updateMask",
        "readMask",
        "filter",
        "orderBy",
        "pageToken",
        "pageSize",
        "validateOnly",
        "hard",
        "deploymentId",
        "userId",
      ),
      texts,
      { maxKeys: 3 },
    ),
  }),
);

const settings: fc.Arbitrary<Partial<Settings>> = fc.record({
  patch: fc.constantFrom("mask", "derive", "populated", "replace"),
  maskPaths: fc.constantFrom("strict", "lenient"),
  fixedFields: fc.constantFrom("pass", "refuse"),
  strict: fc.boolean(),
  emitUnset: fc.boolean(),
  unknownFields: fc.constantFrom("refuse", "ignore"),
});

test("the application answers any request, with JSON that says what is wrong", () => {
  fc.assert(
    fc.property(settings, fc.array(commands, { minLength: 1, maxLength: 12 }), (chosen, sequence) => {
      const service = client(chosen);
      for (const { operation, body, id, query } of sequence) {
        const [method, target] = operation.declared.route.split(" ") as [string, string];
        const path = target
          .split("?")[0]!
          .replace("{name}", operation.spec.name)
          .replace("{account}", "demo")
          .replaceAll(/\{\w+\}/g, id);
        const answer = service.send(method, `${path}?${new URLSearchParams(query).toString()}`, body);
        expect([200, 400, 403, 404, 409]).toContain(answer.status);
        expect(JSON.parse(JSON.stringify(answer.body))).toEqual(expect.any(Object));
        if (answer.status !== 200) expect(String((answer.body as Fields)["message"])).not.toBe("");
        service.wait(30);
      }
    }),
    { numRuns: 200 },
  );
});

test("an update with a mask leaves all else as it was", () => {
  const change = fc.record({
    displayName: fc.option(fc.string({ maxLength: 10 }), { nil: null }),
    description: fc.option(fc.string({ maxLength: 10 }), { nil: null }),
    minReplicaCount: fc.integer({ min: 0, max: 3 }),
    enableSessionAffinity: fc.boolean(),
  });
  fc.assert(
    fc.property(
      change,
      fc.subarray(["displayName", "description", "minReplicaCount", "enableSessionAffinity"] as const, {
        minLength: 1,
      }),
      (values, names) => {
        const service = client();
        const body = { baseModel: "accounts/platform/models/open-8b" };
        service.post("/v1/accounts/demo/deployments?deploymentId=chat", {
          ...body,
          displayName: "d",
          description: "t",
          minReplicaCount: 1,
          maxReplicaCount: 5,
          enableSessionAffinity: true,
        });
        service.wait(300);
        const before = service.get("/v1/accounts/demo/deployments/chat").body;
        const mask = names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).join(",");
        expect(
          service.patch(`/v1/accounts/demo/deployments/chat?updateMask=${mask}`, { ...body, ...values }).status,
        ).toBe(200);
        service.wait(300);
        const after = service.get("/v1/accounts/demo/deployments/chat").body;
        for (const name of Object.keys(values))
          if (!names.includes(name as never)) expect(after[name]).toEqual(before[name]);
        for (const name of names) expect(after[name] || null).toEqual(values[name] || null);
      },
    ),
    { numRuns: 50 },
  );
});
