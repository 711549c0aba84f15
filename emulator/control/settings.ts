import { readDialect } from "../../provider/core/dialect/table";
import { closest } from "../../provider/core/values/closest";
import { z } from "../../provider/core/zod";
import { allSpecs } from "../../provider/resources/index";
import { ApiError, type Settings } from "../types";
import { ourWords } from "../world/store";

/** No limit; as a value, so that an account can have none where the others have one. */
const unlimited = { perSecond: 0, burst: 0 };

const collections = [...new Set(allSpecs.map(({ collection }) => collection))];

const members = {
  speed: z.number().positive().max(1_000_000),
  patch: z.enum(["mask", "derive", "populated", "replace"]),
  maskPaths: z.enum(["strict", "lenient"]),
  fixedFields: z.enum(["pass", "refuse"]),
  validateOnly: z.enum(["honor", "ignore"]),
  enums: z.enum(["closed", "open"]),
  strict: z.boolean(),
  softDelete: z.boolean(),
  errorStyle: z.enum(["flat", "nested", "text", "html", "empty"]),
  emitUnset: z.boolean(),
  unknownFields: z.enum(["refuse", "ignore"]),
  userDelete: z.enum(["allow", "unimplemented"]),
  annotationsPatch: z.enum(["allow", "refuse"]),
  missingSecret: z.union([z.literal(404), z.literal(500)]),
  denied: z.union([z.literal(403), z.literal(404)]),
  externalKeyReady: z.boolean(),
  permissionPreset: z.enum(["inference-user", "user", "contributor", "admin"]),
  shapeless: z.enum(["allow", "refuse"]),
  uploads: z.enum(["allow", "refuseRetained"]),
  inputOnly: z.enum(["hidden", "answered"]),
  deploymentInUse: z.enum(["unload", "refuse"]),
  dialect: z.unknown().transform((value, context) => {
    const { table, problems } = readDialect(value ?? ourWords, allSpecs);
    if (problems.length > 0) context.addIssue(problems.join(" "));
    return table;
  }),
  models: z.enum(["any", "ready"]),
  unmaskedForm: z.enum(["plain", "version", "text-numbers", "capped"]),
  scalars: z.enum(["plain", "text"]),
  listKey: z.string().min(1).nullable(),
  listOff: z.array(z.enum(collections)),
  getOff: z.array(z.enum(collections)),
  gone: z.enum(["plain", "bare", "html", "problem"]),
  compress: z.enum(["none", "gzip", "br"]),
  emptyWrites: z.union([z.enum(["object", "{}"]), z.literal(204)]),
  etag: z.boolean(),
  textForm: z.enum(["plain", "nfd", "crlf", "trim"]),
  ignoreId: z.boolean(),
  wrongName: z.boolean(),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.number().min(1) })
    .nullable()
    .transform((limit) => limit ?? unlimited),
} satisfies Record<keyof Settings, z.ZodType>;

const Change = z.strictObject(members).partial();

/**
 * A change of settings as `PUT /_emulator/settings` has it; throws a `Refusal` for one that makes no sense. `rateLimit:
 * null` takes the limit away, `dialect: null` the dialect.
 */
export function settingsIn(body: unknown): Partial<Settings> {
  const result = Change.safeParse(body);
  if (result.success) return Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== undefined));
  const reasons = result.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(unknownSetting).join("; ")
      : `\`${issue.path.join(".") || "body"}\`: ${issue.message}`,
  );
  throw new ApiError(400, 3, `invalid settings: ${reasons.join("; ")}`);
}

function unknownSetting(name: string): string {
  const near = closest(name, Object.keys(members));
  return `there is no setting \`${name}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}
