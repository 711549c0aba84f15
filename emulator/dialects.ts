import { createDialect, type Dialect } from "../provider/core/dialect/dialect";
import type { DialectTable } from "../provider/core/dialect/table";
import { oncePer } from "../provider/core/values/once";
import { allSpecs } from "../provider/resources/index";
import { invalid, type Violation } from "./refusals";
import type { RouteMatch } from "./routes";
import { type ApiRequest, Refusal, type Settings } from "./types";

const dialectOf = oncePer((table: DialectTable): Dialect => createDialect(table, allSpecs));

/** The dialect that an account's requests and answers are written in (A100); undefined where it is ours. */
export function dialectIn({ dialect }: Pick<Settings, "dialect">): Dialect | undefined {
  if (Object.keys(dialect.fields).length + Object.keys(dialect.values).length === 0) return undefined;
  return dialectOf(dialect);
}

/** The request in our words. */
export function understood({ ours }: Dialect, { operation }: RouteMatch, request: ApiRequest): ApiRequest {
  const query = new Map([...request.query].map(([name, value]) => ours.parameter(operation, name, value)));
  return { ...request, query, body: ours.request(operation, request.body) };
}

/** The refusal in the service's words: with the fields that it names, in its details and in backticks. */
export function worded({ theirs }: Dialect, { operation }: RouteMatch, refusal: Refusal): Refusal {
  const { status, code, details, broken } = refusal;
  const inTheirs = (text: string): string =>
    text.replace(/`(\w+(?:\.\w+)*)`/g, (_, place: string) => `\`${theirs.place(operation, place)}\``);
  const violations = refusal.details.flatMap(
    (detail) => (detail as { fieldViolations?: readonly Violation[] }).fieldViolations ?? [],
  );
  if (violations.length === 0) return new Refusal(status, code, inTheirs(refusal.message), { details, broken });
  return invalid(
    violations.map(({ field, description }) => ({
      field: theirs.place(operation, field),
      description: inTheirs(description),
    })),
    broken,
  );
}
