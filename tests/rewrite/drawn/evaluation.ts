import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { managedSpecs } from "../../../provider/resources/index";
import { runProgram } from "../../inline/program-file";
import type { Values } from "../../values";
import { configFile } from "./program";

export interface Said {
  kind: string;
  args: Values;
}

/** The value of a secret of the config. */
export type Secrets = (key: string) => unknown;

/** What the program in a folder declares once it has run, by name. */
export function evaluated(folder: string, secrets: Secrets = () => "sealed"): Map<string, Said> {
  const said = new Map<string, Said>();
  const classOf = (kind: string) =>
    class {
      constructor(
        readonly name: string,
        args: Values = {},
      ) {
        if (said.has(name)) throw new Error(`${name} is declared twice`);
        said.set(name, { kind, args: JSON.parse(JSON.stringify(args)) as Values });
      }
    };
  const file = join(folder, configFile);
  const { config = {} } = existsSync(file) ? (parse(readFileSync(file, "utf8")) as { config?: Values }) : {};
  runProgram(folder, {
    "pulumi-modelplatform": Object.fromEntries(managedSpecs.map(({ kind }) => [kind, classOf(kind)])),
    "@pulumi/pulumi": { Config: configOf(config, secrets), ComponentResource: class {} },
  });
  return said;
}

/** The SDK's class over the values of the stack's file. */
function configOf(values: Values, secretOf: Secrets): unknown {
  const textOf = (key: string): string | undefined => {
    const value = values[`shop:${key}`];
    return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
  };
  const read = (key: string, parsed: (text: string) => unknown, isRequired: boolean): unknown => {
    const text = textOf(key);
    if (text === undefined && isRequired) throw new Error(`the config has no ${key}`);
    return text === undefined ? undefined : parsed(text);
  };
  const parsers: Record<string, (text: string) => unknown> = {
    "": (text) => text,
    Number,
    Boolean: (text) => text === "true",
    Object: (text) => JSON.parse(text),
  };
  const methods = ["get", "require"].flatMap((verb) =>
    Object.entries(parsers).map(
      ([type, parsed]) => [`${verb}${type}`, (key: string) => read(key, parsed, verb === "require")] as const,
    ),
  );
  const secrets = Object.keys(parsers).flatMap((type) => [`getSecret${type}`, `requireSecret${type}`]);
  return class {
    constructor() {
      Object.assign(this, Object.fromEntries(methods), Object.fromEntries(secrets.map((name) => [name, secretOf])));
    }
  };
}
