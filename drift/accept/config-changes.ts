import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isAlias, isNode, isScalar, parseDocument } from "yaml";
import { editYaml } from "../../io/text/yaml/edit";
import type { YamlValue } from "../../io/text/yaml/scalar";
import type { AcceptStep } from "./change";
import type { Obstacle } from "./declarations";
import type { FileChange, ProgramDeps } from "./outcome";
import type { RewriteOptions, SourceLocation } from "./program";
import type { ProgramEdit } from "./wishes";

/** The config files of the project's stacks. */
interface ConfigFiles {
  project: RewriteOptions["project"];
  config: ProgramDeps["config"];
  /** The changes made to files so far. */
  known: ReadonlyMap<string, FileChange>;
}

/** The configs of the stacks of a finding with another value. */
export function configChanges(
  { project, config: fileOf, known }: ConfigFiles,
  { config, value }: Extract<AcceptStep, { value: unknown }>,
  { finding, change }: ProgramEdit & { act: "say" },
  place: SourceLocation,
): FileChange[] | Obstacle {
  const key = config.path.length > 0 ? `${config.key}.${config.path.join(".")}` : config.key;
  if (config.mustBeTruthy && !value)
    return { reason: `comes from the config \`${key}\`, where ${String(value)} counts as none`, place };
  const changes: FileChange[] = [];
  for (const stack of finding.stacks) {
    const { file, text } = fileOf(stack);
    const before = known.get(file) ?? { file, before: text, after: text ?? "" };
    const declared = configValue(before.after, project, config);
    if (declared === "secret") return { reason: `is a secret in the config \`${key}\``, place };
    if (declared === "shared")
      return { reason: `has an anchor or is an alias in the config \`${key}\` of ${basename(file)}`, place };
    if (declared && "problem" in declared)
      return {
        reason: `comes from the config \`${key}\`, and ${basename(file)} cannot be read: ${declared.problem}`,
        place,
      };
    const isAged =
      declared !== undefined &&
      ![change.recorded, change.live, change.spelled].some((each) => declaresValue(declared.value, each));
    if (isAged)
      return {
        reason: `is ${JSON.stringify(declared.value)} in the config \`${key}\`, and was ${JSON.stringify(change.recorded)} when it was scanned; run \`up\` or scan again`,
        place,
      };
    if (declared !== undefined && declaresValue(declared.value, value)) continue;
    changes.push({ ...before, after: withConfigValue(before.after, project, config, value) });
  }
  return changes;
}

/** A config may hold numbers and flags as text. */
const declaresValue = (declared: unknown, value: unknown): boolean =>
  isDeepStrictEqual(declared, value) ||
  (value !== undefined && typeof value !== "object" && String(declared) === String(value));

/** A value in `Pulumi.<stack>.yaml`. */
interface ConfigSpot {
  /** As the program names it: without a namespace it is the project's own. */
  key: string;
  /** Members below the value. */
  path: readonly string[];
}

type Nodes = ReturnType<typeof parseDocument>;

/** What the file says there; undefined: nothing. Ciphertext is `secret`, and what YAML repeats elsewhere `shared`. */
function configValue(
  text: string,
  project: string,
  spot: ConfigSpot,
): { value: unknown } | { problem: string } | "secret" | "shared" | undefined {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { problem: error.message.split(/:?\n/)[0]! };
  const path = pathOf(document, project, spot);
  if (path.some((_, index) => isShared(document.getIn(path.slice(0, index + 1), true)))) return "shared";
  const held = document.getIn(path.slice(0, 2));
  if (isObject(held) && "toJSON" in held && isObject((held as { toJSON(): unknown }).toJSON()) && hasCiphertext(held))
    return "secret";
  return document.hasIn(path) ? { value: plainJson(document.getIn(path)) } : undefined;
}

const isShared = (node: unknown): boolean =>
  isAlias(node) || (isNode(node) && "anchor" in node && node.anchor !== undefined);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const hasCiphertext = (node: object): boolean => Object.hasOwn((node as { toJSON(): object }).toJSON(), "secure");

const plainJson = (value: unknown): unknown =>
  isObject(value) && "toJSON" in value ? (value as { toJSON(): unknown }).toJSON() : value;

/** The file's text with `value` there, and every other byte as it was. */
export function withConfigValue(text: string, project: string, spot: ConfigSpot, value: unknown): string {
  const document = parseDocument(text);
  const path = pathOf(document, project, spot);
  const node = document.getIn(path, true);
  const isText = isScalar(node) ? typeof node.value === "string" : spot.path.length === 0;
  const plainValue = isText && !isObject(value) ? textOf(value) : value;
  return editYaml(text, path, plainValue as YamlValue, "the stack's config");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The key as the file spells it: the project's own may go without its namespace. */
function pathOf(document: Nodes, project: string, { key, path }: ConfigSpot): string[] {
  const own = key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;
  const full = key.includes(":") ? key : `${project}:${key}`;
  const spelling = [full, own].find((each) => document.hasIn(["config", each])) ?? full;
  return ["config", spelling, ...path];
}
