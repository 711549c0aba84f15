import { ownCommand, quotedCommand } from "../../../io/text/command-line";
import { resolveSettings } from "../../../provider/api/settings/config";
import { overriddenKeyWarning } from "../../../provider/api/settings/key-warnings";
import { createSources, type SettingSources } from "../../../provider/api/settings/sources";
import type { ClientSettings } from "../../../provider/api/types";
import {
  environmentSettings,
  settingFields,
  settingKey,
  unknownSettingVariables,
} from "../../../provider/core/settings";
import type { IgnoredSetting } from "../../checkout/settings";
import type { Choice } from "../../checkout/trust-policies";
import { type DoctorFinding, error, errorFinding, ok, warning } from "./finding";

/** Where each setting comes from. The settings themselves, where they make sense. */
export function settingsFindings(sources: SettingSources): { findings: DoctorFinding[]; settings?: ClientSettings } {
  const { find } = createSources(sources);
  const names = [...settingFields.map(({ name }) => name), ...environmentSettings];
  const places = names.flatMap((name) => {
    const setting = find(name);
    return setting ? [`\`${name}\` from ${setting.where}`] : [];
  });
  try {
    const settings = resolveSettings(sources);
    return {
      findings: [
        sourcesFinding(places),
        ...unreadSettings(sources.env),
        ...missingSettings(settings, sources.env),
        ...overriddenKeys(settings),
      ],
      settings,
    };
  } catch (cause) {
    return {
      findings: [
        sourcesFinding(places),
        errorFinding("settings", cause, "Correct the setting that the message names."),
      ],
    };
  }
}

const sourcesFinding = (places: readonly string[]): DoctorFinding =>
  places.length === 0
    ? error(
        "sources of settings",
        "nothing is set",
        "Set `MODELPLATFORM_BASE_URL`, `MODELPLATFORM_ACCOUNT_ID` and `MODELPLATFORM_API_KEY`, or the stack's config.",
      )
    : ok("sources of settings", places.join("; "));

const unreadSettings = (env: SettingSources["env"] = {}): DoctorFinding[] =>
  unknownSettingVariables(Object.keys(env)).map((text) =>
    warning("environment", text, "Correct its name, or remove it."),
  );

/** Keys of the environment that a stack's config keeps from being used. */
const overriddenKeys = (settings: ClientSettings): DoctorFinding[] =>
  settings.overruled.map((each) =>
    warning(
      `key of ${each.account ?? "the default account"}`,
      overriddenKeyWarning(each),
      `Run ${quotedCommand([...ownCommand, "config", "rm", settingKey(each.setting)])}; if the stack's config has been committed, change its key.`,
    ),
  );

/** Connections go through the proxies that these name. */
const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

function missingSettings(
  { accountId, endpoint, credentials, keyPatterns = [] }: ClientSettings,
  env: SettingSources["env"] = {},
): DoctorFinding[] {
  const proxies = proxyVariables.filter((name) => (env[name] ?? "") !== "").map((name) => `\`${name}\``);
  const keys = [...credentials, ...keyPatterns];
  const named = [...credentials.flatMap(({ account }) => account ?? []), ...keyPatterns.map(({ pattern }) => pattern)];
  const held = named.map((account) => `\`${account}\``);
  return [
    accountId === undefined
      ? warning(
          "default account",
          "none is set",
          "Set `MODELPLATFORM_ACCOUNT_ID` or `modelplatform:accountId`, or give every resource its `accountId`.",
        )
      : ok("default account", `\`${accountId}\``),
    keys.length === 0
      ? error(
          "keys",
          "there is no API key",
          "Set `MODELPLATFORM_API_KEY` or `MODELPLATFORM_ACCOUNTS`, or the secret config `modelplatform:apiKey`.",
        )
      : ok("keys", `of ${held.length > 0 ? held.join(", ") : "the default account, which is not set"}`),
    ...(endpoint
      ? [
          ok(
            "base URL",
            `${endpoint.origin}${endpoint.prefix}${proxies.length > 0 ? `, with the proxy of ${proxies.join(", ")}` : ""}`,
          ),
        ]
      : []),
    ...(endpoint === undefined && keys.some((key) => key.endpoint === undefined)
      ? [error("base URL", "none is set", "Set `MODELPLATFORM_BASE_URL` or `modelplatform:baseUrl`.")]
      : []),
  ];
}

const left: Readonly<Partial<Record<Choice, string>>> = {
  address: "a key has not been sent there",
  key: "no key of it has been used, and a key command in it has not been run",
};

/**
 * What of the project's files is not taken: someone who examines an unknown checkout has not run its code yet. What the
 * environment says as well needs no trust.
 */
export const trustFindings = (
  refused: readonly IgnoredSetting[],
  isInEnvironment: (name: string) => boolean,
): DoctorFinding[] =>
  refused.flatMap(({ name, choice }) =>
    left[choice] === undefined || isInEnvironment(name)
      ? []
      : warning(
          `trust in \`${name}\``,
          `not checked: the project's files set \`modelplatform:${name}\`; ${left[choice]}`,
          "If you trust the project, repeat this with `--trust-project`; otherwise set keys and base URL in the environment.",
        ),
  );
