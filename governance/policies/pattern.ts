import { createContext, Script } from "node:vm";

/** Longer than any pattern needs that does not go back over the text again and again. */
const patienceMs = 500;
const matching = new Script("new RegExp(pattern).test(text)");
const tooSlow = new Set<string>();

/**
 * Whether a text matches a regular expression that the configuration of a rule has. Throws for one that may take for
 * ever, such as `^(a+)+$`: a name that a program chooses would otherwise hold up the engine.
 */
export function matches(pattern: string, text: string): boolean {
  try {
    if (!tooSlow.has(pattern))
      return matching.runInContext(createContext({ pattern, text }), { timeout: patienceMs }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    tooSlow.add(pattern);
  }
  throw new Error(
    `The pattern ${JSON.stringify(pattern)} takes longer than ${patienceMs} ms to match. Write it without repetitions of repetitions.`,
  );
}
