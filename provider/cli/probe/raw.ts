import type { Json } from "../../api/types";

/** The object in an answer's text, undefined where it is none. */
export function readJson(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Json) : undefined;
  } catch {
    return undefined;
  }
}
