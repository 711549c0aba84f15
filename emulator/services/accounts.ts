import { timestamp } from "../times";
import type { StoredObject } from "../types";

/** An account as it is opened. */
export function newAccount(account: string, now: number): StoredObject {
  const name = `accounts/${account}`;
  const fields = {
    name,
    displayName: account,
    email: `owner@${account}.example.com`,
    createTime: timestamp(now),
    updateTime: timestamp(now),
    suspendState: "UNSUSPENDED",
    status: { code: "OK" },
  };
  return { kind: "Account", name, fields };
}
