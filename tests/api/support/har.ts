import Ajv, { type ErrorObject } from "ajv";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json";

export interface HarEntry {
  time: number;
  request: { method: string; url: string; queryString: { name: string; value: string }[]; headers: { name: string }[] };
  response: { status: number };
  timings: Record<string, number>;
  comment: string;
}

export const entriesIn = (text: string): HarEntry[] =>
  (JSON.parse(text) as { log: { entries: HarEntry[] } }).log.entries;

/** What the schema of HTTP archives, version 1.2, finds wrong with a text; undefined where nothing is. */
export function problemsOf(text: string): ErrorObject[] | null | undefined {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addMetaSchema(draft6);
  for (const schema of Object.values(jest.requireActual<Record<string, { $id?: string }>>("har-schema")))
    if (schema.$id) ajv.addSchema(schema);
  return ajv.validate("har.json#", JSON.parse(text)) ? undefined : ajv.errors;
}
