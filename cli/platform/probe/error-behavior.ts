import { firstOf } from "../../../io/text/first-of";
import type { Json } from "../../../provider/api/types";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import { isUnset } from "../../../provider/core/fields/equality";
import { isObject } from "../../../provider/core/values/values";
import {
  describeReply,
  isConclusive,
  nobody,
  type ProbeClient,
  type ProbeFinding,
  type ProbeReply,
  strayParameter,
  verdictOf,
} from "./asker";
import type { Samples } from "./endpoints";

/** How the service treats what is missing, forbidden or unknown. */
export async function probeErrorBehavior(asker: ProbeClient, samples: Samples): Promise<ProbeFinding[]> {
  return [
    ...(await probeErrors(asker)),
    await probeWildcard(asker),
    await probeDenied(asker),
    await probeSecret(asker),
    await probePolicy(asker),
    await probeStray(asker),
    unsetValues(asker, samples),
    dialect(asker, samples),
  ];
}

/** The form of an error, by a read of what is not there (A091). */
async function probeErrors(asker: ProbeClient): Promise<ProbeFinding[]> {
  const reply = await asker.call("getDeployment", { parameters: { account: asker.account, deploymentId: nobody } });
  const form = formOf(reply);
  const id = reply.raw?.headers["x-request-id"];
  return [
    {
      convention: "A091",
      asked: "an error is {code, message, details}",
      answered: form,
      verdict: verdictOf(reply.error ? form === "flat: {code, message, details}" : undefined),
      knob: form.startsWith("flat") ? undefined : "none: every form is read",
    },
    {
      convention: "A093",
      asked: "an object that is not there is 404 with code 5",
      ...describeReply(reply),
      verdict: verdictOf(reply.error?.status === 404 ? reply.error.grpcCode === 5 : undefined),
    },
    {
      convention: "A091",
      asked: "an answer has its id in x-request-id",
      answered: id === undefined ? "no such header" : "it is there",
      verdict: verdictOf(id !== undefined),
    },
  ];
}

function formOf({ raw, error }: ProbeReply): string {
  if (!error || !raw) return "no error";
  if (raw.text.trim() === "") return "an empty body";
  const json = readJson(raw.text);
  if (json === undefined) return /^\s*</.test(raw.text) ? "a page of HTML" : "plain text";
  if (typeof json["code"] === "number") return "flat: {code, message, details}";
  const { error: inner } = json as { error?: unknown };
  if (typeof inner === "object" && inner !== null) return "nested: {error: {code, status, message}}";
  return typeof inner === "string" ? "text: {error}" : `{${Object.keys(json).join(", ")}}`;
}

async function probeWildcard(asker: ProbeClient): Promise<ProbeFinding> {
  const reply = await asker.call("listDeployments", { parameters: { account: "-" }, query: { pageSize: 1 } });
  return {
    convention: "A003",
    asked: "`-` for all accounts is refused where the API's description does not allow it",
    ...describeReply(reply),
    verdict: verdictOf(isConclusive(reply) ? reply.error?.status === 400 : undefined),
  };
}

async function probeDenied(asker: ProbeClient): Promise<ProbeFinding> {
  const reply = await asker.call("listUsers", { parameters: { account: nobody }, query: { pageSize: 1 } });
  return {
    convention: "A003",
    asked: "another account is 403 or 404",
    ...describeReply(reply),
    verdict: verdictOf(
      isConclusive(reply) || reply.error?.status === 403 ? [403, 404].includes(reply.error?.status ?? 200) : undefined,
    ),
  };
}

/** Either answer keeps to the convention; which one it is decides whether lists are asked (A053). */
async function probeSecret(asker: ProbeClient): Promise<ProbeFinding> {
  const reply = await asker.call("getSecret", { parameters: { account: asker.account, secretId: nobody } });
  const { status, grpcCode } = reply.error ?? {};
  const isDeclared = status === 500 && grpcCode === 13;
  return {
    convention: "A053",
    asked: "a secret that is not there is 404, or 500 with code 13",
    ...describeReply(reply),
    verdict: verdictOf(isDeclared || isConclusive(reply) ? isDeclared || status === 404 : undefined),
  };
}

async function probePolicy(asker: ProbeClient): Promise<ProbeFinding> {
  const reply = await asker.call("getPolicySettings", { parameters: { account: asker.account } });
  return {
    convention: "A060",
    asked: "a policy that was never saved is 404, or has nothing set",
    ...describeReply(reply),
    verdict: verdictOf(!reply.error || reply.error.status === 404 ? true : undefined),
  };
}

async function probeStray(asker: ProbeClient): Promise<ProbeFinding> {
  const reply = await asker.call("listUsers", {
    parameters: { account: asker.account },
    query: { pageSize: 1, [strayParameter]: "1" },
  });
  return {
    convention: "A018",
    asked: "an unknown query parameter is ignored",
    ...describeReply(reply),
    verdict: verdictOf(!reply.error || reply.error.status === 400 ? !reply.error : undefined),
  };
}

/** Both ways keep to the convention; programs see no difference (A094). */
function unsetValues({ catalogue }: ProbeClient, samples: Samples): ProbeFinding {
  const asked = "answers carry values that are not set, or leave them out";
  const carrying = catalogue.specs.some(({ kind, fields }) =>
    (samples.get(kind) ?? []).some((object: Json) =>
      [...fields.message, ...fields.outputs].some(
        (field) =>
          Object.hasOwn(object, field.name) &&
          isUnset(field, object[field.name]) &&
          field.markers.zero !== "value" &&
          !field.required,
      ),
    ),
  );
  const any = [...samples.values()].some((objects) => objects.length > 0);
  if (!any) return { convention: "A094", asked, answered: "nothing to look at", verdict: "unknown" };
  return {
    convention: "A094",
    asked,
    answered: carrying ? "they carry them" : "they leave them out",
    verdict: "holds",
  };
}

/** What the description does not know is most likely the service's own spelling (A100). */
function dialect({ surprises, catalogue }: ProbeClient, samples: Samples): ProbeFinding {
  const [first] = surprises;
  const lacking = first === undefined ? undefined : catalogue.specs.flatMap((spec) => missingFields(spec, samples))[0];
  return {
    convention: "A100",
    asked: "names and values are those of the API's description",
    answered: first === undefined ? "they are" : firstOf([...surprises], { most: 1 }),
    verdict: verdictOf(first === undefined),
    knob: first === undefined ? undefined : "dialect",
    blocks: lacking && `is not so: ${lacking} is missing; write a \`dialect\` with the service's names`,
  };
}

/** Fields that an object cannot be without, and that the answers of the kind do without. */
function missingFields({ kind, fields }: ResourceSpec, samples: Samples): string[] {
  const objects = samples.get(kind) ?? [];
  const needed = fields.message.filter(({ required, markers }) => required && !markers.inputOnly);
  return needed
    .filter(({ name }) => objects.length > 0 && objects.every((object) => object[name] === undefined))
    .map(({ name }) => `\`${kind}.${name}\``);
}

/** The object in a response's text; undefined if the text is not an object. */
function readJson(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
