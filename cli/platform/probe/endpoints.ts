import { mayMeanMissingObject } from "../../../provider/api/errors/error-body";
import type { ApiOperation, Json } from "../../../provider/api/types";
import { matchTemplate, parametersOf } from "../../../provider/core/values/names";
import { describeReply, isRouteUnknown, nobody, type ProbeClient, type ProbeReply, requestText } from "./asker";
import { type ProbeFinding, type ProbeVerdict, settingsFrom } from "./finding";

/** Objects that lists answered, by kind. */
export type Samples = ReadonlyMap<string, readonly Json[]>;

/** Whether read paths exist: lists first, because they say what there is to get. */
export async function probeEndpoints(asker: ProbeClient): Promise<{ findings: ProbeFinding[]; samples: Samples }> {
  const findings: ProbeFinding[] = [];
  const samples = new Map<string, readonly Json[]>();
  const reads = asker.catalogue.operations.filter(
    ({ effect, verb }) => effect === "read" && ["get", "list"].includes(verb),
  );
  for (const list of reads.filter(({ verb }) => verb === "list")) {
    const reply = await asker.call(list.name, { parameters: parentParameters(list, asker), query: { pageSize: 5 } });
    samples.set(list.kind, membersIn(list, reply));
    findings.push(endpointFinding(list, reply, asker));
  }
  for (const get of reads.filter(({ verb }) => verb === "get")) {
    const reply = await asker.call(get.name, { parameters: objectOf(get, asker, samples) });
    findings.push(endpointFinding(get, reply, asker));
  }
  return { findings, samples };
}

/** What other kinds are made of is the platform's own; a list of things inside others takes all of them (A003). */
export function parentParameters({ spec, path }: ApiOperation, { account }: ProbeClient): Record<string, string> {
  const parents = parametersOf(path).filter((parameter) => parameter !== "account");
  const declared = spec.operations["create"] !== undefined || spec.singleton === true;
  const owner = declared ? account : "platform";
  return Object.fromEntries(
    parametersOf(path).map((parameter) => [parameter, parameter === "account" && parents.length === 0 ? owner : "-"]),
  );
}

export const membersIn = ({ spec }: ApiOperation, { value }: ProbeReply): readonly Json[] =>
  (value?.[spec.collection] ?? []) as readonly Json[];

/** An existing object, or a missing one. */
function objectOf(
  { spec, path, kind }: ApiOperation,
  { account }: ProbeClient,
  samples: Samples,
): Record<string, string> {
  const known = samples
    .get(kind)
    ?.map(({ name }) => matchTemplate(spec.name, String(name)))
    .find((parameters) => parameters !== undefined);
  return (
    known ??
    Object.fromEntries(parametersOf(path).map((parameter) => [parameter, parameter === "account" ? account : nobody]))
  );
}

function endpointFinding(operation: ApiOperation, reply: ProbeReply, asker: ProbeClient): ProbeFinding {
  const { name, convention, provenance } = operation;
  const verdict = verdictOf(operation, reply);
  const finding = {
    convention: provenance === "listed" ? "listed" : (convention ?? "A015"),
    asked: requestText(operation),
    ...describeReply(reply),
    verdict,
  };
  if (verdict !== "differs") return finding;
  const other = otherAccount(reply, asker.account);
  if (other !== undefined)
    return {
      ...finding,
      knob: "accountId",
      blocks: `has names of the account \`${other}\`; try \`--account ${other}\``,
    };
  if (provenance === "listed")
    return { ...finding, knob: "baseUrl", blocks: "is not answered as the API's description has it" };
  return { ...finding, knob: `operations.${name}: off, or its path`, operations: { [name]: "off" } };
}

/** The account that the names in a refused answer are of, where it is not the one that was asked about. */
function otherAccount({ error, raw }: ProbeReply, account: string): string | undefined {
  if (error?.status !== 200) return undefined;
  const owner = /"name"\s*:\s*"accounts\/([^/"]+)\//.exec(raw?.text ?? "")?.[1];
  return owner === account ? undefined : owner;
}

/** A missing object is an answer of the operation, too. */
function verdictOf(operation: ApiOperation, reply: ProbeReply): ProbeVerdict {
  const { error } = reply;
  if (!error) return "holds";
  if (isRouteUnknown(reply)) return "differs";
  if (error.status === 200) return "differs";
  return error.status === 404 || error.status === 400 || mayMeanMissingObject(operation, error.status, error.code)
    ? "holds"
    : "unknown";
}

/** Whether this package works with a service. */
export interface Fit {
  verdict: "fits" | "fits with these settings" | "does not fit";
  /** Why it does not: a sentence for each reason. */
  reasons: string[];
}

/** What the findings come to. What could not be asked does not count against a service. */
export function fitOf(asker: ProbeClient, findings: readonly ProbeFinding[]): Fit {
  const reasons = [
    ...findings.flatMap(({ asked, blocks }) => (blocks === undefined ? [] : [`\`${asked}\` ${blocks}.`])),
    ...unansweredKinds(asker, findings),
  ];
  if (reasons.length > 0) return { verdict: "does not fit", reasons };
  return { verdict: isConfigured(findings) ? "fits with these settings" : "fits", reasons };
}

/** A setting that only saves requests is not needed. */
const isConfigured = (findings: readonly ProbeFinding[]): boolean =>
  Object.entries(settingsFrom(findings)).some(([, text]) => text !== "honored");

/** Kinds that move by themselves, and that neither a read nor a list shows: nobody sees when they are ready. */
function unansweredKinds({ catalogue }: ProbeClient, findings: readonly ProbeFinding[]): string[] {
  const off = new Set(findings.flatMap(({ operations = {} }) => Object.keys(operations)));
  return catalogue.specs
    .filter(({ lifecycle, operations }) => lifecycle !== undefined && operations["create"] !== undefined)
    .filter(({ kind }) =>
      ["get", "list"].every((verb) => {
        const operation = catalogue.find(kind, verb);
        return operation === undefined || off.has(operation.name);
      }),
    )
    .map(({ kind }) => `A ${kind} can be neither read nor listed, so that nothing shows when it is ready.`);
}
