import { code, escapeProse } from "../../io/text/markup";
import { printable } from "../../io/text/printable";
import { optionsIn } from "../../provider/core/declaration/own-fields";
import { modelIn } from "../../provider/core/declaration/preflight";
import { resourceNameIn } from "../../provider/core/pulumi-names";
import { amount } from "../cost/words";
import { type ChangedField, computed } from "./differences";
import { riseOf } from "./rises";
import { type ChangeRow, isRisky, type RowRule } from "./row";

const mostFields = 4;
const mostInCell = 60;
/** Characters of a value under "All fields". */
const mostInList = 1000;

/** The three cells of a row, as Markdown. */
export const cellsOf = (row: ChangeRow, currency: string): string[] => [
  `${isRisky(row) ? "⚠️&nbsp;" : ""}${row.op}`,
  titleLines(row).join("<br>"),
  changeOf(row, currency).join("<br>"),
];

function titleLines(row: ChangeRow): string[] {
  const { kind, name, place, count, renamedFrom } = row;
  if (count !== undefined) return [code(`${count} × ${kind}`), `${code(name)} and ${count - 1} more`];
  const own = renamedFrom === undefined ? titleCode(row) : code(`${kind} ${resourceNameIn(renamedFrom)} → ${name}`);
  return [own, ...(place === undefined ? [] : [code(place)])];
}

const titleCode = ({ kind, name }: Pick<ChangeRow, "kind" | "name">): string => code(`${kind} ${name}`);

/** Every field of a row of which the table leaves something out; undefined where it has all. */
export function allFieldsOf(row: ChangeRow): string | undefined {
  const fields = listedFields(row);
  if (fields.length <= mostFields && !fields.some(isLong)) return undefined;
  return [titleCode(row), "", ...fields.map((field) => `- ${fieldText(row, field, mostInList)}`)].join("\n");
}

function changeOf(row: ChangeRow, currency: string): string[] {
  const lines = [...rulesIn(row), ...contentOf(row), ...costOf(row, currency)];
  return lines.length > 0 ? lines : [row.op === "replace" ? "is replaced" : "changes nothing that is legible here"];
}

const phrases: Readonly<Record<RowRule, { changed: string; created: string } | undefined>> = {
  loosening: { changed: "loosens the policy", created: "loosens the policy" },
  role: { changed: "wider role", created: "wide role" },
  public: { changed: "opens it up", created: "is open" },
  unknown: { changed: "permissions that are known later", created: "permissions that are known later" },
  protection: { changed: "takes the protection from deletion away", created: "is not protected from deletion" },
  price: undefined,
  secret: undefined,
};

const isNew = ({ op }: ChangeRow): boolean => op === "create" || op === "import";

const rulesIn = (row: ChangeRow): string[] =>
  row.rules.flatMap((rule) => {
    const phrase = phrases[rule];
    return phrase ? [`**${isNew(row) ? phrase.created : phrase.changed}**`] : [];
  });

function contentOf(row: ChangeRow): string[] {
  const { op, id, spec, inputs, renamedFrom } = row;
  const object = code(id ?? row.name);
  if (renamedFrom !== undefined)
    return [...renameLines(object, renamedFrom, row.urn), ...fieldLines(row, widestFields(row))];
  if (op === "leave") return [`leaves the stack, stays live: ${object}`];
  if (op === "delete") {
    if (!spec?.singleton) return [`deletes ${object}`];
    return [`${optionsIn(inputs).onDelete === "restorePrevious" ? "sets back" : "clears"} ${object}`];
  }
  if (op === "import") return [`imports ${object}`, ...fieldLines(row, widestFields(row))];
  if (op === "create") return createdLines(row);
  return fieldLines(row, row.fields);
}

/** A parent or a type that is another one is part of the name that an alias gives, so that only the URN says it all. */
function renameLines(object: string, from: string, to: string): string[] {
  const isSameButName = from.split("::").slice(0, -1).join("::") === to.split("::").slice(0, -1).join("::");
  const alias = isSameButName ? `{ name: ${JSON.stringify(resourceNameIn(from))} }` : JSON.stringify(from);
  return [
    `**looks renamed**: deletes ${object} and creates another`,
    `${code(`aliases: [${shortened(alias, mostInList)}]`)} in its options keeps it`,
  ];
}

/** What is new: what it is for, else what the program says of it. */
function createdLines(row: ChangeRow): string[] {
  const { spec, inputs } = row;
  const { adopt } = inputs;
  const adopts =
    adopt === undefined || adopt === "never" ? [] : [`adopts it if it exists (${valueText(adopt, mostInCell)})`];
  const purpose = purposeOf(row);
  if (purpose !== undefined) return [...adopts, purpose, ...fieldLines(row, widestFields(row))];
  return [...adopts, ...fieldLines(row, spec ? listedFields(row) : [])].slice(0, mostFields + 2);
}

/** Of what is paid for: the model that it serves or trains. */
function purposeOf({ spec, inputs, cost }: ChangeRow): string | undefined {
  const model = spec?.preflight && modelIn(spec.preflight, inputs)?.name;
  if (!spec?.billing || model === undefined) return undefined;
  if (spec.billing.by === "acceleratorHour") return `serves ${valueText(model, mostInCell)}`;
  const data = `trains ${valueText(model, mostInCell)} on ${valueText(inputs[spec.billing.dataset], mostInCell)}`;
  if (!cost?.once) return data;
  return cost.once.amount === undefined ? `${data}, cost unknown` : `${data}, costs ${amount(cost.once.amount)} once`;
}

/** The fields in a row: those that change, or those that the program sets. */
function listedFields(row: ChangeRow): ChangedField[] {
  if (!isNew(row)) return row.fields;
  const { spec, inputs } = row;
  const names = spec ? spec.fields.message.map(({ name }) => name) : Object.keys(inputs);
  const set = names.filter((name) => inputs[name] !== undefined).map((path) => ({ path, new: inputs[path] }));
  const widest = new Set(widestFields(row).map(({ path }) => path));
  return [...set.filter(({ path }) => widest.has(path)), ...set.filter(({ path }) => !widest.has(path))];
}

const widestFields = ({ spec, rules, inputs }: ChangeRow): ChangedField[] =>
  (spec?.fields.message ?? []).flatMap(({ name, markers }) =>
    markers.opens && rules.includes(markers.opens.rule as RowRule) && inputs[name] !== undefined
      ? [{ path: name, new: inputs[name] }]
      : [],
  );

function fieldLines(row: ChangeRow, fields: readonly ChangedField[]): string[] {
  const more = fields.length - mostFields;
  const lines = fields.slice(0, mostFields).map((field) => fieldText(row, field, mostInCell));
  return more > 0 ? [...lines, `and ${more} more ${more === 1 ? "field" : "fields"}`] : lines;
}

function fieldText(row: ChangeRow, field: ChangedField, most: number): string {
  const path = code(shortened(field.path, most));
  const end = field.replaces && row.op === "replace" ? ", which replaces it" : "";
  if (field.differs) return field.secret ? `${path}: another secret each` : `${path}, to a value of its own each`;
  if (field.secret) return `${path}: another secret${end}`;
  if (isNew(row)) return `${path} ${valueText(field.new, most)}`;
  return `${path} ${valueText(field.old, most)} → ${valueText(field.new, most)}${end}`;
}

const isLong = ({ old, new: fresh }: ChangedField): boolean =>
  [old, fresh].some((value) => value !== undefined && spelled(value).length > mostInCell);

const spelled = (value: unknown): string => printable(typeof value === "string" ? value : JSON.stringify(value));

function valueText(value: unknown, most: number): string {
  if (value === undefined || value === null) return "unset";
  return value === computed ? "known later" : code(shortened(spelled(value), most));
}

/** At most so many characters, none of which is halved. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalved = /[\ud800-\udbff]/.test(text.charAt(most - 2));
  return `${text.slice(0, most - (isHalved ? 2 : 1))}…`;
}

/** What an hour costs, where that changes. */
function costOf(row: ChangeRow, currency: string): string[] {
  const { op, cost } = row;
  if (!cost || cost.once || op === "leave") return [];
  const { before, max } = cost.hourly;
  const unit = `${escapeProse(currency)}/h`;
  if (op === "create") return [max === undefined ? "cost unknown" : `at most ${amount(max)} ${unit}`];
  if (before === max) return [];
  const change = `${amount(before)} → ${amount(max)} ${unit}`;
  return [row.rules.includes("price") ? `**${timesOf(row)}:** ${change}` : change];
}

/** How many times as much it costs, rounded down. */
function timesOf({ op, cost }: ChangeRow): string {
  const { before = 0n, after = 0n } = riseOf(op, cost) ?? {};
  return before === 0n ? "costs from now on" : `costs ${after / before} times as much`;
}
