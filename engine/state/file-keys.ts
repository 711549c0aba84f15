import { type ConfigObject, isConfigObject, type StoredConfigValue } from "./config-value";
import { imitatedVersion, versionFault } from "./imitated-version";

type ValueType = "text" | "true or false" | "a list" | "a map";

/** What the built-in engine does with one key of a file that the Pulumi CLI reads, too. */
export interface KeyRule {
  effect: "used" | "refused" | "none";
  /** The effect, as the documentation says it. */
  note: string;
  /** Types that the CLI's schema allows; without them, any. */
  type?: readonly ValueType[];
  /** The only values that are taken. */
  values?: readonly string[];
  /** What is wrong with a value, if anything: a sentence that begins after the key. */
  fault?(value: string): string | undefined;
}

/** By path: `*` is any name, `[]` an element. What lies below a key without rules of its own is not looked at. */
export type KeyRules = Readonly<Record<string, KeyRule>>;

const text = ["text"] as const;
const map = ["a map"] as const;
const list = ["a list"] as const;
const flag = ["true or false"] as const;
const described = { effect: "none", note: "description of the project", type: text } as const;
const installed = "for `pulumi install`";
const notLoaded = "this engine downloads no plugins";

const pluginRules = (place: string, rule: KeyRule): KeyRules => ({
  [place]: { ...rule, type: list },
  [`${place}[]`]: { ...rule, type: map },
  [`${place}[].name`]: { ...rule, type: text },
  [`${place}[].path`]: { ...rule, type: text },
  [`${place}[].version`]: { ...rule, type: text },
});

const itemsOf = (place: string): KeyRules => ({
  [place]: { effect: "used", note: "type of the elements of a list", type: map },
  [`${place}.type`]: { effect: "used", note: "as `type`; lists nest" },
  [`${place}.items`]: { effect: "used", note: "as `items`, at any depth" },
});

/** Every key of the CLI's schema of `Pulumi.yaml`. */
export const projectKeys: KeyRules = {
  name: { effect: "used", note: "the project's name", type: text },
  description: described,
  author: described,
  website: described,
  license: described,
  runtime: { effect: "used", note: "`nodejs`; others run on the Pulumi CLI", type: ["text", "a map"] },
  "runtime.name": { effect: "used", note: "as `runtime`", type: text },
  "runtime.options": { effect: "used", note: "options of `nodejs`", type: map },
  "runtime.options.typescript": { effect: "used", note: "whether the program is TypeScript", type: flag },
  "runtime.options.tsconfig": { effect: "used", note: "path of `tsconfig.json`", type: text },
  "runtime.options.nodeargs": { effect: "used", note: "arguments of Node.js", type: text },
  "runtime.options.packagemanager": { effect: "none", note: installed, type: text },
  "runtime.options.production": { effect: "none", note: installed, type: flag },
  main: { effect: "used", note: "the program's folder or file", type: text },
  config: { effect: "used", note: "config that stacks have; as text, `stackConfigDir`", type: ["text", "a map"] },
  "config.*": { effect: "used", note: "the declaration of one key, or its default" },
  "config.*.type": { effect: "used", note: "values of another type are refused", type: text },
  "config.*.description": { effect: "none", note: "description of the key", type: text },
  "config.*.secret": { effect: "used", note: "plain values are refused", type: flag },
  "config.*.default": { effect: "used", note: "where a stack sets nothing" },
  "config.*.value": { effect: "used", note: "the same, for a key of another namespace" },
  ...itemsOf("config.*.items"),
  stackConfigDir: { effect: "used", note: "folder of `Pulumi.<stack>.yaml`", type: text },
  backend: { effect: "used", note: "where states are", type: map },
  "backend.url": { effect: "used", note: "a `file://` URL; others are refused", type: text },
  options: { effect: "used", note: "options of operations", type: map },
  "options.refresh": {
    ...{ effect: "used", type: text, values: ["always"] },
    note: "`always`: `preview`, `up` and `destroy` refresh first, unless `--refresh=false`",
  },
  requiredPulumiVersion: {
    ...{ effect: "used", type: text, fault: versionFault },
    note: `a range that must include ${imitatedVersion}, the Pulumi CLI that this engine imitates`,
  },
  template: { effect: "none", note: "for `pulumi new`", type: map },
  packages: { effect: "used", note: "packages by name; those in a folder are found there", type: map },
  "packages.*": { effect: "used", note: "`<folder>` or `<folder>@<version>`", type: ["text", "a map"] },
  "packages.*.source": { effect: "used", note: "the folder", type: text },
  "packages.*.version": { effect: "used", note: "the version", type: text },
  "packages.*.parameters": { effect: "refused", note: "parameterized packages need the Pulumi CLI", type: list },
  "packages.*.extensions": { effect: "refused", note: "extended packages need the Pulumi CLI", type: list },
  "packages.*.pluginDownloadURL": { effect: "none", note: notLoaded, type: text },
  "packages.*.checksums": { effect: "none", note: notLoaded, type: map },
  plugins: { effect: "used", note: "plugins in folders", type: map },
  ...pluginRules("plugins.providers", { effect: "used", note: "a provider's plugin; not this package's own" }),
  ...pluginRules("plugins.analyzers", { effect: "none", note: "policy packs run on the Pulumi CLI alone" }),
  ...pluginRules("plugins.languages", { effect: "refused", note: "this engine runs Node.js programs itself" }),
};

/** Every key of `Pulumi.<stack>.yaml`. */
export const stackKeys: KeyRules = {
  config: { effect: "used", note: "the stack's config", type: map },
  encryptionsalt: { effect: "used", note: "opens secrets, with the passphrase", type: text },
  secretsprovider: {
    ...{ effect: "used", type: text, values: ["passphrase", "default", ""] },
    note: "`passphrase` or `default`; others are refused",
  },
  encryptedkey: { effect: "refused", note: "secrets of a key service need the Pulumi CLI", type: text },
  environment: { effect: "refused", note: "environments need the Pulumi CLI" },
};

/** A sentence for every key of the file that is unknown, refused, or has a value that is not allowed. */
export function keyProblems(content: StoredConfigValue, rules: KeyRules, file: string): string | undefined {
  const problems = isConfigObject(content) ? problemsOf(content, rules, isOpen(content)) : [];
  return problems.length === 0 ? undefined : `${file}: ${problems.join(" ")}`;
}

/** What to do about such problems. */
export const correctKeys = "Correct the file, or use the Pulumi CLI.";

/** Runtimes other than `nodejs` read keys and options of their own, such as the `resources` of a YAML program. */
const isOpen =
  ({ runtime }: ConfigObject) =>
  (place: string): boolean =>
    runtime !== undefined &&
    (isConfigObject(runtime) ? runtime["name"] : runtime) !== "nodejs" &&
    ["", "runtime.options"].includes(place);

function problemsOf(
  object: ConfigObject,
  rules: KeyRules,
  isOpen: (place: string) => boolean,
  [place, shown]: readonly [string, string] = ["", ""],
): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (value === null) return [];
    const written = join(shown, name);
    const path = [join(place, name), join(place, "*")].find((each) => Object.hasOwn(rules, each));
    if (path === undefined) return isOpen(place) ? [] : [unknownKey(written, Object.keys(rules), place)];
    return problemsAt(value, rules, isOpen, [path, written]);
  });
}

function problemsAt(
  value: StoredConfigValue,
  rules: KeyRules,
  isOpen: (place: string) => boolean,
  [path, written]: readonly [string, string],
): string[] {
  const problem = problemOf(value, rules[path]!, quoted(written));
  if (problem !== undefined) return [problem];
  if (Array.isArray(value) && Object.hasOwn(rules, `${path}[]`))
    return value.flatMap((each, index) => problemsAt(each, rules, isOpen, [`${path}[]`, `${written}[${index}]`]));
  if (!isConfigObject(value) || !Object.keys(rules).some((each) => each.startsWith(`${path}.`))) return [];
  return problemsOf(value, rules, isOpen, [path, written]);
}

function problemOf(
  value: StoredConfigValue,
  { effect, note, type, values, fault }: KeyRule,
  key: string,
): string | undefined {
  if (type !== undefined && !type.includes(typeOf(value) as ValueType)) return `${key} must be ${type.join(" or ")}.`;
  if (effect === "refused" && !isEmpty(value)) return `${key} is not supported: ${note}.`;
  if (typeof value !== "string") return undefined;
  if (values !== undefined && !values.includes(value))
    return `${key} is ${quoted(value)}, and only ${values.filter(Boolean).map(quoted).join(" or ")} is supported.`;
  const what = fault?.(value);
  return what === undefined ? undefined : `${key}, ${quoted(value)}, ${what}.`;
}

function unknownKey(written: string, known: readonly string[], place: string): string {
  const start = place === "" ? "" : `${place}.`;
  const names = known.filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  const here = names.filter((name) => /^\w+$/.test(name)).map(quoted);
  return `${quoted(written)} is an unknown key: the Pulumi CLI has ${here.join(", ")} there.`;
}

function typeOf(value: StoredConfigValue): ValueType | "a number" {
  if (Array.isArray(value)) return "a list";
  if (isConfigObject(value)) return "a map";
  if (typeof value === "boolean") return "true or false";
  return typeof value === "string" ? "text" : "a number";
}

const isEmpty = (value: StoredConfigValue): boolean =>
  value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);

const join = (place: string, name: string): string => (place === "" ? name : `${place}.${name}`);

/** A key or a value that somebody wrote may be of any length. */
const quoted = (written: string): string => `\`${written.length > 80 ? `${written.slice(0, 80)}…` : written}\``;
