import { harmlessOperations } from "../../provider/api/settings/harmless";
import type { Overrides } from "../../provider/api/types";
import type { RecordedSettings } from "../../provider/core/declaration/own-records";
import { defined } from "../../provider/core/values/defined";
import { isObject } from "../../provider/core/values/values";
import { allSpecs } from "../../provider/resources/index";
import type { RecordedStack } from "./recorded-object";

/**
 * The settings with which the objects of stacks were last written or read. Objects that record none say nothing. Throws
 * if they record different ones: a scan has one table for all.
 */
export function settingsOf(stacks: readonly RecordedStack[]): RecordedSettings {
  const recorded = stacks.flatMap(({ objects }) => objects.flatMap(({ outputs }) => outputs.serviceSettings ?? []));
  const operations = one(recorded, "operations");
  const dialect = one(recorded, "dialect");
  return defined({
    operations: isObject(operations) ? harmlessOperations(allSpecs, operations as Overrides) : undefined,
    dialect: isObject(dialect) ? dialect : undefined,
  });
}

function one(recorded: readonly RecordedSettings[], name: keyof RecordedSettings): unknown {
  const texts = new Set(recorded.flatMap((each) => (each[name] === undefined ? [] : JSON.stringify(each[name]))));
  if (texts.size > 1)
    throw new Error(
      `The stacks record different settings \`${name}\`. Run \`refresh\` where it has changed since, or read stacks of different services one by one.`,
    );
  const [text] = texts;
  return text === undefined ? undefined : JSON.parse(text);
}
