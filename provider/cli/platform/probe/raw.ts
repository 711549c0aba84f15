import type { Json } from "../../../api/types";
import { isObject } from "../../../core/values/values";

/** The object in an answer's text, undefined where it is none. */
export function readJson(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
