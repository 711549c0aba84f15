import * as pulumi from "@pulumi/pulumi";
import { valueFollowing } from "../core/declaration/derived-outputs";
import type { ResourceSpec } from "../core/declaration/resource";
import { outputFields } from "../core/declaration/surface";
import type { Derivation } from "../core/fields/markers";
import { accountOf, lastSegment } from "../core/values/names";
import { topLevel } from "../core/values/paths";

type Outputs = Record<string, pulumi.Output<unknown>>;

/** What the SDK's types leave out of an output. */
interface Insight {
  isKnown: Promise<boolean>;
  isSecret: Promise<boolean>;
  /** The value; what is not known is the SDK's mark for it, and what is not there is undefined. */
  promise(withUnknowns: true): Promise<unknown>;
}

const insight = (output: pulumi.Output<unknown>): Insight => output as unknown as Insight;

/**
 * Lets a preview know the outputs of a resource that follow from its id. An engine asks no dynamic provider what an
 * update will answer: every output is unknown then, and whatever depends on one seems to change (decision 003). The id
 * is known, and with it these. They stay as secret as the program says (`secret` has the names of its options).
 */
export function followId(resource: pulumi.CustomResource, spec: ResourceSpec, secret: readonly string[] = []): void {
  if (!pulumi.runtime.isDryRun()) return;
  const outputs = resource as unknown as Outputs;
  for (const { name, markers } of outputFields(spec)) {
    const answered = outputs[name];
    if (!markers.derivedFrom || !answered) continue;
    const derived = derivedOutput(resource, answered, markers.derivedFrom);
    outputs[name] = secret.includes(name) ? pulumi.secret(derived) : derived;
  }
}

function derivedOutput(resource: pulumi.CustomResource, answered: pulumi.Output<unknown>, rule: Derivation) {
  // Nothing else costs a program as much as an output: the name takes none.
  if (rule.from === undefined && rule.template === "{name}") return resource.id;
  const [output, settle] = pulumi.deferredOutput<unknown>();
  resolveDerived(resource, answered, rule).then(settle, () => settle(answered));
  return output;
}

async function resolveDerived(resource: pulumi.CustomResource, answered: pulumi.Output<unknown>, rule: Derivation) {
  if (await insight(answered).isKnown) return answered;
  const outputs = resource as unknown as Outputs;
  const paths = (rule.from ?? []).map(topLevel).filter((name) => name !== "id");
  const values = await Promise.all(paths.map((name) => insight(outputs[name]!).promise(true)));
  // An input that the program leaves out is not there; one that it takes from elsewhere may be unknown.
  const knownPaths = paths.filter((_, place) => values[place] !== undefined);
  const derived = pulumi.all([resource.id, ...knownPaths.map((name) => outputs[name]!)]).apply(([name, ...known]) => {
    const own = { name: String(name), account: accountOf(String(name)) ?? "", id: lastSegment(String(name)) };
    return valueFollowing(rule, own, Object.fromEntries(knownPaths.map((path, place) => [path, known[place]])));
  });
  return (await insight(answered).isSecret) ? pulumi.secret(derived) : derived;
}
