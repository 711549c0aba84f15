import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { readProgram } from "../../drift/accept/program";
import { rewrite } from "../../drift/accept/rewrite";
import { editsFor } from "../../drift/accept/wishes";
import { managedSpecs } from "../../provider/resources/index";
import { type CorpusCase, corpus } from "./corpus";
import { allowing, findingsOf } from "./findings";

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The program of a case in a folder of its own. */
function place({ files }: CorpusCase): string {
  const folder = mkdtempSync(join(tmpdir(), "rewrite-"));
  folders.push(folder);
  for (const [name, { before }] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), before);
  }
  return folder;
}

/** What the state of a stack has of the one resource that the cases of several stacks have. */
const inputsIn = (stack: string, { drift }: CorpusCase): Record<string, unknown> =>
  Object.fromEntries(drift.filter((each) => each.stack === stack).map(({ path, recorded }) => [path, recorded]));

test.each(corpus.map((each) => [`${each.style}: ${each.title}`, each] as const))("%s", (_, example) => {
  const folder = place(example);
  const program = readProgram({ ts, folder, project: "shop", kinds: managedSpecs.map(({ kind }) => kind) });
  const findings = findingsOf(example.drift.filter(({ what }) => what !== "unmanaged"));
  const allow = allowing(findings, example.allow, example.only);
  const wishes = editsFor(findings, { allow, only: example.only });
  const { files, left } = rewrite(program, wishes, {
    holders: () =>
      example.stacks.map((stack) => ({ stack: `organization/shop/${stack}`, inputs: inputsIn(stack, example) })),
    config: (stack) => {
      const name = `Pulumi.${stack.split("/").at(-1)}.yaml`;
      return { file: join(folder, name), text: example.files[name]?.before };
    },
  });
  const unmanaged = new Set(example.drift.filter(({ what }) => what === "unmanaged").map(({ name }) => name));
  if (unmanaged.size === 0) {
    const after = Object.entries(example.files).map(([name, texts]) => {
      const change = files.find(({ file }) => file === join(folder, name));
      return [name, change?.after ?? texts.before];
    });
    expect(Object.fromEntries(after)).toEqual(
      Object.fromEntries(Object.entries(example.files).map(([name, { after: text }]) => [name, text])),
    );
  }
  const told = left.map(({ finding, path = "", place: where, reason }) => ({
    name: finding.urn?.split("::").at(-1),
    path,
    place: where ? `${where.file}:${where.line}` : "",
    reason,
  }));
  expect(told).toEqual(example.left);
});
