import { providerType, secretSignature } from "../../engine/state/index";
import { locationOf } from "../../provider/api/settings/credentials";
import { baseOf } from "../../provider/api/settings/endpoint";
import type { ClientSettings } from "../../provider/api/types";
import { check } from "../../provider/core/check";
import { recordedOutputs } from "../../provider/core/comparison/recorded";
import { hiddenInput } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { dynamicPackage, dynamicToken, packageName, pluginToken } from "../../provider/core/pulumi-names";
import { secretProperties } from "../../provider/core/secrets";
import { settingKey } from "../../provider/core/settings";
import type { Values } from "../../provider/core/values/values";
import type { GeneratedDeclaration } from "./declarations";

/** The stack that objects are imported into. */
export interface ImportStack {
  organization: string;
  project: string;
  stack: string;
  /** The input of a dynamic resource that holds its provider. */
  providerText: string;
  /** Whether the plugin serves the stack's resources: it reads what it imports. */
  byPlugin?: boolean;
}

/**
 * One entry of `pulumi import --file`. With `outputs`, Pulumi records the entry as it is and does not call the
 * provider.
 */
interface ImportEntry {
  type: string;
  /** Unique in the file. */
  name: string;
  logicalName: string;
  id?: string;
  /** Name of the entry that is its provider. */
  provider?: string | undefined;
  inputs?: Values;
  outputs?: Values;
}

/** What `pulumi import --file` reads. */
export interface ImportDocument {
  resources: ImportEntry[];
}

/** Whether an object's whole state is known: one with a secret is adopted by its declaration instead. */
export const isImportable = ({ config }: GeneratedDeclaration): boolean => !config.some(({ required }) => required);

/** The state of the declared objects, as it will be recorded after an `up` of the program. */
export function importDocument(
  declarations: readonly GeneratedDeclaration[],
  stack: ImportStack,
  settings: ClientSettings,
  providers: ReadonlyMap<string, string>,
): ImportDocument {
  const imported = declarations.filter(isImportable);
  const used = [...providers].filter(([account]) => imported.some(({ object }) => object.account === account));
  const providerEntries = used.map(([account, variable]) => ({
    type: providerType(stack.byPlugin ? packageName : dynamicPackage),
    name: variable,
    logicalName: account,
    inputs: { [stack.byPlugin ? "accountId" : settingKey("accountId")]: account },
  }));
  return {
    resources: [
      ...providerEntries,
      ...imported.map((declaration) =>
        stack.byPlugin ? readEntry(declaration, providers) : entry(declaration, stack, settings, providers),
      ),
    ],
  };
}

/** An object that the provider reads. */
function readEntry(
  { object, logicalName, variable }: GeneratedDeclaration,
  providers: ReadonlyMap<string, string>,
): ImportEntry {
  const provider = providers.get(object.account);
  const type = pluginToken(object.spec.kind);
  return { type, name: variable, logicalName, id: object.name, provider };
}

function entry(
  { object, logicalName, variable, values }: GeneratedDeclaration,
  { organization, project, stack, providerText }: ImportStack,
  settings: ClientSettings,
  providers: ReadonlyMap<string, string>,
): ImportEntry {
  const { spec, account, name, fields } = object;
  const type = dynamicToken(spec.kind);
  const hidden = {
    kind: spec.kind,
    urn: `urn:pulumi:${stack}::${project}::${type}::${logicalName}`,
    organization,
    stack,
  };
  const common = { [hiddenInput]: hidden, __provider: providerText };
  const { inputs } = check(spec, {}, { accountId: account, ...values });
  const outputs = recordedOutputs(spec, inputs, fields, {
    accountId: account,
    endpoint: baseOf(locationOf(settings, account)),
  });
  return {
    type,
    name: variable,
    logicalName,
    id: name,
    provider: providers.get(account),
    inputs: sealed(spec, { ...inputs, ...common }),
    outputs: sealed(spec, { ...outputs, ...common }),
  };
}

/** Properties that hold secrets are ciphertext in state, whatever their type. */
function sealed(spec: ResourceSpec, values: Values): Values {
  const secret = secretProperties(spec);
  const seal = (value: unknown): unknown => ({
    [secretSignature.key]: secretSignature.value,
    plaintext: JSON.stringify(value),
  });
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, secret.has(name) && value !== null ? seal(value) : value]),
  );
}
