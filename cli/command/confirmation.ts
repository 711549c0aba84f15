import type { CliContext } from "./context";
import { CommandFailure, usageFailure } from "./failure";

/** Resolves when the answer is yes. */
export async function confirm(question: string, yes: boolean, context: CliContext): Promise<void> {
  if (yes) return;
  if (!context.isTTY) throw usageFailure("Changing a state needs --yes when there is no terminal.");
  const answer = await context.ask(`${question} (yes/no) `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandFailure("Not confirmed: nothing was changed.");
}
