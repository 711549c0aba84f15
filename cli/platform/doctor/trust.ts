import type { RefusedSetting } from "../../checkout/settings";
import type { Choice } from "../../checkout/takes";
import { type DoctorFinding, warning } from "./finding";

const left: Readonly<Partial<Record<Choice, string>>> = {
  address: "a key has not been sent there",
  key: "no key of it has been used, and a key command in it has not been run",
};

/**
 * What of the project's files is not taken: someone who examines an unknown checkout has not run its code yet. What the
 * environment says as well needs no trust.
 */
export const trustFindings = (
  refused: readonly RefusedSetting[],
  isInEnvironment: (name: string) => boolean,
): DoctorFinding[] =>
  refused.flatMap(({ name, choice }) =>
    left[choice] === undefined || isInEnvironment(name)
      ? []
      : warning(
          `trust in \`${name}\``,
          `not checked: the project's files set \`modelplatform:${name}\`; ${left[choice]}`,
          "If you trust the project, repeat this with `--trust-project`; otherwise set keys and base URL in the environment.",
        ),
  );
