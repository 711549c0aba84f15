import * as pulumi from "@pulumi/pulumi";
import { unknownKeys, unknownVariables } from "../core/settings";
import { warn } from "./log";

let told = false;

/**
 * Warns, once per program, of settings that nothing reads. A provider cannot: it gets
 * to see the settings that it asks for, and no others.
 */
export function warnOfUnknownSettings(): void {
  if (told) return;
  told = true;
  for (const text of [
    ...unknownKeys(Object.keys(pulumi.runtime.allConfig())),
    ...unknownVariables(Object.keys(process.env)),
  ])
    warn(text);
}
