import { ownCommand } from "../../io/text/command-line";
import { ConfigurationError } from "./errors";
import { closedEnum, type Field, field, fieldsOf, secret } from "./fields/fields";
import { packageName } from "./pulumi-names";
import { closest, didYouMean } from "./values/did-you-mean";
import { snakeCase } from "./values/names";
import type { DialectTable } from "./wire/vocabulary";
import { z } from "./zod";

/** Tells the processes of the built-in engine which engine they work for. */
export const engineVariable = "MODELPLATFORM_ENGINE";
export const builtInEngine = "built-in";

/** How commands of the engine begin that a process with this environment works for. */
export const engineCommand = (env: Readonly<Record<string, string | undefined>> = {}): readonly string[] =>
  env[engineVariable] === builtInEngine ? ownCommand : ["pulumi"];

/** Where the key of an account comes from, and where it goes. */
export const AccountKey = z
  .strictObject({
    apiKey: secret(z.string()).optional().describe("Bearer key that requests for the account are sent with."),
    keyCommand: field(z.array(z.string()).min(1), { example: ["vault", "read", "acme"] })
      .optional()
      .describe("Command that prints the key, followed by its arguments, in which `{account}` stands for the account."),
    baseUrl: field(z.string(), { default: "the provider's" })
      .optional()
      .describe("Address that requests for the account are sent to."),
  })
  .meta({ id: "AccountKey", description: "Key of one account: either `apiKey` or `keyCommand`." });

/** `off`, or another path, method or id parameter, for an operation whose place is a convention (A001). */
export const OperationOverride = z.union([
  z.literal("off"),
  z.strictObject({
    path: z.string().optional(),
    /** Query parameter of a create that takes the id, wherever it goes otherwise. */
    idParam: z.string().optional(),
    /** Member of the body that the message of a create goes into, beside its id. */
    wrap: z.string().optional(),
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  }),
]);

/** As the types of programs have it, for which any text is a method. */
type WrittenOverride = "off" | { path?: string; idParam?: string; wrap?: string; method?: string };

/** What a setting is where nobody sets it. */
export const settingDefaults = {
  preflight: true,
  recover: "ask",
  allowEndpointChange: false,
  deletionProtection: false,
  ownershipMarker: false,
  retirementDays: 90,
  updateMask: "snake",
  patchBody: "full",
} as const;

const usual = (name: keyof typeof settingDefaults): { default: string } => ({
  default: `\`${settingDefaults[name]}\``,
});

const anything = z.unknown();

/** What a stack's config and an explicit provider may set; what only the environment has is not here. */
export const settings = z.strictObject({
  apiKey: field(secret(z.string()), { chooses: "key" })
    .optional()
    .describe("Bearer key that requests for the default account are sent with."),
  accountId: field(z.string(), { example: "acme" })
    .optional()
    .describe("Account of resources and functions that do not name one: the last segment of `accounts/{account}`."),
  baseUrl: field(z.string(), { example: "https://api.example.com", chooses: "address" })
    .optional()
    .describe("Address of the service: https, or http on this machine."),
  accounts: field(secret(z.record(z.string(), AccountKey)), {
    example: { acme: { keyCommand: ["vault", "read", "acme"] } },
    chooses: "key",
  })
    .optional()
    .describe(
      "Keys of additional accounts, by account; an entry with `*` in its name, such as `*` or `acme-*`, stands for all that match and have none of their own.",
    ),
  requestsPerSecond: field(z.number(), { default: "learned from the requests that the service refuses" })
    .optional()
    .describe("Maximum number of requests sent per second for each account."),
  preflight: field(z.boolean(), usual("preflight"))
    .optional()
    .describe(
      "Whether checks of new resources read policy, models and shapes, and reject what the service would reject, before anything is written.",
    ),
  recover: field(
    closedEnum({
      ask: "Fails, and names the object that may be left.",
      take: "Adopts the object, and continues with it.",
      new: "Leaves the object alone, and creates another.",
    }),
    usual("recover"),
  )
    .optional()
    .describe(
      "What to do with an object that an interrupted run may have left behind: fail and name it (`ask`), adopt it (`take`), or create another (`new`).",
    ),
  allowEndpointChange: field(z.boolean(), usual("allowEndpointChange"))
    .optional()
    .describe("Whether recorded objects may be looked for at another address than the one they were created at."),
  deletionProtection: field(z.boolean(), usual("deletionProtection"))
    .optional()
    .describe("Whether objects are protected from deletion unless their resource says otherwise."),
  ownershipMarker: field(z.boolean(), usual("ownershipMarker"))
    .optional()
    .describe(
      "Whether deployments carry the stack and the resource that they belong to among their annotations, so that other stacks and machines know whose they are.",
    ),
  intents: field(z.string(), {
    default: "a folder of the user who runs Pulumi",
    example: ".modelplatform",
    chooses: "path",
  })
    .optional()
    .describe(
      "Folder of the journal that tells what interrupted runs have created, kept between the runs of a pipeline; a relative path is one below the project's folder.",
    ),
  dialect: field(z.string() as unknown as z.ZodType<string | Partial<DialectTable>>, {
    writtenAs: "string | { fields?: Record<string, string>; values?: Record<string, string> }",
    example: "dialect.json",
  })
    .optional()
    .describe(
      "How the service spells fields and values that this package calls by neutral words: the path of a JSON file, or its content, `{ fields: { ours: theirs }, values: { ours: theirs } }`.",
    ),
  prices: field(z.string(), { example: "prices.yaml" })
    .optional()
    .describe(
      "What accelerators and training cost you, for the costs in previews, drift and policies: the path of a YAML or JSON file, or its content.",
    ),
  retirementDays: field(z.number(), usual("retirementDays"))
    .optional()
    .describe(
      "Days before a model is taken down from which on `preview`, `drift` and `audit` warn of what is made from it.",
    ),
  retirementErrorDays: field(z.number(), { default: "never" })
    .optional()
    .describe("Days before that day from which on a preview fails, and `audit` with it."),
  updateMask: field(
    closedEnum({
      snake: "Fields are named in snake case.",
      camel: "Fields are named in camel case.",
      off: "Updates carry no mask.",
    }),
    usual("updateMask"),
  )
    .optional()
    .describe(
      "How an update names the fields that change: in snake case, in camel case, or not at all, for a service that has no mask.",
    ),
  patchBody: field(
    closedEnum({
      full: "The whole object, so that a service that replaces objects loses nothing.",
      mutable: "The object without what cannot change, for a service that refuses the rest.",
      minimal: "Required and changed fields only.",
    }),
    usual("patchBody"),
  )
    .optional()
    .describe(
      "What the body of an update holds: the whole object, so that a service that replaces objects loses nothing (`full`), the object without what cannot change, for a service that refuses the rest (`mutable`), or required and changed fields alone (`minimal`).",
    ),
  validateOnly: field(
    closedEnum({
      honored:
        "A create with `validateOnly` creates nothing: previews ask the service whether it accepts a replacement.",
      ignored: "It creates the object all the same: none is sent.",
    }),
    { default: "previews judge by reads" },
  )
    .optional()
    .describe(
      "Whether the service creates nothing if a create has `validateOnly`: then a preview asks it whether it accepts a replacement that needs the old object deleted first (`honored`). `probe` finds it out.",
    ),
  operations: field(z.record(z.string(), anything as unknown as z.ZodType<WrittenOverride>), {
    writtenAs: 'Record<string, "off" | { path?: string; idParam?: string; wrap?: string; method?: string }>',
    example: { deleteUser: "off", createUser: { idParam: "id" } },
    chooses: "address",
  })
    .optional()
    .describe(
      "Operations that this service has elsewhere or not at all, by name: their path, their HTTP method, the query parameter of the id, the member of the body that the message goes into beside its id, or `off`.",
    ),
});

export const settingFields = fieldsOf(settings);

type Written = z.output<typeof settings>;
type Settings = { [N in keyof Written]-?: NonNullable<Written[N]> };
type SettingDefaults = typeof settingDefaults;
/** Settings that are a word of a list, a number, or on or off. */
type PlainSetting = {
  [N in keyof Settings]: string extends Settings[N] ? never : Settings[N] extends string | number | boolean ? N : never;
}[keyof Settings];

/** The value of a plain setting, by its declaration. `setting.where` names its source in an error. */
export function plainSetting<N extends PlainSetting>(
  name: N,
  setting: { value: unknown; where: string } | undefined,
): N extends keyof SettingDefaults ? Settings[N] : Settings[N] | undefined;
export function plainSetting(name: string, setting: { value: unknown; where: string } | undefined): unknown {
  if (setting === undefined) return (settingDefaults as Readonly<Record<string, unknown>>)[name];
  const { read, problem, advice } = plainFormOf(settingFields.find((field) => field.name === name)!);
  const value = read(String(setting.value));
  if (value === undefined) throw new ConfigurationError(`${setting.where} ${problem}`, { advice });
  return value;
}

interface PlainForm {
  /** Undefined for a text of another form. */
  read(text: string): unknown;
  problem: string;
  advice: string;
}

function plainFormOf({ name, type, values }: Field): PlainForm {
  if (type === "boolean")
    return {
      read: (text) => flags.get(text.toLowerCase()),
      problem: "is neither `true` nor `false`",
      advice: "Give one of the two.",
    };
  if (values)
    return {
      read: (text) => (values.includes(text) ? text : undefined),
      problem: "is not one of the allowed values",
      advice: `Give ${oneOf(values.map((value) => `\`${value}\``))}.`,
    };
  return name.endsWith("Days") ? daysForm : rateForm;
}

const oneOf = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

const numberIf =
  (fits: (number: number) => boolean) =>
  (text: string): number | undefined =>
    fits(Number(text)) ? Number(text) : undefined;

const rateForm: PlainForm = {
  read: numberIf((rate) => Number.isFinite(rate) && rate > 0),
  problem: "is not a number above 0",
  advice: "Give the number of requests per second that an account may send, such as `5`, or remove it.",
};

const daysForm: PlainForm = {
  read: numberIf((days) => Number.isInteger(days) && days >= 0),
  problem: "is not a whole number of days",
  advice: "Give a number from 0 on, such as `90`, or remove it.",
};

export const settingKey = (name: string): string => `${packageName}:${name}`;

export const settingVariable = (name: string): string => `MODELPLATFORM_${snakeCase(name).toUpperCase()}`;

/** Has the SDK make all outputs of a resource at once, with their stacks, and keeps the global `Error` as it is. */
export const promiseStacksVariable = "MODELPLATFORM_PROMISE_STACKS";

/** Settings that no stack's config has. */
export const environmentSettings: readonly string[] = ["accountsFile", "owners"];

/** Variables of this package that stand for no setting. */
const otherVariables = ["MODELPLATFORM_CONTROL_TOKEN", "MODELPLATFORM_DEBUG", promiseStacksVariable, engineVariable];

/**
 * Warnings about keys of a stack's config that are of this package's namespace and
 * none of its settings: they would do nothing.
 */
export function unknownSettingKeys(keys: readonly string[]): string[] {
  const known = settingFields.map(({ name }) => settingKey(name));
  const own = keys.filter((key) => key.startsWith(settingKey("")) && !known.includes(key));
  return own.map(
    (key) => `\`${key}\` is not a setting of pulumi-modelplatform and does nothing${didYouMean(key, known)}`,
  );
}

/** The same of variables; others than this package may have some that begin alike, so that only misspellings count. */
export function unknownSettingVariables(names: readonly string[]): string[] {
  const settingNames = [...settingFields.map(({ name }) => name), ...environmentSettings];
  const known = [...settingNames.map(settingVariable), ...otherVariables];
  const own = names.filter((name) => name.startsWith("MODELPLATFORM_") && !known.includes(name));
  return own.flatMap((name) =>
    closest(name, known) === undefined
      ? []
      : [`\`${name}\` is not a variable that pulumi-modelplatform reads${didYouMean(name, known)}`],
  );
}
