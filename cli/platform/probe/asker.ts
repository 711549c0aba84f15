import { firstOf } from "../../../io/text/first-of";
import { createClient, type HttpResponse } from "../../../provider/api/client";
import { createCatalogue } from "../../../provider/api/operations";
import { resolveSettings } from "../../../provider/api/settings/config";
import { accountIdOf } from "../../../provider/api/settings/credentials";
import type { ApiOperation, CallOptions, Catalogue, Json, Override } from "../../../provider/api/types";
import {
  isDeadline,
  isModelPlatformError,
  isUnsupportedOperation,
  type ModelPlatformError,
  statusText,
} from "../../../provider/core/errors";
import { omitUndefined } from "../../../provider/core/values/values";
import { allSpecs } from "../../../provider/resources/index";
import { keyCommands } from "../../command/client";
import type { CliContext } from "../../command/context";

/** The response of a service, and what the client turns it into: a value or an error. */
export interface ProbeReply {
  value?: Json;
  error?: ModelPlatformError;
  /** As it came. */
  raw?: HttpResponse;
}

export interface ProbeClient {
  account: string;
  origin: string;
  catalogue: Catalogue;
  /**
   * Rejects if nothing more can be learned: there is no answer, or the key is unknown. A timeout is an error like any
   * other.
   */
  call(operation: string, options?: CallOptions): Promise<ProbeReply>;
  /** Members of answers that the API's description lacks. */
  surprises: ReadonlySet<string>;
  /** Requests sent so far. */
  sent(): number;
  close(): Promise<void>;
}

/** Query parameters that only a probe sends: one that no service knows, and the other spelling of `orderBy`. */
export const strayParameter = "modelplatformProbe";
export const otherOrderBy = "order_by";

/** An id that nobody uses. */
export const nobody = "modelplatform-probe";

/** Milliseconds for one question, repeats included. */
const timeoutMs = 30_000;

/** A client whose calls can only read: any other is refused before it is sent. */
export function openProbeClient(
  context: CliContext,
  account: string | undefined,
  recorded: Readonly<Record<string, unknown>> = {},
): ProbeClient {
  // Whether it creates nothing is looked at by the probe itself.
  const settings = { ...resolveSettings({ env: context.env, recorded }), validateOnly: "honored" as const };
  const catalogue = withStrays(createCatalogue(allSpecs, { overrides: settings.operations }));
  const surprises = new Set<string>();
  let raw: HttpResponse | undefined;
  const client = createClient({
    settings,
    catalogue,
    env: context.env,
    run: keyCommands(context.checkout),
    effects: ["read", "readViaPost"],
    onResponse: (answer) => void (raw = answer),
    log: ({ level, text }) => level === "warning" && surprises.add(text),
  });
  const own = accountIdOf(settings, account);

  return {
    account: own,
    origin: settings.endpoint?.origin ?? "",
    catalogue,
    surprises,
    sent: () => client.ledger.sent(),
    close: () => client.close(),
    async call(operation, options = {}) {
      raw = undefined;
      const lastResponse = (): Pick<ProbeReply, "raw"> => (raw ? { raw } : {});
      try {
        const { value } = await client.call(operation, { as: own, deadline: Date.now() + timeoutMs, ...options });
        return { value, ...lastResponse() };
      } catch (error) {
        if (!isModelPlatformError(error) || (error.status === undefined && !isDeadline(error)) || error.status === 401)
          throw error;
        return { error, ...lastResponse() };
      }
    },
  };
}

/** The same operations, with room for parameters that they do not have. */
function withStrays(catalogue: Catalogue): Catalogue {
  const withStrayParameters = (operation: ApiOperation): ApiOperation => ({
    ...operation,
    query: [...operation.query, strayParameter, otherOrderBy],
  });
  return { ...catalogue, operation: (name) => withStrayParameters(catalogue.operation(name)) };
}

/** The service rejects the route itself, for any object (A001). */
export const isRouteUnknown = ({ error }: ProbeReply): boolean => error !== undefined && isUnsupportedOperation(error);

/** An answer to the question, not about the key, the rate, or the service's health. */
export const isConclusive = ({ error }: ProbeReply): boolean =>
  error === undefined || (error.status !== undefined && error.status < 500 && ![403, 408, 429].includes(error.status));

/** `200`, or `404 NOT_FOUND (code 5)`, and the service's message. */
export function describeReply({ error, raw }: ProbeReply): { answered: string; said?: string | undefined } {
  if (!error) return { answered: String(raw?.status ?? 200) };
  if (error.status === undefined) return { answered: "no answer in time" };
  const serviceMessage = error.status === 200 ? error.message : error.serviceMessage;
  return { answered: statusText(error.status, error.grpcCode), said: serviceMessage || undefined };
}

/** An operation as a row has room for it: `GET users/{userId}`. */
export const requestText = ({ method, path }: ApiOperation): string =>
  `${method} ${path.replace(/^\/v1\/(accounts\/\{account\}\/)?/, "")}`;

/** What came of one question. */
export type ProbeVerdict = "holds" | "differs" | "unknown" | "not probed";

export interface ProbeFinding {
  /** Number of the convention, such as `A015`; `listed` for what the API's description says itself. */
  convention: string;
  asked: string;
  answered: string;
  /** The service's own words about it. */
  said?: string | undefined;
  verdict: ProbeVerdict;
  /** The setting or option that makes up for a difference, or that a person has to decide on. */
  knob?: string | undefined;
  /** Why this package cannot work with such a service, with any settings: the end of a sentence about the question. */
  blocks?: string | undefined;
  /** The object that the question created, where the service did not keep to `validateOnly`. */
  created?: string;
  /** What the answer says about creates with `validateOnly`. */
  validateOnly?: "honored" | "ignored";
  /** What to set for an operation, as far as an answer can tell. */
  operations?: Readonly<Record<string, Override>>;
}

/** The verdict of a response about a convention; undefined if it is not conclusive. */
export const verdictOf = (holds: boolean | undefined): ProbeVerdict => {
  if (holds === undefined) return "unknown";
  return holds ? "holds" : "differs";
};

/** Settings by config key, each as the text that a stack's config keeps. */
export function settingsFrom(findings: readonly ProbeFinding[]): Record<string, string> {
  const operations = Object.assign({}, ...findings.map((finding) => finding.operations ?? {})) as Record<
    string,
    Override
  >;
  const validateOnly = findings.find((finding) => finding.validateOnly !== undefined)?.validateOnly;
  return omitUndefined({
    "modelplatform:operations": Object.keys(operations).length > 0 ? JSON.stringify(operations) : undefined,
    "modelplatform:validateOnly": validateOnly,
  });
}

/** What nobody can ask without changing something, or receiving a credential. */
export function unprobedFindings({ operations }: Catalogue): ProbeFinding[] {
  const silent = operations.filter(
    ({ effect, provenance }) => provenance === "conventional" && effect !== "read" && effect !== "readViaPost",
  );
  const conventions = [...new Set(silent.map(({ convention = "A001" }) => convention))].sort();
  const answered = "not probed: would write";
  return [
    {
      convention: "A030",
      asked: "masks of updates are honoured, in snake case",
      answered,
      verdict: "not probed",
      knob: "updateMask, patchBody",
    },
    ...conventions.map((convention): ProbeFinding => {
      const named = silent
        .filter((operation) => (operation.convention ?? "A001") === convention)
        .map(({ name }) => name);
      return {
        convention,
        asked: firstOf(named, { most: named.length > 3 ? 2 : 3 }),
        answered,
        verdict: "not probed",
        knob: "operations",
      };
    }),
  ];
}
