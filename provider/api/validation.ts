import { isNotFound, ModelPlatformError } from "../core/errors";
import { fillTemplate, type Parameters } from "../core/values/names";
import type { ApiOperation, CallOptions, Client, Json, ValidateOnly } from "./types";

/** Whether a call is a create that is to create nothing. */
export const isValidation = ({ query }: CallOptions = {}): boolean => query?.["validateOnly"] === true;

/**
 * Sees to it that validations create nothing that goes unnoticed: as long as it is not known whether the service honors
 * `validateOnly`, an accepted one is followed by a look at the object.
 */
export class ValidationWatch {
  constructor(public known: ValidateOnly) {}

  /** Refuses to send a validation that the service would obey as a create. */
  begin(operation: string): void {
    if (this.known === "ignored") throw cannotValidateError(operation);
  }

  /** `answer`: what the service answered to a validation. */
  async end(client: Client, operation: ApiOperation, answer: Json, options: CallOptions): Promise<void> {
    if (this.known !== undefined) return;
    const created = await createdBy(client, operation, answer, options);
    if (created === false) this.known = "honored";
    if (typeof created !== "string") return;
    this.known = "ignored";
    throw wasCreatedError(operation.name, created);
  }
}

/** The name of the object that a validation created; false if there is none, undefined if that does not show. */
async function createdBy(
  client: Client,
  operation: ApiOperation,
  answer: Json,
  { parameters = {}, query = {}, as, deadline, signal }: CallOptions,
): Promise<string | false | undefined> {
  const { spec } = operation;
  const read = client.catalogue.find(spec.kind, "get");
  const id = spec.fields.resourceId && query[spec.fields.resourceId.name];
  const name = answer["name"] ?? (id === undefined ? undefined : nameOf(spec.name, parameters, String(id)));
  const born = answer["createTime"];
  if (!read || typeof name !== "string") return undefined;
  try {
    const { value } = await client.call(read.name, { parameters: { name }, as, deadline, signal });
    // Another object may have had this id before.
    return born !== undefined && value["createTime"] === born ? name : undefined;
  } catch (error) {
    // A new object may not be visible at once.
    return isNotFound(error) && born === undefined ? false : undefined;
  }
}

const nameOf = (template: string, parameters: Parameters, id: string): string =>
  fillTemplate(template.replace(/\{(?!account)\w+\}/g, "{id}"), { ...parameters, id });

const wasCreatedError = (operation: string, created: string): ModelPlatformError =>
  new ModelPlatformError(`was sent with \`validateOnly\`, and the service created ${created} nevertheless`, {
    operation,
    advice: `Delete ${created}, and set \`modelplatform:validateOnly\` to \`ignored\`.`,
  });

const cannotValidateError = (operation: string): ModelPlatformError =>
  new ModelPlatformError("is not sent: this service creates objects in spite of `validateOnly`", {
    operation,
    advice: "`modelplatform:validateOnly` says so, or an earlier answer of the service showed it.",
  });
