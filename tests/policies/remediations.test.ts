import { AnalyzeRequest, AnalyzerResourceOptions, type RemediateResponse } from "@pulumi/pulumi/proto/analyzer_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { guardrails, policies } from "../../governance/policies/index";

type Values = Record<string, unknown>;
type Answered<T> = (call: { request: AnalyzeRequest }, callback: (error: unknown, answer: T) => void) => Promise<void>;

/** Pulumi's own server of policies, of which no types are published. */
const { makeAnalyzeRpcFun, makeRemediateRpcFun } = require("@pulumi/policy/server") as Readonly<
  Record<"makeAnalyzeRpcFun" | "makeRemediateRpcFun", (...args: unknown[]) => unknown>
>;

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "hunter2" };

const request = (kind: string, properties: Values): AnalyzeRequest => {
  const asked = new AnalyzeRequest();
  const type = `pulumi-nodejs:dynamic/modelplatform:${kind}`;
  asked.setType(type);
  asked.setName("it");
  asked.setOptions(new AnalyzerResourceOptions());
  asked.setUrn(`urn:pulumi:dev::shop::${type}::it`);
  asked.setProperties(Struct.fromJavaScript(properties as never) as never);
  return asked;
};

/** What Pulumi's own server of policies makes of inputs, with one policy that remediates. */
async function remediated(policy: string, kind: string, inputs: Values, options: Values = {}) {
  const pack = policies({ [policy]: { enforcementLevel: "remediate", ...options } }).filter(
    ({ name }) => name === policy,
  );
  const ask = <T>(serve: unknown, given: Values): Promise<T> =>
    new Promise((answer, refuse) => {
      const done = (error: unknown, found: T): void => (error ? refuse(error as Error) : answer(found));
      (serve as Answered<T>)({ request: request(kind, given) }, done).catch(refuse);
    });
  const serve = makeRemediateRpcFun("pack", "1.0.0", "advisory", pack);
  const list = (await ask<RemediateResponse>(serve, inputs)).getRemediationsList();
  const properties = list[0]?.getProperties()?.toJavaScript() as Values | undefined;
  const after = properties ?? inputs;
  const analyze = makeAnalyzeRpcFun("pack", "1.0.0", "advisory", pack);
  const left = (await ask<{ getDiagnosticsList(): { getMessage(): string }[] }>(analyze, after)).getDiagnosticsList();
  return { after: properties, objections: left.length };
}

const hidden = {
  __provider: "exports.handler = 1",
  __modelplatform: { urn: "x" },
  description: unknown,
  direct: secret,
};

test.each<[policy: string, kind: string, inputs: Values, after: Values, options?: Values]>([
  ["no-loosening-without-ticket", "PolicySettings", { residency: "US", allowLoosening: true }, { residency: "US" }],
  [
    "scale-to-zero-outside-production",
    "Deployment",
    { minReplicaCount: 2, maxReplicaCount: 4 },
    { maxReplicaCount: 4 },
  ],
  [
    "annotations-required",
    "Deployment",
    { annotations: { env: "dev" } },
    { annotations: { env: "dev", "custom/team": "nobody" } },
    { values: { "custom/team": "nobody" } },
  ],
  [
    "annotations-required",
    "Deployment",
    {},
    { annotations: { "custom/team": "nobody" } },
    { values: { "custom/team": "nobody" } },
  ],
])("%s sets inputs right, and keeps all others", async (policy, kind, inputs, after, options = {}) => {
  const { after: found, objections } = await remediated(policy, kind, { ...hidden, ...inputs }, options);
  expect(found).toEqual({ ...hidden, ...after });
  expect(objections).toBe(0);
});

test("a remediation leaves what keeps the rule; what it cannot set still objects", async () => {
  const kept = { minReplicaCount: 0 };
  expect(await remediated("scale-to-zero-outside-production", "Deployment", kept)).toEqual({ objections: 0 });
  expect(await remediated("annotations-required", "Deployment", { annotations: {} })).toEqual({ objections: 1 });
  const secretly = { annotations: { "custom/team": secret } };
  const values = { values: { "custom/team": "nobody" } };
  expect(await remediated("annotations-required", "Deployment", secretly, values)).toEqual({ objections: 0 });
});

test("only rules whose remedy takes nothing away have one", () => {
  const found = policies().filter(({ remediateResource }) => remediateResource);
  expect(found.map(({ name }) => name)).toEqual([
    "no-loosening-without-ticket",
    "scale-to-zero-outside-production",
    "annotations-required",
  ]);
  expect(guardrails.filter(({ remediation }) => remediation?.description).length).toBe(found.length);
});
