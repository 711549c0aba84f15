import { createHash } from "node:crypto";
import { join } from "node:path";
import { type FileSystem, readIfExists, replacePublic } from "../../io/files/durable";
import { isObject, type JsonObject, type StateValue } from "./types";

/**
 * Where the Pulumi CLI remembers which stack of a project is selected: one small file per project file, by backend URL.
 */
export class StackSelection {
  private readonly path: string;

  constructor(
    private readonly files: FileSystem,
    /** `PULUMI_HOME`, by default `~/.pulumi`. */
    pulumiHome: string,
    project: { name: string; file: string },
  ) {
    const hash = createHash("sha1").update(project.file).digest("hex");
    this.path = join(pulumiHome, "workspaces", `${project.name}-${hash}-workspace.json`);
  }

  /** Full or short name of the stack; undefined when none is selected. */
  async get(backendUrl: string): Promise<string | undefined> {
    const { stack, stacks } = await this.settings();
    const selected = (isObject(stacks) ? stacks[backendUrl] : undefined) ?? stack;
    return typeof selected === "string" && selected !== "" ? selected : undefined;
  }

  /** Also under the key `stack`, the only one that older CLIs know. An empty file is removed, as the CLI does. */
  async set(backendUrl: string, fullName: string | undefined): Promise<void> {
    const { stack: _, stacks, ...others } = await this.settings();
    const { [backendUrl]: __, ...elsewhere } = isObject(stacks) ? stacks : {};
    const settings: JsonObject = others;
    if (fullName !== undefined) {
      settings["stack"] = fullName;
      elsewhere[backendUrl] = fullName;
    }
    if (Object.keys(elsewhere).length > 0) settings["stacks"] = elsewhere;
    if (Object.keys(settings).length === 0) await this.files.remove(this.path);
    else await replacePublic(this.files, this.path, Buffer.from(JSON.stringify(settings, null, 4)));
  }

  private async settings(): Promise<JsonObject> {
    const bytes = await readIfExists(this.files, this.path);
    return bytes === undefined ? {} : parse(bytes.toString("utf8"), this.path);
  }
}

function parse(text: string, path: string): JsonObject {
  try {
    const settings: StateValue = JSON.parse(text);
    return isObject(settings) ? settings : {};
  } catch (cause) {
    throw new Error(
      `The file that remembers the selected stack, ${path}, is damaged. Remove it and select the stack again.`,
      { cause },
    );
  }
}
