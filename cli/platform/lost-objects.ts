import { commandLine } from "../../io/text/command-line";
import { baseOf } from "../../provider/api/settings/base-url";
import type { ClientSettings } from "../../provider/api/types";
import { memberOf, resourceNameIn, resourceTypeIn } from "../../provider/core/fields/tokens";
import { canonicalBaseUrl, stackNameOf, stackOf } from "../../provider/lifecycle/identity";
import type { CreateAttempt } from "../../provider/lifecycle/journal/history";
import { heldObjectsIn } from "../../provider/lifecycle/journal/journal-files";
import { managedSpecs } from "../../provider/resources/index";

/** An object that a stack had last, and that no state has. */
export interface LostObject {
  kind: string;
  name: string;
  holder: string;
}

interface StackJournal {
  folder: string;
  /** As its URNs begin. */
  stack: string;
  settings: ClientSettings | undefined;
}

/** What the journal has of a stack, without what some state has. */
export const lostObjectsIn = ({ folder, stack, settings }: StackJournal, recorded: ReadonlySet<string>): LostObject[] =>
  heldObjectsIn(folder).flatMap(({ name, holder, ...service }) => {
    const spec = managedSpecs.find(({ kind }) => kind === memberOf(resourceTypeIn(holder)));
    const isLost = spec && stackOf(holder) === stack && !recorded.has(name);
    return isLost && isHere(service, settings) ? [{ kind: spec.kind, name, holder }] : [];
  });

export const lostText = ({ kind, name, holder }: LostObject): string =>
  `${kind} ${name} is live, this stack had it last as ${resourceNameIn(holder)}, and no state has it. \`${commandLine(["npx", "pulumi-modelplatform", "doctor", "--next", "--stack", stackNameOf(holder)])}\` names the commands to have it back.`;

/** Whether it is at a service that the settings name; at any if they name none. */
export function isHere(
  { origin, account }: Pick<CreateAttempt, "origin" | "account">,
  settings: ClientSettings | undefined,
): boolean {
  const own = settings?.credentials.find((each) => each.account === account)?.endpoint;
  const endpoint = own ?? settings?.endpoint;
  return endpoint === undefined || canonicalBaseUrl(origin) === canonicalBaseUrl(baseOf(endpoint));
}
