import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from "@microsoft/api-extractor";

/** Where the reports stand: a change of one is a change of the public surface. */
export const reportFolder = "tests/surface";

/** Every name that programs can import, with its type: a report per entry of the package. */
export function apiReports(root: string, scratch: string): { path: string; content: string }[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === "string"
      ? []
      : [{ name: `${entry === "." ? "index" : basename(entry)}.api.md`, declarations: join(root, target.types) }],
  );
  const configs = entries.map(({ name, declarations }) =>
    ExtractorConfig.prepare({
      configObject: settings(root, declarations, name, scratch),
      configObjectFullPath: join(root, "api-extractor.json"),
      packageJsonFullPath: join(root, "package.json"),
    }),
  );
  // One program for all entries: they share most of what the compiler reads.
  const additionalEntryPoints = entries.map(({ declarations }) => declarations);
  const compilerState = CompilerState.create(configs[0]!, { additionalEntryPoints });
  const reports = new Map(
    configs.map((config) => {
      const name = basename(config.reportFilePath);
      writeReport(config, compilerState);
      return [name, settled(readFileSync(join(scratch, name), "utf8"))] as const;
    }),
  );
  return [...reports].map(([name, text]) => ({
    path: `${reportFolder}/${name}`,
    content: name === "plugin.api.md" ? differenceFrom(main, reports.get(main)!, text) : text,
  }));
}

/** The entry of which the plugin's repeats nearly everything. */
const main = "index.api.md";

/** What a report has that another has not, and the other way round, by declarations: their names may differ. */
function differenceFrom(name: string, base: string, report: string): string {
  const [theirs, own] = [declarationsIn(base), declarationsIn(report)];
  const beyond = own.filter(([key]) => !theirs.some(([each]) => each === key)).map(([, text]) => text);
  const without = theirs.filter(([key]) => !own.some(([each]) => each === key)).map(([, text]) => text);
  const part = (title: string, texts: readonly string[]): string =>
    texts.length === 0 ? `${title}: nothing.\n` : `${title}:\n\n\`\`\`ts\n${texts.join("\n\n")}\n\`\`\`\n`;
  return `${part(`Beyond \`${name}\``, beyond)}\n${part(`Without, of \`${name}\``, without)}`;
}

/** Each declaration with its text, under any internal name: a name that is taken gets a number. */
const declarationsIn = (report: string): [key: string, text: string][] =>
  report.split(/\n{2,}/).map((text) => {
    const plain = text
      .replaceAll(/(\w)_\d+\b/g, "$1")
      .replaceAll(/\b(\w+) as \1\b/g, "$1")
      .replace(/^export /m, "");
    return [plain.split("\n").sort().join("\n"), text];
  });

function writeReport(config: ExtractorConfig, compilerState: CompilerState): void {
  const { succeeded } = Extractor.invoke(config, {
    ...{ localBuild: true, compilerState },
    messageCallback: (message) => {
      message.handled = true;
    },
  });
  if (!succeeded)
    throw new Error(
      `no API report of ${config.mainEntryPointFilePath}; run \`npm run build\`, then this command again`,
    );
}

function settings(root: string, declarations: string, name: string, scratch: string): IConfigFile {
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const compilerOptions = {
    ...{ target: "es2023", lib: ["es2023"], module: "nodenext", moduleResolution: "nodenext" },
    ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")], strict: true, skipLibCheck: true },
    exactOptionalPropertyTypes: true,
  };
  return {
    projectFolder: root,
    newlineKind: "lf",
    mainEntryPointFilePath: declarations,
    compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
    apiReport: {
      enabled: true,
      reportFileName: name,
      reportFolder: scratch,
      reportTempFolder: join(scratch, "compared"),
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: silent,
      extractorMessageReporting: silent,
      tsdocMessageReporting: silent,
    },
  };
}

/** The report in an order of its own: the compiler writes members of a type in the order in which it read files. */
function settled(report: string): string {
  const member = /^(\s+)(?:readonly )?"?[\w-]+"?\??: .*;$/;
  const indentationOf = (line = ""): string | undefined => member.exec(line)?.[1];
  const runs: string[][] = [];
  for (const line of report.split("\n").filter((text) => text.trim() !== "// (undocumented)")) {
    const run = runs.at(-1);
    if (indentationOf(line) !== undefined && indentationOf(line) === indentationOf(run?.[0])) run!.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => run.sort()).join("\n");
}
