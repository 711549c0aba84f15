import { specOf } from "../../provider/resources/index";
import { originKey } from "../scan/finding";
import type { Finding } from "../scan/finding-schema";
import type { ScanRecord } from "./records";

type Subject = Pick<Finding, "origin" | "account" | "type" | "name" | "stacks" | "verdict">;

/**
 * Whether a scan would have found something if it were still there: it has read the object's collection, and compared
 * it with a stack that records it. A scan that lists what is in no stack has seen every live object.
 */
export function coveredBy(scan: Pick<ScanRecord, "services" | "stacks" | "unmanaged">): (subject: Subject) => boolean {
  const stacks = new Set(scan.stacks);
  const unread = new Map<string, ReadonlySet<string>>();
  for (const { origin, accounts, partial = [] } of scan.services) {
    for (const account of accounts) unread.set(keyOf(origin, account), new Set());
    for (const { account, unread: names } of partial) unread.set(keyOf(origin, account), new Set(names));
  }
  return ({ origin, account, type, name, stacks: recordedIn, verdict }) => {
    const missed = unread.get(keyOf(origin, account));
    if (missed === undefined || missed.has(collectionOf(type, name))) return false;
    return recordedIn.some((stack) => stacks.has(stack)) || (scan.unmanaged && verdict !== "missing");
  };
}

const keyOf = (origin: string, account: string): string => `${originKey(origin)} ${account}`;

const collectionOf = (type: string, name: string): string => specOf(type)?.collection ?? name.split("/")[2] ?? "";
