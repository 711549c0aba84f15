import { join } from "node:path";
import type { StackLayout } from "./layout";
import type { FoundLock } from "./lock-file";

export class LockLost extends Error {
  override readonly name = "LockLost";
  constructor(stack: string) {
    super(
      `The stack ${stack} is no longer locked by this operation: somebody ran \`cancel\`, or this process was stopped or suspended for so long that another operation took over; this operation stops, and does not write the state any more. Run \`up\` again: it finds what was created without being recorded.`,
    );
  }
}

export function refusal(layout: StackLayout, locks: FoundLock[]): string {
  const end =
    "Wait until that has ended, or run `npx pulumi-modelplatform cancel` (or `pulumi cancel`) if it ended without releasing its lock.";
  return [`The stack ${layout.fullName} is locked by another operation:`, ...describe(layout, locks), end].join("\n");
}

export function waiting(layout: StackLayout, locks: FoundLock[], seconds: number): string {
  const begin = `The stack ${layout.fullName} is locked by an operation that may have ended. Waiting up to ${seconds} seconds for a sign of it:`;
  return [begin, ...describe(layout, locks)].join("\n");
}

function describe(layout: StackLayout, locks: FoundLock[]): string[] {
  return locks.map(({ name, holder }) => {
    const file = join(layout.locks, name);
    return holder
      ? `  process ${holder.pid} of ${holder.username}@${holder.hostname}, since ${holder.timestamp} (${file})`
      : `  an unreadable lock (${file})`;
  });
}
