import type { Emulator } from "../../emulator/index";
import { accountOf } from "../../provider/core/values/names";
import { accountsOf } from "./example-folders";

/**
 * Live objects of the accounts of an example. What was trained outlives its job, and a policy without settings is none.
 */
export const liveOf = ({ world }: Emulator, example: string, own: string): string[] => {
  const accounts = new Set([own, ...accountsOf(example).map(([account]) => account)]);
  const isOurs = (fields: Record<string, unknown>): boolean =>
    !/(DELETED|DELETING|UNDEPLOYING)$/.test(String(fields["state"])) && fields["fineTuningJob"] === undefined;
  const all = [...world.all()].filter(({ kind, name }) => kind !== "Account" && accounts.has(accountOf(name) ?? ""));
  return all
    .filter(({ kind, fields }) =>
      kind === "PolicySettings"
        ? Object.keys(fields).some((field) => field !== "name" && field !== "updateTime")
        : isOurs(fields),
    )
    .map(({ name }) => name);
};
