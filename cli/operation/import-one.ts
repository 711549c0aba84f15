import { codify } from "../../drift/codify/codify";
import { ChosenName } from "../../drift/codify/names";
import { stacksIn } from "../../drift/scan/stacks";
import { parseImportFile } from "../../engine/program/imports";
import { readStackConfig } from "../../engine/state/stack-config";
import { dynamicToken, pluginToken } from "../../provider/core/fields/tokens";
import { hint } from "../../provider/core/values/closest";
import { matchTemplate } from "../../provider/core/values/names";
import { providerText } from "../../provider/pulumi/provider-text";
import { managedSpecs } from "../../provider/resources/index";
import type { CliContext } from "../command/context";
import { CommandFailure, usageFailure } from "../command/failure";
import { openClient } from "../platform/platform";
import { chooseStack, openWorkplace, type Workplace } from "../stack/stack-choice";
import { wholeConfig } from "../stack/whole-config";
import { operate } from "./operation";
import type { OperationFlags } from "./operation-flags";

export interface ImportFlags extends Omit<OperationFlags, "target"> {
  file?: string;
  protect?: boolean;
  generateCode?: boolean;
}

/** `pulumi import <type> <name> <id>`: into the stack's state, protected, and the code that declares it. */
export async function importOne(
  { type, name, id }: { type: string; name: string; id: string },
  flags: ImportFlags,
  context: CliContext,
): Promise<void> {
  const { spec, target } = typeIn(type);
  if (!matchTemplate(spec.name, id))
    throw usageFailure(
      `${id} is not the id of a ${spec.kind}: write its resource name, such as \`${exampleOf(spec.name)}\`.`,
    );
  const session = await openWorkplace(context);
  const stack = await chooseStack(session, flags.stack);
  await refuseManaged(id, stack, session);
  const config = await wholeConfig(await readStackConfig(session.project, stack), context.env);
  const client = openClient(context, { effects: ["read"] }, { config });
  try {
    const place = { organization: "organization", project: session.project.name, stack, providerText };
    const { files, importDocument, declarations } = await codify({
      ...{ client, specs: managedSpecs, targets: [], names: [id], mode: "import", target, split: "none" },
      ...{ stack: place, given: new ChosenName(name) },
    });
    const code = files["index.ts"] ?? "";
    if (!importDocument?.resources.some((entry) => entry.logicalName === name))
      throw notReadable(id, declarations.length, code);
    const request = parseImportFile(JSON.stringify(importDocument));
    await operate("import", { ...flags, stack }, context, { ...request, protect: flags.protect });
    const isDone = context.exitCode === 0 && !flags.previewOnly;
    if (isDone && flags.generateCode !== false && !flags.json)
      context.stdout.write(`\nAdd this to the program, so that the next \`up\` does not delete it:\n\n${code}`);
  } finally {
    await client.close();
  }
}

/** Of which kind, and served by what. */
function typeIn(token: string): { spec: (typeof managedSpecs)[number]; target: "dynamic" | "plugin" } {
  for (const spec of managedSpecs) {
    if (token === dynamicToken(spec.kind)) return { spec, target: "dynamic" };
    if (token === pluginToken(spec.kind)) return { spec, target: "plugin" };
  }
  const kinds = managedSpecs.map(({ kind }) => kind);
  const kind = hint(token.slice(token.lastIndexOf(":") + 1), kinds);
  throw usageFailure(
    kind === undefined
      ? `${token} is not a type of this provider. Write \`${pluginToken("<kind>")}\`, with one of ${kinds.join(", ")}.`
      : `${token} is not a type of this provider. Write \`${dynamicToken(kind)}\`, or \`${pluginToken(kind)}\` for the plugin.`,
  );
}

const exampleOf = (template: string): string => template.replace("{account}", "acme").replace(/\{\w+\}/, "chat");

/** Two declarations of an object would undo each other's changes. */
async function refuseManaged(id: string, own: string, { project, backend }: Workplace): Promise<void> {
  for (const { stack, objects } of await stacksIn(backend)) {
    const found = objects.find(({ name, isProduced }) => name === id && !isProduced);
    if (!found) continue;
    const isOwn = stack === `organization/${project.name}/${own}`;
    throw new CommandFailure(
      `${id} is ${found.urn} of the stack ${stack} already, so nothing was imported. ${isOwn ? "Declare it under that name." : "Move it with `npx pulumi-modelplatform state move`."}`,
    );
  }
}

function notReadable(id: string, declared: number, code: string): CommandFailure {
  return new CommandFailure(
    declared === 0
      ? `${id} cannot be declared, so nothing was imported.`
      : `${id} has a value that the service never shows, so nothing was imported. Declare it, and \`up\` takes it over:\n\n${code}`,
  );
}
