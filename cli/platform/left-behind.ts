import { isModelPlatformError } from "../../provider/core/errors";
import { dynamicUrn } from "../../provider/core/fields/tokens";
import { removalCommand } from "../../provider/lifecycle/deletion/removal-command";
import type { CreateAttempt } from "../../provider/lifecycle/journal/history";
import { openAttemptsIn } from "../../provider/lifecycle/journal/journal-files";
import { managedSpecs } from "../../provider/resources/index";
import type { CliContext } from "../command/context";
import { journalFolderIn } from "./doctor/journal";
import { projectFindings } from "./doctor/project";
import { openClient } from "./platform";

/** How long an answer is waited for. */
const patience = 15_000;

/**
 * What interrupted creates of a stack have made that its state does not hold, as warnings. To be asked once nothing
 * will resume them any longer: after an `up` of a program without them, after a `destroy`, before the stack is removed.
 */
async function leftBehind(context: CliContext, stack: string): Promise<string[]> {
  const { config, recorded = new Map<string, string>() } = await projectFindings(context, stack);
  const given = config?.get("modelplatform:intents") ?? context.env["MODELPLATFORM_INTENTS"];
  const urns = new Set([...recorded.keys()].map(dynamicUrn));
  const open = openAttemptsIn(journalFolderIn(given, context.cwd, context.env)).filter(
    ({ urn }) => urn.startsWith(`urn:pulumi:${stack}::`) && !urns.has(urn),
  );
  if (open.length === 0) return [];
  const look = lookFor(context, config);
  const told = await Promise.all(open.map(async (each) => ((await look.isThere(each)) ? inWords(each) : [])));
  await look.end();
  return [...new Set(told.flat())];
}

const nameOf = ({ made, place }: CreateAttempt): string | undefined => made?.name ?? place.name;

function inWords(attempt: CreateAttempt): string[] {
  const { kind, urn, account } = attempt;
  const name = nameOf(attempt);
  const spec = managedSpecs.find((each) => each.kind === kind);
  if (!spec || spec.singleton) return [];
  const resource = urn.split("::").at(-1);
  if (name === undefined)
    return [
      `An interrupted run may have created a ${kind} of ${account} as ${resource}: its answer was lost. Run \`npx pulumi-modelplatform drift --unmanaged\`, which lists what no state holds.`,
    ];
  return [
    `${kind} ${name} was created as ${resource} by an interrupted run, and no state holds it. If you do not need it, delete it with ${removalCommand(spec, name)}.`,
  ];
}

/** What cannot be asked counts as there. */
function lookFor(context: CliContext, config: { get(key: string): string | undefined } | undefined) {
  const client = (() => {
    try {
      return openClient(context, { effects: ["read"] }, config && { config });
    } catch {
      return undefined;
    }
  })();
  return {
    async isThere(attempt: CreateAttempt): Promise<boolean> {
      const name = nameOf(attempt);
      const get = client?.catalogue.find(attempt.kind, "get");
      if (!client || !get || name === undefined) return true;
      const call = client.call(get.name, { parameters: { name }, deadline: context.time.now() + patience });
      return call.then(
        ({ value }) => !/DELET(ED|ING)$/.test(String((value as { state?: unknown } | undefined)?.state ?? "")),
        (error: unknown) => !(isModelPlatformError(error) && error.status === 404),
      );
    },
    end: async () => client?.close(),
  };
}

/** Says so on the standard error; nothing fails for it. */
export async function warnOfLeftBehind(context: CliContext, stack: string): Promise<void> {
  const warnings = await leftBehind(context, stack).catch(() => []);
  for (const text of warnings) context.stderr.write(`warning: ${text}\n`);
}
