import { isNotFound, ModelPlatformError } from "../core/errors";
import { fillTemplate, type Parameters } from "../core/values/names";
import type { Answer, ApiOperation, CallOptions, Client, Json, ValidateOnly } from "./types";

/** Whether a call is a create that is to create nothing. */
export const isValidation = ({ query }: CallOptions = {}): boolean => query?.["validateOnly"] === true;

/**
 * The same client, whose validations create nothing that goes unnoticed: as long as it is not known whether the service
 * honors `validateOnly`, an accepted validation is followed by a look at the object.
 */
export function watchingValidations(client: Client): Client {
  let known: ValidateOnly = client.settings.validateOnly;
  return {
    ...client,
    validateOnly: () => known,
    call: async (name, options) => {
      if (!isValidation(options)) return client.call(name, options);
      if (known === "ignored") throw unsent(name);
      const answer = (await client.call(name, options)) as Answer;
      if (known !== undefined) return answer;
      const operation = client.catalogue.operation(name);
      const created = await createdBy(client, operation, answer.value, options!);
      if (created === false) known = "honored";
      if (typeof created !== "string") return answer;
      known = "ignored";
      throw obeyed(name, created);
    },
  } as Client;
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

const obeyed = (operation: string, created: string): ModelPlatformError =>
  new ModelPlatformError(`was sent with \`validateOnly\`, and the service created ${created} nevertheless`, {
    operation,
    advice: `Delete ${created}, and set \`modelplatform:validateOnly\` to \`ignored\`.`,
  });

const unsent = (operation: string): ModelPlatformError =>
  new ModelPlatformError("is not sent: this service creates objects in spite of `validateOnly`", {
    operation,
    advice: "`modelplatform:validateOnly` says so, or an earlier answer of the service showed it.",
  });
