import { ConfigurationError } from "../../core/errors";
import { OperationOverride, plainSetting } from "../../core/settings";
import { isUnknown } from "../../core/values/values";
import { createDialect, type Dialect } from "../../core/wire/dialect";
import { readDialect } from "../../core/wire/vocabulary";
import { z } from "../../core/zod";
import type { Catalogue, ClientSettings, Endpoint, Overrides } from "../types";
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
import { checkedAccount, credentialsIn } from "./written-keys";

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
  const intents = sources.find("intents")?.value;
  const dialect = dialectIn(sources, readFile);
  const plain = <N extends Parameters<typeof plainSetting>[0]>(name: N) => plainSetting(name, sources.find(name));
  return Object.freeze({
    ...credentialsIn(sources, accountId, readFile),
    preflight: plain("preflight"),
    allowEndpointChange: plain("allowEndpointChange"),
    retirementNotice: { days: plain("retirementDays"), errorDays: plain("retirementErrorDays") },
    deletionProtection: plain("deletionProtection"),
    ownershipMarker: plain("ownershipMarker"),
    recover: plain("recover"),
    updateMask: plain("updateMask"),
    patchBody: plain("patchBody"),
    validateOnly: plain("validateOnly"),
    requestsPerSecond: plain("requestsPerSecond"),
    operations: operationsIn(sources),
    configCommand: sources.configCommand,
    accountId,
    endpoint,
    hasUnknowns: ["accountId", "apiKey", "accounts", "baseUrl"].some((name) => isUnknown(sources.find(name)?.value)),
    intents: typeof intents === "string" ? intents : undefined,
    dialect,
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

function operationsIn(sources: Sources): Overrides {
  const setting = sources.find("operations");
  return Object.freeze(
    setting
      ? parseSetting(
          z.record(z.string(), OperationOverride),
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
