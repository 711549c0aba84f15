import * as pulumi from "@pulumi/pulumi";
import { lastSegment } from "../core/names";
import { refusalOf } from "../core/node-version";
import { hiddenInput, recordNames } from "../core/records";
import type { ResourceSpec } from "../core/resource";
import { secretProperties } from "../core/secret-properties";
import { dynamicToken } from "../core/tokens";
import { specOf } from "../resources/index";
import { asRecorded, deferred, formerUrns } from "./former-names";
import { lastTransformation } from "./last-transformation";
import { omitPromiseStacks } from "./promise-stacks";
import { providerText } from "./provider-text";
import { settleOnceRegistered } from "./registered";
import { warnOfUnknownSettings } from "./unknown-settings";

type Options = pulumi.CustomResourceOptions;

/** What the class of a kind passes on to Pulumi. The class itself is generated, with its documentation. */
export interface Wiring {
  /** What a resource is registered with. `finish` must be called when Pulumi's constructor is through. */
  open(name: string, args: object, opts: Options | undefined): Opening;
  isInstance(value: unknown): boolean;
}

export interface Opening {
  registration: [type: string, name: string, props: pulumi.Inputs, opts: Options];
  finish(): void;
  /** To be called with the resource once it is constructed. */
  follow(resource: pulumi.CustomResource): void;
}

/**
 * The wiring of a kind as a dynamic resource. Its class must extend `pulumi.CustomResource` directly: Pulumi counts
 * constructors to find the line of the program that a resource comes from.
 */
export function dynamicWiring(kind: string): Wiring {
  const refusal = refusalOf(process.versions.node);
  if (refusal !== undefined) throw new pulumi.RunError(refusal);
  const spec = specOf(kind)!;
  const type = dynamicToken(kind);
  const additionalSecretOutputs = [...secretProperties(spec)];
  const complete = lastTransformation(type, (props, opts) =>
    withSecrets(spec, withTimeouts(props, opts.customTimeouts)),
  );

  const prepare = (name: string, args: object, opts: Options = {}): Omit<Opening, "finish"> => {
    refuseImport(spec, name, opts.import);
    warnOfUnknownSettings();
    const urn = urnOf(name, type, opts.parent);
    const aliases = deferred<string[] | undefined>();
    const hidden = {
      kind,
      urn,
      organization: organization(),
      stack: pulumi.getStack(),
      aliases: aliases.promise,
    };
    const props = {
      ...withoutValues(spec),
      ...withSecrets(spec, { ...args }),
      [hiddenInput]: hidden,
      __provider: providerText,
    };
    const options = pulumi.mergeOptions(opts, { additionalSecretOutputs, transformations: [complete] });
    const follow = (resource: pulumi.CustomResource): void => {
      aliases.resolve(formerUrns(resource, opts.aliases, name, type));
      settleOnceRegistered(resource, urn);
    };
    return { registration: [type, name, props, options], follow };
  };

  return {
    open(name, args, opts) {
      const finish = omitPromiseStacks();
      try {
        return { ...prepare(name, args, opts), finish };
      } catch (error) {
        finish();
        throw error;
      }
    },
    isInstance: (value) =>
      pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type,
  };
}

/**
 * Pulumi reads what it imports before it has the inputs that say which provider reads it, so that the option fails
 * for every dynamic resource, with an error of the SDK's that says nothing of it. `adopt` does the same.
 */
function refuseImport({ kind, fields: { resourceId } }: ResourceSpec, name: string, id: unknown): void {
  if (id === undefined || id === "") return;
  const known =
    typeof id === "string" && resourceId ? ` and \`${resourceId.name}: ${JSON.stringify(lastSegment(id))}\`` : "";
  throw new pulumi.RunError(
    `${kind} ${name}: the resource option \`import\` does not work for dynamic resources. Drop it, and set \`adopt: "ifEqual"\`${known} among the inputs: that adopts what exists.`,
  );
}

/** Unit tests of programs need not name one. */
function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return "organization";
  }
}

/**
 * Properties that are not inputs are known to a resource object only if they are there, without a value, from the
 * start.
 */
function withoutValues(spec: ResourceSpec): pulumi.Inputs {
  const { message, outputs, behaviours, directives, resourceId } = spec.fields;
  const fields = [...message, ...outputs, ...behaviours, ...directives, ...(resourceId ? [resourceId] : [])];
  return Object.fromEntries([...fields.map((field) => field.name), ...recordNames].map((name) => [name, undefined]));
}

function withSecrets(spec: ResourceSpec, args: pulumi.Inputs): pulumi.Inputs {
  const given = [...secretProperties(spec)].filter((name) => args[name] !== undefined && args[name] !== null);
  return { ...args, ...Object.fromEntries(given.map((name) => [name, pulumi.secret(args[name])])) };
}

/**
 * The engine keeps `customTimeouts` to itself, so they are handed over as an input; what the program gives there
 * wins.
 */
function withTimeouts(args: pulumi.Inputs, custom: pulumi.CustomTimeouts | undefined): pulumi.Inputs {
  const given = Object.entries({ create: custom?.create, update: custom?.update, delete: custom?.delete }).filter(
    ([, time]) => time !== undefined,
  );
  if (given.length === 0) return args;
  return {
    ...args,
    timeouts: pulumi.output(args["timeouts"]).apply((own) => ({ ...Object.fromEntries(given), ...own })),
  };
}

/**
 * The resource's URN, as the engine will name it. A promise and not an output: an output would make the resource
 * depend on its parent, and through a component on itself.
 */
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply((urn) => resolve(asRecorded(urn))));
}
