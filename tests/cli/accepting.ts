import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliContext, OperationRequest } from "../../cli/command/context";
import type { StepSummary } from "../../engine/events";
import { openBackend } from "../../engine/state/backend";
import { sampleReport } from "../drift/sample-report";
import { repository } from "../e2e/engines";
import { findingsOf } from "../rewrite/findings";
import { type CommandOutput, modelplatform, type Setting, temporaryFolder } from "./terminal";

export const program = `import { Deployment, User } from "pulumi-modelplatform";

new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 });
new User("ada", { email: "ada@example.com", role: "user", displayName: "Ada" });
`;

export const drift = [
  {
    ...{ stack: "dev", kind: "Deployment", name: "chat", what: "changed" as const, path: "maxReplicaCount" },
    ...{ recorded: 2, live: 4 },
  },
];
export const raised = {
  ...{ stack: "dev", kind: "User", name: "ada", what: "changed" as const, path: "role" },
  ...{ recorded: "user", live: "admin" },
};
export const chat = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat";

/** A project with a program, a state, and the report of a scan. */
export async function shop(changes: Parameters<typeof findingsOf>[0] = drift): Promise<string> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  writeFileSync(join(cwd, "index.ts"), program);
  symlinkSync(join(repository, "node_modules"), join(cwd, "node_modules"));
  await openBackend("file://.", { cwd }).createStack("shop", "dev");
  const report = { ...sampleReport, findings: findingsOf(changes) };
  writeFileSync(
    join(cwd, "drift.json"),
    JSON.stringify({ ...report, scope: { ...report.scope, stacks: ["organization/shop/dev"] } }),
  );
  return cwd;
}

/** An engine whose previews would take these steps, or fail so, one preview after the other. */
export function engine(...previews: readonly (readonly Partial<StepSummary>[] | string)[]): CliContext["loadEngine"] {
  const left = [...previews];
  return () =>
    Promise.resolve((_: unknown, { onEvent }: OperationRequest) => {
      const next = left.shift() ?? [];
      if (typeof next === "string")
        onEvent({ kind: "diagnostic", severity: "error", message: next, ephemeral: false, time: 0 });
      else
        for (const step of next)
          onEvent({ kind: "stepFinished", step: { diffs: [], ...step } as StepSummary, time: 0 });
      const changes = { create: 0, update: 0, replace: 0, delete: 0, same: 0 };
      const result = typeof next === "string" ? ("failed" as const) : ("succeeded" as const);
      return Promise.resolve({ result, changes, left: [], outputs: {} });
    });
}

export const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
export const accept = (cwd: string, line = "", setting: Setting = {}): Promise<CommandOutput> =>
  modelplatform(`accept --report drift.json ${line}`, { cwd, env, ...setting });
export const textIn = (cwd: string, name = "index.ts"): string => readFileSync(join(cwd, name), "utf8");

/** What to do after `--write`. */
export const nextStep =
  "Next: commit it, and run `npx pulumi-modelplatform up --refresh`, which sends nothing and records what is accepted.";
