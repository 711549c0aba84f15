import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { observedFields } from "../../provider/core/declaration/surface";
import { comment } from "./comment";
import { fileText, typeImports } from "./generated-file";
import { fitted } from "./layout";

/** `filterFor`, and what it can ask of each kind. */
export const filterFile = (specs: readonly ResourceSpec[]): string =>
  fileText(
    `/** What a filter can ask about an object, by kind. */
export interface Filterable {
${specs.map(filterable).join("")}}

/**
 * Writes an AIP-160 filter for lists of a kind, with names and values spelt and escaped as the service takes them.
 *
 * No condition at all is the filter of everything. Throws a \`ModelPlatformError\` for what no filter can ask:
 * secrets, texts that cannot be sent, numbers that are not finite.
 *
 * @param kind Kind of the objects that are listed.
 * @param build Makes the condition, from the fields of an object and from \`all\`, \`any\` and \`not\`.
 *
 * @example
 * \`\`\`ts
 * const filter = filterFor("Deployment", (deployment, { all, not }) =>
 *   all(deployment.state.is("READY"), not(deployment.annotations.has("custom/keep"))));
 * const { deployments } = await listDeployments({ filter });
 * \`\`\`
 */
export function filterFor<const K extends keyof Filterable>(
  kind: K,
  build: (object: Filterable[K], logic: Logic) => Condition | undefined,
): string {
  return writeFilter(kind, build as (object: never, logic: Logic) => Condition | undefined);
}
`,
    [
      { word: "Condition", text: 'import type { Condition, Logic } from "../core/requests/conditions";' },
      { word: "writeFilter", text: 'import { writeFilter } from "../pulumi/filter";' },
      { word: "FilterFields", text: 'import type { FilterFields } from "../pulumi/filter-fields";' },
      ...typeImports("./types"),
    ],
  );

/** A service does not let secrets be asked for. */
function filterable(spec: ResourceSpec): string {
  const secret = observedFields(spec).filter(({ markers }) => markers.secret);
  const type = `output.Observed${spec.kind}`;
  const shown =
    secret.length === 0 ? type : `Omit<${type}, ${secret.map(({ name }) => JSON.stringify(name)).join(" | ")}>`;
  return `${comment({ paragraphs: [`Fields of \`${spec.kind}\` objects. ${spec.summary}`] }, "  ")}${fitted(`  ${spec.kind}: FilterFields<${shown}>;`)}\n`;
}
