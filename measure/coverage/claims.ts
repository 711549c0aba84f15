import { conventionalOperations } from "../../tests/contract/reference/conventional-operations";
import { documentedErrors } from "../../tests/contract/reference/errors";
import * as evidence from "../../tests/contract/reference/evidence";
import { limits } from "../../tests/contract/reference/limits";
import { tokenRules } from "../../tests/contract/reference/lists";
import { listedOperations, uploadEndpointBody } from "../../tests/contract/reference/operations";
import { reference } from "../../tests/contract/reference/tables";
import type { FieldFact, Kind, OperationFact } from "../../tests/contract/reference/types";
import { type Mutant, mutants } from "./mutants";

/** One thing of the reference that a test run has to show: what it has to tell for it, or the reason why it cannot. */
export interface Claim {
  name: string;
  /** Items that emulators tell when they serve them. */
  items: readonly string[];
  /** Tests that have to pass. */
  tests: readonly evidence.Shown[];
  reason?: string;
  /** Of a rule that tests show: ways to switch it off, each of which one of the tests has to notice. */
  off?: { key: string; mutants: readonly Mutant[] };
}

export type OperationClaim = Claim & { fact: OperationFact; parameters: readonly Claim[] };

export type FieldClaim = Claim & { sent?: Claim; answered?: Claim };

export interface KindClaims {
  kind: Kind;
  fields: readonly FieldClaim[];
  states: readonly Claim[];
  rules: readonly Claim[];
}

const met = (name: string, item: string): Claim => {
  const reason = evidence.unmet[item];
  return { name, items: [item], tests: [], ...(reason !== undefined && { reason }) };
};

const shown = (name: string, key: string, by: evidence.Evidence | undefined): Claim => {
  if (by === undefined) return { name, items: [], tests: [], reason: "" };
  if ("reason" in by) return { name, items: [], tests: [], reason: by.reason };
  return { name, items: [], tests: by, off: { key, mutants: mutants[key] ?? [] } };
};

/** The tests of one kind of those that run over all. */
const ofKind = (kind: Kind, by: evidence.Evidence | undefined): evidence.Evidence | undefined =>
  by === undefined || "reason" in by ? by : by.map(([file, title]) => [file, title, kind] as const);

const operationClaim = (fact: OperationFact): OperationClaim => ({
  ...met(fact.name, `operation ${fact.name} 200`),
  fact,
  parameters: fact.query.map(({ name }) => met(name, `parameter ${fact.name} ${name}`)),
});

export const operations = {
  listed: listedOperations.map(operationClaim),
  conventional: conventionalOperations.map(operationClaim),
};

function fieldClaim(owner: string, fact: FieldFact, ways: { sent: boolean; answered: boolean }): FieldClaim {
  const sent = ways.sent ? met(fact.path, `sent ${owner} ${fact.path}`) : undefined;
  const answered = ways.answered ? met(fact.path, `answered ${owner} ${fact.path}`) : undefined;
  return { name: fact.path, items: [], tests: [], ...(sent && { sent }), ...(answered && { answered }) };
}

/** A job's progress is a message of the jobs, not an object. */
const kinds = (Object.keys(reference) as Kind[]).filter((kind) => kind !== "JobProgress");

const isSent = (kind: Kind, { path, readOnly }: FieldFact): boolean =>
  reference[kind].settable && !readOnly && path !== "name";

export const byKind: readonly KindClaims[] = kinds.map((kind) => {
  const { fields, states = [], rules, circumstances, settable } = reference[kind];
  return {
    kind,
    fields: fields.map((fact) =>
      fieldClaim(kind, fact, { sent: isSent(kind, fact), answered: fact.inputOnly !== true }),
    ),
    states: states.map((state) => met(state, `state ${kind} ${state}`)),
    rules: [
      ...rules.map(({ id, sentence }) =>
        shown(
          sentence,
          `${kind} ${id}`,
          ofKind(kind, evidence.rules[`${kind} ${id}`] ?? (settable ? evidence.refusedTwice : undefined)),
        ),
      ),
      ...circumstances.map(({ id, sentence }) =>
        shown(sentence, `${kind} ${id}`, evidence.circumstances[`${kind} ${id}`]),
      ),
    ],
  };
});

/** Messages of operations that are no object's. */
export const messages = listedOperations.flatMap((fact) => {
  if (typeof fact.response === "string" || !("fields" in fact.response)) return [];
  const top = (facts: readonly FieldFact[]) => facts.filter(({ path }) => /^\w+$/.test(path));
  const sent = top(uploadEndpointBody).map((each) => fieldClaim(fact.name, each, { sent: true, answered: false }));
  return [
    {
      operation: fact.name,
      fields: [
        ...sent,
        ...top(fact.response.fields).map((each) => fieldClaim(fact.name, each, { sent: false, answered: true })),
      ],
    },
  ];
});

export const general: readonly { title: string; claims: readonly Claim[] }[] = [
  {
    title: "Errors",
    claims: documentedErrors.map(({ id, when, then }) =>
      shown(`When ${when}: ${then}.`, `error ${id}`, evidence.errors[id]),
    ),
  },
  {
    title: "Limits",
    claims: limits.map(({ id, kind, path, maxLength }) =>
      shown(
        `${id} (\`${path}\` of ${kind})`,
        `limit ${id}`,
        ofKind(kind, evidence.limits[id] ?? (maxLength === undefined ? undefined : evidence.refusedTwice)),
      ),
    ),
  },
  {
    title: "Lists",
    claims: tokenRules.map(({ id, sentence }) => shown(sentence, `list ${id}`, evidence.listRules[id])),
  },
];

/** A claimed test's title as a run tells it, other placeholders aside. */
export const titleOf = ([, title, of]: evidence.Shown): string => (of === undefined ? title : title.replace("%s", of));

/** The claims whose rules can be switched off. */
export const mutable: readonly Claim[] = [
  ...byKind.flatMap(({ rules }) => rules),
  ...general.flatMap(({ claims }) => claims),
].filter(({ off }) => off !== undefined);

const waysOf = ({ sent, answered }: FieldClaim): Claim[] => [...(sent ? [sent] : []), ...(answered ? [answered] : [])];

/** Claims by what they are about, for counts. */
export const groups: readonly { title: string; claims: readonly (readonly Claim[])[] }[] = [
  { title: "Listed operations", claims: operations.listed.map((claim) => [claim]) },
  { title: "Conventional operations", claims: operations.conventional.map((claim) => [claim]) },
  {
    title: "Query parameters",
    claims: [...operations.listed, ...operations.conventional].flatMap(({ parameters }) =>
      parameters.map((claim) => [claim]),
    ),
  },
  { title: "Fields", claims: [...byKind, ...messages].flatMap(({ fields }) => fields.map(waysOf)) },
  { title: "States", claims: byKind.flatMap(({ states }) => states.map((claim) => [claim])) },
  {
    title: "Rules",
    claims: [...byKind.flatMap(({ rules }) => rules), ...general.flatMap(({ claims }) => claims)].map((claim) => [
      claim,
    ]),
  },
];
