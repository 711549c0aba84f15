import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliContext, CommandResult, Engine, OperationRequest } from "../../cli/command/context";
import type { ChangeSummary } from "../../engine/events";
import type { PropertyMap } from "../../engine/state/resource-state";
import { finished, prelude, secret, step, summary } from "../engine/display/script";
import { modelplatform, project, temporaryFolder } from "./terminal";

const nothing: ChangeSummary = { create: 0, update: 0, replace: 0, delete: 0, same: 0 };

/** An engine that reports one creation, or ends as configured, and keeps what it was asked. */
function scriptedEngine(results: (Partial<CommandResult> & { outputs?: PropertyMap })[] = []) {
  const requests: (OperationRequest & { stack: string })[] = [];
  const engine: Engine = ({ stack }, request) => {
    requests.push({ ...request, stack });
    const { result = "succeeded", changes, left = [], outputs = {} } = results[requests.length - 1] ?? {};
    const counted = { ...nothing, ...(changes ?? { create: 1 }) };
    const operation = request.kind;
    request.onEvent({ ...prelude(operation, request.preview) });
    if (counted.create > 0) request.onEvent(finished(1, step("create", "box", { inputs: { size: 3 } })));
    request.onEvent(summary(2, counted, { operation, preview: request.preview, result, left, outputs }));
    return Promise.resolve({ result, changes: counted, left });
  };
  return { requests, setting: { engine: () => Promise.resolve(engine) } };
}

const lastLine = (text: string): unknown => JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");

test("every flag of up reaches the engine", async () => {
  const { requests, setting } = scriptedEngine();
  const line =
    "up --yes -s dev -p 3 -t urn:a --target urn:b --replace urn:c --target-replace urn:d --refresh --run-program --target-dependents --continue-on-error -m why --plan plan.json";
  expect((await modelplatform(line, { ...(await project("dev", "prod")), ...setting })).code).toBe(0);
  const choices = {
    ...{ parallel: 3, target: ["urn:a", "urn:b", "urn:d"], replace: ["urn:c", "urn:d"], targetDependents: true },
    ...{ refresh: true, runProgram: true, continueOnError: true, message: "why" },
  };
  const plan = expect.stringMatching(/\/plan\.json$/);
  expect(requests).toMatchObject([
    { kind: "up", stack: "dev", preview: true, choices: { ...choices, heldTo: plan } },
    { kind: "up", stack: "dev", preview: false, choices: { ...choices, plan } },
  ]);
});

test.each([
  ["preview", [["up", true]]],
  [
    "up --yes",
    [
      ["up", true],
      ["up", false],
    ],
  ],
  ["up --skip-preview", [["up", false]]],
  [
    "refresh --yes",
    [
      ["refresh", true],
      ["refresh", false],
    ],
  ],
  ["refresh --preview-only", [["refresh", true]]],
  ["destroy --yes --skip-preview", [["destroy", false]]],
  ["destroy --preview-only", [["destroy", true]]],
])("%s runs %j", async (line, runs) => {
  const { requests, setting } = scriptedEngine();
  expect((await modelplatform(line, { ...(await project("dev")), ...setting })).code).toBe(0);
  expect(requests.map(({ kind, preview }) => [kind, preview])).toEqual(runs);
});

test.each([
  ["up", "run `npx pulumi-modelplatform preview`"],
  ["refresh", "add --preview-only"],
  ["destroy", "add --preview-only"],
])("%s without a terminal and without --yes does nothing and says what to add", async (command, look) => {
  const { requests, setting } = scriptedEngine();
  const outcome = await modelplatform(command, { ...(await project("dev")), ...setting });
  expect(outcome.code).toBe(64);
  expect(outcome.stderr).toBe(
    `error: ${command} asks before it changes anything, and there is no terminal. Add --yes to go on after the preview, or --skip-preview to go on without one; to look only, ${look}.\n`,
  );
  expect(requests).toEqual([]);
});

test("JSON cannot ask, at a terminal neither", async () => {
  const outcome = await modelplatform("up --json", { ...(await project("dev")), isTTY: true });
  expect(outcome.code).toBe(64);
  expect(outcome.stderr).toMatch(/^error: up --json cannot ask\. Add --yes /);
});

test("at a terminal up asks; details tell every field; yes goes on", async () => {
  const { requests, setting } = scriptedEngine();
  const { cwd, env } = await project("dev");
  const outcome = await modelplatform("up", {
    cwd,
    env: { ...env, NO_COLOR: "1" },
    ...setting,
    isTTY: true,
    answers: ["details", "what?", "yes"],
  });
  expect(outcome.code).toBe(0);
  expect(outcome.questions).toEqual(Array.from({ length: 3 }, () => "\nUpdate the stack like this? (yes/no/details) "));
  expect(outcome.stdout).toContain("+ acme:Box box: create\n  + size  3\n");
  expect(requests.map(({ preview }) => preview)).toEqual([true, false]);
});

test("a terminal that cannot move its cursor gets plain lines", async () => {
  const { setting } = scriptedEngine();
  const { cwd, env } = await project("dev");
  const { stdout } = await modelplatform("preview", { cwd, env: { ...env, TERM: "dumb" }, ...setting, isTTY: true });
  expect(stdout).toMatch(/^12:00:00Z {2}Previewing dev\n12:00:01Z {3}\+ acme:Box box: create\n/);
});

test.each([["no"], ["n"], [undefined]])("answering %s changes nothing", async (answer) => {
  const { requests, setting } = scriptedEngine();
  const outcome = await modelplatform("destroy", {
    ...(await project("dev")),
    ...setting,
    isTTY: true,
    answers: [answer],
  });
  expect(outcome).toMatchObject({ code: 1, stderr: "error: not confirmed: nothing was changed.\n" });
  expect(requests.map(({ preview }) => preview)).toEqual([true]);
});

test("where nothing is to do, nothing is asked", async () => {
  const { requests, setting } = scriptedEngine([
    { changes: { ...nothing, same: 3 } },
    { changes: { ...nothing, same: 3 } },
  ]);
  expect((await modelplatform("up", { ...(await project("dev")), ...setting, isTTY: true })).questions).toEqual([]);
  expect(requests.length).toBe(2);
});

test("JSON output is one event per line and ends with the result", async () => {
  const { setting } = scriptedEngine([
    {},
    { changes: { ...nothing, create: 1, same: 2 }, outputs: { url: "https://example.com", key: secret("hunter2") } },
  ]);
  const { code, stdout, stderr } = await modelplatform("up --yes --json", { ...(await project("dev")), ...setting });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const kinds = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { kind?: string }).kind);
  expect(kinds).toEqual(["prelude", "stepFinished", "summary", "prelude", "stepFinished", "summary", undefined]);
  expect(lastLine(stdout)).toEqual({
    result: "succeeded",
    changes: { ...nothing, create: 1, same: 2 },
    left: [],
    outputs: { url: "https://example.com", key: "[secret]" },
  });
  expect(stdout).not.toContain("hunter2");
});

test("JSON output ends with a result even if the operation never began", async () => {
  const { code, stdout, stderr } = await modelplatform("preview --json", { cwd: temporaryFolder() });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: There is no Pulumi\.yaml /);
  expect(lastLine(stdout)).toEqual({ result: "failed", changes: nothing, left: [], outputs: {} });
});

test.each([
  ["preview", [{ result: "failed" as const }], 1],
  ["preview", [{ result: "interrupted" as const }], 130],
  ["preview --expect-no-changes", [{}], 7],
  ["preview --expect-no-changes", [{ changes: { ...nothing, same: 2 } }], 0],
  ["preview --expect-no-changes", [{ result: "failed" as const }], 1],
  ["refresh --preview-only --expect-no-changes", [{ changes: { ...nothing, update: 1 } }], 7],
  ["up --yes --expect-no-changes", [{}, {}], 7],
  ["up --yes", [{}, { result: "failed" as const }], 1],
  ["up --yes", [{ result: "failed" as const }], 1],
  ["up --yes", [{}, { result: "interrupted" as const }], 130],
])("%s with results %j exits with %i", async (line, results, code) => {
  const { requests, setting } = scriptedEngine(results);
  expect((await modelplatform(line, { ...(await project("dev")), ...setting })).code).toBe(code);
  expect(requests.length).toBe(results.length);
});

test("expected no changes are counted on stderr", async () => {
  const { setting } = scriptedEngine([{ changes: { ...nothing, create: 1, replace: 1 } }]);
  expect((await modelplatform("preview --expect-no-changes", { ...(await project("dev")), ...setting })).stderr).toBe(
    "error: expected no changes, but there are 2.\n",
  );
});

/** Runs an `up` whose engine, once it runs, has ^C pressed at it so many times. */
async function interrupted(times: number) {
  let press = () => {};
  const aborted: boolean[][] = [];
  const engine: Engine = (_place, { onEvent, signal, killSignal }) => {
    onEvent(prelude());
    for (let time = 0; time < times; time += 1) {
      press();
      aborted.push([signal.aborted, killSignal.aborted]);
    }
    if (killSignal.aborted) return Promise.reject(new Error("the operation was stopped"));
    onEvent(summary(1, {}, { result: "interrupted" }));
    return Promise.resolve({ result: "interrupted", changes: nothing, left: [] });
  };
  const setting = {
    ...(await project("dev")),
    engine: () => Promise.resolve(engine),
    onListen: (listener: () => void) => (press = listener),
  };
  return { aborted, outcome: await modelplatform("up --yes", setting) };
}

test("the first ^C stops new work and says so", async () => {
  const { aborted, outcome } = await interrupted(1);
  expect(aborted).toEqual([[true, false]]);
  expect(outcome).toMatchObject({ code: 130, stderr: "" });
  expect(outcome.stdout).toContain("ending and recording what has begun; press ^C again to stop immediately\n");
});

test("the second ^C ends everything at once", async () => {
  const { aborted, outcome } = await interrupted(2);
  expect(aborted).toEqual([
    [true, false],
    [true, true],
  ]);
  expect(outcome).toMatchObject({ code: 130, stderr: "error: interrupted\n" });
});

test("the third ^C waits for nothing", async () => {
  const { outcome } = await interrupted(3);
  expect(outcome.exited).toBe(130);
});

test("an error without an event is printed as one line", async () => {
  const engine: Engine = () => Promise.reject(new Error("The stack is locked by another operation."));
  const outcome = await modelplatform("up --yes", { ...(await project("dev")), engine: () => Promise.resolve(engine) });
  expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: "error: The stack is locked by another operation.\n" });
});

test("with MODELPLATFORM_DEBUG its stack and cause follow", async () => {
  const engine: Engine = () => Promise.reject(new Error("outer", { cause: new Error("inner") }));
  const { cwd, env } = await project("dev");
  const { stderr } = await modelplatform("up --yes", {
    cwd,
    env: { ...env, MODELPLATFORM_DEBUG: "1" },
    engine: () => Promise.resolve(engine),
  });
  expect(stderr).toMatch(/^error: outer\nError: outer\n {4}at [^]*caused by: Error: inner\n {4}at /);
});

test("--config sets a value in the stack's file before the program runs", async () => {
  const { setting } = scriptedEngine();
  const { cwd, env } = await project("dev");
  const line = ["preview", "-c", "region=eu", "--config", "modelplatform:accountId=acme=1"];
  expect((await modelplatform(line, { cwd, env, ...setting })).code).toBe(0);
  expect((await modelplatform("config get region", { cwd, env })).stdout).toBe("eu\n");
  expect((await modelplatform("config get modelplatform:accountId", { cwd, env })).stdout).toBe("acme=1\n");
});

test.each(["preview", "up --yes", "refresh --yes", "destroy --yes"])(
  "%s --config with an unknown setting suggests the one meant, as `config set` does",
  async (command) => {
    const line = `${command} --config modelplatform:requestPerSecond=5`;
    const { setting } = scriptedEngine();
    expect(await modelplatform(line, { ...(await project("dev")), ...setting })).toMatchObject({
      code: 0,
      stderr:
        "warning: `modelplatform:requestPerSecond` is not a setting of pulumi-modelplatform and does nothing; did you mean `modelplatform:requestsPerSecond`?\n",
    });
  },
);

test.each([
  ["region", "error: --config region: write it as key=value.\n"],
  [
    "modelplatform:apiKey=k",
    "error: `modelplatform:apiKey` sounds like a secret. Set it once with `npx pulumi-modelplatform config set --secret modelplatform:apiKey`.\n",
  ],
])("--config %s is refused", async (pair, stderr) => {
  const { requests, setting } = scriptedEngine();
  expect(await modelplatform(["up", "--yes", "-c", pair], { ...(await project("dev")), ...setting })).toMatchObject({
    code: 64,
    stderr,
  });
  expect(requests).toEqual([]);
});

test("a stack is asked for when there are several and none is selected", async () => {
  const { cwd, env } = await project("dev", "prod");
  await modelplatform("stack rm prod --yes", { cwd, env });
  await modelplatform("stack init staging --no-select", { cwd, env });
  const { code, stderr } = await modelplatform("preview", { cwd, env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "error: No stack is selected. Name one with --stack, or choose one with `npx pulumi-modelplatform stack select <name>`: dev, staging.\n",
  });
});

test("an unknown stack is named with its likeness, and where it was looked for", async () => {
  const { cwd, env } = await project("dev", "prod");
  const { code, stderr } = await modelplatform("preview -s prdo", { cwd, env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: Project shop has no stack prdo in ${cwd} (the backend file://.). Did you mean prod? Make it with \`npx pulumi-modelplatform stack init prdo\`.\n`,
  });
});

test("after an edit of the project's name, the stack of the other name is known", async () => {
  const { cwd, env } = await project("dev");
  const file = join(cwd, "Pulumi.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("name: shop", "name: store"));
  for (const command of ["preview", "preview --stack dev"]) {
    const { code, stderr } = await modelplatform(command, { cwd, env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        "There is dev of project shop: if that is this project under another name, set `name: shop` in Pulumi.yaml, or move the stack: `npx pulumi-modelplatform stack rename organization/store/dev --stack organization/shop/dev`.",
      ),
    });
  }
});

test("after an edit of the project's name, all stacks of the other name are known", async () => {
  const { cwd, env } = await project("dev", "prod");
  const file = join(cwd, "Pulumi.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("name: shop", "name: store"));
  const { stderr } = await modelplatform("preview", { cwd, env });
  expect(stderr).toContain(
    "There are dev, prod of project shop: if that is this project under another name, set `name: shop` in Pulumi.yaml, or move each stack, such as: `npx pulumi-modelplatform stack rename organization/store/dev --stack organization/shop/dev`.",
  );
  const line = "stack rename organization/store/dev --stack organization/shop/dev";
  const { stdout } = await modelplatform(line, { cwd, env });
  const next = "stack rename organization/store/prod --stack organization/shop/prod";
  expect(stdout).toContain(
    `Still of the project shop: prod. Rename each in the same way: \`npx pulumi-modelplatform ${next}\`.`,
  );
  expect((await modelplatform(next, { cwd, env })).stdout).not.toContain("Still of");
});

test("a project without stacks says how to make one", async () => {
  const { cwd, env } = await project();
  const { code, stderr } = await modelplatform("preview", { cwd, env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: Project shop has no stack in ${cwd} (the backend file://.) yet. If another backend has it, set \`PULUMI_BACKEND_URL\`; make one with \`npx pulumi-modelplatform stack init <name>\`.\n`,
  });
});

test("changes that were not expected are no success in green, and `error:` is red", async () => {
  const { cwd, env } = await project("dev");
  const engine: CliContext["loadEngine"] = () =>
    Promise.resolve((_, { onEvent }) => {
      const changes = { create: 1, update: 0, replace: 0, delete: 0, same: 0 };
      const told = { result: "succeeded" as const, changes, left: [], outputs: {} };
      onEvent({ kind: "prelude", operation: "preview", stack: "dev", preview: true, time: 0 });
      onEvent({ kind: "summary", operation: "preview", preview: true, ...told, durationMs: 0, time: 0 });
      return Promise.resolve(told);
    });
  const colours = { ...env, NO_COLOR: "", FORCE_COLOR: "1" };
  const unexpected = await modelplatform("preview --expect-no-changes", { cwd, env: colours, engine });
  expect(unexpected.code).toBe(7);
  expect(unexpected.stdout).toContain("\u001b[33mPreview done");
  expect(unexpected.stderr).toBe("\u001b[1;31merror:\u001b[0m expected no changes, but there are 1.\n");
  expect((await modelplatform("preview", { cwd, env: colours, engine })).stdout).toContain("\u001b[32mPreview done");
  const failed = await modelplatform("preview -s prdo", { cwd, env: colours });
  expect(failed.stderr).toMatch(/^\u001b\[1;31merror:\u001b\[0m Project shop/);
  expect((await modelplatform("preview -s prdo", { cwd, env })).stderr).toMatch(/^error: Project shop/);
});

test.each([
  [
    "refresh --clear-pending-creates --exclude urn:a --exclude-dependents",
    { clearPendingCreates: true, exclude: ["urn:a"], excludeDependents: true },
  ],
  ["destroy --exclude-protected --refresh --run-program", { excludeProtected: true, refresh: true, runProgram: true }],
  ["preview --save-plan plan.json", { plan: expect.stringMatching(/\/plan\.json$/) }],
])("every flag of %s reaches the engine", async (line, choices) => {
  const { requests, setting } = scriptedEngine();
  const flags = line.startsWith("preview") ? "" : " --yes --skip-preview";
  await modelplatform(`${line}${flags}`, { ...(await project("dev")), ...setting });
  expect(requests).toMatchObject([{ choices }]);
});

test("the variables that Pulumi knows stand for their flags", async () => {
  const { requests, setting } = scriptedEngine();
  const { cwd, env } = await project("dev");
  const variables = { PULUMI_RUN_PROGRAM: "true", PULUMI_CONTINUE_ON_ERROR: "1" };
  await modelplatform("destroy --yes --skip-preview", { cwd, env: { ...env, ...variables }, ...setting });
  expect(requests).toMatchObject([{ choices: { runProgram: true, continueOnError: true } }]);
});

test.each(["up --target urn:a --exclude urn:b", "destroy --target urn:a --exclude-protected"])(
  "%s is a usage error",
  async (line) => {
    const { requests, setting } = scriptedEngine();
    const outcome = await modelplatform(`${line} --yes`, { ...(await project("dev")), ...setting });
    expect(outcome).toMatchObject({ code: 64, stderr: expect.stringContaining("cannot be combined") });
    expect(requests).toEqual([]);
  },
);

test("outputs are suppressed, or their secrets shown, when asked for", async () => {
  const outputs = { url: "https://example.com", key: secret("hunter2") };
  const { setting } = scriptedEngine(Array.from({ length: 4 }, () => ({ outputs })));
  const place = { ...(await project("dev")), ...setting };
  expect((await modelplatform("preview", place)).stdout).not.toContain("hunter2");
  expect((await modelplatform("preview --show-secrets", place)).stdout).toContain("hunter2");
  expect((await modelplatform("preview --suppress-outputs", place)).stdout).not.toContain("example.com");
  const json = await modelplatform("preview --suppress-outputs --json", place);
  expect(lastLine(json.stdout)).toMatchObject({ outputs: {} });
});

test("--color decides whatever the terminal is", async () => {
  const { setting } = scriptedEngine([{}, {}, {}]);
  const place = { ...(await project("dev")), ...setting };
  const coloured = /\u001b\[/;
  expect((await modelplatform("preview --color always", place)).stdout).toMatch(coloured);
  expect((await modelplatform("--color never preview", { ...place, isTTY: true })).stdout).not.toMatch(coloured);
  expect((await modelplatform("preview --color red", place)).code).toBe(64);
});

test("--non-interactive never asks, at a terminal neither", async () => {
  const { requests, setting } = scriptedEngine();
  const place = { ...(await project("dev")), ...setting, isTTY: true };
  const { code, questions } = await modelplatform("up --non-interactive", place);
  expect({ code, questions, requests }).toEqual({ code: 64, questions: [], requests: [] });
});
