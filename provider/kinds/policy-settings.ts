import { optionsIn } from "../core/declaration/own-fields";
import { modelIn, type Preflight } from "../core/declaration/preflight";
import type { RuleFailure } from "../core/declaration/rules";
import { containsUnknown, isObject, isUnknown, pathText, type Segment, type Values } from "../core/values/values";
import type { KindHooks, LoosenedValue } from "./hooks";

/** A change that opens up access, retention or residency needs `allowLoosening` (A062). */
export const policySettings: KindHooks = {
  beforeChange(before, after, inputs) {
    const opened = optionsIn(inputs).allowLoosening === true ? [] : loosened(before, after);
    if (opened.length === 0) return undefined;
    const listed = opened.map((value) => `${value.path} from ${value.before} to ${value.after}`).join("; ");
    return { reason: `would loosen the account's policy: ${listed}`, consent: "allowLoosening" };
  },
  loosened,
  // Sections that are not known yet forbid nothing (A064).
  policyViolations(settings, preflight, inputs) {
    const known = Object.fromEntries(Object.entries(settings).filter(([, section]) => !containsUnknown(section)));
    return [
      ...forbiddenModel(known, preflight, inputs),
      ...forbiddenRetention(known, preflight),
      ...forbiddenPlaces(known, preflight, inputs),
    ];
  },
};

function loosened(before: Values, after: Values): LoosenedValue[] {
  return [
    ...loosenedPermissions(before, after),
    ...loosenedRetention(before, after),
    ...loosenedResidency(before, after),
    ...loosenedEncryption(before, after),
  ];
}

function loosenedPermissions(before: Values, after: Values): LoosenedValue[] {
  const models = new Set([...rules(before).keys(), ...rules(after).keys()]);
  const decided = [undefined, ...models].map((model) => ({
    place: model === undefined ? "defaultPermissions" : placeOf(model),
    was: decidingPermissions(before, model)?.row,
    is: decidingPermissions(after, model)?.row,
  }));
  const names = new Set(decided.flatMap(({ was, is }) => [...Object.keys(was ?? {}), ...Object.keys(is ?? {})]));
  return decided.flatMap(({ place, was, is }) =>
    [...names].flatMap((name) => {
      const denied = was !== undefined && was[name] !== true;
      const granted = is === undefined || is[name] === true;
      return denied && granted ? [{ path: `${place}.${name}`, before: "denied", after: "allowed" }] : [];
    }),
  );
}

const placeOf = (model: string): string => `rules[${JSON.stringify(model)}]`;

/** The permissions of models that have a row of their own: a complete one, which replaces the defaults. */
function rules(policy: Values): Map<string, Values> {
  const { rules: list } = policy;
  return new Map(
    (Array.isArray(list) ? list : [])
      .filter(isObject)
      .map(({ model, permissions }) => [String(model), isObject(permissions) ? permissions : {}]),
  );
}

/** The row that decides about a model, or about all without one; undefined where everything is allowed. */
function decidingPermissions(policy: Values, model?: string): { place: string; row: Values } | undefined {
  const own = model === undefined ? undefined : rules(policy).get(model);
  if (own) return { place: placeOf(model!), row: own };
  const defaults = sectionOf(policy, "defaultPermissions");
  return Object.keys(defaults).length > 0 ? { place: "defaultPermissions", row: defaults } : undefined;
}

function forbiddenModel(policy: Values, preflight: Preflight, inputs: Values): RuleFailure[] {
  const model = modelIn(preflight, inputs);
  if (preflight.grant === undefined || !model) return [];
  const deciding = decidingPermissions(policy, model.name);
  if (!deciding || deciding.row[preflight.grant] === true) return [];
  const reason = `the account's policy does not allow this for ${model.name}: \`${deciding.place}.${preflight.grant}\` is false`;
  return [{ path: model.path, reason: `${reason}. Choose another model, or have the policy changed` }];
}

/** Empty for what is none: states and previews may hold anything, and what they hold is judged before. */
const sectionOf = (values: Values, name: string): Values => {
  const section = values[name];
  return isObject(section) ? section : {};
};

const retentionOf = (policy: Values): Values => sectionOf(policy, "zeroDataRetention");

const enforcementOf = (policy: Values, scope: string): unknown => sectionOf(retentionOf(policy), scope)["enforcement"];

/** Whether a scope keeps nothing, by its own word or by the default. */
function isEnforced(policy: Values, scope: string): boolean {
  const own = enforcementOf(policy, scope);
  return own === "ENFORCED" || (own !== "NOT_ENFORCED" && retentionOf(policy)["defaultEnforced"] === true);
}

function loosenedRetention(before: Values, after: Values): LoosenedValue[] {
  const scopes = ["inference", "training"].filter((scope) => isEnforced(before, scope) && !isEnforced(after, scope));
  return scopes.map((scope) => ({ path: `zeroDataRetention.${scope}`, before: "enforced", after: "not enforced" }));
}

function forbiddenRetention(policy: Values, { retention: scope, model }: Preflight): RuleFailure[] {
  if (scope === undefined || !isEnforced(policy, scope)) return [];
  const place =
    enforcementOf(policy, scope) === "ENFORCED"
      ? `\`zeroDataRetention.${scope}\` is \`ENFORCED\``
      : `\`zeroDataRetention.defaultEnforced\` is true, and \`${scope}\` inherits it`;
  const reason = `the account's policy blocks all new work of this kind, which keeps data: ${place}`;
  return [{ path: model.at[0]!, reason: `${reason}. Use another account, or have the policy changed` }];
}

const everywhere = ["MULTI_REGION_UNSPECIFIED", "GLOBAL"];

/** The one geography that is allowed; undefined: all are. */
function onlyGeography({ residency }: Values): string | undefined {
  return typeof residency !== "string" || residency === "" || everywhere.includes(residency) ? undefined : residency;
}

function loosenedResidency(before: Values, after: Values): LoosenedValue[] {
  const [was, is] = [onlyGeography(before), onlyGeography(after)];
  return was === undefined || was === is ? [] : [{ path: "residency", before: was, after: is ?? "unrestricted" }];
}

function forbiddenPlaces(policy: Values, { placement }: Preflight, inputs: Values): RuleFailure[] {
  const only = onlyGeography(policy);
  if (placement === undefined || only === undefined) return [];
  const { geographies } = placement;
  const geographyOf = (place: string): string | undefined =>
    place === "GLOBAL" || geographies.some(({ geography }) => geography === place)
      ? place
      : geographies.find(({ prefix }) => place.startsWith(prefix))?.geography;
  const places = textsIn(inputs[placement.field], [placement.field]);
  const outside = places.filter(({ text }) => ![undefined, only].includes(geographyOf(text)));
  return outside.map(({ path, text }) => ({
    path,
    reason: `\`${text}\` is outside \`${only}\`, the only geography that the account's policy allows (\`residency\`). Choose a place in it, or drop \`${placement.field}\``,
  }));
}

function textsIn(value: unknown, path: readonly Segment[]): { path: string; text: string }[] {
  if (typeof value === "string") return isUnknown(value) ? [] : [{ path: pathText(path), text: value }];
  if (Array.isArray(value)) return value.flatMap((entry, index) => textsIn(entry, [...path, index]));
  return value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]))
    : [];
}

function loosenedEncryption(before: Values, after: Values): LoosenedValue[] {
  const isDropped = before["cmekRequired"] === true && after["cmekRequired"] !== true;
  return isDropped ? [{ path: "cmekRequired", before: "true", after: "false" }] : [];
}
