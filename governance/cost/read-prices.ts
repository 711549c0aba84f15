import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Scalar } from "yaml";
import { isIn } from "../../io/paths";
import { readYaml } from "../../io/text/yaml-document";
import {
  createSources,
  describeSources,
  fileNamed,
  type ReadSettingFile,
  type ResolvedSetting,
  readSettingFile,
  type SettingSources,
  setupAdvice,
} from "../../provider/api/settings/sources";
import { ConfigurationError } from "../../provider/core/errors";
import { fieldsOf } from "../../provider/core/fields/fields";
import { describeIssue } from "../../provider/core/schema-issues";
import { likelyTypoOf } from "../../provider/core/values/did-you-mean";
import { isObject, pathText, type Segment, type Values } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { AcceleratorType } from "../../provider/resources/messages";
import { regionMeanings } from "../../provider/resources/regions";
import { type Nanos, nanosIn } from "./money";
import { AcceleratorPrice, Discount, PriceFile, type Prices, TrainingPrice, type Validity } from "./prices";

interface PlaceOfPrices {
  /** The folder that relative paths start from. */
  cwd: string;
  readFile?: ReadSettingFile;
}

/** The prices that the setting `prices` names or holds; undefined where it is not set. Throws `ConfigurationError`. */
export function openPrices(
  sources: SettingSources,
  { cwd, readFile = readSettingFile }: PlaceOfPrices,
): Prices | undefined {
  const setting = createSources(sources).find("prices");
  if (!setting) return undefined;
  const text = String(setting.value);
  if (isContent(text)) return readPrices(text, setting.where);
  const path = resolve(cwd, text);
  if (setting.from === "project") assertInFolder(setting, path, cwd);
  const file = fileNamed({ ...setting, value: path }, readFile);
  return readPrices(String(file.value), `\`${text}\` (${setting.where})`);
}

/** The same, where there have to be some. */
export function requirePrices(sources: SettingSources, place: PlaceOfPrices): Prices {
  const prices = openPrices(sources, place);
  if (prices) return prices;
  throw new ConfigurationError(`no prices are given (${describeSources("prices", {})}), and this package has none`, {
    advice: setupAdvice("prices", {}),
  });
}

const isContent = (text: string): boolean => /^\s*\{/.test(text) || text.includes("\n");

/** Anybody may have written a project's files: they name no file of the machine outside of it. */
function assertInFolder({ where }: ResolvedSetting, path: string, cwd: string): void {
  if (!existsSync(path) || isIn(path, cwd)) return;
  throw new ConfigurationError(`${where} names a file outside of the project`, {
    advice: "Put the price file into the project, or name it with `MODELPLATFORM_PRICES`.",
  });
}

/**
 * Reads a file of prices. Throws `ConfigurationError`, with the line, for anything that makes an amount a guess: text
 * for a number, two prices for one thing, a second currency. `where` names the file in words.
 */
export function readPrices(text: string, where: string): Prices {
  const document = readExactly(text, where);
  const refuse = (path: readonly Segment[], reason: string, advice = "Correct the price file."): never => {
    throw new ConfigurationError(`${placeIn(where, document.lineOf(path))}: ${reason}`, { advice });
  };
  const file = validatePriceFile(document, refuse);
  const warnings: string[] = [];
  const assertKnownName = (path: readonly Segment[], value: string | undefined, known: readonly string[]): void => {
    if (value === undefined || known.includes(value)) return;
    const near = likelyTypoOf(value, known);
    if (near !== undefined)
      refuse(path, `\`${pathText(path)}\` is ${JSON.stringify(value)}`, `Did you mean \`${near}\`?`);
    warnings.push(
      `${placeIn(where, document.lineOf(path))}: \`${pathText(path)}\` is ${JSON.stringify(value)}, which this version does not know`,
    );
  };
  const { accelerators = [], training = [], discounts = [] } = file;
  accelerators.forEach(({ type, region }, index) => {
    if (type.endsWith("_UNSPECIFIED") || region?.endsWith("_UNSPECIFIED"))
      refuse(["accelerators", index], "a price needs a type, and a region or none", "Name one, or leave `region` out.");
    assertKnownName(["accelerators", index, "type"], type, acceleratorTypes);
    assertKnownName(["accelerators", index, "region"], region, Object.keys(regionMeanings));
  });
  const lists = { accelerators, training, discounts };
  for (const [list, entries] of Object.entries(lists))
    entries.forEach((entry, index) => {
      if (entry.from !== undefined && entry.to !== undefined && entry.to < entry.from)
        refuse([list, index], `\`${list}[${index}]\` ends on ${entry.to}, before it begins on ${entry.from}`);
      const own = "currency" in entry ? entry.currency : undefined;
      if (own !== undefined && own !== file.currency)
        refuse(
          [list, index, "currency"],
          `\`${list}[${index}].currency\` is ${own}, and the file's is ${file.currency}`,
          "Two currencies cannot be added up: keep a file for each, or convert the prices.",
        );
    });
  assertNoDuplicates(
    accelerators,
    ({ type, region, geography }) => `${type} in ${region ?? geography ?? "every region"}`,
    "accelerators",
    refuse,
  );
  assertNoDuplicates(
    training,
    ({ baseModel, parametersUpTo }) => baseModel ?? `models of up to ${parametersUpTo} parameters`,
    "training",
    refuse,
  );
  assertNoDuplicates(discounts, ({ account }) => `the account ${account}`, "discounts", refuse);
  const share = (name: "revocable" | "preemptible") =>
    file[name] === undefined ? undefined : document.nanosAt([name]);
  return {
    where,
    currency: file.currency,
    warnings,
    accelerators: accelerators.map((entry, index) => ({
      ...entry,
      nanos: document.nanosAt(["accelerators", index, "hourly"]),
    })),
    training: training.map((entry, index) => ({
      ...entry,
      nanos: document.nanosAt(["training", index, "perMillionTokens"]),
    })),
    discounts: discounts.map((entry, index) => ({ ...entry, nanos: document.nanosAt(["discounts", index, "share"]) })),
    datasets: Object.fromEntries(Object.entries(file.datasets ?? {}).map(([name, tokens]) => [name, BigInt(tokens)])),
    revocable: share("revocable"),
    preemptible: share("preemptible"),
  };
}

const acceleratorTypes = fieldsOf(z.object({ type: AcceleratorType }))[0]!.values!;

function validatePriceFile(
  document: ExactDocument,
  refuse: (path: readonly Segment[], reason: string) => never,
): PriceFile {
  if (!isObject(document.value)) return refuse([], "a price file is a map, with `currency` and `accelerators`");
  const result = PriceFile.safeParse(document.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [problem] = describeIssue(issue!, document.value as Values, {
    answered: [],
    namedBy: undefined,
    membersOf: membersAt,
    placeOf: () => undefined,
  });
  return refuse(
    issue!.path as Segment[],
    `${problem!.path === "" ? "the entry" : `\`${problem!.path}\``} ${problem!.reason}`,
  );
}

const members = (schema: z.ZodObject): string[] => Object.keys(schema.shape);
const entries: Readonly<Record<string, z.ZodObject>> = {
  accelerators: AcceleratorPrice,
  training: TrainingPrice,
  discounts: Discount,
};
const membersAt = ([list]: readonly Segment[]): string[] =>
  members(list === undefined ? PriceFile : (entries[String(list)] ?? z.object({})));

/** Two entries for one thing on one day would leave the price to chance. */
function assertNoDuplicates<E extends Validity>(
  all: readonly E[],
  keyOf: (entry: E) => string,
  list: string,
  refuse: (path: readonly Segment[], reason: string, advice: string) => never,
): void {
  const seen = new Map<string, number[]>();
  all.forEach((entry, index) => {
    const thing = keyOf(entry);
    const others = seen.get(thing) ?? [];
    const other = others.find((each) => overlap(all[each]!, entry));
    if (other !== undefined)
      refuse(
        [list, index],
        `\`${list}[${other}]\` and \`${list}[${index}]\` both hold for ${thing} at the same time`,
        "Give them days that do not overlap, with `from` and `to`, or remove one.",
      );
    seen.set(thing, [...others, index]);
  });
}

const overlap = (one: Validity, other: Validity): boolean =>
  (one.from ?? "") <= (other.to ?? "9999-12-31") && (other.from ?? "") <= (one.to ?? "9999-12-31");

/** A YAML or JSON document whose numbers can be read as they are written, before they become binary fractions. */
interface ExactDocument {
  value: unknown;
  /** The amount at a path that holds a number. Throws where its digits do not fit. */
  nanosAt(path: readonly Segment[]): Nanos;
  /** The line of what is at a path, for errors; of its parent where there is nothing. */
  lineOf(path: readonly Segment[]): number | undefined;
}

/** Throws `ConfigurationError` for text that is not one document, or has anchors, which could name anything twice. */
function readExactly(text: string, where: string): ExactDocument {
  const { isAlias, isScalar, visit } = require("yaml") as typeof import("yaml");
  const { document, problem, isSeveral, lineOf: lineAt } = readYaml(text, where, { stringKeys: true });
  const isEmpty = document.contents === null && document.errors.length === 0;
  if (isEmpty) throw new ConfigurationError(`${where} is empty`, { advice: "Write at least `currency: USD`." });
  if (isSeveral)
    throw new ConfigurationError(`${where} holds several documents`, { advice: "Leave one, without `---`." });
  if (problem !== undefined)
    throw new ConfigurationError(`${where} is not YAML or JSON: ${problem}`, {
      advice: "Correct it; an editor that knows YAML shows the place.",
    });
  visit(document, (_, node) => {
    if (isAlias(node) || (node !== null && typeof node === "object" && "anchor" in node && node.anchor !== undefined))
      throw new ConfigurationError(`${where} has an anchor or an alias`, { advice: "Write its value." });
  });
  const scalarAt = (path: readonly Segment[]): Scalar | undefined => {
    const node: unknown = document.getIn(path, true);
    return isScalar(node) ? node : undefined;
  };
  const lineOf = (path: readonly Segment[]): number | undefined => {
    const node = document.getIn(path, true) as { range?: [number, number, number] | null } | undefined;
    if (node?.range) return lineAt(node.range[0]);
    return path.length === 0 ? undefined : lineOf(path.slice(0, -1));
  };
  return {
    value: document.toJS(),
    lineOf,
    nanosAt(path) {
      const nanos = nanosIn(scalarAt(path)?.source ?? "");
      if (nanos !== undefined) return nanos;
      throw new ConfigurationError(
        `${placeIn(where, lineOf(path))}: \`${pathText(path)}\` is not written as plain digits`,
        {
          advice: "Write it as in `3.25`, with at most nine digits after the point.",
        },
      );
    },
  };
}

const placeIn = (where: string, line: number | undefined): string =>
  line === undefined ? where : `${where}, line ${line}`;
