import type { Values } from "../values/values";

/**
 * Which differences of a governance object open up access. Declared as data;
 * `loosened` compares effective values (A062).
 */
export interface Loosening {
  /**
   * Booleans that grant: a default for everything, and complete rows that replace it
   * for one key. Absent or empty = all granted.
   */
  grants: { defaults: string; overrides: string; key: string; row: string };
  /** A section that is off when absent; scopes inherit `default` unless they say `on` or `off`. */
  enforcement: { section: string; default: string; scopes: readonly string[]; member: string; on: string; off: string };
  /** An enum of geographies; `everywhere` and absent contain all others. */
  geography: { field: string; everywhere: readonly string[] };
  /** Booleans whose change from true to false opens up. */
  guards: readonly string[];
}

/** One loosened effective value, in words. */
export interface LoosenedValue {
  path: string;
  before: string;
  after: string;
}

/** Every effective value that `after` grants and `before` did not. */
export function loosened(rules: Loosening, before: Values, after: Values): LoosenedValue[] {
  return [
    ...loosenedGrants(rules.grants, before, after),
    ...loosenedEnforcement(rules.enforcement, before, after),
    ...loosenedGeography(rules.geography, before, after),
    ...loosenedGuards(rules.guards, before, after),
  ];
}

function loosenedGrants(grants: Loosening["grants"], before: Values, after: Values): LoosenedValue[] {
  const keys = new Set([...rows(grants, before).keys(), ...rows(grants, after).keys()]);
  const names = new Set(
    [
      grantsFor(grants, before),
      grantsFor(grants, after),
      ...[...keys].flatMap((key) => [grantsFor(grants, before, key), grantsFor(grants, after, key)]),
    ].flatMap((row) => Object.keys(row ?? {})),
  );
  return [undefined, ...keys].flatMap((key) => {
    const was = grantsFor(grants, before, key);
    const is = grantsFor(grants, after, key);
    return [...names].flatMap((name) => {
      const denied = was !== undefined && was[name] !== true;
      const granted = is === undefined || is[name] === true;
      if (!denied || !granted) return [];
      const path =
        key === undefined ? `${grants.defaults}.${name}` : `${grants.overrides}[${JSON.stringify(key)}].${name}`;
      return [{ path, before: "denied", after: "allowed" }];
    });
  });
}

function rows(grants: Loosening["grants"], values: Values): Map<string, Values> {
  const list = (values[grants.overrides] ?? []) as Values[];
  return new Map(list.map((entry) => [String(entry[grants.key]), (entry[grants.row] ?? {}) as Values]));
}

const grantsFor = (grants: Loosening["grants"], values: Values, key?: string): Values | undefined =>
  decidingRow(grants, values, key)?.row;

/**
 * The row that decides about `key`, or about everything without one, and its
 * place; undefined where everything is granted.
 */
export function decidingRow(
  grants: Loosening["grants"],
  values: Values,
  key?: string,
): { place: string; row: Values } | undefined {
  const own = key === undefined ? undefined : rows(grants, values).get(key);
  if (own) return { place: `${grants.overrides}[${JSON.stringify(key)}]`, row: own };
  const defaults = (values[grants.defaults] ?? {}) as Values;
  return Object.keys(defaults).length > 0 ? { place: grants.defaults, row: defaults } : undefined;
}

function loosenedEnforcement(rules: Loosening["enforcement"], before: Values, after: Values): LoosenedValue[] {
  return rules.scopes.flatMap((scope) =>
    isEnforced(rules, before, scope) && !isEnforced(rules, after, scope)
      ? [{ path: `${rules.section}.${scope}`, before: "enforced", after: "not enforced" }]
      : [],
  );
}

/** Whether a scope is on, by its own word or by inheritance. */
export function isEnforced(rules: Loosening["enforcement"], values: Values, scope: string): boolean {
  const section = values[rules.section] as Values | null | undefined;
  const word = (section?.[scope] as Values | undefined)?.[rules.member];
  return word === rules.on || (word !== rules.off && section?.[rules.default] === true);
}

function loosenedGeography(rules: Loosening["geography"], before: Values, after: Values): LoosenedValue[] {
  const was = onlyGeography(rules, before);
  const is = onlyGeography(rules, after);
  return was === undefined || was === is ? [] : [{ path: rules.field, before: was, after: is ?? "unrestricted" }];
}

/** The one geography that is allowed; undefined: all are. */
export function onlyGeography(rules: Loosening["geography"], of: Values): string | undefined {
  const value = of[rules.field];
  return typeof value !== "string" || value === "" || rules.everywhere.includes(value) ? undefined : value;
}

function loosenedGuards(guards: Loosening["guards"], before: Values, after: Values): LoosenedValue[] {
  return guards.flatMap((name) =>
    before[name] === true && after[name] !== true ? [{ path: name, before: "true", after: "false" }] : [],
  );
}
