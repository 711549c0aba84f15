import { recordNames } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { nameOf } from "../../provider/lifecycle/memory/identity";
import { managedSpecs } from "../../provider/resources/index";
import { DeclaredResource } from "../lifecycle/contract/declaration";
import { dynamicHost, pluginHost } from "../lifecycle/contract/hosts";
import { createHarness, type Harness } from "../lifecycle/harness";
import { tableOf } from "./declared";
import { message } from "./reference/samples";
import { reference } from "./reference/tables";
import type { SettableKind } from "./reference/types";

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
});
afterEach(() => at.close());

const records = new Set<string>(recordNames);

/** What every import of a complete object records: outputs, and inputs that the service answers. */
const imported = ({ fields }: ResourceSpec): Field[] =>
  [...fields.outputs, ...fields.message].filter(
    ({ name, markers }) => !markers.inputOnly && !markers.volatile && !records.has(name),
  );

const advice = (kind: string, { name, markers: { follows } }: Field): string =>
  follows?.from
    ? `\`${name}\` follows from ${follows.from.map((from) => `\`${from}\``).join(", ")}, and no such field of ${kind} has a value.`
    : `No answer has \`${name}\`: state it in ${tableOf(kind)}, or take it out of the declaration.`;

const cases = [dynamicHost, pluginHost].flatMap((host) =>
  managedSpecs.map((spec) => [spec.kind, host.title, spec, host] as const),
);

test.each(cases)("an import of a complete %s fills every output (%s)", async (_, __, spec, host) => {
  const name = nameOf(spec, "acme", "one");
  await at.put(name, { ...message(reference[spec.kind as SettableKind].fields), name });
  const it = new DeclaredResource({ ...at, host }, spec.kind);
  await it.import(name);
  const empty = imported(spec).filter((field) => it.outputs[field.name] === undefined);
  expect(empty.map((field) => advice(spec.kind, field))).toEqual([]);
});
