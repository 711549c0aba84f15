import * as pulumi from "@pulumi/pulumi";
import { sanitizeOutput } from "../../io/text/printable";
import { unknownSettingKeys, unknownSettingVariables } from "../core/settings";

/** Warns from the program's process. What services and files have written does nothing at a terminal. */
export const warn = (text: string): void => void pulumi.log.warn(sanitizeOutput(text));

let hasWarned = false;

/**
 * Warns, once per program, of settings that nothing reads. A provider cannot: it gets
 * to see the settings that it asks for, and no others.
 */
export function warnOfUnknownSettings(): void {
  if (hasWarned) return;
  hasWarned = true;
  for (const text of [
    ...unknownSettingKeys(Object.keys(pulumi.runtime.allConfig())),
    ...unknownSettingVariables(Object.keys(process.env)),
  ])
    warn(text);
}
