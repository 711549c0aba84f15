import * as pulumi from "@pulumi/pulumi";

/** What tools read of a class of resources or providers. */
export interface ToolClass {
  __pulumiType: string;
  isInstance(value: unknown): boolean;
  get?: unknown;
  new (name: string, args?: never, opts?: pulumi.CustomResourceOptions): pulumi.CustomResource;
}

/** A class, a resource of it, and the type token of that. */
interface Asked {
  class: ToolClass;
  resource: pulumi.CustomResource;
  type: string;
}

/** One question to a class. */
interface Member {
  /** Where the member is: at the class itself, its prototype, or a resource. */
  of: "static" | "prototype" | "instance";
  name: string;
  /** What reads it. */
  reader: string;
  ask(asked: Asked): unknown;
  /** What the class of a generated SDK answers. */
  answer: unknown;
  /** The same of its `Provider`, where that is something else. */
  ofProvider?: unknown;
}

const bases = [pulumi.Resource, pulumi.CustomResource, pulumi.ProviderResource, pulumi.ComponentResource] as const;
const nothings = [undefined, null, 0, 5, "", "x", true, {}, [], () => {}, Symbol("x"), { __pulumiType: undefined }];

const isInstance = (asked: Asked, values: readonly unknown[]): boolean[] =>
  values.map((value) => asked.class.isInstance(value));

/** Every member that a tool reads. The answers hold for all kinds and entries: none of them has a token in it. */
export const members: readonly Member[] = [
  {
    ...{ of: "static", name: "__pulumiType", reader: "policy packs: isType, asType, the functions …OfType" },
    ask: ({ class: { __pulumiType }, type }) => [type === __pulumiType, type === `pulumi:providers:${__pulumiType}`],
    answer: [true, false],
    ofProvider: [false, true],
  },
  {
    ...{ of: "static", name: "isInstance", reader: "policy packs, with a type alone" },
    ask: (asked) => isInstance(asked, [{ __pulumiType: asked.type }, { __pulumiType: `${asked.type}s` }]),
    answer: [true, false],
  },
  {
    ...{ of: "static", name: "isInstance", reader: "transforms and hooks, with a resource" },
    ask: (asked) => isInstance(asked, [asked.resource, new pulumi.ComponentResource("other:index:Thing", "thing")]),
    answer: [true, false],
  },
  {
    ...{ of: "static", name: "isInstance", reader: "programs, with whatever they have" },
    ask: (asked) => isInstance(asked, nothings),
    answer: nothings.map(() => false),
  },
  {
    ...{ of: "static", name: "isInstance", reader: "policy packs, with a function that carries a type" },
    ask: (asked) => isInstance(asked, [Object.assign(() => {}, { __pulumiType: asked.type })]),
    answer: [true],
  },
  {
    ...{ of: "static", name: "isInstance", reader: "callbacks, without the class as `this`" },
    ask: (asked) => [{ __pulumiType: asked.type }, {}].map((value) => (0, asked.class.isInstance)(value)),
    answer: [true, false],
  },
  {
    ...{ of: "static", name: "get", reader: "programs, for what they do not manage" },
    ask: (asked) => typeof asked.class.get,
    answer: "function",
    ofProvider: "undefined",
  },
  {
    ...{ of: "static", name: "name", reader: "messages and stack traces" },
    ask: ({ class: { name }, type }) => [type.endsWith(`:${name}`), name === "Provider"],
    answer: [true, false],
    ofProvider: [false, true],
  },
  {
    ...{ of: "static", name: "(prototype)", reader: "the SDK, which counts constructors to find a program's line" },
    ask: ({ class: each }) => bases.map((base) => Object.getPrototypeOf(each) === base),
    answer: [false, true, false, false],
    ofProvider: [false, false, true, false],
  },
  {
    ...{ of: "static", name: "(own)", reader: "whoever lists the members of a class" },
    ask: ({ class: each }) => [Object.getOwnPropertyNames(each).sort(), Object.keys(each)],
    answer: [["__pulumiType", "get", "isInstance", "length", "name", "prototype"], ["__pulumiType"]],
    ofProvider: [["__pulumiType", "isInstance", "length", "name", "prototype"], ["__pulumiType"]],
  },
  {
    ...{ of: "prototype", name: "constructor", reader: "whoever names an object's class" },
    ask: ({ class: each }) => [each.prototype.constructor === each, Object.getOwnPropertyNames(each.prototype)],
    answer: [true, ["constructor"]],
  },
  {
    ...{ of: "instance", name: "(prototype)", reader: "transforms and hooks, by instanceof" },
    ask: ({ class: each, resource }) => [each, ...bases].map((base) => resource instanceof base),
    answer: [true, true, true, false, false],
    ofProvider: [true, true, true, true, false],
  },
  {
    ...{ of: "instance", name: "__pulumiResource", reader: "the SDK, by isInstance of its own classes" },
    // `ProviderResource` has none of its own.
    ask: ({ resource }) => bases.map((base) => base.isInstance(resource)),
    answer: [true, true, true, false],
  },
  {
    ...{ of: "instance", name: "__pulumiType", reader: "isInstance, and the SDK for the URN of a child" },
    ask: ({ resource, type }) => (resource as unknown as { __pulumiType: string }).__pulumiType === type,
    answer: true,
  },
  {
    ...{ of: "instance", name: "urn, id", reader: "the SDK and programs, as outputs" },
    ask: ({ resource }) => [resource.urn, resource.id].map((output) => pulumi.Output.isInstance(output)),
    answer: [true, true],
  },
];

/** By member and reader: what the class answers. */
export const answersOf = (asked: Asked): Record<string, unknown> =>
  Object.fromEntries(members.map((member) => [titleOf(member), member.ask(asked)]));

/** The same by the table. */
export const expectedOf = (isProvider: boolean): Record<string, unknown> =>
  Object.fromEntries(
    members.map((member) => [titleOf(member), isProvider ? (member.ofProvider ?? member.answer) : member.answer]),
  );

const titleOf = ({ of, name, reader }: Member): string => `${of} ${name}, for ${reader}`;
