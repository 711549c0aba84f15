import * as pulumi from "@pulumi/pulumi";
import { lastSegment } from "../core/names";
import { hiddenInput, recordNames } from "../core/records";
import type { ResourceSpec } from "../core/resource";
import { secretProperties } from "../core/secret-properties";
import { dynamicToken } from "../core/tokens";
import { type Kind, specs } from "../resources/index";
import { lastTransformation } from "./last-transformation";
import { omitPromiseStacks } from "./promise-stacks";
import { providerText } from "./provider-text";
import { settleOnceRegistered } from "./registered";
import type { Args, Outputs } from "./types";

type Options = pulumi.CustomResourceOptions;

type Class<T> = new (name: string, args: never, opts?: Options) => T;

/** An object of a kind, as a program sees it. */
export type DynamicResource<K extends Kind> = pulumi.CustomResource & Outputs<K>;

/** A class of resources. */
export interface DynamicResourceClass<K extends Kind> {
  new (name: string, args: Args<K>, opts?: Options): DynamicResource<K>;
  /**
   * Reads an object that this program does not manage. `id` is its resource name, such as `accounts/acme/users/ada`.
   */
  get<T extends pulumi.CustomResource>(
    this: Class<T>,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state?: Partial<Args<K>>,
    opts?: Options,
  ): T;
  /** Whether `value` is a resource of this class, also one made by another copy of this package. */
  isInstance<T extends pulumi.CustomResource>(this: Class<T>, value: unknown): value is T;
}

/**
 * The class of a kind of resource: `const Deployment = dynamicResource("Deployment")`. Not to be extended further by
 * this package: Pulumi counts constructors to find the line of the program that a resource comes from.
 */
export function dynamicResource<const K extends Kind>(kind: K): DynamicResourceClass<K> {
  const spec = specs[kind] as unknown as ResourceSpec;
  const type = dynamicToken(kind);
  const additionalSecretOutputs = [...secretProperties(spec)];
  const complete = lastTransformation(type, (props, opts) =>
    withSecrets(spec, withTimeouts(props, opts.customTimeouts)),
  );

  const resource = class extends pulumi.CustomResource {
    constructor(name: string, args: pulumi.Inputs | undefined, opts: Options = {}) {
      refuseImport(spec, name, opts.import);
      const restore = omitPromiseStacks();
      try {
        const urn = urnOf(name, type, opts.parent);
        const hidden = {
          kind,
          urn,
          organization: organization(),
          stack: pulumi.getStack(),
        };
        const props = {
          ...withoutValues(spec),
          ...withSecrets(spec, { ...args }),
          [hiddenInput]: hidden,
          __provider: providerText,
        };
        super(type, name, props, pulumi.mergeOptions(opts, { additionalSecretOutputs, transformations: [complete] }));
        settleOnceRegistered(this, urn);
      } finally {
        restore();
      }
    }

    static get(
      this: Class<pulumi.CustomResource>,
      name: string,
      id: pulumi.Input<pulumi.ID>,
      state?: pulumi.Inputs,
      opts?: Options,
    ): pulumi.CustomResource {
      return new this(name, { ...state } as never, { ...opts, id });
    }

    static override isInstance(value: unknown): value is pulumi.CustomResource {
      return pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type;
    }
  };
  Object.defineProperty(resource, "name", { value: kind });
  return resource as unknown as DynamicResourceClass<K>;
}

/**
 * Pulumi reads what it imports before it has the inputs that say which provider reads it, so that the option fails for
 * every dynamic resource, with an error of the SDK's that says nothing of it. `adopt` does the same.
 */
function refuseImport({ kind, fields: { resourceId } }: ResourceSpec, name: string, id: unknown): void {
  if (id === undefined || id === "") return;
  const known =
    typeof id === "string" && resourceId ? ` and \`${resourceId.name}: ${JSON.stringify(lastSegment(id))}\`` : "";
  throw new pulumi.RunError(
    `${kind} ${name}: the resource option \`import\` does not work for dynamic resources. Drop it, and set \`adopt: "ifEqual"\`${known} among the inputs: that takes over what is there.`,
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
 * Properties that are not inputs are known to a resource object only if they
 * are there, without a value, from the start.
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
 * The engine keeps `customTimeouts` to itself, so they are handed over as an input; what the program gives there wins.
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
 * The resource's URN, as the engine will name it. A promise and not an output: an output would make the resource depend
 * on its parent, and through a component on itself.
 */
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) =>
    pulumi.createUrn(name, type, parent).apply((urn) => resolve(urn.replace("::pulumi:pulumi:Stack$", "::"))),
  );
}
