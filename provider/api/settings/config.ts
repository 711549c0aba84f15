import { defaultNoticeDays, type RetirementNotice } from "../../core/declaration/retirement";
import { ConfigurationError } from "../../core/errors";
import { isUnknown } from "../../core/values/values";
import { createDialect, type Dialect } from "../../core/wire/dialect";
import { readDialect } from "../../core/wire/vocabulary";
import { z } from "../../core/zod";
import { type Catalogue, type ClientSettings, type Endpoint, methods, type Overrides } from "../types";
import { checkedAccount, credentialsIn } from "./credentials";
import { parseBaseUrl } from "./endpoint";
import {
  createSources,
  fileNamed,
  parseSetting,
  type ReadSettingFile,
  type ResolvedSetting,
  readSettingFile,
  type SettingSources,
  type Sources,
} from "./sources";

/**
 * The settings, by precedence: explicit `Provider`, stack config, environment. Validates existing settings before any
 * request; `accountIdOf`, `credentialOf` and `endpointOf` report a missing one once it is needed. Throws
 * `ConfigurationError`.
 */
export function resolveSettings({
  readFile = readSettingFile,
  ...settingSources
}: SettingSources & { readFile?: ReadSettingFile }): ClientSettings {
  const sources = createSources(settingSources);
  const accountId = accountIn(sources);
  const endpoint = endpointIn(sources);
  const requestsPerSecond = rateIn(sources);
  const intents = sources.find("intents")?.value;
  const dialect = dialectIn(sources, readFile);
  const validateOnly = sources.find("validateOnly") && oneOf(sources, "validateOnly", ["honored", "ignored"]);
  return Object.freeze({
    ...credentialsIn(sources, accountId, readFile),
    preflight: flag(sources, "preflight", true),
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
  const setting = sources.find("accountId");
  return setting && checkedAccount(String(setting.value), setting.where);
}

function endpointIn(sources: Sources): Endpoint | undefined {
  const setting = sources.find("baseUrl");
  if (isUnknown(setting?.value)) return undefined;
  return setting && Object.freeze({ ...parseBaseUrl(String(setting.value), setting.where), from: setting.from });
}

function rateIn(sources: Sources): number | undefined {
  const setting = sources.find("requestsPerSecond");
  if (!setting) return undefined;
  const rate = Number(setting.value);
  if (Number.isFinite(rate) && rate > 0) return rate;
  throw new ConfigurationError(`${setting.where} is not a number above 0`, {
    advice: "Give the number of requests per second that an account may send, such as `5`, or remove it.",
  });
}

function noticeIn(sources: Sources): RetirementNotice {
  return {
    days: daysIn(sources, "retirementDays") ?? defaultNoticeDays,
    errorDays: daysIn(sources, "retirementErrorDays"),
  };
}

function daysIn(sources: Sources, name: string): number | undefined {
  const setting = sources.find(name);
  if (!setting) return undefined;
  const days = Number(setting.value);
  if (Number.isInteger(days) && days >= 0) return days;
  throw new ConfigurationError(`${setting.where} is not a whole number of days`, {
    advice: "Give a number from 0 on, such as `90`, or remove it.",
  });
}

function flag(sources: Sources, name: string, byDefault = false): boolean {
  const setting = sources.find(name);
  const text = String(setting?.value ?? byDefault).toLowerCase();
  if (setting === undefined || ["true", "1", "false", "0"].includes(text)) return text === "true" || text === "1";
  throw new ConfigurationError(`${setting.where} is neither \`true\` nor \`false\``, {
    advice: "Give one of the two.",
  });
}

function oneOf<const V extends readonly [string, ...string[]]>(sources: Sources, name: string, values: V): V[number] {
  const setting = sources.find(name);
  if (setting === undefined) return values[0];
  if (values.includes(String(setting.value))) return String(setting.value);
  throw new ConfigurationError(`${setting.where} is not one of the allowed values`, {
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
  const setting = sources.find("operations");
  return Object.freeze(
    setting
      ? parseSetting(
          OperationsSetting,
          setting.value,
          setting.where,
          '`{"<operation>": {"path", "idParam", "wrap", "method"} or "off"}`',
        )
      : {},
  );
}

/** A table, or the path of a file that holds one (A100). It is validated where the messages are known. */
function dialectIn(sources: Sources, readFile: ReadSettingFile): ResolvedSetting | undefined {
  const setting = sources.find("dialect");
  if (!setting) return undefined;
  const isPath = typeof setting.value === "string" && !setting.value.trim().startsWith("{");
  const { value, where } = isPath ? fileNamed(setting, readFile) : setting;
  return Object.freeze({
    value: parseSetting(
      z.record(z.string(), z.unknown()),
      value,
      where,
      '`{"fields": {ours: theirs}, "values": {ours: theirs}}`',
    ),
    where,
    from: setting.from,
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
