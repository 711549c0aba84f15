import { embeddedEngine } from "../../cli/operation/embedded-engine";
import { modelplatform } from "../cli/terminal";
import { pulumi } from "./judge";
import { passphrase, type Workshop } from "./workshop";

/** Runs one command line on a workshop's project, whatever engine that is. */
export type Runner = (workshop: Workshop, args: string[]) => Promise<{ code: number; output: string }>;

/** What a command line on a workshop's project runs with. */
export const environmentOf = (workshop: Workshop): Record<string, string> => ({
  PULUMI_BACKEND_URL: `file://${workshop.backend}`,
  PULUMI_CONFIG_PASSPHRASE: passphrase,
  PULUMI_HOME: `${workshop.folder}/home`,
});

/** The package's own command line, in this process. */
export const runHere: Runner = async (workshop, args) => {
  const { code, stdout, stderr } = await modelplatform(args, {
    cwd: workshop.program,
    env: environmentOf(workshop),
    engine: () => Promise.resolve(embeddedEngine()),
  });
  return { code, output: stdout + stderr };
};

export const runWithCli: Runner = (workshop, args) => pulumi(workshop, ...args);

/** The command with the flags by which nobody is asked. */
export function unasked(line: string): string[] {
  const [command = "", ...flags] = line.split(" ");
  return [command, ...(command === "preview" ? [] : ["--yes", "--skip-preview"]), "--stack", "dev", ...flags];
}
