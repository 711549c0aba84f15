import { check } from "../../core/checks/check";
import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { ConfigurationError } from "../../core/errors";
import type { Field } from "../../core/fields/fields";
import { recordedOutputs } from "../../core/recording/recorded";
import { objections, SecretPlaceholder, withSecretsFilled, writtenInputs } from "../../core/recording/written-inputs";
import { matchTemplate } from "../../core/values/names";
import { hooksOf } from "../../kinds/index";
import { type ResourceOperation, requestOptions } from "../operation/operation";
import type { ImportResult, Values } from "../types";
import { isNone } from "./read";

/** Refuses an id that is not the name of an object of this kind. */
export function assertNameOfKind({ kind, name }: ResourceSpec, id: string): void {
  if (matchTemplate(name, id)) return;
  throw new ConfigurationError(`${JSON.stringify(id)} is not the name of a ${kind}`, {
    advice: `Give the whole resource name, of the form \`${name}\`.`,
  });
}

/** An object that no state records, with the inputs that a person would write for it. Undefined: it does not exist. */
export async function importObject(
  spec: ResourceSpec,
  name: string,
  open: () => ResourceOperation,
): Promise<ImportResult | undefined> {
  assertNameOfKind(spec, name);
  const operation = open();
  const { objects, ports } = operation;
  const live = await objects.find(name, requestOptions(operation));
  if (!live || phaseOf(spec.lifecycle, live) === "gone" || isNone(operation, live)) return undefined;
  const written = writtenInputs(spec, live);
  const { inputs: known, remarks } = withoutSealed(spec, written);
  const isDefault = ports.settings.accountId === objects.account;
  const inputs = isDefault ? known : { accountId: objects.account, ...known };
  const records = { accountId: objects.account, endpoint: objects.origin };
  const checked = check(spec, {}, { ...inputs, accountId: objects.account }).inputs;
  const against = objections(spec, live, withSecretsFilled(written, live)).map(
    (objection) => `no program can declare it as it is: ${objection}`,
  );
  return { inputs, outputs: recordedOutputs(spec, checked, live, records), notes: [...remarks, ...against] };
}

/** The inputs that an import can write, and remarks on the others. */
function withoutSealed(spec: ResourceSpec, written: Values): { inputs: Values; remarks: string[] } {
  const notes: string[] = [];
  const inputs = unwrapSecrets(written, notes) as Record<string, unknown>;
  for (const [name, source] of Object.entries(hooksOf(spec).onImport?.(written) ?? {})) {
    inputs[name] = source;
    notes.push(
      `\`${name}\` stands in for it: where ${JSON.stringify(source)} gives a value, \`up\` writes that; until then the live one counts as unchanged`,
    );
  }
  return { inputs, remarks: notes };
}

function unwrapSecrets(value: unknown, remarks: string[]): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([, member]) => {
    if (!(member instanceof SecretPlaceholder)) return true;
    if (member.isSet) remarks.push(secretInputNote(member.field));
    return false;
  });
  return Object.fromEntries(members.map(([name, member]) => [name, unwrapSecrets(member, remarks)]));
}

const secretInputNote = ({ path, markers }: Field): string =>
  markers.inputOnly
    ? `the service never gives \`${path}\` back, so it cannot be imported`
    : `\`${path}\` is a secret and is not written into the program; give it from the config if the program is to manage it`;
