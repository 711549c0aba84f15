import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../provider/engine/processes/child";
import { repository } from "../e2e/engines";
import { temporaryFolder } from "../state/temporary-folder";

/** What a process prints that the engine starts. */
async function printedBy(script: string, cwd = repository): Promise<string[]> {
  const lines: string[] = [];
  const onLine = (line: string, stream: string) => void (stream === "stdout" && lines.push(line));
  const child = new Child({ args: ["-e", script], cwd, env: process.env, onLine });
  await child.exited;
  return lines;
}

const loaded = `["typescript", "@npmcli"].map((each) => Object.keys(require.cache).some((file) => file.includes(each + "/")))`;

test("a process has neither the compiler nor the reader of package trees until the SDK needs them", async () => {
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
