import { type RetirementNotice, usualNoticeDays } from "../../core/declaration/retirement";
import { createDialect, type Dialect } from "../../core/dialect/dialect";
import { readDialect } from "../../core/dialect/table";
import { ConfigurationError } from "../../core/errors";
import { isUnknown } from "../../core/values/unknowns";
import { z } from "../../core/zod";
import { type Catalogue, type ClientSettings, type Endpoint, methods, type Overrides } from "../types";
import { parseBaseUrl } from "./base-url";
import { checkedAccount, credentialsIn } from "./keys";
import {
  createSources,
  type FoundSetting,
  fileNamed,
  parseSetting,
  type ReadSettingFile,
  readSettingFile,
  type SettingSources,
  type Sources,
} from "./sources";

/**
 * The settings, by precedence: explicit `Provider`, stack config, environment. Everything that is there is
 * validated before any request; what is missing is reported by `accountIdOf`, `credentialOf` and `endpointOf`
 * once it is needed. Throws `ConfigurationError`.
 */
export function resolveSettings({
  readFile = readSettingFile,
  ...given
}: SettingSources & { readFile?: ReadSettingFile }): ClientSettings {
  const sources = createSources(given);
  const accountId = accountIn(sources);
  const endpoint = endpointIn(sources);
  const requestsPerSecond = rateIn(sources);
  const intents = sources.find("intents")?.value;
  const dialect = dialectIn(sources, readFile);
  const validateOnly = sources.find("validateOnly") && oneOf(sources, "validateOnly", ["honored", "ignored"]);
  return Object.freeze({
    ...credentialsIn(sources, accountId, readFile),
    preflight: flag(sources, "preflight"),
    allowEndpointChange: flag(sources, "allowEndpointChange"),
    retirementNotice: noticeIn(sources),
    deletionProtection: flag(sources, "deletionProtection"),
    ownershipMarker: flag(sources, "ownershipMarker"),
    recover: oneOf(sources, "recover", ["ask", "take", "new"]),
    updateMask: oneOf(sources, "updateMask", ["snake", "camel", "off"]),
    patchBody: oneOf(sources, "patchBody", ["full", "mutable", "minimal"]),
    operations: operationsIn(sources),
    configCommand: sources.configCommand,
    accountId,
    endpoint,
    hasUnknowns: ["accountId", "apiKey", "accounts", "baseUrl"].some((name) => isUnknown(sources.find(name)?.value)),
    requestsPerSecond,
    intents: typeof intents === "string" ? intents : undefined,
    dialect,
    validateOnly,
  });
}

function accountIn(sources: Sources): string | undefined {
  const found = sources.find("accountId");
  return found && checkedAccount(String(found.value), found.where);
}

function endpointIn(sources: Sources): Endpoint | undefined {
  const found = sources.find("baseUrl");
  if (isUnknown(found?.value)) return undefined;
  return found && Object.freeze({ ...parseBaseUrl(String(found.value), found.where), from: found.from });
}

function rateIn(sources: Sources): number | undefined {
  const found = sources.find("requestsPerSecond");
  if (!found) return undefined;
  const rate = Number(found.value);
  if (Number.isFinite(rate) && rate > 0) return rate;
  throw new ConfigurationError(`${found.where} is not a number above 0`, {
    advice: "Give the number of requests per second that an account may send, such as `5`, or remove it.",
  });
}

function noticeIn(sources: Sources): RetirementNotice {
  return {
    days: daysIn(sources, "retirementDays") ?? usualNoticeDays,
    errorDays: daysIn(sources, "retirementErrorDays"),
  };
}

function daysIn(sources: Sources, name: string): number | undefined {
  const found = sources.find(name);
  if (!found) return undefined;
  const days = Number(found.value);
  if (Number.isInteger(days) && days >= 0) return days;
  throw new ConfigurationError(`${found.where} is not a whole number of days`, {
    advice: "Give a number from 0 on, such as `90`, or remove it.",
  });
}

function flag(sources: Sources, name: string): boolean {
  const found = sources.find(name);
  const text = String(found?.value ?? "false").toLowerCase();
  if (found === undefined || ["true", "1", "false", "0"].includes(text)) return text === "true" || text === "1";
  throw new ConfigurationError(`${found.where} is neither \`true\` nor \`false\``, { advice: "Give one of the two." });
}

function oneOf<const V extends readonly [string, ...string[]]>(sources: Sources, name: string, values: V): V[number] {
  const found = sources.find(name);
  if (found === undefined) return values[0];
  if (values.includes(String(found.value))) return String(found.value);
  throw new ConfigurationError(`${found.where} is not one of the allowed values`, {
    advice: `Give ${values.map((value) => `\`${value}\``).join(", ")}.`,
  });
}

const OperationsSetting = z.record(
  z.string(),
  z.union([
    z.literal("off"),
    z.strictObject({
      path: z.string().optional(),
      idParam: z.string().optional(),
      wrap: z.string().optional(),
      method: z.enum(methods).optional(),
    }),
  ]),
);

function operationsIn(sources: Sources): Overrides {
  const found = sources.find("operations");
  return Object.freeze(
    found
      ? parseSetting(
          OperationsSetting,
          found.value,
          found.where,
          '`{"<operation>": {"path", "idParam", "wrap", "method"} or "off"}`',
        )
      : {},
  );
}

/** A table, or the path of a file that holds one (A100). It is validated where the messages are known. */
function dialectIn(sources: Sources, readFile: ReadSettingFile): FoundSetting | undefined {
  const found = sources.find("dialect");
  if (!found) return undefined;
  const isPath = typeof found.value === "string" && !found.value.trim().startsWith("{");
  const { value, where } = isPath ? fileNamed(found, readFile) : found;
  return Object.freeze({
    value: parseSetting(
      z.record(z.string(), z.unknown()),
      value,
      where,
      '`{"fields": {ours: theirs}, "values": {ours: theirs}}`',
    ),
    where,
    from: found.from,
  });
}

/** The dialect of the settings (A100). Throws a `ConfigurationError` for one with unknown or ambiguous names. */
export function dialectOf({ dialect }: ClientSettings, { specs }: Catalogue): Dialect | undefined {
  if (!dialect) return undefined;
  const { table, problems } = readDialect(dialect.value, specs);
  if (problems.length === 0) return createDialect(table, specs);
  throw new ConfigurationError(
    `the dialect in ${dialect.where} cannot be used: ${problems.join(" ").replace(/\.$/, "")}`,
    { advice: "Correct it there." },
  );
}
