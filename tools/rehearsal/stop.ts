import { CommandError } from "./sandbox";

/** Why a step failed, as far as its output says, and what helps. */
const causes: readonly [pattern: RegExp, advice: (place: string) => string][] = [
  [/ENOSPC|No space left on device|disk quota|EDQUOT/i, (folder) => `The disk is full. Free space for ${folder}`],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network|name resolution|no such host|dial tcp/i,
    () => "A registry was not reached. Check the network, and the registries that npm, pip and Go are configured with",
  ],
  [
    /\bE?40[13]\b|Unauthorized|Forbidden|ENEEDAUTH|authenticat/i,
    () => "The registry refused the token. Check which credentials the step has",
  ],
  [/ENOENT: there is no such program|spawnSync \S+ ENOENT/, () => "The program is not on the PATH. Install it"],
];

/** A rehearsal that a step ended. */
export interface Stop {
  step: string;
  error: unknown;
  /** Registries with a publication, in order. */
  published: readonly string[];
  /** Where the rehearsal writes. */
  folder: string;
  /** The command line that begins again. */
  again: string;
}

/** The step, what answered, what had been published before it, and how to go on. */
export function describeStop({ step, error, published, folder, again }: Stop): string {
  const text = error instanceof Error ? error.message : String(error);
  const isCommand = error instanceof CommandError;
  const [, advice] =
    causes.find(([pattern]) => pattern.test(isCommand ? `${error.ending}\n${error.output}` : text)) ?? [];
  return [
    `The rehearsal stopped while ${step}: ${text}`,
    published.length === 0 ? "Nothing had been published." : `Published before: ${published.join(", ")}.`,
    `${advice?.(folder) ?? "Read the output above"}, and run \`${again}\` again: its registries begin empty.`,
  ].join("\n");
}
