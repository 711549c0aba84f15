import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ended } from "../e2e/commands";
import { accountsOf, exportsOf } from "../e2e/example-folders";
import type { OpenSite } from "../e2e/sites";
import { editsOf, type InputEdit, withEdit } from "./edits";

export type PreviewHost = "dynamic" | "plugin";

/** What a preview announces for one edit, and what `up` then does, as `<op> <resource>`. */
export interface PreviewCell {
  example: string;
  edit: InputEdit;
  announced: readonly string[];
  executed: readonly string[];
}

/** Every `nth` edit of an example, from `first` on, each made to the same world. */
export async function cellsOf(
  open: OpenSite,
  host: PreviewHost,
  example: string,
  { nth = 1, first = 0 } = {},
): Promise<PreviewCell[]> {
  const site = await open({
    program: `modelplatform-${example}`,
    accounts: Object.fromEntries(accountsOf(example)),
  });
  const env = {
    ...Object.fromEntries(exportsOf(example)),
    ...site.env,
    MODELPLATFORM_PREFLIGHT: "true",
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
  };
  const file = join(site.program, "index.ts");
  const source = readFileSync(file, "utf8");
  const program =
    host === "plugin" ? source.replaceAll('"pulumi-modelplatform"', '"pulumi-modelplatform/plugin"') : source;
  const control = (what: string): Promise<Response> =>
    site.emulator.fetch(new Request(`http://emulator.test/_emulator/${what}`, { method: "POST" }));
  const [state, intents, kept] = ["state", "intents", "kept"].map((name) => join(site.folder, name)) as [
    string,
    string,
    string,
  ];
  const keep = async (): Promise<void> => {
    await control("snapshot");
    cpSync(state, join(kept, "state"), { recursive: true });
    cpSync(intents, join(kept, "intents"), { recursive: true });
  };
  const restore = async (): Promise<void> => {
    await control("restore");
    for (const folder of [state, intents]) rmSync(folder, { recursive: true, force: true });
    cpSync(kept, site.folder, { recursive: true });
  };
  try {
    writeFileSync(file, program);
    if (host === "plugin")
      appendFileSync(
        join(site.program, "Pulumi.yaml"),
        "plugins:\n  providers:\n    - name: modelplatform\n      path: ../plugins\n",
      );
    await site.expect(0, "up", { env });
    await keep();
    const cells: PreviewCell[] = [];
    for (const edit of editsOf(site.resources()).filter((_, place) => place % nth === first % nth)) {
      writeFileSync(file, withEdit(program, edit));
      const announced = stepsIn(await site.run("preview --json", { env }));
      const executed = stepsIn(await site.run("up --json", { env }));
      cells.push({ example, edit, announced, executed });
      await restore();
    }
    return cells;
  } finally {
    await site.close();
  }
}

interface Told {
  kind?: string;
  step?: { op: string; urn: string };
  resourcePreEvent?: { metadata: { op: string; urn: string } };
}

/** The steps of a command that ended well, in the words of either engine; one that refused the edit has none. */
function stepsIn({ code, stdout }: Ended): string[] {
  if (code !== 0) return ["refused"];
  const events = stdout.split("\n").flatMap((line): Told[] => (line.startsWith("{") ? [JSON.parse(line)] : []));
  return events
    .flatMap(({ kind, step, resourcePreEvent }) =>
      kind === "stepStarted" && step ? [step] : resourcePreEvent ? [resourcePreEvent.metadata] : [],
    )
    .filter(({ op, urn }) => op !== "same" && urn.includes("modelplatform:"))
    .map(({ op, urn }) => `${op} ${urn.slice(urn.lastIndexOf("::") + 2)}`)
    .sort();
}

/** The edit of a cell, and what the preview and `up` say of it, in a line. */
export const lineOf = ({ example, edit, announced, executed }: PreviewCell): string =>
  `${example}: \`${edit.input}\` of ${edit.kind} ${edit.resource}: announced ${announced.join(", ") || "nothing"}; executed ${executed.join(", ") || "nothing"}`;

export const differs = ({ announced, executed }: PreviewCell): boolean => announced.join() !== executed.join();
