import { accountIdOf, credentialOf, endpointOf } from "../api/settings/credentials";
import { type CheckFailure, type CheckResult, check, placeIn } from "../core/check";
import { isNew, optionsIn } from "../core/declaration/own-fields";
import { hostCollection, type ResourceSpec } from "../core/declaration/resource";
import { isConfigurationError } from "../core/errors";
import { resourceNameIn } from "../core/pulumi-names";
import { misdirected } from "../core/references";
import { unknownProperty } from "../core/schema-issues";
import { lastSegment } from "../core/values/names";
import { isUnknown, omitUndefined } from "../core/values/values";
import { hostedSpecs } from "./changes/hosting";
import { successorRejectionAfterDiff } from "./changes/protection";
import { chosenId, idByStack, objectClaims } from "./memory/identity";
import type { CheckView, ResourceMemory } from "./memory/run";
import type { CallContext } from "./operation";
import type { Ports } from "./ports";
import { absentSources } from "./sources";
import type { Call, Values } from "./types";

/** One declaration of a program under check, in its account. */
interface CheckedDeclaration {
  spec: ResourceSpec;
  call: Call;
  account: unknown;
  olds: Values;
  inputs: Values;
}

/** Something that only one declaration can claim, and the error for the second one. */
interface UniqueClaim {
  key: string;
  property: string;
  conflictError(first: string, second: string): string;
}

/** Conflicts between the declarations of one program, among those checked so far. */
function findConflicts(resource: CheckView, declared: CheckedDeclaration): CheckFailure[] {
  const { urn } = declared.call.hidden;
  const claims = [...claimsOfObject(declared), ...claimsOfRole(declared)];
  const others = resource.claim(claims.map(({ key }) => key));
  const failures = claims.flatMap(({ key, property, conflictError }) => {
    const first = others.get(key);
    return first === undefined ? [] : [{ property, reason: conflictError(first, urn) }];
  });
  return failures.filter(({ property }, index) => failures.findIndex((other) => other.property === property) === index);
}

/**
 * One object has one declaration: two would keep undoing each other's changes, and deleting one would delete it for
 * both.
 */
function claimsOfObject({ spec, account, inputs }: CheckedDeclaration): UniqueClaim[] {
  const claims = objectClaims(spec, account, inputs);
  // Two that share a natural key also share the id that follows from it: report the key, which the program has.
  const keysFirst = [
    ...claims.filter(({ key }) => isNaturalKey(key)),
    ...claims.filter(({ key }) => !isNaturalKey(key)),
  ];
  return keysFirst.map(({ key, properties }) => ({
    key,
    property: properties[0]!,
    conflictError: (first, second) => {
      if (spec.singleton)
        return `an account has only one ${spec.kind}, and two resources declare the one of \`${String(account)}\`: ${first} and ${second}. Put everything into one of them and remove the other`;
      const named = properties.map((name) => `\`${name}\``).join(" and ");
      const idField = spec.fields.resourceId?.name;
      if (!isNaturalKey(key) && properties[0] !== idField)
        return `two resources declare one ${spec.kind} of account \`${String(account)}\`, by the same id \`${lastSegment(key)}\`, which follows from ${named}: ${first} and ${second}. Give one of them another \`${idField}\``;
      return `two resources declare one ${spec.kind} of account \`${String(account)}\`, by the same ${named}: ${first} and ${second}. Change ${named} of one of them, or remove one`;
    },
  }));
}

const isNaturalKey = (key: string): boolean => key.includes("#");

/** Only one host can serve a content: with two claims, each run would take it from the other (A081). */
function claimsOfRole({ spec, account, inputs }: CheckedDeclaration): UniqueClaim[] {
  const { host } = spec;
  const content = host && inputs[host.content];
  if (!host || inputs[host.claim] !== true || typeof content !== "string" || isUnknown(content) || isUnknown(account))
    return [];
  return [
    {
      key: `${host.claim} ${spec.kind} of ${content} in ${String(account)}`,
      property: host.claim,
      conflictError: (first, second) =>
        `only one ${spec.kind} of ${content} can have \`${host.claim}\`, and two resources set it: ${first} and ${second}. Remove it from one of them`,
    },
  ];
}

/** A new host loads its own content, which conflicts with a declaration of the same (A081). */
function recommendations(
  { specs }: Ports,
  resource: CheckView,
  { spec, account, olds, inputs }: CheckedDeclaration,
): string[] {
  if (!isNew(olds)) return [];
  if (hostedSpecs(specs, spec).length > 0) resource.declareHost({ spec, account, inputs });
  const { host } = spec;
  if (!host) return [];
  const kind = specs.find(({ collection }) => collection === hostCollection(spec))?.kind;
  const name = inputs[host.field];
  const meant = [...resource.newHosts()].find(([urn, other]) => {
    const id = resource.of(urn).held?.split("/").at(-1) ?? chosenId(other.spec, other.inputs);
    const same = typeof name !== "string" || isUnknown(name) || lastSegment(name) === id;
    return (
      same &&
      other.spec.kind === kind &&
      isKnownAs(account, other.account) &&
      isKnownAs(inputs[host.content], other.inputs[host.own]) &&
      other.inputs[host.unless] !== true &&
      !isUnknown(other.inputs[host.unless])
    );
  });
  if (!meant) return [];
  const title = `${kind} \`${resourceNameIn(meant[0])}\``;
  return [
    `the service puts this \`${host.content}\` onto the new ${title} by itself; set \`${host.unless}: true\` there, so that this resource alone does it`,
  ];
}

/** Unknowns are all alike, so they cannot be compared. */
const isKnownAs = (one: unknown, other: unknown): boolean => one === other && !isUnknown(one);

/** Names the kind of which the property is one: of two kinds of job, people take the fields of the other. */
function withOtherKind(failure: CheckFailure, { kind }: ResourceSpec, specs: readonly ResourceSpec[]): CheckFailure {
  // A name that may be that of a secret is in the reason alone.
  const [, inReason, wrong] = /^(?:(\w+): )?(.*)$/.exec(failure.reason) ?? [];
  const property = inReason ?? failure.property;
  if (wrong !== unknownProperty) return failure;
  const others = specs
    .filter((each) => each.kind !== kind)
    .flatMap(({ kind: other, fields: { message } }) => {
      const place = message.some(({ name }) => name === property) ? property : placeIn(message, property);
      return place === undefined ? [] : [`\`${place}\` of ${other}`];
    });
  return others.length === 0 || others.length > 2
    ? failure
    : { ...failure, reason: `${failure.reason} here; it is ${others.join(" and ")}` };
}

/** Validates a program's inputs, and everything that can be checked on this machine. */
export async function checkInputs(
  { ports, spec, call, resource: known }: CallContext & { resource: ResourceMemory },
  olds: Values,
  written: Values,
): Promise<CheckResult> {
  const named = idByStack(spec, call.hidden.naming, olds, written);
  const news = typeof named === "string" ? { ...written, [spec.fields.resourceId!.name]: named } : written;
  const accountId = optionsIn(news).accountId ?? accountIdOf(ports.settings);
  // If neither is set, nothing is written.
  const deletionProtection = optionsIn(news).deletionProtection ?? (ports.settings.deletionProtection || undefined);
  const result = check(spec, olds, {
    ...news,
    accountId,
    ...omitUndefined({ deletionProtection }),
  });
  const resource = known.check(call.hidden, olds, result.inputs);
  const declared = { spec, call, account: accountId, olds, inputs: news };
  const { ignoreChanges = [] } = call.hidden;
  const references = misdirected({ spec, specs: ports.specs, olds, inputs: news, ignoreChanges });
  const failures = [
    ...idFailures(spec, named, result.failures).map((failure) => withOtherKind(failure, spec, ports.specs)),
    ...references.failures,
    ...findConflicts(resource, declared),
    ...missingAccess(ports, accountId),
  ];
  if (failures.length > 0) return { ...result, failures, warnings: [] };
  // A check cannot distinguish a preview from an update, and a preview needs neither weights nor secrets: the operation
  // that needs them fails without them.
  const absent = await absentSources(ports.machine, spec, news);
  const warnings = [
    ...result.warnings,
    ...references.warnings,
    ...recommendations(ports, resource, declared),
    ...objectionsToCreate(ports, olds),
    ...absent.map(
      (reason) =>
        `${reason} ${resource.hasCurrentObject ? "Until then it counts as unchanged" : "`up` needs it to create this"}`,
    ),
  ];
  announceAdoption(call, spec, olds, news);
  const successor = resource.successorInPlace;
  const refusal = successor && (await successorRejectionAfterDiff({ ports, spec, call, resource }, successor));
  if (refusal !== undefined) return { ...result, failures: [{ property: "", reason: refusal }], warnings };
  const isJudged = ports.settings.preflight && !ports.settings.hasUnknowns && !isUnknown(accountId);
  // What is adopted is not created: the account may no longer allow another one like it.
  if (!isJudged || mayBeAdopted(spec, olds, news)) return { ...result, warnings };
  const judged = await ports.preflight({
    spec,
    account: String(accountId),
    olds,
    inputs: result.inputs,
    signal: call.signal,
  });
  return { ...result, failures: judged.failures, warnings: [...warnings, ...judged.warnings] };
}

/** What is wrong with an id that the stack gives, which no program shows, says where it comes from. */
function idFailures({ fields }: ResourceSpec, named: string | null | undefined, found: CheckFailure[]): CheckFailure[] {
  const property = fields.resourceId?.name ?? "";
  if (named === null)
    return [{ property, reason: "is missing, and `pulumi:autonaming` is `disabled`: give the id" }, ...found];
  if (named === undefined) return found;
  const origin = "; `pulumi:autonaming` gives it";
  return found.map((each) => (each.property === property ? { property, reason: each.reason + origin } : each));
}

const told = new WeakSet<Ports["journal"]>();

/** What no create of this run gets past, once: a preview writes nothing, so it would not notice. */
function objectionsToCreate({ journal }: Ports, olds: Values): string[] {
  if (!isNew(olds) || told.has(journal)) return [];
  told.add(journal);
  const objection = journal.objection?.();
  return objection === undefined ? [] : [`\`up\` cannot create this as things are on this machine: ${objection}`];
}

/** What is missing to reach an account: a preview of new resources sends no request, so it would not notice. */
function missingAccess({ settings }: Ports, account: unknown): CheckFailure[] {
  if (account === undefined || isUnknown(account) || settings.hasUnknowns) return [];
  try {
    endpointOf(settings, credentialOf(settings, String(account)));
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return [{ property: "", reason: error.message }];
  }
}

/** Engines have no term for adoption: their preview reports a create. */
function announceAdoption({ reporter }: Call, spec: ResourceSpec, olds: Values, news: Values): void {
  const { adopt } = news;
  if (!asksToAdopt(olds, news)) return;
  if (!mayBeAdopted(spec, olds, news))
    return reporter.warn(
      `\`adopt\` has no effect without \`${spec.fields.resourceId?.name}\`: what has an automatic id is never adopted.`,
    );
  reporter.info(
    `to be adopted if it already exists, ${adopt === "ifEqual" ? "as it is" : "and updated to match"} (\`adopt\`); created otherwise`,
  );
}

const asksToAdopt = (olds: Values, { adopt }: Values): boolean =>
  Object.keys(olds).length === 0 && (adopt === "ifEqual" || adopt === "overwrite");

const mayBeAdopted = (spec: ResourceSpec, olds: Values, news: Values): boolean =>
  asksToAdopt(olds, news) &&
  (spec.identity.default !== "automatic" || news[spec.fields.resourceId?.name ?? ""] !== undefined);
