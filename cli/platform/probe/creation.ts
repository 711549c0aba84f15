import type { ApiOperation } from "../../../provider/api/types";
import {
  describeReply,
  isConclusive,
  isRouteUnknown,
  nobody,
  type ProbeClient,
  type ProbeFinding,
  type ProbeReply,
  type ProbeVerdict,
  requestText,
} from "./asker";
import type { Samples } from "./endpoints";

const create = "createDeployment";

/**
 * A model that is not there: even a service that does not know `validateOnly` has nothing to create a deployment of.
 */
const noModel = (account: string): string => `accounts/${account}/models/${nobody}`;

/** What requests for a deployment that is never created, and a match, reveal. */
export async function probeCreation(asker: ProbeClient, samples: Samples): Promise<ProbeFinding[]> {
  const validate = (body: Readonly<Record<string, unknown>>): Promise<ProbeReply> =>
    asker.call(create, {
      parameters: { account: asker.account },
      query: { validateOnly: true, deploymentId: nobody },
      body: { baseModel: noModel(asker.account), ...body },
    });
  const plain = await validate({});
  return [
    path(asker.catalogue.operation(create), plain),
    ...(await unknownFields(plain, validate)),
    await validateOnlyFinding(asker, plain),
    await match(asker, samples),
  ];
}

function path(operation: ApiOperation, reply: ProbeReply): ProbeFinding {
  const { convention = "A010" } = operation;
  const asked = `${requestText(operation)}?validateOnly=true`;
  if (isRouteUnknown(reply))
    return {
      ...{ convention, asked, ...describeReply(reply), verdict: "differs", knob: `operations.${create}: its path` },
      blocks: "is not there: find out the path, and set it in `operations`",
    };
  return { convention, asked, ...describeReply(reply), verdict: isConclusive(reply) ? "holds" : "unknown" };
}

async function unknownFields(
  plain: ProbeReply,
  validate: (body: Readonly<Record<string, unknown>>) => Promise<ProbeReply>,
): Promise<ProbeFinding[]> {
  const asked = "an unknown field of a body is refused";
  if (isRouteUnknown(plain) || !isConclusive(plain))
    return [{ convention: "A018", asked, answered: "not asked", verdict: "unknown" }];
  const reply = await validate({ modelplatformProbe: true });
  return [{ convention: "A018", asked, ...describeReply(reply), verdict: verdictOfUnknownField(plain, reply) }];
}

/** A service that refuses the model first never comes to the field. */
function verdictOfUnknownField(plain: ProbeReply, { error }: ProbeReply): ProbeVerdict {
  if (!error) return "differs";
  const isNamed = /modelplatform_?probe/i.test(error.serviceMessage?.replaceAll(nobody, "") ?? "");
  return error.status === 400 && (!plain.error || isNamed) ? "holds" : "unknown";
}

/** `validateOnly` is the description's own; a service that does not keep to it is worth knowing. */
async function validateOnlyFinding(asker: ProbeClient, plain: ProbeReply): Promise<ProbeFinding> {
  const asked = "validateOnly creates nothing";
  if (plain.error) return { convention: "listed", asked, answered: "refused, so nothing shows it", verdict: "unknown" };
  const { value } = await asker.call("getDeployment", { parameters: { account: asker.account, deploymentId: nobody } });
  const created = value && String(value["name"]);
  return created !== undefined
    ? {
        convention: "listed",
        asked,
        answered: `${created} is there: delete it`,
        verdict: "differs",
        created,
        validateOnly: "ignored",
      }
    : { convention: "listed", asked, answered: "it is not there", verdict: "holds", validateOnly: "honored" };
}

async function match(asker: ProbeClient, samples: Samples): Promise<ProbeFinding> {
  const operation = asker.catalogue.require("DeploymentShapeVersion", "match");
  const [version] = samples.get("DeploymentShapeVersion") ?? [];
  const baseModel = String(
    (version?.["snapshot"] as { baseModel?: unknown } | undefined)?.baseModel ?? noModel(asker.account),
  );
  const reply = await asker.call(operation.name, {
    parameters: { account: asker.account },
    body: { createDeploymentRequest: { deployment: { baseModel } } },
  });
  const asked = requestText(operation);
  const finding = { convention: operation.convention ?? "A020", asked, ...describeReply(reply) };
  if (isRouteUnknown(reply))
    return {
      ...finding,
      verdict: "differs",
      knob: `operations.${operation.name}: off, or its path`,
      operations: { [operation.name]: "off" },
    };
  if (reply.error) return { ...finding, verdict: reply.error.status === 400 ? "differs" : "unknown" };
  const members = reply.value?.[operation.spec.collection];
  const isList = Array.isArray(members) || Object.keys(reply.value ?? {}).length === 0;
  return { ...finding, verdict: isList ? "holds" : "differs" };
}
