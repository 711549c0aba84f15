import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../engine/processes/child";
import { repository } from "../e2e/engines";
import { temporaryFolder } from "../state/temporary-folder";

/** What a process prints that the engine starts. */
async function printedBy(script: string, cwd = repository, env = process.env, from = "stdout"): Promise<string[]> {
  const lines: string[] = [];
  const onLine = (line: string, stream: string) => void (stream === from && lines.push(line));
  const child = new Child({ args: ["-e", script], cwd, env, onLine });
  await child.exited;
  return lines;
}

const loaded = `["typescript", "@npmcli"].map((each) => Object.keys(require.cache).some((file) => file.includes(each + "/")))`;

test("a process loads compiler and package reader only when the SDK needs them", async () => {
  const script = `
    const { runtime } = require("@pulumi/pulumi");
    console.log(String(${loaded}));
    runtime.serializeFunction(() => require("semver").major("4.5.6")).then(({ text }) =>
      console.log(text.includes('major("4.5.6")'), String(${loaded})));
    runtime.computeCodePaths().then((paths) => console.log(paths.size > 0, String(${loaded})));`;
  const [before, ...after] = await printedBy(script);
  expect(before).toBe("false,false");
  expect(after).toEqual(["true true,false", "true true,true"]);
});

const parts = ["automation/stack", "provider/server", "@opentelemetry/sdk-trace-base", "js-yaml/index"];
const loadedParts = `Object.keys(require.cache).filter((file) => ${JSON.stringify(parts)}.some((part) => file.includes(part))).length`;

test("a program without them loads no Automation API, no server and no exporter", async () => {
  const script = `require("@pulumi/pulumi"); require("@pulumi/pulumi/cmd/run/tracing"); console.log(${loadedParts});`;
  expect(await printedBy(script)).toEqual(["0"]);
});

test("what was put off is there when a program asks for it", async () => {
  const script = `
    const { automation, provider } = require("@pulumi/pulumi");
    const { LocalWorkspace } = require("@pulumi/pulumi/automation");
    console.log(automation.LocalWorkspace === LocalWorkspace, "fullyQualifiedStackName" in automation);
    console.log(Object.keys(automation).includes("Stack"), { ...provider }.main === require("@pulumi/pulumi/provider").main);
    console.log(automation.fullyQualifiedStackName("acme", "web", "dev"));`;
  expect(await printedBy(script)).toEqual(["true true", "true true", "acme/web/dev"]);
});

test("traces are exported where the SDK is told to", async () => {
  const script = `
    const tracing = require("@pulumi/pulumi/cmd/run/tracing");
    tracing.start("http://127.0.0.1:1/api/v2/spans");
    console.log(tracing.newSpan("one").isRecording());
    process.exit();`;
  expect(await printedBy(script)).toEqual(["true"]);
});

test("a compiler that is not installed is missed as soon as the SDK asks for it", async () => {
  const folder = temporaryFolder();
  const sdk = join(folder, "node_modules/@pulumi/pulumi");
  mkdirSync(sdk, { recursive: true });
  writeFileSync(join(sdk, "index.js"), 'try { require("typescript") } catch (error) { console.log(error.code) }');
  expect(await printedBy('require("@pulumi/pulumi")', folder)).toEqual(["MODULE_NOT_FOUND"]);
});

test("a program's own compiler is loaded as ever", async () => {
  expect(await printedBy(`require("typescript"); console.log(String(${loaded}))`)).toEqual(["true,false"]);
});

test("debug messages of the SDK itself are not sent, and those of a program are", async () => {
  const script = `
    const pulumi = require("@pulumi/pulumi");
    const mocks = { newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: ({ inputs }) => inputs };
    pulumi.runtime.setMocks(mocks);
    const sent = [];
    const engine = { log: (request, done) => { sent.push(request.getMessage()); done(); } };
    require("@pulumi/pulumi/runtime/settings").getEngine = () => engine;
    class Thing extends pulumi.CustomResource { constructor(name) { super("test:index:Thing", name, { size: 1 }); } }
    new Thing("thing").urn.apply(async (urn) => {
      await pulumi.log.debug("the program's");
      await pulumi.log.warn("a warning");
      console.log(urn.endsWith("thing"), JSON.stringify(sent));
    });`;
  expect(await printedBy(script)).toEqual([`true ["the program's","a warning"]`]);
});

describe("a promise of the SDK that never settles", () => {
  const script = `
    const pulumi = require("@pulumi/pulumi");
    pulumi.runtime.setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: ({ inputs }) => inputs });
    let stacks = 0;
    Error.prepareStackTrace = (error, frames) => {
      if (frames[0]?.getFileName()?.endsWith("debuggable.js")) stacks += 1;
      return frames.join();
    };
    class Thing extends pulumi.CustomResource { constructor(name, args) { super("test:index:Thing", name, args); } }
    new Thing("thing", { size: new Promise(() => {}) });
    process.on("exit", () => console.error("stacks: " + stacks, "limit: " + Error.stackTraceLimit));`;
  const reported = (env: NodeJS.ProcessEnv = {}) => printedBy(script, repository, { ...process.env, ...env }, "stderr");

  test("is reported at the end, and no stack of it is taken", async () => {
    const lines = await reported();
    expect(lines.join("\n")).toMatch(/detected that \d+ promises were still active/);
    expect(lines).toContain("stacks: 0 limit: 10");
  });

  test("is reported with its stack on request", async () => {
    const lines = await reported({ PULUMI_DEBUG_PROMISE_LEAKS: "true" });
    expect(lines).toContain("Promise leak detected:");
    expect(lines.join("\n")).toMatch(/stacks: [1-9]/);
  });

  test("has a stack where a user wants the SDK to take them", async () => {
    expect((await reported({ MODELPLATFORM_PROMISE_STACKS: "true" })).join("\n")).toMatch(/stacks: [1-9]/);
  });
});
