import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Publications, publishAll } from "../../tools/rehearsal/publications";
import type { LocalRegistry } from "../../tools/rehearsal/registries";
import { Steps } from "../../tools/rehearsal/report";

let folder: string;
let commands: string[];
let refusal: string;
let result: Publications;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "publications-"));
  [commands, result, refusal] = [[], { packages: [], refusals: [] }, "npm error 401 Unauthorized"];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const registry = (name: LocalRegistry["name"]): LocalRegistry => ({
  ...{ name, address: `http://${name}/`, env: {}, differences: [], storage: join(folder, name) },
  ...(name === "npm" && { wrongCredentials: { TOKEN: "wrong" } }),
});
const registries = () => (["archives", "npm", "go"] as const).map(registry);

/** What the publishing command does to a registry, call by call. */
type Behavior = (storage: string, call: number, env: Readonly<Record<string, string>>) => number;

const write = (storage: string, content: string): number => {
  mkdirSync(storage, { recursive: true });
  writeFileSync(join(storage, "package"), content);
  return 0;
};

/** As the command behaves: it publishes once, and refuses a wrong token. */
const honest: Behavior = (storage, call, env) => (env["TOKEN"] ? 1 : call > 0 ? 0 : write(storage, "1.2.3"));

const publishWith = (behavior: Behavior): Promise<void> => {
  const calls = new Map<string, number>();
  const attempt = async (_: string, args: readonly string[], { env }: { env: Readonly<Record<string, string>> }) => {
    const name = args.at(-3)!;
    const call = calls.get(name) ?? 0;
    if (!env["TOKEN"]) calls.set(name, call + 1);
    commands.push(`${args.slice(-4).join(" ")}${env["TOKEN"] ? " wrong" : ""}`);
    return { code: behavior(join(folder, name), call, env), output: env["TOKEN"] ? refusal : "HTTP 500" };
  };
  const steps = new Steps(Date.now, () => {});
  return publishAll({ sandbox: { attempt }, steps, release: "/release" }, registries(), result);
};

test("each run goes on by one registry, and the last one changes nothing", async () => {
  await publishWith(honest);
  const line = (name: string) => `publish ${name} --to http://${name}/`;
  expect(commands).toEqual([
    line("archives"),
    ...[line("archives"), `${line("npm")} wrong`, line("npm")],
    ...[line("archives"), line("npm"), line("go")],
    ...[line("archives"), line("npm"), line("go")],
  ]);
  expect(result.packages.map(({ registry: name, runs }) => [name, ...runs])).toEqual([
    ["archives", "published", "unchanged", "unchanged", "unchanged"],
    ["npm", "–", "published", "unchanged", "unchanged"],
    ["go", "–", "–", "published", "unchanged"],
  ]);
  expect(result.refusals).toEqual(["npm: a wrong token: exit code 1, 401 Unauthorized"]);
});

test.each<[string, Behavior, string, string[]]>([
  [
    "that fails",
    (storage, call, env) => (storage.endsWith("go") ? 1 : honest(storage, call, env)),
    "`node dist/tools/release.js publish go --to http://go/` ended with 1:\nHTTP 500",
    ["archives", "npm"],
  ],
  ["that publishes nothing", () => 0, "nothing was published to http://archives/", []],
  [
    "that publishes again",
    (storage, call, env) => (env["TOKEN"] ? 1 : write(storage, `${call}`)),
    "publishing again changed files of http://archives/",
    ["archives"],
  ],
  [
    "that takes a wrong token",
    (storage, call) => honest(storage, call, {}),
    "http://npm/ accepted a publication with a wrong token",
    ["archives"],
  ],
])("a command %s ends the rehearsal", async (_, behavior, message, published) => {
  await expect(publishWith(behavior)).rejects.toThrow(message);
  expect(result.packages.map(({ registry: name }) => name)).toEqual(published);
});

test("a wrong token that fails for another reason ends the rehearsal", async () => {
  refusal = "connect ECONNREFUSED";
  await expect(publishWith(honest)).rejects.toThrow("ended with 1:\nconnect ECONNREFUSED");
  expect(result.packages.map(({ registry: name }) => name)).toEqual(["archives"]);
});
