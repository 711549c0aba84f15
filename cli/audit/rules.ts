import { guardrails } from "../../governance/policies/guardrails";
import { openRules, type RuleOptions } from "../../governance/policies/open-rule";
import { messageOf } from "../../provider/core/errors";
import { isObject } from "../../provider/core/values/values";
import type { CliContext } from "../command/context";
import { CommandFailure } from "../command/failure";
import { documentOf } from "../drift/input";

/**
 * The levels and options of a file in the form of Pulumi's `--policy-pack-config`: by policy, a level or an object with
 * `enforcementLevel` and options; `all` is the level of policies that it does not name.
 */
export async function rulesIn(path: string | undefined, context: CliContext): Promise<RuleOptions> {
  if (path === undefined) return {};
  const document = await documentOf(path, context);
  if (!isObject(document))
    throw new CommandFailure(
      `${path} is not a configuration of policies: it takes JSON or YAML such as { "admins-listed": { "emails": ["ada@example.com"] } }.`,
    );
  const { all, ...named } = document as RuleOptions;
  // A level for all decides nothing for a rule that needs a decision.
  const decided = guardrails.filter(({ decision }) => decision === undefined);
  const others = all === undefined ? [] : decided.map(({ name }) => [name, all] as const);
  const rules = { ...Object.fromEntries(others), ...named };
  try {
    openRules(rules);
  } catch (cause) {
    throw new CommandFailure(`${path}: ${messageOf(cause)}`, undefined, { cause });
  }
  return rules;
}
