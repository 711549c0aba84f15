import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { autonamingKey, type Naming, readAutonaming } from "../../protocol/autonaming";
import { hiddenInput, optionsIn } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { outputFields, ownOptions } from "../core/declaration/surface";
import { unsupportedReason } from "../core/node-version";
import { dynamicToken, dynamicUrn, packageName, pluginToken } from "../core/pulumi-names";
import { secretProperties } from "../core/secrets";
import { lastSegment } from "../core/values/names";
import { specOf } from "../resources/index";
import { refuseOtherResources } from "./other-resources";
import { deferOutputs } from "./outputs-on-demand";
import { omitPromiseStacks } from "./promise-stacks";
import { isDynamicProvider, isOfType, isPluginProvider, openPluginProvider } from "./provider";
import { providerText } from "./provider-text";
import { asRecorded, createDeferred, followId, formerUrns, writeHeldOnceRegistered } from "./registration";
import { warnOfUnknownSettings } from "./warnings";

type WiringOptions = pulumi.CustomResourceOptions;

/** What the class of a kind passes on to Pulumi. The class itself is generated, with its documentation. */
export interface Wiring {
  /** Type token of its resources. */
  type: string;
  /** What a resource is registered with. `finish` must be called when Pulumi's constructor is through. */
  open(name: string, args: object, opts: WiringOptions | undefined): Registration;
  /**
   * Whether `value` is such a resource, or has its `__pulumiType`, which is all that policies show. One of the other
   * way is not, as with the class of a generated SDK: `__pulumiType`, which policies ask first, could not say so.
   */
  isInstance(value: unknown): boolean;
}

interface Registration {
  registration: [type: string, name: string, props: pulumi.Inputs, opts: WiringOptions];
  finish(): void;
  /** To be called with the resource once it is constructed. */
  follow(resource: pulumi.CustomResource): void;
}

/** A way in which resources of a kind are served. */
interface ResourceHost {
  /** Type token. */
  type: string;
  /** Token of the other way: a resource that the state has by it is the same one. */
  otherType: string;
  /** Inputs that no program gives. */
  ownInputs(name: string, spec: ResourceSpec, opts: WiringOptions, identity: EngineIdentity): pulumi.Inputs;
}

/** How the engine knows a resource. */
interface EngineIdentity {
  urn: Promise<string>;
  /** What it was known by before, by its aliases; undefined where it has none. */
  formerUrns: Promise<string[] | undefined>;
}

/**
 * The wiring of a kind. Its class must extend `pulumi.CustomResource` directly: Pulumi counts constructors to find the
 * line of the program that a resource comes from.
 */
export function wiringOf(kind: string, { type, otherType, ownInputs }: ResourceHost): Wiring {
  const refusal = unsupportedReason(process.versions.node);
  if (refusal !== undefined) throw new pulumi.RunError(refusal);
  const spec = specOf(kind)!;
  const options = ownOptions(spec).map(({ name }) => name);
  const readable = withoutValues(spec, options);
  const aliases = [{ type: otherType }];
  const additionalSecretOutputs = [...secretProperties(spec)];
  /** Names of outputs that the program, or a transformation, calls secret. */
  const secretOutputs = new WeakMap<object, readonly string[]>();
  const complete = lastTransformation(type, (props, opts, resource) => {
    deferOutputs(resource);
    secretOutputs.set(resource, opts.additionalSecretOutputs ?? []);
    return withSecrets(spec, withTimeouts(withIgnored(props, opts), opts.customTimeouts));
  });

  const prepare = (name: string, args: object, opts: WiringOptions = {}): Omit<Registration, "finish"> => {
    warnOfUnknownSettings();
    // A program may leave out the arguments of a kind whose inputs are all optional.
    if (optionsIn({ ...args }).ignoreChecks !== true) refuseOtherResources(spec, name, { ...args });
    const urn = urnOf(name, type, opts.parent);
    const former = createDeferred<string[] | undefined>();
    const own = ownInputs(name, spec, opts, { urn, formerUrns: former.promise });
    const props = { ...readable, ...withSecrets(spec, { ...args }), ...own };
    const merged = pulumi.mergeOptions(opts, {
      ...{ aliases, additionalSecretOutputs, transformations: [complete] },
      ...(goesFirst(spec, props, opts) && { deleteBeforeReplace: true }),
    });
    const follow = (resource: pulumi.CustomResource): void => {
      shareUnset(resource, options);
      followId(resource, spec, secretOutputs.get(resource));
      former.resolve(formerUrns(resource, { name, type, aliases: opts.aliases, urn }));
      writeHeldOnceRegistered(resource, urn.then(dynamicUrn));
    };
    return { registration: [type, name, props, merged], follow };
  };

  return {
    type,
    open(name, args, opts) {
      const finish = omitPromiseStacks();
      try {
        return { ...prepare(name, args, opts), finish };
      } catch (error) {
        finish();
        throw error;
      }
    },
    isInstance: (value) => isOfType(type, value),
  };
}

/**
 * A property is there to be read only if it is there, without a value, from the start. Each costs a program some forty
 * promises, so that records which no class declares are left out, and options get theirs by `shareUnset`.
 */
const withoutValues = (spec: ResourceSpec, options: readonly string[]): pulumi.Inputs =>
  Object.fromEntries(outputFields(spec).flatMap(({ name }) => (options.includes(name) ? [] : [[name, undefined]])));

/** What every option reads as that a program leaves out. */
const unset = pulumi.output(undefined);

function shareUnset(resource: pulumi.CustomResource, options: readonly string[]): void {
  const left = options.filter((name) => !Object.hasOwn(resource, name));
  Object.assign(resource, Object.fromEntries(left.map((name) => [name, unset])));
}

/**
 * Where the object that a resource is deleted with is replaced, engines replace the resource as well, and ask nobody
 * whether its successor can stand beside it: one with the same id or natural key cannot.
 */
function goesFirst(
  { identity, fields, host, singleton }: ResourceSpec,
  args: pulumi.Inputs,
  opts: WiringOptions,
): boolean {
  if (opts.deletedWith === undefined || opts.deleteBeforeReplace !== undefined || singleton) return false;
  const isChosen = fields.resourceId !== undefined && args[fields.resourceId.name] !== undefined;
  // What is loaded onto a host has another key on another host.
  return isChosen || (identity.naturalKey !== undefined && host === undefined);
}

/** An engine hides `ignoreChanges` from a dynamic provider, and passes it recorded values as the program's. */
function withIgnored(props: pulumi.Inputs, { ignoreChanges = [] }: WiringOptions): pulumi.Inputs {
  const hidden = props[hiddenInput] as object | undefined;
  return ignoreChanges.length > 0 && hidden ? { ...props, [hiddenInput]: { ...hidden, ignoreChanges } } : props;
}

/** Values that are marked as secret already. */
const marked = new WeakSet<object>();

/**
 * Called before the program's transformations, which must not show a secret either, and after them, because they may
 * put in another value.
 */
function withSecrets(spec: ResourceSpec, args: pulumi.Inputs): pulumi.Inputs {
  const secretInputs = [...secretProperties(spec)].filter((name) => args[name] !== undefined && args[name] !== null);
  return { ...args, ...Object.fromEntries(secretInputs.map((name) => [name, asSecret(args[name])])) };
}

function asSecret(value: unknown): unknown {
  if (marked.has(value as object)) return value;
  const secret = pulumi.secret(value);
  marked.add(secret);
  return secret;
}

/**
 * The engine keeps `customTimeouts` to itself, so they are handed over as an input; what the program gives there
 * wins.
 */
function withTimeouts(args: pulumi.Inputs, custom: pulumi.CustomTimeouts | undefined): pulumi.Inputs {
  const timeouts = Object.entries({ create: custom?.create, update: custom?.update, delete: custom?.delete }).filter(
    ([, time]) => time !== undefined,
  );
  if (timeouts.length === 0) return args;
  return {
    ...args,
    timeouts: pulumi.output(args["timeouts"]).apply((own) => ({ ...Object.fromEntries(timeouts), ...own })),
  };
}

/**
 * The resource's URN, as the engine will name it. A promise and not an output: an output would make the resource
 * depend on its parent, and through a component on itself. Most resources have no parent, and `createUrn` makes eight
 * outputs, which is a seventh of what such a resource costs a program.
 */
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  if (parent === undefined)
    return Promise.resolve(`urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`);
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply((urn) => resolve(asRecorded(urn))));
}

type Transformation = pulumi.ResourceTransformation;

/**
 * A transformation for resources of `type` that runs after all others, those of their parents and of the stack
 * included, so that `finish` gets the properties and options as they will be registered. The SDK keeps the list that it
 * goes through at the resource, and takes what is added to it on the way. Transforms, its newer kind, run in the
 * engine: nothing here sees what they change.
 */
function lastTransformation(
  type: string,
  finish: (props: pulumi.Inputs, opts: pulumi.CustomResourceOptions, resource: object) => pulumi.Inputs,
): Transformation {
  const finishTransformation: Transformation = (args) =>
    args.type === type
      ? { props: finish(args.props as pulumi.Inputs, args.opts, args.resource), opts: args.opts }
      : undefined;
  return (args) => {
    // Children inherit the transformations of their parents.
    if (args.type !== type) return undefined;
    const { __transformations: all } = args.resource as unknown as { __transformations?: Transformation[] };
    if (all === undefined) return finishTransformation(args);
    if (all.at(-1) !== finishTransformation) all.push(finishTransformation);
    return undefined;
  };
}

/** The wiring of a kind as a dynamic resource. What the plugin has made of the same name becomes one. */
export const dynamicWiring = (kind: string): Wiring =>
  wiringOf(kind, {
    type: dynamicToken(kind),
    otherType: pluginToken(kind),
    ownInputs: (name, spec, opts, { urn, formerUrns: aliases }) => {
      assertNotImported(spec, name, opts.import);
      const hidden = { kind, urn, organization: organization(), stack: pulumi.getStack(), aliases };
      return { [hiddenInput]: { ...hidden, ...naming(kind, name) }, __provider: providerText };
    },
  });

/**
 * Pulumi reads what it imports before it has the inputs that say which provider reads it, so that the option fails
 * for every dynamic resource, with an error of the SDK's that says nothing of it. `adopt` does the same.
 */
function assertNotImported({ kind, fields: { resourceId } }: ResourceSpec, name: string, id: unknown): void {
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
 * How the stack names the resource: engines tell that to plugins alone, but a program has its stack's whole config.
 */
function naming(kind: string, name: string): { naming?: Naming } {
  const text = pulumi.runtime.getConfig(autonamingKey);
  if (text === undefined) return {};
  const [project, stack] = [pulumi.getProject(), pulumi.getStack()];
  const config = (key: string): string | undefined => pulumi.runtime.getConfig(key);
  const autonaming = readAutonaming(text, { organization: organization(), project, stack, config });
  const named = autonaming({ types: [pluginToken(kind), dynamicToken(kind)], name, seed: randomUUID() });
  return named ? { naming: { proposedName: named.proposedName, mode: named.mode } } : {};
}

type Options = pulumi.CustomResourceOptions;

/** The wiring of a kind as a resource of the plugin. What is a dynamic one of the same name becomes one. */
const pluginWiring = (kind: string): Wiring =>
  wiringOf(kind, {
    type: pluginToken(kind),
    otherType: dynamicToken(kind),
    ownInputs: (name, _spec, { aliases, parent, provider }, { formerUrns }) => {
      if (isDynamicProvider(provider))
        throw new pulumi.RunError(
          `${kind} ${name}: its option \`provider\` is a provider of dynamic resources, and the class is the plugin's. Create the \`Provider\` of \`pulumi-modelplatform/plugin\`, or import ${kind} from \`pulumi-modelplatform\`.`,
        );
      // Most resources never had another name: a promise costs.
      return { [hiddenInput]: { aliases: aliases || parent ? formerUrns : [] } };
    },
  });

/** The class of a kind as the plugin serves it: `C` is the class that the main entry has of it, whose form it has. */
export function pluginClass<C>(kind: string): C {
  const wiring = pluginWiring(kind);
  const made = class extends pulumi.CustomResource {
    static get(name: string, id: pulumi.Input<pulumi.ID>, state?: object, opts?: Options): pulumi.CustomResource {
      return new made(name, { ...state }, { ...opts, id });
    }

    static readonly __pulumiType = wiring.type;

    static override isInstance(value: unknown): value is pulumi.CustomResource {
      return wiring.isInstance(value);
    }

    constructor(name: string, args: object, opts?: Options) {
      const { registration, follow, finish } = wiring.open(name, args, opts);
      try {
        super(...registration);
        follow(this);
      } finally {
        finish();
      }
    }
  };
  Object.defineProperty(made, "name", { value: kind });
  return made as unknown as C;
}

/** The class of explicit providers that the plugin serves; `C` is that of the main entry. */
export function pluginProviderClass<C>(): C {
  const made = class Provider extends pulumi.ProviderResource {
    static readonly __pulumiType = packageName;

    static override isInstance(value: unknown): value is pulumi.ProviderResource {
      return isPluginProvider(value);
    }

    constructor(name: string, args: object = {}, opts?: pulumi.ResourceOptions) {
      const { registration, keep } = openPluginProvider(name, args, opts);
      super(...registration);
      keep(this);
    }
  };
  return made as unknown as C;
}
