import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ActionFailure, type Given } from "./actions/action";
import { Artifacts } from "./actions/artifacts";
import { Caches } from "./actions/caches";
import { type Contexts, filled, filledAll } from "./expressions";
import { type PipelineStep, workflow } from "./files";

let root: string;
let artifacts: Artifacts;
beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), "actions-"));
  artifacts = new Artifacts(newFolder);
});
afterEach(() => rmSync(root, { recursive: true }));

const newFolder = (): string => mkdtempSync(join(root, "folder-"));

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : []))
    .sort();

const stepsOf = (file: Parameters<typeof workflow>[0], job: string): readonly PipelineStep[] =>
  workflow(file).jobs[job]!.steps;

const given = ({ with: inputs }: PipelineStep, contexts: Contexts = {}): Given => filledAll(inputs, contexts);

const usedBy = (steps: readonly PipelineStep[], action: string): PipelineStep =>
  steps.find(({ uses }) => uses?.startsWith(`${action}@`))!;

describe("the stand-in of artifacts", () => {
  test.each<[string, Record<string, string>, string, string[]]>([
    ["a file at the top", { "a/b.txt": "x" }, "a/b.txt", ["b.txt"]],
    ["what is in a folder at the top", { "a/b.txt": "x", "a/c/d.txt": "y" }, "a", ["b.txt", "c/d.txt"]],
    ["no hidden file", { "a/.b": "x", "a/.c/d": "y", "a/e": "" }, "a", ["e"]],
  ])("keeps %s", (_, files, path, kept) => {
    artifacts.upload({ name: "one", path }, folderWith(files));
    const to = newFolder();
    artifacts.download({ name: "one" }, to);
    expect(filesIn(to)).toEqual(kept);
  });

  test("makes none of nothing, and fails for a name twice or with a slash", () => {
    const cwd = folderWith({ a: "x" });
    artifacts.upload({ name: "one", path: "b" }, cwd);
    expect(() => artifacts.download({ name: "one" }, newFolder())).toThrow(ActionFailure);
    artifacts.upload({ name: "one", path: "a" }, cwd);
    expect(() => artifacts.upload({ name: "one", path: "a" }, cwd)).toThrow(ActionFailure);
    expect(() => artifacts.upload({ name: "a/b", path: "a" }, cwd)).toThrow(ActionFailure);
  });

  test.each([
    [0, "false", []],
    [1, "false", ["a"]],
    [2, "false", ["one-1/a", "one-2/a"]],
    [1, "true", ["a"]],
    [2, "true", ["a"]],
  ])("lays down %d that a pattern matches, merged: %s", (count, merges, laid) => {
    for (const name of ["one-1", "one-2"].slice(0, count))
      artifacts.upload({ name, path: "a" }, folderWith({ a: name }));
    const to = newFolder();
    artifacts.download({ pattern: "one-*", "merge-multiple": merges }, to);
    expect(filesIn(to)).toEqual(laid);
  });
});

describe("accept.yml", () => {
  /** Plays the job `choose` after the job `find` has left these files for each stack. */
  function chosen(stacks: readonly string[], left: Readonly<Record<string, Record<string, string>>>): unknown {
    const upload = usedBy(stepsOf("accept", "find"), "actions/upload-artifact");
    for (const [stack, files] of Object.entries(left)) {
      const cwd = folderWith(Object.fromEntries(Object.entries(files).map(([name, text]) => [`drift/${name}`, text])));
      artifacts.upload(given(upload, { matrix: { stack } }), cwd);
    }
    const [cwd, output] = [newFolder(), join(newFolder(), "output")];
    for (const step of stepsOf("accept", "choose")) {
      if (step.uses !== undefined) artifacts.download(given(step), cwd);
      else {
        const contexts = { vars: { STACKS: JSON.stringify(stacks) } };
        const env = { ...process.env, ...filledAll(step.env, contexts), GITHUB_OUTPUT: output };
        expect(spawnSync("bash", ["-e", "-c", step.run!], { cwd, env, encoding: "utf8" }).stderr).toBe("");
      }
    }
    return JSON.parse(/^stacks=(.*)$/m.exec(readFileSync(output, "utf8"))![1]!);
  }

  /** The files of a stack that has so much to set back. */
  const files = (stack: string, back: string): Record<string, string> => ({
    ...{ "drift.json": "{}", "drift.md": "", "drift.patch": "", "accept.txt": "" },
    [`back-${stack}.txt`]: back,
  });

  test.each<[string, string[], Record<string, string>, string[]]>([
    ["one stack", ["prod"], { prod: "urn\n" }, ["prod"]],
    ["one stack with nothing to set back", ["prod"], { prod: "" }, []],
    ["two stacks", ["staging", "prod"], { staging: "urn\n", prod: "urn\n" }, ["staging", "prod"]],
    ["two stacks, one with something", ["staging", "prod"], { staging: "", prod: "urn\n" }, ["prod"]],
    ["a stack whose scan has failed", ["staging", "prod"], { prod: "urn\n" }, ["prod"]],
    ["no scan that ended", ["staging", "prod"], {}, []],
    ["similar names", ["prod", "prod-eu"], { prod: "", "prod-eu": "urn\n" }, ["prod-eu"]],
    ["an artifact too many", ["prod"], { prod: "urn\n", "not-a-stack": "urn\n" }, ["prod"]],
  ])("%s: those with something to set back are chosen", (_, stacks, backs, expected) => {
    const left = Object.entries(backs).map(([stack, back]) => [stack, files(stack, back)]);
    expect(chosen(stacks, Object.fromEntries(left) as Record<string, Record<string, string>>)).toEqual(expected);
  });

  test("what a stack leaves in another name is chosen if that is a stack alone", () => {
    expect(chosen(["prod", "staging"], { prod: { "back-environment.txt": "urn\n" } })).toEqual([]);
  });

  test("set-back reads what `find` wrote for its stack", () => {
    const script = stepsOf("accept", "set-back").find(({ run }) => run?.includes("--target"))!.run!;
    expect(script).toContain('"drift/back-$STACK.txt"');
    expect(
      given(usedBy(stepsOf("accept", "set-back"), "actions/download-artifact"), { matrix: { stack: "prod" } }),
    ).toEqual({ name: "accept-prod", path: "drift" });
  });
});

describe("drift-shards.yml", () => {
  test.each([1, 4])("%d shards are merged, and no file of the repository is", (count) => {
    const upload = usedBy(stepsOf("shards", "scan"), "actions/upload-artifact");
    for (let shard = 1; shard <= count; shard += 1)
      artifacts.upload(given(upload, { matrix: { shard } }), folderWith({ [`shard-${shard}.json`]: String(shard) }));
    const cwd = folderWith({ "shard-9.json": "the repository's" });
    const merge = stepsOf("shards", "merge");
    artifacts.download(given(usedBy(merge, "actions/download-artifact")), cwd);
    const pattern = /merge (\S+\.json)/.exec(merge.find(({ id }) => id === "merge")!.run!)![1]!;
    const found = spawnSync("bash", ["-c", `cat ${pattern}`], { cwd, encoding: "utf8" }).stdout;
    expect(found).toBe("1234".slice(0, count));
  });
});

describe("up.yml", () => {
  const steps = stepsOf("up", "up");
  const [restore, save] = ["restore", "save"].map((verb) => usedBy(steps, `actions/cache/${verb}`)) as [
    PipelineStep,
    PipelineStep,
  ];
  const runOf = (stack: string, id: number, attempt = 1): Contexts => ({
    matrix: { stack },
    github: { run_id: String(id), run_attempt: String(attempt) },
  });

  test("each stack gets the journal of its own last run, whatever others are called", () => {
    const caches = new Caches(newFolder);
    const runs = [
      ["prod", 1],
      ["prod-eu", 2],
      ["prod", 3],
      ["prod-eu-1", 4],
      ["prod.eu", 5],
      ["pro", 6],
    ] as const;
    for (const [stack, id] of runs)
      caches.save(
        given(save, runOf(stack, id)),
        folderWith({ ".modelplatform/intents/note": `${stack} ${id}` }),
        "main",
      );
    const restored = (stack: string): string | undefined => {
      const cwd = newFolder();
      caches.restore(given(restore, runOf(stack, 7)), cwd, "main");
      const note = join(cwd, ".modelplatform/intents/note");
      return existsSync(note) ? readFileSync(note, "utf8") : undefined;
    };
    expect(["prod", "prod-eu", "prod-eu-1", "prod.eu", "pro", "p", "eu"].map(restored)).toEqual([
      ...["prod 3", "prod-eu 2", "prod-eu-1 4", "prod.eu 5", "pro 6"],
      ...[undefined, undefined],
    ]);
  });

  test("a second attempt of a run gets the journal of the first", () => {
    const caches = new Caches(newFolder);
    caches.save(given(save, runOf("prod", 1)), folderWith({ ".modelplatform/intents/note": "first" }), "main");
    const cwd = newFolder();
    caches.restore(given(restore, runOf("prod", 1, 2)), cwd, "main");
    expect(filesIn(cwd)).toEqual([".modelplatform/intents/note"]);
  });

  test("keys are those that the service takes", () => {
    expect(String(filled(save.with!["key"], runOf("a".repeat(100), 10 ** 12))).length).toBeLessThanOrEqual(512);
    expect(String(save.with!["key"])).not.toContain(",");
  });
});
